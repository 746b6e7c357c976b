"""Every message as it goes over the wire. What comes in is refused if it holds anything else than this."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Role = Literal[0, 1]
GridCell = tuple[int, int]  # row, column; row 0 at the top
Name = Annotated[str, Field(max_length=60)]
Spec = Annotated[str, Field(max_length=1000)]
PositionText = Annotated[str, Field(max_length=2000)]
Actions = Annotated[list[Annotated[int, Field(ge=0, lt=1 << 16)]], Field(max_length=10_000)]
MoveText = Annotated[str, Field(max_length=200)]


class Model(BaseModel):
    """A message; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(Model):
    """What went wrong, in one line."""

    error: str


class OptionInfo(Model):
    """Something one may ask of a player."""

    name: str
    summary: str
    metavar: str
    default: str | None


class PlayerInfo(Model):
    """A kind of player."""

    name: str
    summary: str
    options: list[OptionInfo]


class RuleSetInfo(Model):
    """A rule set, and how it differs from the default."""

    name: str
    summary: str


class Opponent(Model):
    """A player that works out of the box; the higher the level the stronger."""

    spec: str
    label: str
    level: int


class GameInfo(Model):
    """A game and who plays it."""

    name: str
    title: str
    roles: tuple[str, str]
    default_rules: str
    rule_sets: list[RuleSetInfo]
    players: list[PlayerInfo]
    opponents: list[Opponent]


class PositionQuery(Model):
    """A position: a start, and actions or moves from there."""

    game: Name
    rules: Name | None = None
    start: PositionText | None = None
    actions: Actions = []
    moves: Annotated[list[MoveText], Field(max_length=5000)] = []


class StepGesture(Model):
    """A piece goes from one cell to another."""

    kind: Literal["step"]
    origin: Annotated[GridCell, Field(alias="from")]
    to: GridCell
    captured: list[GridCell]


class PlaceGesture(Model):
    """A piece is laid on the board, so many quarter turns clockwise from how the tray shows it."""

    kind: Literal["place"]
    piece: str
    letter: str
    cells: list[GridCell]
    turns: int
    owner: Role | None


class LegalMove(Model):
    """A whole move that is legal, and how a hand makes it."""

    text: str
    actions: list[int]
    gesture: list[Annotated[StepGesture | PlaceGesture, Field(discriminator="kind")]]


class LineMove(Model):
    """A whole move that was played; `role` is null where chance moved."""

    text: str
    role: Role | None
    actions: list[int]
    ply: int


class TintInfo(Model):
    """How a cell looks by itself."""

    cell: GridCell
    tint: str


class CellLabel(Model):
    """What is written on a cell."""

    cell: GridCell
    label: str


class PieceInfo(Model):
    """A piece on one cell; `role` is whose colour it has."""

    cell: GridCell
    role: Role | None
    letter: str
    kind: str


class PolyominoInfo(Model):
    """A piece on several cells."""

    cells: list[GridCell]
    role: Role | None
    letter: str


class MarkInfo(Model):
    """Something worth noticing about a cell."""

    cell: GridCell
    kind: str


class ArrowInfo(Model):
    """A move under consideration."""

    origin: GridCell
    target: GridCell
    strength: float


class TrayInfo(Model):
    """What a side still has in hand."""

    role: Role | None
    name: str
    polyominoes: list[PolyominoInfo]


class SceneInfo(Model):
    """A board and all that is to be seen on it and around it."""

    rows: int
    columns: int
    title: str
    caption: str
    to_move: Role | None
    row_names: list[str]
    column_names: list[str]
    tints: list[TintInfo]
    cell_labels: list[CellLabel]
    pieces: list[PieceInfo]
    polyominoes: list[PolyominoInfo]
    marks: list[MarkInfo]
    arrows: list[ArrowInfo]
    trays: list[TrayInfo]


class OutcomeInfo(Model):
    """How a game ended; nobody won a draw."""

    winner: Role | None
    reason: str


class PositionView(Model):
    """A position with all that a board needs."""

    game: str
    rules: str
    start: str | None
    text: str
    actions: list[int]
    line: list[LineMove]
    to_move: Role | None
    ply: int
    legal: list[LegalMove]
    scene: SceneInfo
    outcome: OutcomeInfo | None
    hints: dict[str, list[GridCell]]


class ClockQuery(Model):
    """Time for all moves of a side, and what each move adds, seconds."""

    base: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
    increment: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0


class NewGame(Model):
    """A game to be played against a player."""

    game: Name
    rules: Name | None = None
    role: Role | Literal["random"] = "random"
    opponent: Spec
    clock: ClockQuery | None = None
    position: PositionText | None = None


class MoveQuery(Model):
    """A whole move, by its action numbers or as text, on the board of a version."""

    actions: Annotated[Actions, Field(max_length=64)] | None = None
    text: MoveText | None = None
    version: int


class Nothing(Model):
    """A request that says all by its address."""


class ClockInfo(Model):
    """What is left to each role, seconds, and whose time runs."""

    remaining: tuple[float, float]
    running: Role | None


class LiveSummary(Model):
    """A game of a person against a player, without its board; `version` rises with every change."""

    id: str
    game: str
    rules: str
    human: Role
    opponent: str
    ply: int
    clock: ClockInfo | None
    thinking: bool
    preparing: bool
    result: OutcomeInfo | None
    created: str
    version: int


class LiveGame(LiveSummary):
    """A game of a person against a player."""

    view: PositionView


class FileText(Model):
    """A game file as text: PDN, OpenTafl's or Cathedral's format, as the game has it."""

    game: Name
    text: Annotated[str, Field(max_length=3_000_000)]


class FileRecord(Model):
    """A game of a file; `result` is the role that won, 2 for a draw, 3 for a game not over."""

    start: str | None
    rules: str
    actions: list[int]
    names: tuple[str, str]
    result: int
    reason: str


class FileGameInfo(Model):
    """A game of a file, and what else the file says of it."""

    headers: dict[str, str]
    record: FileRecord


class FileGames(Model):
    """The games of a file that can be read, and what is wrong with the others."""

    games: list[FileGameInfo]
    errors: list[str]


class FileGame(Model):
    """A game to be written; `result` as in records, where the board does not decide it."""

    game: Name
    rules: Name | None = None
    start: PositionText | None = None
    actions: Actions = []
    names: tuple[Name, Name] | None = None
    result: Literal[0, 1, 2, 3] | None = None


class FileWritten(Model):
    """The text of a file, and a name for it."""

    text: str
    name: str


Label = Annotated[str, Field(min_length=1, max_length=40)]  # a client's own name for an analysis


class Watch(Model):
    """Tell me of a game: as it is, and whenever it changes."""

    type: Literal["watch"]
    game: Label


class Unwatch(Model):
    """No longer."""

    type: Literal["unwatch"]
    game: Label


class WatchMatch(Model):
    """Tell me of a match."""

    type: Literal["watch-match"]
    match: int | Label


class Analyse(Model):
    """Have a player think about a position aloud; an analysis of the same id is replaced."""

    type: Literal["analyse"]
    id: Label
    game: Name
    rules: Name | None = None
    start: PositionText | None = None
    actions: Actions = []
    agent: Spec
    seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] | None = None


class Stop(Model):
    """End an analysis."""

    type: Literal["stop"]
    id: Label


ClientMessage = Annotated[Watch | Unwatch | WatchMatch | Analyse | Stop, Field(discriminator="type")]


class SocketError(Model):
    """Something went wrong; `id` says with which analysis or game, if with one."""

    type: Literal["error"]
    id: str | None = None
    error: str


class Candidate(Model):
    """A move a player considers; what it does not know is null. `value` is role 0's."""

    actions: list[int]
    text: str
    visits: int | None
    policy: float | None
    value: float | None


class ExpectedMove(Model):
    """A whole move of the expected line."""

    text: str
    actions: list[int]


class Info(Model):
    """What a player thinks so far. `value` is role 0's, -1 to 1; `policy` is what a net held of a move at first sight.

    `side` is to move; `nps` are positions or simulations a second.
    """

    type: Literal["info"]
    id: str
    value: float | None
    side: Role
    depth: int
    nodes: int
    simulations: int
    nps: float
    candidates: list[Candidate]
    line: list[ExpectedMove]
    seconds: float

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


class OpponentRating(Model):
    """How strong a player is, in Elo points above random play: between elo - minus and elo + plus, with 95 %."""

    elo: float
    plus: float
    minus: float


class Opponent(Model):
    """A player that works out of the box; the higher the level the stronger."""

    spec: str
    label: str
    level: int
    rating: OpponentRating | None


class RuleParagraph(Model):
    """A part of the rules, for people who do not know the game."""

    title: str
    text: str


class RuleSetInfo(Model):
    """A rule set, how it differs from the default, and whom one can play under it, weak to strong."""

    name: str
    summary: str  # of the default: what it is
    how_to_play: list[RuleParagraph]
    opponents: list[Opponent]
    rated_on: str | None  # the machine on which the opponents' ratings were measured, and when


class GameInfo(Model):
    """A game and who plays it."""

    name: str
    title: str
    roles: tuple[str, str]
    default_rules: str
    rule_sets: list[RuleSetInfo]
    players: list[PlayerInfo]


class PositionQuery(Model):
    """A position: a start, actions from there, and moves as text after them."""

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

"""Schemas of positions, game files and analyses."""

from typing import Annotated, Literal

from pydantic import Field

from boardwright.games.base import Move, Outcome
from boardwright.games.record import GameRecord
from boardwright.views.scene import Arrow, Mark, Piece, Polyomino, Tray
from boardwright.web.players.specs import bound_game
from boardwright.web.server.http import Actions, Json, Label, Model, MoveText, Name, PositionText, Role, Spec
from boardwright.web.study.positions import GameLine, PlayedMove, replay

GridCell = tuple[int, int]  # row, column; row 0 at the top


class LineQuery(Model):
    """A position: a start and the actions from there."""

    game: Name
    rules: Name | None = None
    start: PositionText | None = None
    actions: Actions = Field(default=[])

    def line(self) -> GameLine:
        """The line that it describes; raises BoardwrightError."""
        return replay(bound_game(self.game, self.rules), self.start, self.actions)


class PositionQuery(LineQuery):
    """A position: a start, actions from there, and moves as text after them."""

    moves: Annotated[list[MoveText], Field(max_length=5000)] = Field(default=[])


class StepGesture(Model):
    """A piece moves from one cell to another."""

    kind: Literal["step"]
    origin: Annotated[GridCell, Field(alias="from")]
    to: GridCell
    captured: list[GridCell]


class PlaceGesture(Model):
    """A piece is placed on the board, `turns` quarter turns clockwise from its picture in the tray."""

    kind: Literal["place"]
    piece: str
    letter: str
    cells: list[GridCell]
    turns: int
    owner: Role | None


class LegalMove(Model):
    """A whole legal move and its gestures on the board."""

    text: str
    actions: list[int]
    gesture: list[Annotated[StepGesture | PlaceGesture, Field(discriminator="kind")]]


class TintInfo(Model):
    """The colour of a cell."""

    cell: GridCell
    tint: str


class CellLabel(Model):
    """The text on a cell."""

    cell: GridCell
    label: str


class SceneInfo(Model):
    """Everything that is drawn on and around a board."""

    rows: int
    columns: int
    title: str
    caption: str
    to_move: Role | None
    row_names: list[str]
    column_names: list[str]
    tints: list[TintInfo]
    cell_labels: list[CellLabel]
    pieces: list[Piece]
    polyominoes: list[Polyomino]
    marks: list[Mark]
    arrows: list[Arrow]
    trays: list[Tray]


class PositionView(Model):
    """A position with everything that a board needs."""

    game: str
    rules: str
    start: str | None
    text: str
    actions: list[int]
    line: list[PlayedMove]
    to_move: Role | None
    ply: int
    legal: list[LegalMove]
    scene: SceneInfo
    outcome: Outcome | None
    hints: dict[str, list[GridCell]]


class FileText(Model):
    """A game file as text, in the format of the game."""

    game: Name
    text: Annotated[str, Field(max_length=1_000_000)]


class RecordOfGame(Model):
    """A game that was played; `result` is the role that won, 2 for a draw, 3 for a game not over."""

    start: str | None
    rules: str
    actions: list[int]
    result: int
    reason: str

    @staticmethod
    def fields_of(record: GameRecord) -> Json:
        """The fields of this class for a game."""
        fields = {name: getattr(record, name) for name in ("start", "result", "reason")}
        return {**fields, "rules": record.rules.name, "actions": list(record.actions)}


class FileRecord(RecordOfGame):
    """A game with the names of its players."""

    names: tuple[str, str]


class FileGameInfo(Model):
    """A game of a file with its headers."""

    headers: dict[str, str]
    record: FileRecord


class FileGames(Model):
    """The games of a file that can be read, and the errors in the others."""

    games: list[FileGameInfo]
    errors: list[str]


class FileGame(LineQuery):
    """A game to write; `result`, as in records, and `reason` count if the position is not over."""

    names: tuple[Spec, Spec] | None = None
    result: Literal[0, 1, 2, 3] | None = None
    reason: Annotated[str, Field(max_length=2000)] = ""  # the error of an engine may be long


class FileWritten(Model):
    """The text of a file and its suggested name."""

    text: str
    name: str


class Analyse(LineQuery):
    """Socket request: analyse a position with a player. It replaces the page's analysis of the same id."""

    type: Literal["analyse"]
    id: Label
    agent: Spec
    seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] | None = None


class Candidate(Model):
    """A move considered by the player, unknown figures null. `value` is role 0's."""

    actions: list[int]
    text: str
    visits: int | None
    policy: float | None
    value: float | None


class Info(Model):
    """Socket message: the state of an analysis. `value` is role 0's, -1 to 1; `policy` is the net's prior of a move.

    `side` is the role to move; `nps` counts positions or simulations per second. `waiting`: the analysis is paused
    while other analyses use the worker processes; before its first turn it has no candidates.
    """

    type: Literal["info"] = "info"
    id: str
    value: float | None = None
    side: int
    depth: int = 0
    nodes: int = 0
    simulations: int = 0
    nps: float = 0.0
    candidates: list[Candidate] = Field(default=[])
    line: list[Move] = Field(default=[])
    seconds: float = 0.0
    waiting: bool = False

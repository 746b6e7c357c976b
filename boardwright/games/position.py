"""A position of the scalar engine."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from boardwright.errors import BoardwrightError, IllegalMoveError, PositionError
from boardwright.games.engines import DRAW, ONGOING, CorePosition

if TYPE_CHECKING:
    from boardwright.games.base import Game

C = TypeVar("C")


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winner: int | None  # the role that won; None is a draw
    reason: str  # what ended it, in words


class Position:
    """One position of a game and the line of play that led to it. Immutable.

    The text of a position does not carry the line, so repetitions are counted from the text.
    """

    __slots__ = ("core", "game")

    def __init__(self, game: Game, core: CorePosition):
        self.game = game
        self.core = core

    @property
    def role_to_move(self) -> int:
        """0, 1 or CHANCE; once the game is over, who would have been next."""
        return self.core.role_to_move

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None for an ongoing game."""
        result = self.core.result
        if result == ONGOING:
            return None
        return Outcome(None if result == DRAW else result, self.game.reasons[self.core.reason])

    @property
    def hash(self) -> int:
        """64-bit Zobrist hash of the board and the role to move, incremental in both engines."""
        return self.core.hash

    @property
    def plies(self) -> int:
        """Whole moves played since the start of the game."""
        return self.core.plies

    @property
    def text(self) -> str:
        """The position as text; `game.position` reads it back."""
        return self.game.position_text(self.core)

    @property
    def caption(self) -> str:
        """Who is to move, or how the game ended, as a line under a board."""
        outcome, roles = self.outcome, self.game.roles
        if outcome is None:
            return f"{'Chance' if self.role_to_move < 0 else roles[self.role_to_move].capitalize()} to move"
        if outcome.winner is None:
            return f"Draw: {outcome.reason}"
        winner = roles[outcome.winner].capitalize()
        return f"{winner} {'win' if winner.endswith('s') else 'wins'}: {outcome.reason}"

    def actions(self) -> list[int]:
        """The actions of the line that led here."""
        return self.core.actions()

    def legal_actions(self) -> list[int]:
        """Legal action numbers, ascending; empty when the game is over."""
        return self.core.legal_actions()

    def count_actions(self) -> int:
        """How many legal actions there are."""
        return self.core.count_actions()

    def legal_mask(self) -> np.ndarray:
        """[num_actions] bool."""
        return self.core.legal_mask()

    def moves(self) -> list[str]:
        """Texts of the legal whole moves."""
        return [move.text for move in self.game.moves(self.core)]

    def action_text(self, action: int) -> str:
        """Text of a legal action."""
        self._check(action)
        return self.game.action_text(self.core, action)

    def play(self, move: int | str) -> Position:
        """The position after an action (a number) or a whole move (a text); raises IllegalMoveError."""
        if isinstance(move, str):
            self._check_ongoing()
            return self.play_all(self.game.parse_move(self.core, move))
        action = operator.index(move)
        self._check(action)
        return Position(self.game, self.core.play(action))

    def play_all(self, actions: Sequence[int], unit: str = "") -> Position:
        """The position after several actions, in one call of the engine; raises IllegalMoveError as `play` does.

        With a `unit` the error names the first illegal action, such as "ply 3: ...".
        """
        try:
            return Position(self.game, self.core.play_all(actions))
        except (TypeError, ValueError):  # one of them is illegal: find it, and the reason
            position = self
        for number, action in enumerate(actions, start=1):
            try:
                position = position.play(action)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"{unit} {number}: {error}" if unit else str(error)) from None
        return position

    def core_as(self, kind: type[C]) -> C:
        """`core` as the position class of one game's engine; raises PositionError for another game's position."""
        if not isinstance(self.core, kind):
            expected = kind.__name__.removesuffix("Position").lower()
            raise PositionError(f"position belongs to {self.game.name}, expected {expected}")
        return self.core

    def under(self, game: Game) -> Position:
        """This position and its history in a game with the same rules and perhaps another observation."""
        if game is self.game:
            return self
        if type(game) is not type(self.game) or game.rules != self.game.rules:
            theirs, ours = (f"{other.name} {other.rules.name}" for other in (game, self.game))
            raise BoardwrightError(f"position belongs to {ours}, expected {theirs}")
        return Position(game, self.core.under(game.engine))

    def observation(self, role: int | None = None) -> np.ndarray:
        """[rows, columns, planes] float32, as `role` (by default the one to move) sees it."""
        return self.core.observe(self.role_to_move if role is None else role)

    def perft(self, depth: int, distinct: bool = False) -> int:
        """Number of lines of exactly `depth` whole moves from here.

        Two ways to make a move (capture routes) count as two; with `distinct`, as one if they lead to
        the same position.
        """
        return self.core.perft(depth, distinct)

    def _check(self, action: int) -> None:
        if not 0 <= action < self.game.num_actions:
            raise IllegalMoveError(f"action {action} is not a number from 0 to {self.game.num_actions - 1}")
        self._check_ongoing()
        if not self.core.is_legal(int(action)):
            raise IllegalMoveError(self.game.why_illegal(self.core, int(action)))

    def _check_ongoing(self) -> None:
        if self.outcome is not None:
            raise IllegalMoveError(f"the game is over: {self.outcome.reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as first position and actions, so that repetitions are still counted in another process."""
        return _replay, (self.game, self.game.position_text(self.core.first()), self.actions())

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    def __str__(self) -> str:
        from boardwright.views.terminal import render

        return render(self.game.scene(self))

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.game.rules.name} {self.text}>"

    def _repr_svg_(self) -> str:
        from boardwright.views.svg import render

        return render(self.game.scene(self))


def _replay(game: Game, start: str, actions: Sequence[int]) -> Position:
    """The position at the end of a line of legal actions."""
    return game.position(start).play_all(actions)

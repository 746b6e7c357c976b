"""A game that was played, independent of file formats.

`GameRecord` holds what the files of every game can say. The module of a file format turns it into text
and back; what a format says beyond this goes into the tags.

    record = GameRecord.of(position, tags={"event": "Club evening"})

A move may take several actions, so everything in a record is counted in actions.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from boardwright.games import registry
from boardwright.games.base import DRAW, ONGOING, Outcome, Position


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of play and what people wrote about it, by the number of the line's actions played so far."""

    actions: tuple[int, ...] = ()
    comments: Mapping[int, str] = field(default_factory=dict, hash=False)
    marks: Mapping[int, tuple[str, ...]] = field(default_factory=dict, hash=False)  # judgements such as ! or $3
    variations: Mapping[int, tuple["Line", ...]] = field(default_factory=dict, hash=False)  # other continuations


@dataclass(frozen=True, kw_only=True)
class GameRecord(Line):
    """One game: its rules, its moves, how it ended, and what people wrote about it."""

    game: str  # as registered
    rules: Any  # the rule set, as the game holds it
    start: str | None = None  # text of the first position where it is not the one of the rules
    result: int = ONGOING  # the role that won, DRAW, or ONGOING for a game not over or not known to be
    reason: str = ""  # what ended it, in words
    resigned: int | None = None  # the role that resigned
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)  # event, players and the like, in order

    @classmethod
    def of(
        cls,
        position: Position,
        *,
        start: str | None = None,
        comments: Mapping[int, str] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> "GameRecord":
        """The game that led to `position`; `start` is the text it began from, if not the rules' first position."""
        outcome = position.outcome
        return cls(
            game=position.game.name,
            rules=position.game.rules,
            start=start,
            actions=tuple(position.actions()),
            result=ONGOING if outcome is None else result_of(outcome),
            reason="" if outcome is None else outcome.reason,
            comments=comments or {},
            tags=tags or {},
        )

    def positions(self) -> Iterator[Position]:
        """Every position of the game, first to last; raises IllegalMoveError naming the action."""
        game = registry.game(self.game, self.rules)
        position = game.start() if self.start is None else game.position(self.start)
        position.play_all(self.actions, unit="action")  # raises the error
        return itertools.accumulate(self.actions, Position.play, initial=position)


def result_of(outcome: Outcome) -> int:
    """An outcome as records number results."""
    return DRAW if outcome.winner is None else outcome.winner


def outcome_of(last: Position, resigned: int | None) -> Outcome | None:
    """How a game ended if its last position or a resignation decides that; files may only agree with it."""
    if last.outcome is not None or resigned is None:
        return last.outcome
    return Outcome(1 - resigned, f"{last.game.roles[resigned]} resigned")

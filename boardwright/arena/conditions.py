"""What a match agrees on beyond the rules of its game: time, and when a game is stopped.

* `seconds` is the time a move of every player whose spec sets no limit of its own (`time=`, `nodes=`,
  `sims=`, `depth=`). It is what the player is told; a player that takes longer is not punished, but the
  time it took is recorded.
* A `clock` is a budget for the whole game. A player whose flag falls forfeits. Players without a limit of
  their own are told to think for a share of what they have left.
* `max_plies` makes a draw of a game that goes on for so many plies.
* `adjudicate` ends a game whose result the game's own tables prove.
"""

import re
from dataclasses import dataclass

from boardwright.agents.base import Limit
from boardwright.agents.specs import seconds
from boardwright.errors import BoardwrightError

MOVES_AHEAD = 25  # how many more moves a player's clock is shared among
LARGEST_SHARE = 0.5  # of the time left, for one move
INCREMENT_SHARE = 0.75  # of what a move adds is used at once, so that the clock does not run dry
RESERVE = 0.05  # seconds never to be used: asking a player takes time too


@dataclass(frozen=True)
class Clock:
    """A player's time for a whole game."""

    seconds: float
    increment: float = 0.0  # added after each move

    def share(self, left: float) -> float:
        """The seconds to think about a move with so many left."""
        usable = max(left - RESERVE, 0.0)
        return min(usable / MOVES_AHEAD + self.increment * INCREMENT_SHARE, usable * LARGEST_SHARE)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions of a match; by default every player keeps to its own limits and no game is stopped."""

    seconds: float | None = None
    clock: Clock | None = None
    max_plies: int | None = None
    adjudicate: bool = False

    def limit(self, left: float | None) -> Limit:
        """What a player without a limit of its own is told, with `left` seconds on its clock if there is one."""
        bounds = [] if self.seconds is None else [self.seconds]
        if self.clock is not None and left is not None:
            bounds.append(max(self.clock.share(left), 0.001))
        return Limit(seconds=min(bounds, default=None))


def parse_clock(text: str) -> Clock:
    """Reads `60s` or `60s+1s`; raises BoardwrightError."""
    match = re.fullmatch(r"([^+]+)(?:\+([^+]+))?", text)
    try:
        if match is None:
            raise ValueError("like 60s+1s")
        return Clock(seconds(match[1]), 0.0 if match[2] in (None, "0", "0s", "0ms") else seconds(match[2]))
    except ValueError:
        raise BoardwrightError(
            f"--clock {text!r}: give the time for a game and what each move adds, such as 60s+1s"
        ) from None

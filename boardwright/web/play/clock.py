"""The chess clock of a live game: the time left to each role, and whose time runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from boardwright.agents.base import Limit
from boardwright.agents.specs import seconds as parse_seconds
from boardwright.agents.specs import sets_limit, split
from boardwright.records.live import ClockState


@dataclass(frozen=True, kw_only=True)
class Clock:
    """An immutable clock, in seconds; `now` is the caller's monotonic time."""

    state: ClockState
    running: int | None = None  # the role whose time runs
    since: float = 0.0  # when it started

    def remaining(self, now: float) -> tuple[float, float]:
        """The time left to each role."""
        first, second = (
            max(0.0, left - (now - self.since if role == self.running else 0.0))
            for role, left in enumerate(self.state.remaining)
        )
        return first, second

    def stop(self, now: float, increments: tuple[int, int] = (0, 0)) -> "Clock":
        """The clock with no time running, and this many increments added to the time of each role."""
        left, increment = self.remaining(now), self.state.increment
        remaining = (left[0] + increments[0] * increment, left[1] + increments[1] * increment)
        return Clock(state=replace(self.state, remaining=remaining))

    def start(self, role: int, now: float) -> "Clock":
        """The clock with the time of one role running."""
        return replace(self.stop(now), running=role, since=now)

    def after_move(self, role: int, now: float) -> "Clock":
        """The clock, stopped, after a move of a role, which gets its increment."""
        return self.stop(now, (int(role == 0), int(role == 1)))

    def after_undo(self, roles: Sequence[int | None], now: float) -> "Clock":
        """The clock after moves of these roles are undone: their increments are lost, their time stays spent."""
        return self.stop(now, (-roles.count(0), -roles.count(1)))

    def share(self, role: int, now: float) -> float:
        """Time for a player's next move so that its time lasts for the game, seconds."""
        left = self.remaining(now)[role]
        return max(0.02, min(0.8 * left, left / 20 + 0.8 * self.state.increment))


def time_for(spec: str, clock: Clock | None, role: int, now: float, longest: float) -> tuple[Limit, float]:
    """The limit of a player's next move, and the seconds after which it must answer; `longest` without a clock."""
    if clock is None:
        return Limit(), longest
    share, left = clock.share(role, now), clock.remaining(now)[role]
    latest = min(longest, 4 * share, 0.9 * left)  # some time before its flag falls
    _, given = split(spec)
    if sets_limit(given) and "time" not in given:  # limited by something else than time
        return Limit(), latest
    own = parse_seconds(given["time"]) if "time" in given else longest
    return Limit(seconds=min(share, own, longest)), latest

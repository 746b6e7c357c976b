"""A chess clock: what is left to each role, and whose time runs. The server's is the only one that counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from boardwright.agents.base import Limit
from boardwright.agents.specs import seconds as parse_seconds
from boardwright.agents.specs import sets_limit, split
from boardwright.records.live import ClockState


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Times in seconds; `now` is always the caller's, of a clock that never goes back."""

    state: ClockState
    running: int | None = None  # whose time runs
    since: float = 0.0  # when it began to

    def remaining(self, now: float) -> tuple[float, float]:
        """What is left to each role."""
        first, second = (
            max(0.0, left - (now - self.since if role == self.running else 0.0))
            for role, left in enumerate(self.state.remaining)
        )
        return first, second

    def stopped(self, now: float) -> "Clock":
        """Nobody's time runs."""
        return Clock(state=replace(self.state, remaining=self.remaining(now)))

    def started(self, role: int, now: float) -> "Clock":
        """One role's time runs."""
        return replace(self.stopped(now), running=role, since=now)

    def moved(self, role: int, now: float) -> "Clock":
        """A role has moved, and gets its increment."""
        stopped = self.stopped(now).state
        left = list(stopped.remaining)
        left[role] += stopped.increment
        return Clock(state=replace(stopped, remaining=(left[0], left[1])))

    def taken_back(self, roles: Sequence[int | None], now: float) -> "Clock":
        """Moves of these roles are undone: their increments go with them, the time they took stays spent."""
        stopped = self.stopped(now).state
        first, second = (left - stopped.increment * roles.count(role) for role, left in enumerate(stopped.remaining))
        return Clock(state=replace(stopped, remaining=(first, second)))

    def share(self, role: int, now: float) -> float:
        """How long a player may think about a move so that its time lasts, seconds."""
        left = self.remaining(now)[role]
        return max(0.02, min(0.8 * left, left / 20 + 0.8 * self.state.increment))


def time_for(spec: str, clock: Clock | None, role: int, now: float, longest: float) -> tuple[Limit, float]:
    """The limit of a player's next move, and when it is told to answer, seconds; `longest` without a clock."""
    if clock is None:
        return Limit(), longest
    share, left = clock.share(role, now), clock.remaining(now)[role]
    latest = min(longest, 4 * share, 0.9 * left)  # some time before its flag falls
    _, given = split(spec)
    if sets_limit(given) and "time" not in given:  # it counts something else
        return Limit(), latest
    own = parse_seconds(given["time"]) if "time" in given else longest
    return Limit(seconds=min(share, own, longest)), latest

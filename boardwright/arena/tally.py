"""Totals of an event's games for one player: score, forfeits, plies and thinking time."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from boardwright.arena.event import PlayedGame
from boardwright.games.base import CHANCE
from boardwright.stats.pairings import Encounter
from boardwright.stats.score import Score


@dataclass(frozen=True)
class Tally:
    """A score with forfeits, plies and thinking time."""

    score: Score = field(default_factory=Score)
    forfeits: int = 0  # of the losses, those for breaking the rules of the match
    plies: int = 0  # whole moves of all the games, the opening's too
    moves: int = 0  # that the player chose
    seconds: float = 0.0  # it took for them
    longest: float = 0.0  # seconds for one move

    @property
    def mean_plies(self) -> float:
        """Mean plies per game."""
        return self.plies / max(self.score.games, 1)

    @property
    def seconds_per_move(self) -> float:
        """Mean thinking time."""
        return self.seconds / max(self.moves, 1)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.score + other.score,
            forfeits=self.forfeits + other.forfeits,
            plies=self.plies + other.plies,
            moves=self.moves + other.moves,
            seconds=self.seconds + other.seconds,
            longest=max(self.longest, other.longest),
        )


def tallies(played: PlayedGame) -> tuple[Tally, Tally]:
    """One game, from the side of the player of each role."""
    record, plies = played.record, 0
    seconds = played.seconds or (0.0,) * len(record.actions)
    chosen: tuple[list[float], list[float]] = ([], [])  # seconds of each move, by role
    for number, position in enumerate(record.positions()):
        plies, role = position.plies, position.role_to_move
        if played.opening <= number < len(record.actions) and role != CHANCE:
            if position.core.continues and chosen[role]:
                chosen[role][-1] += seconds[number]
            else:
                chosen[role].append(seconds[number])
    first, second = (
        Tally(
            Score.of(record.result, role),
            forfeits=int(played.forfeited_by == role),
            plies=plies,
            moves=len(chosen[role]),
            seconds=sum(chosen[role]),
            longest=max(chosen[role], default=0.0),
        )
        for role in (0, 1)
    )
    return first, second


@dataclass(frozen=True)
class MatchTally:
    """The games of a match between A and B."""

    a: tuple[Tally, Tally]  # by the role A had
    b: Tally


def match_tally(games: Iterable[PlayedGame]) -> MatchTally:
    """Counts a match: A has role 0 in the games of even number, and role 1 in the others."""
    a, b = [Tally(), Tally()], Tally()
    for played in games:
        role, sides = played.index % 2, tallies(played)
        a[role] += sides[role]
        b += sides[1 - role]
    return MatchTally((a[0], a[1]), b)


def points(played: PlayedGame, role: int) -> float:
    """Points of the player of a role in a game: 1, ½ or 0."""
    return Score.of(played.record.result, role).points


def forfeits(games: Iterable[PlayedGame]) -> Counter[str]:
    """Number of forfeited games by player."""
    return Counter(played.players[played.forfeited_by] for played in games if played.forfeited_by is not None)


def encounters(games: Iterable[PlayedGame]) -> list[Encounter]:
    """The games in the form that ratings and crosstables take."""
    return [Encounter(*played.players, played.record.result) for played in games]


def pair_points(games: Iterable[PlayedGame]) -> list[tuple[float, ...]]:
    """The first player's points in the games of a match, by pair, in order of their numbers.

    A pair whose second game was not played has one.
    """
    pairs: dict[int, tuple[float, ...]] = {}
    for played in sorted(games, key=lambda game: game.index):
        pairs[played.index // 2] = (*pairs.get(played.index // 2, ()), points(played, played.index % 2))
    return list(pairs.values())

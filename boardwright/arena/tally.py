"""What the games of an event add up to, from the side of one of its players."""

from collections.abc import Iterable
from dataclasses import dataclass

from boardwright.arena.played import PlayedGame
from boardwright.games.base import DRAW


@dataclass(frozen=True)
class Tally:
    """A number of games from one player's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0  # of the losses, those for breaking the rules of the match
    plies: int = 0  # whole moves of all the games, the opening's too
    moves: int = 0  # that the player chose
    seconds: float = 0.0  # it took for them
    longest: float = 0.0  # seconds for one move

    @property
    def games(self) -> int:
        """How many."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of the points, a draw being half a point."""
        return (self.wins + self.draws / 2) / max(self.games, 1)

    @property
    def mean_plies(self) -> float:
        """Plies a game."""
        return self.plies / max(self.games, 1)

    @property
    def seconds_a_move(self) -> float:
        """Mean thinking time."""
        return self.seconds / max(self.moves, 1)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.forfeits + other.forfeits,
            self.plies + other.plies,
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.longest, other.longest),
        )


def tally(played: PlayedGame, role: int) -> Tally:
    """One game, from the side of whoever had a role."""
    record, plies, chosen = played.record, 0, []
    for number, position in enumerate(record.positions()):
        plies = position.plies
        if played.opening <= number < len(record.actions) and position.role_to_move == role:
            if position.core.continues:
                chosen[-1] += played.seconds[number]
            else:
                chosen.append(played.seconds[number])
    return Tally(
        wins=int(record.result == role),
        draws=int(record.result == DRAW),
        losses=int(record.result == 1 - role),
        forfeits=int(played.forfeited_by == role),
        plies=plies,
        moves=len(chosen),
        seconds=sum(chosen),
        longest=max(chosen, default=0.0),
    )


def by_role_of_first(games: Iterable[PlayedGame]) -> tuple[Tally, Tally]:
    """The games of a match from the first player's side, by the role it had: role 0 in those of even number."""
    sums = [Tally(), Tally()]
    for played in games:
        role = played.index % 2
        sums[role] += tally(played, role)
    return sums[0], sums[1]


def points(played: PlayedGame, role: int) -> float:
    """What a game gave to whoever had a role: 1, ½ or 0."""
    return 0.5 if played.record.result == DRAW else float(played.record.result == role)


def pair_points(games: Iterable[PlayedGame]) -> list[tuple[float, ...]]:
    """The first player's points in the games of a match, by pair, in order of their numbers.

    A pair whose second game was not played has one.
    """
    pairs: dict[int, tuple[float, ...]] = {}
    for played in sorted(games, key=lambda game: game.index):
        pairs[played.index // 2] = (*pairs.get(played.index // 2, ()), points(played, played.index % 2))
    return list(pairs.values())

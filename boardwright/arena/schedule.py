"""Which games a match or tournament consists of, as pure data: game number → players, opening, seeds.

Every game has a number, and all about it follows from that number, the match's seed and what was agreed, so
a match that was stopped goes on with the numbers that are missing. Numbers run round by round: in each
round every pairing plays one opening twice with the roles swapped, so stopping early leaves a fair half.
All pairings of a round play the same opening.
"""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from boardwright.arena.openings import Beginning, beginnings
from boardwright.games.base import Game


@dataclass(frozen=True, kw_only=True)
class ScheduledGame:
    """One game to be played."""

    index: int
    players: tuple[str, str]  # spec of the player of each role
    beginning: Beginning
    seeds: tuple[int, int]  # for the player of each role, where its spec sets none
    chance_seed: int  # of what chance does; the same in both games of a pair


def pairings(players: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Who meets whom: everybody everybody, or the first all others."""
    everybody = list(itertools.combinations(range(players), 2))
    return [pair for pair in everybody if pair[0] == 0] if gauntlet else everybody


def schedule(
    game: Game, players: tuple[str, ...], *, openings: str, seed: int, gauntlet: bool = False
) -> Iterator[ScheduledGame]:
    """The games in order, without end; the first of a pairing has role 0 in those of even number."""
    index, met = itertools.count(), pairings(len(players), gauntlet)
    for round_number, beginning in enumerate(beginnings(game, openings, derived_seed(seed, "openings"))):
        for first, second in met:
            for pair in ((players[first], players[second]), (players[second], players[first])):
                number = next(index)
                yield ScheduledGame(
                    index=number,
                    players=pair,
                    beginning=beginning,
                    seeds=(derived_seed(seed, "player", number, 0), derived_seed(seed, "player", number, 1)),
                    chance_seed=derived_seed(seed, "chance", round_number),
                )


def derived_seed(seed: int, *path: str | int) -> int:
    """A 64-bit seed of its own for each use of a match's seed."""
    return int.from_bytes(hashlib.blake2b(repr((seed, *path)).encode(), digest_size=8).digest(), "big")

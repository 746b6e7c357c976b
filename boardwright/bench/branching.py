"""How many legal actions positions have, which decides how many slots a batched search needs.

    python -m boardwright.bench.branching tablut --games 200

prints, for three kinds of play from the game's first position, the mean, the highest and how many positions have more
than some numbers of actions. `random` is play at random; `alphabeta` searches two moves deep and plays every fourth
action at random; in `roomy`, three actions in four maximise the number of legal actions after them.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import tyro

import boardwright
from boardwright.games.base import CHANCE, Game, Position

KINDS = ("random", "alphabeta", "roomy")
AT_RANDOM = 0.25  # share of random actions in the play that is not
DEPTH = 2  # of alpha-beta
MEGABYTES = 1
LIMITS = (24, 48, 96, 128, 144, 160, 256)  # numbers of slots to consider


@dataclass(frozen=True)
class Branching:
    """Legal actions of the positions of some games."""

    kind: str  # of play
    counts: Counter[int]  # positions by how many legal actions they have; neither ends nor chance's

    @property
    def positions(self) -> int:
        """How many were looked at."""
        return self.counts.total()

    @property
    def mean(self) -> float:
        """Legal actions per position."""
        return sum(actions * times for actions, times in self.counts.items()) / self.positions

    @property
    def highest(self) -> int:
        """Legal actions of the position that has most."""
        return max(self.counts)

    def share_above(self, actions: int) -> float:
        """Share of positions with more legal actions than a number."""
        return sum(times for count, times in self.counts.items() if count > actions) / self.positions


def measure(game: Game, games: int, seed: int = 0) -> Iterator[Branching]:
    """Legal actions in a number of games of each kind of play."""
    for kind in KINDS:
        counts: Counter[int] = Counter()
        for number in range(games):
            dice = random.Random(f"{seed} {kind} {number}")
            position = game.start()
            while position.outcome is None:
                if position.role_to_move != CHANCE:
                    counts[position.count_actions()] += 1
                position = position.play(_choose(position, kind, dice))
        yield Branching(kind, counts)


def _choose(position: Position, kind: str, dice: random.Random) -> int:
    actions = position.legal_actions()
    if kind == "random" or position.role_to_move == CHANCE or dice.random() < AT_RANDOM:
        return dice.choice(actions)
    if kind == "alphabeta":
        found = position.game.alphabeta(MEGABYTES, 1).search(position.core, DEPTH, 0, 0.0)
        return found.principal_variation[0]
    dice.shuffle(actions)
    return max(actions, key=lambda action: position.play(action).count_actions())


def main(name: tyro.conf.Positional[str], games: int = 100, rules: str | None = None) -> None:
    """Prints what `measure` finds."""
    game = boardwright.game(name, rules)
    print(f"{name} {game.rules.name}: {games} games of each kind")
    for found in measure(game, games):
        tail = ", ".join(f"> {limit}: {found.share_above(limit):.2g}" for limit in LIMITS)
        print(f"  {found.kind:9} {found.positions:7} positions, mean {found.mean:.1f}, most {found.highest}; {tail}")


if __name__ == "__main__":
    tyro.cli(main)

"""How many legal actions positions have, which decides how many slots a batched search needs.

    python -m boardwright.bench.branching tablut --games 200

prints, for three kinds of play from the game's first position, the mean, the highest and how many positions have more
than some numbers of actions. `random` is play at random; `alphabeta` searches two moves deep and plays every fourth
action at random; in `roomy`, three actions in four maximise the number of legal actions after them.
"""

import random
from collections.abc import Iterator

import numpy as np
import tyro

import boardwright
from boardwright.games.base import CHANCE, Game, Position

KINDS = ("random", "alphabeta", "roomy")
AT_RANDOM = 0.25  # share of random actions in the play that is not
DEPTH = 2  # of alpha-beta
MEGABYTES = 1
LIMITS = (24, 48, 96, 128, 144, 160, 256)  # numbers of slots to consider


def measure(game: Game, games: int) -> Iterator[tuple[str, np.ndarray]]:
    """Each kind of play with the number of legal actions of every position in its games but ends and chance's."""
    for kind in KINDS:
        counts = []
        for number in range(games):
            dice = random.Random(f"0 {kind} {number}")
            position = game.start()
            while position.outcome is None:
                if position.role_to_move != CHANCE:
                    counts.append(position.count_actions())
                position = position.play(_choose(position, kind, dice))
        yield kind, np.array(counts)


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
    for kind, counts in measure(game, games):
        tail = ", ".join(f"> {limit}: {(counts > limit).mean():.2g}" for limit in LIMITS)
        print(f"  {kind:9} {len(counts):7} positions, mean {counts.mean():.1f}, most {counts.max()}; {tail}")


if __name__ == "__main__":
    tyro.cli(main)

"""Calls the C++ engine with random arguments, good and bad: `python tests/core/fuzz.py --calls 100000 --seed 1`.

Every call must return or raise ValueError, TypeError, OverflowError or IndexError. `make sanitize` runs this under the
address, undefined-behaviour and thread sanitizers, which find what goes wrong without an exception.
"""

import argparse
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import boardwright
from boardwright.games.base import Game
from boardwright.games.registry import game_class, game_names

REFUSALS = (ValueError, TypeError, OverflowError, IndexError)
ODD_NUMBERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 80, 127, 2591, 2**15, 2**31 - 1, 2**31, 2**63 - 1, 2**64)
MAX_PLIES = 120  # of a game
MEGABYTES = 1


class Fuzzer:
    """Random calls on positions of random games; `threads` is used by every search that has threads."""

    def __init__(self, seed: int, threads: int = 2):
        self.random = random.Random(seed)
        self.threads = threads
        self.games = [boardwright.game(name, rules) for name in game_names() for rules in game_class(name).rule_sets()]
        self.calls = 0

    def run(self, calls: int) -> None:
        """Makes at least that many calls."""
        while self.calls < calls:
            self._play_game(self.random.choice(self.games))

    def _play_game(self, game: Game) -> None:
        core: Any = game.start().core
        if self.random.random() < 0.3:
            core = self._call(self._random_setup, game) or core
        for _ in range(MAX_PLIES):
            self._call(self.random.choice(self._cheap_calls(game, core)))
            if self.random.random() < 0.05:
                self._call(self.random.choice(self._searches(game, core)))
            actions = core.legal_actions()
            if not actions:
                return
            core = core.play(self.random.choice(actions))

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.calls += 1
        try:
            return function(*arguments)
        except REFUSALS:
            return None

    def _number(self, core: Any) -> int:
        """An action that may be legal, or a number that should not be one."""
        actions = core.legal_actions()
        if actions and self.random.random() < 0.5:
            return self.random.choice(actions)
        return self.random.choice(ODD_NUMBERS)

    def _numbers(self, core: Any) -> list[int]:
        return [self._number(core) for _ in range(self.random.randrange(4))]

    def _random_setup(self, game: Game) -> Any:
        """A position of random bits and numbers, which the engine may refuse."""
        bits = [self.random.getrandbits(32) & self.random.getrandbits(32) for _ in range(3)]
        odd = [self.random.choice(ODD_NUMBERS) for _ in range(4)]
        if game.name == "draughts":
            return game.engine.setup(*bits, *odd)
        if game.name == "tablut":
            board = np.array([self.random.choice((0, 0, 0, 1, 2, 3, -1, 100)) for _ in range(81)], np.int8)
            return game.engine.setup(board, *odd[:3])
        return game.position("".join(self.random.choice("0123456789./ -abcLD") for _ in range(40))).core

    def _cheap_calls(self, game: Game, core: Any) -> list[Callable[[], Any]]:
        other = self.random.choice(self.games)
        number = self._number(core)
        calls = [
            lambda: core.play(number),
            lambda: core.play_all(self._numbers(core)),
            lambda: core.is_legal(number),
            lambda: core.observe(number),
            lambda: core.observe(self.random.randrange(2)),
            lambda: core.under(other.engine),
            lambda: core.under(other.engine).observe(0),
            lambda: core.under(other.engine).legal_mask(),
            lambda: core.legal_mask(),
            lambda: core.routes(),
            lambda: core.first().legal_actions(),
            lambda: core.perft(self.random.choice((-1, 0, 1)), distinct=self.random.random() < 0.5),
            lambda: core.playouts(self.random.getrandbits(64), 0, self.random.choice((-1, 0, 2))),
        ]
        if game.name == "tablut":
            calls += [
                lambda: core.threatened(number),
                lambda: core.king_can_be_captured(),
                lambda: core.victory_path(),
                lambda: core.forced_win(self.random.choice((0, 1, number)), self.random.choice((-1, 0, 1, 2))),
                lambda: core.heuristic_scores(),
            ]
        return calls

    def _searches(self, game: Game, core: Any) -> list[Callable[[], Any]]:
        return [
            lambda: self._alphabeta(game, core),
            lambda: self._puct(game, core),
            lambda: core.monte_carlo(
                self.random.getrandbits(63),
                self.random.choice((1, 50)),
                0.0,
                prove=self.random.random() < 0.5,
                foresee=self.random.random() < 0.5,
                depth=self.random.choice((None, 0, 5)),
                root_actions=self._numbers(core),
                threads=self.threads,
            ),
        ]

    def _alphabeta(self, game: Game, core: Any) -> None:
        search = game.alphabeta(MEGABYTES, self.threads)
        search.search(core, self.random.choice((1, 2, 100)), self.random.choice((1, 3000)), 0.05)
        search.value(core)

    def _puct(self, game: Game, core: Any) -> None:
        """A search with random logits and values, one batch in five of a wrong shape."""
        batch = self.random.choice((1, 4))
        search = game.puct(MEGABYTES, batch, self.random.getrandbits(63))
        search.begin(core, self.random.choice((0, 8)))
        generator = np.random.default_rng(self.random.getrandbits(32))
        for _ in range(6):
            count = search.collect(batch, 8)
            if search.done or not count:
                break
            rows = self.random.choice((count, count, count, count, count + 1))
            columns = self.random.choice((game.num_actions,) * 4 + (1,))
            logits = generator.normal(size=(rows, columns)).astype(np.float32)
            search.apply(logits, generator.uniform(-1, 1, rows).astype(np.float32))
        search.report()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    fuzzer = Fuzzer(options.seed, options.threads)
    fuzzer.run(options.calls)
    print(f"{fuzzer.calls} calls, seed {options.seed}: all returned or were refused")

"""The parts that the small games of the tests share. Not a test itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from boardwright.games.base import (
    AlphaBetaSearch,
    Benchmark,
    Game,
    Position,
    PuctSearch,
    SearchResources,
    Symmetry,
)


class ToyCore:
    """What follows from a position's line, legal actions and `play`; one legal action is one move."""

    line: tuple[int, ...]
    num_actions: ClassVar[int]

    def legal_actions(self) -> list[int]:
        raise NotImplementedError

    def play(self, action: int) -> Self:
        raise NotImplementedError

    def actions(self) -> list[int]:
        return list(self.line)

    def first(self) -> Self:
        return type(self)()

    def count_actions(self) -> int:
        return len(self.legal_actions())

    def legal_mask(self) -> np.ndarray:
        return np.isin(np.arange(self.num_actions), self.legal_actions())

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def play_all(self, actions: Sequence[int]) -> Self:
        core = self
        for action in actions:
            if not core.is_legal(action):
                raise ValueError(f"illegal action {action}")
            core = core.play(action)
        return core


@dataclass(frozen=True)
class ToyRules:
    name: str = "plain"


class ToyGame(Game):
    """A game with one rule set and without text for positions, searches and symmetries."""

    core_type: ClassVar[type]
    default_rules = "plain"
    rules_type = ToyRules
    benchmark = Benchmark("plain", 1, ("plain",))

    @classmethod
    def rule_sets(cls) -> Mapping[str, ToyRules]:
        return {"plain": ToyRules()}

    def start(self) -> Position:
        core: Any = self.core_type()
        return Position(self, core)

    def position(self, text: str) -> Position:
        if text != self.start().text:
            raise NotImplementedError
        return self.start()

    def alphabeta(self, megabytes: int, threads: int, resources: SearchResources | None = None) -> AlphaBetaSearch:
        raise NotImplementedError

    def puct(self, megabytes: int, batch: int, seed: int, resources: SearchResources | None = None) -> PuctSearch:
        raise NotImplementedError

    def symmetries(self) -> tuple[Symmetry, ...]:
        raise NotImplementedError

    def parse_action(self, core: Any, text: str) -> int:
        raise NotImplementedError

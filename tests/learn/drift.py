"""A method of the loop that learns nothing and compiles nothing, for what does not hang on that: folders, words."""

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import boardwright
from boardwright.learn.run import loop
from boardwright.learn.run.method import Method, MethodContext, RunObserver
from boardwright.learn.run.progress import Progress
from boardwright.nets.config import NetConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.network import variables_of

NET = NetConfig(blocks=1, width=8, policy_channels=4, value_hidden=8)
GAME = boardwright.game("draughts")


@dataclasses.dataclass(frozen=True)
class Config:
    iterations: int = 6
    seed: int = 0
    game: str = "draughts"


USUAL = Config()


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Learner:
    variables: Any
    averaged: Any
    optimiser: Any
    steps: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    learner: Learner
    league: Any
    replay: jax.Array


class Drift(Method[Run]):
    """A method whose weights drift by numbers drawn from the seed, iteration and chunk; its replay counts chunks."""

    name = "drift"
    portable_fields = ("learner", "league")
    game = GAME
    chunks = 3

    def __init__(self, config: Config):
        self.config = config
        self._shapes = weight_shapes(NET, interface_of(NET, GAME))

    def _drawn(self, *seeds: int) -> Any:
        random = np.random.default_rng([self.config.seed, *seeds])
        return variables_of({name: random.random(shape, np.float32) for name, shape in self._shapes.items()})

    def initialise(self) -> Run:
        """Random weights."""
        begin = jax.tree.map(jnp.asarray, self._drawn(0))
        moments = {"count": jnp.int32(0), "mu": begin}
        return Run(Learner(begin, begin, moments, jnp.int32(0)), begin, jnp.int32(0))

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, dict[str, float]]:
        """Adds random numbers to the weights."""
        del context
        add = self._drawn(iteration + 1, chunk)
        variables = jax.tree.map(lambda old, new: old + new, state.learner.variables, add)
        learner = Learner(variables, variables, {"count": jnp.int32(iteration), "mu": add}, state.learner.steps + 1)
        past = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16).astype(jnp.float32), state.learner.variables)
        return Run(learner, past, state.replay + 1), {"total": 1.0}

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """In chunks."""
        return "drifting", chunks, 3

    def collect_metrics(self, state: Run) -> dict[str, float]:
        """The size of the replay."""
        return {"selfplay/moves": 100, "replay": float(state.replay)}

    def export_net(self, state: Run) -> tuple[Any, Any]:
        """The current net."""
        return NET, state.learner.variables

    def next_iteration(self, state: Run) -> Run:
        """Nothing is counted."""
        return state


def trained(folder: Path, config: Config = USUAL, pieces: int = 10**6) -> tuple[list[str], Progress]:
    """Messages and progress of a run that was stopped after a number of chunks and ends of iterations."""
    said, left = [], iter(range(pieces))
    watch = RunObserver(message=said.append, stopped=lambda: next(left, None) is None)
    return said, loop.train(Drift(config), folder, watch)

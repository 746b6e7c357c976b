"""A method of the loop that learns nothing and compiles nothing, for what does not hang on that: folders, words."""

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import boardwright
from boardwright.learn.run import loop
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


def method_of(config: Config, carried: tuple[str, ...] = ("learner", "league")) -> loop.Method[Run]:
    """One whose weights drift by numbers drawn from the seed, iteration and chunk, and whose replay counts chunks."""
    shapes = weight_shapes(NET, interface_of(NET, GAME))

    def drawn(*seeds: int) -> Any:
        random = np.random.default_rng([config.seed, *seeds])
        return variables_of({name: random.random(shape, np.float32) for name, shape in shapes.items()})

    def init() -> Run:
        begin = jax.tree.map(jnp.asarray, drawn(0))
        moments = {"count": jnp.int32(0), "mu": begin}
        return Run(Learner(begin, begin, moments, jnp.int32(0)), begin, jnp.int32(0))

    def work(run: Run, iteration: int, chunk: int, desk: loop.Desk) -> tuple[Run, dict[str, float]]:
        del desk
        add = drawn(iteration + 1, chunk)
        variables = jax.tree.map(lambda old, new: old + new, run.learner.variables, add)
        learner = Learner(variables, variables, {"count": jnp.int32(iteration), "mu": add}, run.learner.steps + 1)
        past = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16).astype(jnp.float32), run.learner.variables)
        return Run(learner, past, run.replay + 1), {"total": 1.0}

    return loop.Method(
        name="drift",
        config=config,
        game=GAME,
        init=init,
        chunks=3,
        work=work,
        phase=lambda chunks: ("drifting", chunks, 3),
        scalars=lambda run: {"selfplay/moves": 100, "replay": float(run.replay)},
        player=lambda run: (NET, run.learner.variables),
        next_iteration=lambda run: run,
        carried=carried,
    )


def trained(folder: Path, config: Config = USUAL, pieces: int = 10**6) -> tuple[list[str], loop.Progress]:
    """What a run said that was stopped after so many pieces of work and ends of iterations; how far it came."""
    said, left = [], iter(range(pieces))
    watch = loop.Watch(word=said.append, stopped=lambda: next(left, None) is None)
    return said, loop.train(method_of(config), folder, watch)

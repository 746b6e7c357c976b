"""Runs that differ in their seed alone are compiled once: the seed is an argument of programs, not a part of them."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import pytest

from boardwright.learn.dqn import config as dqn_config
from boardwright.learn.dqn.method import DQN
from boardwright.learn.ppo import config as ppo_config
from boardwright.learn.ppo.method import PPO


def _dqn(seed: int) -> list[Callable[..., Any]]:
    run = DQN(dataclasses.replace(dqn_config.PRESETS["draughts-tiny"], game="tictactoe", seed=seed))
    return [run.initialise, lambda state: run.act(state, 0, 0), lambda state: run.learn(state, 0, 0, 0)]


def _ppo(seed: int) -> list[Callable[..., Any]]:
    run = PPO(dataclasses.replace(ppo_config.PRESETS["draughts-tiny"], game="tictactoe", seed=seed))
    return [run.initialise, lambda state: run.update(state, 0, 0)]


def _programs(functions: list[Callable[..., Any]]) -> list[str]:
    """What is compiled of each function, without what calls it."""
    init, *others = functions
    state = jax.eval_shape(init)
    texts = [jax.jit(init).lower().as_text(), *(jax.jit(one).lower(state).as_text() for one in others)]
    return [text[text.index("func.func private") :] for text in texts]


@pytest.mark.parametrize("make", [_dqn, _ppo])
def test_seed_does_not_affect_compilation(make: Callable[[int], list[Callable[..., Any]]]) -> None:
    assert _programs(make(0)) == _programs(make(1))

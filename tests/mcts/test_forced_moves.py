"""Searches pass through positions with one legal action, as the scalar engine does ply by ply."""

import random
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from midgames import quick_jit

import boardwright
from boardwright.agents.alphazero import AlphaZeroPlayer
from boardwright.agents.base import Limit
from boardwright.games.base import Position, SearchResources
from boardwright.games.batched import without_forced
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.match.policies import make_search
from boardwright.learn.run import settings
from boardwright.learn.shared.config import SearchConfig

DRAUGHTS = boardwright.game("draughts")


def midgames(count: int) -> list[Position]:
    """Positions of random games that are not over, far enough in for captures to be frequent."""
    draws, positions = random.Random(7), []
    while len(positions) < count:
        position = DRAUGHTS.start()
        for _ in range(draws.randint(10, 50)):
            if position.outcome is None:
                position = position.play(draws.choice(position.legal_actions()))
        if position.outcome is None:
            positions.append(position)
    return positions


def through_forced(position: Position, plies: int) -> tuple[Position, int]:
    """The position after at most a number of forced plies, and how many were played."""
    for number in range(plies):
        if position.outcome is not None or position.count_actions() != 1:
            return position, number
        position = position.play(position.legal_actions()[0])
    return position, plies


@pytest.mark.parametrize("most", [0, 1, 3])
def test_step_continues_to_the_next_choice(most: int) -> None:
    env, positions = DRAUGHTS.batch(), midgames(200)
    actions = [position.legal_actions()[0] for position in positions]
    states = jax.tree.map(lambda *fields: jnp.stack(fields), *map(env.from_position, positions))
    keys = jax.random.split(jax.random.key(0), len(positions))
    after = quick_jit(jax.vmap(without_forced(env, most).step))(states, jnp.asarray(actions), keys)
    expected = [through_forced(p.play(action), most) for p, action in zip(positions, actions, strict=True)]
    skipped = [number for _, number in expected]
    assert set(skipped) == set(range(most + 1))  # there was something to go through, and something not to
    assert after.plies.tolist() == [position.plies for position, _ in expected]
    for row, (position, _) in enumerate(expected):
        assert after.terminated[row] == (position.outcome is not None)
        if position.outcome is None:
            assert after.current_role[row] == position.role_to_move
            np.testing.assert_array_equal(after.legal_action_mask[row], position.legal_mask())


@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_training_skips_forced_moves_by_default(kind: Literal["gumbel", "puct"]) -> None:
    """The evaluation calls positions without a choice won and all others even: so values show who was asked of."""
    env, key = DRAUGHTS.batch(), jax.random.key(0)
    positions = [position for position in midgames(90) if position.count_actions() > 1 and position.plies < 30]
    states = jax.tree.map(lambda *fields: jnp.stack(fields), *map(env.from_position, positions))

    def evaluate(states: Any) -> tuple[jax.Array, jax.Array]:
        mask = states.legal_action_mask
        return jnp.zeros(mask.shape, jnp.float32), (mask.sum(axis=1) == 1).astype(jnp.float32)

    def values(forced: int) -> np.ndarray:
        search = make_search(
            env, SearchConfig(kind=kind, max_forced_plies=forced), evaluate, 12, DRAUGHTS.max_search_actions
        )
        return np.asarray(quick_jit(search)(key, states).value)

    assert (values(0) != 0).sum() > 10
    assert (values(12) == 0).all()


@pytest.mark.parametrize("gumbel", [False, True])
def test_net_is_evaluated_only_where_there_is_a_choice(gumbel: bool) -> None:
    asked, legal = [], set()

    def evaluate(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.extend(planes.reshape(len(planes), -1).tolist())
        return np.zeros((len(planes), DRAUGHTS.num_actions), np.float32), np.zeros(len(planes), np.float32)

    def choices(position: Position, depth: int) -> None:
        """What the mover sees in every position with a choice, within a number of plies."""
        if position.outcome is None and depth >= 0:
            if position.count_actions() > 1:
                legal.add(tuple(position.observation().reshape(-1).tolist()))
            for action in position.legal_actions():
                choices(position.play(action), depth - 1)

    position = DRAUGHTS.position("W:W18,21,25,26,29,30,31,32:B1,2,3,5,6,7,14,15")
    assert position.count_actions() > 1
    search = DRAUGHTS.puct(16, 1, 0, SearchResources())
    choice = AlphaZeroPlayer(DRAUGHTS, search, evaluate, Limit(), gumbel=gumbel).choose(position, Limit(simulations=40))
    assert choice.simulations == 40
    assert choice.nodes == len(asked) == 41  # a simulation each, and the root
    choices(position, 7)
    assert {tuple(planes) for planes in asked} <= legal


def test_forced_moves_are_in_the_principal_variation() -> None:
    """The principal variation does not break off at positions that were not evaluated."""
    position = DRAUGHTS.position("W:W18,21,25,26,29,30,31,32:B1,2,3,5,6,7,14,15")

    def evaluate(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(planes), DRAUGHTS.num_actions), np.float32), np.zeros(len(planes), np.float32)

    search = DRAUGHTS.puct(16, 1, 0, SearchResources())
    line = AlphaZeroPlayer(DRAUGHTS, search, evaluate, Limit()).choose(position, Limit(simulations=40)).line
    forced = 0
    for action in line:
        assert action in position.legal_actions()
        forced += position.count_actions() == 1
        position = position.play(action)
    assert forced > 0


@pytest.mark.slow
def test_games_of_self_play_stop_only_at_choices() -> None:
    small_settings = ("search.simulations=2", "net.blocks=1", "net.width=4", "selfplay.games=32", "selfplay.steps=40")
    config = settings.apply(PRESETS["draughts-tiny"], [*small_settings, "league.share=0", "search.max_forced_plies=8"])
    az = AlphaZero(config)
    run = az.initialise()
    for step in range(0, config.selfplay.steps, az.play_chunk):
        run = az.play(run, 0, step)
    words = np.asarray(run.replay.words)[: config.selfplay.steps].reshape(-1, run.replay.words.shape[-1])
    choices = jax.vmap(lambda packed: az.steps.learning.unpack(packed).legal_action_mask.sum())(jnp.asarray(words))
    assert len(choices) == 32 * 40
    assert (choices > 1).all()

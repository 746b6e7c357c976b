"""Pgx's own test on every game, and what it does not look at: roles, turns, chance and rewards."""

import dataclasses
import functools
import subprocess
import sys
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pgx._src import api_test as pgx_test
from pgx.experimental import act_randomly, auto_reset
from race import FOG, LAST, WALK

import boardwright
from boardwright.adapters import pgx
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position

REGISTERED = [(name, rules) for name in registry.game_names() for rules in registry.game_class(name).rule_sets()]
DEFAULTS = [(name, registry.game_class(name).default_rules) for name in registry.game_names()]
every_game = pytest.mark.parametrize(("game", "rules"), [*REGISTERED, ("race", "plain")])
every_default = pytest.mark.parametrize(("game", "rules"), [*DEFAULTS, ("race", "plain")])
BATCH = 64


@pytest.fixture(autouse=True)
def _race_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "race", "race:Race")


@functools.cache
def compiled(game: str, rules: str) -> tuple[pgx.Env, Any, Any]:
    """(environment, init, step), the functions jitted over a batch."""
    env = pgx.make(game, rules)
    return env, jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))


def keys(seed: int, number: int = BATCH) -> jax.Array:
    return jax.random.split(jax.random.key(seed), number)


@every_default
def test_pgx_api(game: str, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = pgx.make(game, rules)
    monkeypatch.setattr(pgx_test, "EnvId", Literal[env.id])  # it knows the names of Pgx's own games only
    monkeypatch.setattr(pgx.State, "save_svg", lambda state, filename: None, raising=False)  # no pictures here
    pgx_test.api_test(env, num=3)  # type: ignore[arg-type]
    if game != "race":
        pgx_test.api_test_single(env, num=1, use_key=False)  # type: ignore[arg-type]


@every_default
def test_pgx_auto_reset(game: str, rules: str) -> None:
    env, init, _ = compiled(game, rules)
    step = jax.vmap(auto_reset(env.step, env.init))  # type: ignore[arg-type]

    @jax.jit
    def play(state: pgx.State, key: jax.Array) -> tuple[pgx.State, Any]:
        action_key, step_key = jax.random.split(key)
        state = step(state, act_randomly(action_key, state.legal_action_mask), jax.random.split(step_key, BATCH))
        return state, (state.terminated, state.rewards, state._step_count)

    _, (terminated, rewards, count) = jax.lax.scan(play, init(keys(0)), keys(1, 400))
    assert terminated.any(axis=0).all()  # every game came to an end
    assert (count[terminated] == 0).all()  # and began anew
    assert (count[1:][terminated[:-1] & ~terminated[1:]] == 1).all()
    assert (rewards.sum(axis=-1) == 0).all()
    assert (rewards[~terminated] == 0).all()
    assert {-1.0, 1.0} <= set(np.unique(rewards).tolist())


@every_game
def test_games_are_those_of_the_scalar_engine(game: str, rules: str) -> None:
    env, init, step = compiled(game, rules)
    rng = np.random.default_rng(0)
    states = init(keys(2))
    positions = [past_chance(env.game.start(), state) for state in rows(states)]
    paid = np.zeros((BATCH, 2))
    for ply in range(10_000):
        for position, state in zip(positions, rows(states), strict=True):
            assert_same(env, position, state, observations=ply % 16 == 0 or bool(state.terminated))
        paid += states.rewards
        if states.terminated.all():
            break
        masks = np.asarray(states.legal_action_mask)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks], np.int32)
        before, states = states, step(states, actions, keys(ply))
        for row, after in enumerate(rows(states)):
            if not before.terminated[row]:
                positions[row] = past_chance(positions[row].play(int(actions[row])), after)
                assert after._step_count == before._step_count[row] + 1
    winners = [position.outcome.winner for position in positions if position.outcome]
    by_role = np.array([[(w == role) - (w == 1 - role) for role in (0, 1)] for w in winners])
    swapped = np.asarray(states._player_of_role_0) == 1
    assert np.array_equal(paid, np.where(swapped[:, None], by_role[:, ::-1], by_role))
    assert len(set(winners)) > 1
    assert 0 < swapped.sum() < BATCH


def rows(states: pgx.State) -> list[pgx.State]:
    """The states of a batch one by one, as NumPy arrays."""
    leaves, treedef = jax.tree.flatten(jax.device_get(states))
    return [jax.tree.unflatten(treedef, [leaf[row] for leaf in leaves]) for row in range(BATCH)]


def past_chance(position: Position, state: pgx.State) -> Position:
    """Where a line leads on with what chance did in the state's own game; only Race has any."""
    line = getattr(state._game_state, "line", np.array([], int))
    for action in line[line >= 0][len(position.actions()) :]:
        assert position.role_to_move == CHANCE
        position = position.play(int(action))
    return position


def assert_same(env: pgx.Env, position: Position, state: pgx.State, observations: bool) -> None:
    player_of_role = (state._player_of_role_0, 1 - state._player_of_role_0)
    assert state.terminated == (position.outcome is not None)
    assert not state.truncated
    if position.outcome is None:
        assert state.current_player == player_of_role[position.role_to_move]
        assert np.array_equal(state.legal_action_mask, position.legal_mask())
    else:
        assert state.current_player in (0, 1)
        assert state.legal_action_mask.all()
    if observations:
        role = player_of_role.index(int(state.current_player))
        assert np.array_equal(state.observation, position.observation(role))


@every_default
def test_players_are_not_roles(game: str, rules: str) -> None:
    env, init, _ = compiled(game, rules)
    states = init(keys(3))
    observe = jax.jit(jax.vmap(env.observe))
    roles = np.asarray(states.current_player ^ states._player_of_role_0)
    going = ~np.asarray(states.terminated)
    assert np.array_equal(roles[going], states._game_state.current_role[going])
    assert set(states.current_player.tolist()) == {0, 1}
    assert np.array_equal(observe(states, states.current_player), states.observation)
    assert np.array_equal(observe(states), states.observation)
    by_role = np.asarray(jax.vmap(env.batch.observe)(states._game_state, jnp.asarray(1 - roles, jnp.int8)))
    assert np.array_equal(observe(states, 1 - states.current_player), by_role)


@every_default
def test_the_key_decides_everything(game: str, rules: str) -> None:
    _, init, step = compiled(game, rules)
    one, other = init(keys(4)), init(keys(4))
    for ply in range(6):
        jax.tree.map(np.testing.assert_array_equal, one, other)
        actions = one.legal_action_mask.argmax(axis=-1)
        one, other = step(one, actions, keys(ply)), step(other, actions, keys(ply))
    assert not np.array_equal(init(keys(5)).current_player, init(keys(4)).current_player)


@every_default
def test_an_illegal_action_loses(game: str, rules: str) -> None:
    env, init, step = compiled(game, rules)
    states = init(keys(6))
    going = ~states.terminated
    illegal = states.legal_action_mask.argmin(axis=-1)
    for actions in (illegal, jnp.full(BATCH, env.num_actions), jnp.full(BATCH, -1)):
        after = step(states, actions, keys(7))
        offender = jnp.arange(2) == states.current_player[:, None]
        assert np.array_equal(after.rewards, jnp.where(going[:, None], jnp.where(offender, -1, 1), 0))
        assert after.terminated.all()
        assert after.legal_action_mask.all()
        assert np.array_equal(after._step_count, going)
        assert np.array_equal(after.observation, states.observation)
        assert_stays(after, step(after, illegal, keys(8)))


@every_default
def test_what_is_over_stays(game: str, rules: str) -> None:
    _, init, step = compiled(game, rules)
    states = init(keys(9))
    for ply in range(2000):
        if states.terminated.all():
            break
        states = step(states, act_randomly(jax.random.key(ply), states.legal_action_mask), keys(ply))
    assert states.terminated.all()
    assert_stays(states, step(states, jnp.zeros(BATCH, jnp.int32), keys(0)))
    cut_short = init(keys(9)).replace(truncated=jnp.ones(BATCH, bool))
    after = step(cut_short, cut_short.legal_action_mask.argmax(axis=-1), keys(0))
    assert np.array_equal(after.terminated, cut_short.terminated)
    assert np.array_equal(after.observation, cut_short.observation)


def assert_stays(before: pgx.State, after: pgx.State) -> None:
    assert not after.rewards.any()
    jax.tree.map(np.testing.assert_array_equal, after, before.replace(rewards=after.rewards))


def test_chance_draws_evenly() -> None:
    _, init, _ = compiled("race", "plain")
    lines = np.asarray(init(keys(10, 3000))._game_state.line)
    counts = np.bincount(lines[:, 0], minlength=3)
    assert (np.abs(counts - 1000) < 130).all()  # five standard deviations
    assert (lines[:, :3] == FOG).all(axis=1).any()  # chance may move thrice and end the game


def test_a_role_may_move_again() -> None:
    _, init, step = compiled("race", "plain")
    states = init(keys(11))
    walked = step(states, jnp.full(BATCH, WALK), keys(12))
    cell = walked._game_state.cells.max(axis=-1)
    assert (cell[~states.terminated] == 1).all()
    twice = step(walked, jnp.full(BATCH, WALK), keys(13))
    again = (twice._game_state.cells.max(axis=-1) == 2) & ~walked.terminated
    assert 0 < again.sum() < BATCH
    assert np.array_equal(twice.current_player[again], walked.current_player[again])
    assert LAST > 2


def test_without_a_key_chance_cuts_the_game_short() -> None:
    _, init, step = compiled("race", "plain")
    states = init(keys(14))
    going = ~states.terminated
    after = step(states, jnp.full(BATCH, WALK))
    assert np.array_equal(after.truncated, going)  # the first walk ends on an odd cell
    assert np.array_equal(after.terminated, ~going)
    assert after.legal_action_mask.all()
    assert np.array_equal(after.current_player, states.current_player)
    assert_stays(after, step(after, jnp.full(BATCH, WALK)))


def test_without_a_key_a_game_without_chance_is_the_same() -> None:
    _, init, step = compiled("tablut", "zero")
    states = init(keys(15))
    actions = states.legal_action_mask.argmax(axis=-1)
    jax.tree.map(np.testing.assert_array_equal, step(states, actions), step(states, actions, keys(16)))


@every_game
def test_what_an_environment_says_of_itself(game: str, rules: str) -> None:
    env = pgx.make(game, rules)
    assert (env.id, env.version, env.num_players) == (f"{game}-{rules}", boardwright.__version__, 2)
    state = jax.eval_shape(env.init, jax.random.key(0))
    assert state.env_id == env.id
    assert state.observation.shape == env.observation_shape
    assert state.legal_action_mask.shape == (env.num_actions,)
    after = jax.eval_shape(env.step, state, jnp.int32(0), jax.random.key(0))
    assert jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), after) == jax.tree.map(
        lambda leaf: (leaf.shape, leaf.dtype), state
    )
    assert dataclasses.is_dataclass(state)


@pytest.mark.parametrize("wrong", [{"game": "tabult"}, {"rules": "zorro"}])
def test_wrong_names_get_one_line(wrong: dict[str, str]) -> None:
    with pytest.raises(BoardwrightError, match="unknown") as caught:
        pgx.make(**wrong)
    assert "\n" not in str(caught.value)


def test_pgx_is_not_imported() -> None:
    code = "import sys, boardwright.adapters.pgx as p; p.make(); assert 'pgx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

"""Pgx's own test on every game, and what it does not look at: roles, turns, chance and rewards."""

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
from race import FOG, WALK

import boardwright
from boardwright.adapters import pgx
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position

REGISTERED = [(name, rules) for name in registry.game_names() for rules in registry.game_class(name).rule_sets()]
DEFAULTS = [(name, registry.game_class(name).default_rules) for name in registry.game_names()]
every_game = pytest.mark.parametrize(("game", "rules"), [*REGISTERED, ("race", "plain")])
every_default = pytest.mark.parametrize(("game", "rules"), [*DEFAULTS, ("race", "plain")])
BATCH = 16


@pytest.fixture(autouse=True)
def _race_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "race", "race:Race")


@functools.cache
def compiled(game: str, rules: str) -> tuple[pgx.Env, Any, Any]:
    """(environment, init, step), the functions jitted over a batch; they return NumPy arrays."""
    env = pgx.make(game, rules)
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    return env, lambda *args: jax.device_get(init(*args)), lambda *args: jax.device_get(step(*args))


def keys(seed: int, number: int = BATCH) -> jax.Array:
    return jax.random.split(jax.random.key(seed), number)


def some_actions(rng: np.random.Generator, states: pgx.State) -> np.ndarray:
    """[BATCH] int32: a legal action for each game."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in states.legal_action_mask], np.int32)


@every_default
def test_pgx_api(game: str, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = pgx.make(game, rules)
    monkeypatch.setattr(pgx_test, "EnvId", Literal[env.id])  # it knows the names of Pgx's own games only
    monkeypatch.setattr(pgx.State, "save_svg", lambda state, filename: None, raising=False)  # no pictures here
    # Its own choice of moves fails on single states under recent JAX, for Pgx's games as well.
    monkeypatch.setattr(pgx_test, "act_randomly", jax.jit(lambda key, mask: jax.random.categorical(key, jnp.log(mask))))
    pgx_test.api_test(env, num=1)  # type: ignore[arg-type]


def test_pgx_auto_reset() -> None:
    env, init, _ = compiled("race", "plain")
    step = jax.vmap(auto_reset(env.step, env.init))  # type: ignore[arg-type]

    def play(state: Any, key: jax.Array) -> tuple[Any, Any]:
        action_key, step_key = jax.random.split(key)
        state = step(state, act_randomly(action_key, state.legal_action_mask), jax.random.split(step_key, BATCH))
        return state, (state.terminated, state.rewards, state._step_count)

    _, seen = jax.lax.scan(play, init(keys(0)), keys(1, 300))
    terminated, rewards, count = jax.device_get(seen)
    assert terminated.any()
    assert (count[terminated] == 0).all()  # games that ended have restarted
    assert (count[1:][terminated[:-1] & ~terminated[1:]] == 1).all()
    assert (rewards.sum(axis=-1) == 0).all()
    assert (rewards[~terminated] == 0).all()
    assert {-1.0, 1.0} <= set(np.unique(rewards).tolist())


@every_default
def test_games_agree_with_the_scalar_engine(game: str, rules: str) -> None:
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
        actions = some_actions(rng, states)
        before, states = states, step(states, actions, keys(ply))
        for row, after in enumerate(rows(states)):
            if not before.terminated[row]:
                positions[row] = past_chance(positions[row].play(int(actions[row])), after)
                assert after._step_count == before._step_count[row] + 1
    winners = [position.outcome.winner for position in positions if position.outcome]
    by_role = np.array([[(w == role) - (w == 1 - role) for role in (0, 1)] for w in winners])
    swapped = states._player_of_role_0 == 1
    assert np.array_equal(paid, np.where(swapped[:, None], by_role[:, ::-1], by_role))
    assert len(set(winners)) > 1
    assert 0 < swapped.sum() < BATCH


def rows(states: pgx.State) -> list[pgx.State]:
    """The states of a batch one by one."""
    leaves, treedef = jax.tree.flatten(states)
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
    roles = states._game_state.current_role
    assert np.array_equal(states.current_player == states._player_of_role_0, roles == 0)
    assert set(states.current_player.tolist()) == {0, 1}
    assert np.array_equal(observe(states, states.current_player), states.observation)
    assert np.array_equal(observe(states), states.observation)
    by_role = jax.jit(jax.vmap(env.batch.observe))(states._game_state, 1 - roles)
    assert np.array_equal(observe(states, 1 - states.current_player), by_role)


@every_default
def test_the_key_determines_the_game(game: str, rules: str) -> None:
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
    illegal = states.legal_action_mask.argmin(axis=-1)
    beyond = [np.full(BATCH, env.num_actions), np.full(BATCH, -1)]
    everything_is_legal = states.legal_action_mask.all()  # at the start of a small game
    for actions in beyond if everything_is_legal else [illegal, *beyond]:
        after = step(states, actions, keys(7))
        offender = np.arange(2) == states.current_player[:, None]
        assert np.array_equal(after.rewards, np.where(offender, -1, 1))
        assert after.terminated.all()
        assert after.legal_action_mask.all()
        assert (after._step_count == 1).all()
        assert np.array_equal(after.observation, states.observation)
        assert_stays(after, step(after, illegal, keys(8)))


@every_default
def test_finished_states_do_not_change(game: str, rules: str) -> None:
    _, init, step = compiled(game, rules)
    rng, states = np.random.default_rng(9), init(keys(9))
    while not states.terminated.all():
        states = step(states, some_actions(rng, states), keys(9))
    assert_stays(states, step(states, np.zeros(BATCH, int), keys(0)))
    cut_short = init(keys(9)).replace(truncated=np.ones(BATCH, bool))
    after = step(cut_short, cut_short.legal_action_mask.argmax(axis=-1), keys(0))
    assert np.array_equal(after.terminated, cut_short.terminated)
    assert np.array_equal(after.observation, cut_short.observation)


def assert_stays(before: pgx.State, after: pgx.State) -> None:
    assert not after.rewards.any()
    jax.tree.map(np.testing.assert_array_equal, after, before.replace(rewards=after.rewards))


def test_chance_draws_evenly() -> None:
    _, init, _ = compiled("race", "plain")
    lines = init(keys(10, 3000))._game_state.line
    counts = np.bincount(lines[:, 0], minlength=3)
    assert (np.abs(counts - 1000) < 130).all()  # five standard deviations
    assert (lines[:, :2] == FOG).all(axis=1).any()  # chance may move several times running


def test_a_role_may_move_again() -> None:
    _, init, step = compiled("race", "plain")
    first = init(keys(11))
    walked = step(first, np.full(BATCH, WALK), keys(12))
    twice = step(walked, np.full(BATCH, WALK), keys(13))
    again = (walked.current_player == first.current_player) & ~walked.terminated  # called twice: on an even cell
    assert 0 < again.sum() < BATCH
    assert (twice._game_state.cells.max(axis=-1)[again] == 2).all()
    assert np.array_equal(twice.current_player[again], walked.current_player[again])


def test_without_a_key_a_chance_move_truncates_the_game() -> None:
    _, init, step = compiled("race", "plain")
    states = init(keys(14))
    after = step(states, np.full(BATCH, WALK))
    assert after.truncated.all()  # the first walk ends on an odd cell
    assert not after.terminated.any()
    assert after.legal_action_mask.all()
    assert np.array_equal(after.current_player, states.current_player)
    assert_stays(after, step(after, np.full(BATCH, WALK)))


def test_without_a_key_a_game_without_chance_is_the_same() -> None:
    _, init, step = compiled("tablut", "tablutzero")
    states = init(keys(15))
    actions = states.legal_action_mask.argmax(axis=-1)
    jax.tree.map(np.testing.assert_array_equal, step(states, actions), step(states, actions, keys(16)))


@every_game
def test_environment_properties(game: str, rules: str) -> None:
    env = pgx.make(game, rules)
    assert (env.id, env.version, env.num_players) == (f"{game}-{rules}", boardwright.__version__, 2)
    state = jax.eval_shape(env.init, jax.random.key(0))
    assert state.env_id == env.id
    assert state.observation.shape == env.observation_shape
    assert state.legal_action_mask.shape == (env.num_actions,)
    for step in (env.step, auto_reset(env.step, env.init)):  # type: ignore[arg-type]
        after: Any = jax.eval_shape(step, state, jnp.int32(0), jax.random.key(0))
        assert jax.tree.structure(after) == jax.tree.structure(state)
        for new, old in zip(jax.tree.leaves(after), jax.tree.leaves(state), strict=True):
            assert (new.shape, new.dtype) == (old.shape, old.dtype)


@pytest.mark.parametrize("wrong", [{"game": "tabult"}, {"rules": "zorro"}])
def test_unknown_names_give_one_line_errors(wrong: dict[str, str]) -> None:
    with pytest.raises(BoardwrightError, match="unknown") as caught:
        pgx.make(**wrong)
    assert "\n" not in str(caught.value)


def test_pgx_is_not_imported() -> None:
    code = "import sys, boardwright.adapters.pgx as p; p.make(); assert 'pgx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

"""A game in the shape of a Pgx environment, over the batched engine. Needs JAX, but not Pgx.

    import jax
    from boardwright.adapters import pgx

    env = pgx.make("tablut", rules="tablutzero")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    state = init(jax.random.split(jax.random.key(0), 1024))
    state = step(state, state.legal_action_mask.argmax(axis=-1))

As with Pgx, states are about *players*: which of the two has which role is drawn by `init`, and
`current_player` and `rewards` follow. An illegal action loses; a game that is over stays as it is,
pays nothing more and marks every action as legal, so that a policy can be normalised.

What chance does happens inside `init` and `step`, drawn uniformly with the key they are given. A
`step` without a key cannot draw: where chance would move, the game is truncated.
"""

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

import boardwright
from boardwright.games import batched, registry
from boardwright.games.base import CHANCE, Game, Rules


def make(
    game: str = "tablut",
    rules: str | Path | Mapping[str, Any] | Rules | None = None,
    observation: str | None = None,
) -> "Env":
    """The environment of a game under one rule set; see `boardwright.game` for what the rest may be."""
    return Env(registry.game(game, rules, observation))


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """One game; `jax.vmap` makes it many. What is not Pgx's has a leading underscore, as Pgx wants it."""

    current_player: Array  # int32: whose turn it is; once the game is over, of no meaning
    observation: Array  # [rows, columns, planes] float32, as the current player sees the board
    rewards: Array  # [2] float32 by player, of the last step
    terminated: Array  # bool
    truncated: Array  # bool: chance was to move and had no key
    legal_action_mask: Array  # [num_actions] bool; all True once the game is over
    _step_count: Array  # int32: actions the players have taken
    _game_state: Any  # the batched engine's own state
    _player_of_role_0: Array  # int32; see `_exchange`
    _env_id: str = field(metadata={"static": True})

    @property
    def env_id(self) -> str:
        """The `id` of the environment it belongs to."""
        return self._env_id

    def replace(self, **changes: Any) -> "State":
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)


class Env:
    """Pure functions of one game, for `jax.jit` and `jax.vmap`, under the names Pgx gives them."""

    def __init__(self, game: Game):
        self.game = game
        self.batch = game.batch()
        self.id = f"{game.name}-{game.rules.name}"
        self.version = boardwright.__version__
        self.num_players = len(game.roles)
        self.num_actions = game.num_actions  # length of `legal_action_mask`
        self.observation_shape = game.observation_shape  # rows, columns, planes

    def init(self, key: Array) -> State:
        """A new game, with the players' roles drawn and chance's first moves made."""
        roles_key, start_key, chance_key = jax.random.split(key, 3)
        state = State(
            current_player=jnp.int32(0),
            observation=jnp.zeros(self.observation_shape, jnp.float32),
            rewards=jnp.zeros(self.num_players, jnp.float32),
            terminated=jnp.bool_(False),
            truncated=jnp.bool_(False),
            legal_action_mask=jnp.zeros(self.num_actions, bool),
            _step_count=jnp.int32(0),
            _game_state=None,
            _player_of_role_0=jax.random.randint(roles_key, (), 0, 2, jnp.int32),
            _env_id=self.id,
        )
        return self._observed(_arrive_at(state, self._after_chance(self.batch.init(start_key), chance_key)))

    def step(self, state: State, action: Array, key: Array | None = None) -> State:
        """The state after the current player's action."""
        over = state.terminated | state.truncated
        legal_actions = state._game_state.legal_action_mask
        legal = legal_actions.at[action].get(mode="fill", fill_value=False, wrap_negative_indices=False)
        # The engine is only ever given legal actions; what it makes of a stand-in is thrown away.
        played = jnp.where(legal, action, legal_actions.argmax()).astype(jnp.int32)
        state = state.replace(_step_count=state._step_count + ~over)
        step_key, chance_key = (jax.random.key(0), None) if key is None else jax.random.split(key)
        game_state = self.batch.step(state._game_state, played, step_key)
        if chance_key is not None:
            game_state = self._after_chance(game_state, chance_key)
        forfeit = jnp.where(jnp.arange(self.num_players) == state.current_player, -1.0, 1.0)
        unmoved = state.replace(
            rewards=jnp.where(over, 0.0, forfeit),
            terminated=state.terminated | ~over,
            legal_action_mask=jnp.ones_like(state.legal_action_mask),
        )
        moves = functools.partial(jnp.where, legal & ~over)
        return self._observed(jax.tree.map(moves, _arrive_at(state, game_state), unmoved))

    def observe(self, state: State, player_id: Array | int | None = None) -> Array:
        """[rows, columns, planes] float32, as a player (by default the current one) sees the board."""
        player = state.current_player if player_id is None else jnp.asarray(player_id, jnp.int32)
        return self.batch.observe(state._game_state, _exchange(state, player).astype(jnp.int8))

    def _observed(self, state: State) -> State:
        return state.replace(observation=self.observe(state))

    def _after_chance(self, game_state: batched.GameState, key: Array) -> batched.GameState:
        """The game when chance has made its moves and a role is to move, or the game is over."""
        return batched.after_chance(self.batch, game_state, key) if self.game.has_chance else game_state


def _arrive_at(state: State, game_state: batched.GameState) -> State:
    """A state brought up to date with the engine's, all but its observation."""
    role = game_state.current_role.astype(jnp.int32)
    truncated = (role == CHANCE) & ~game_state.terminated
    return state.replace(
        current_player=jnp.where(role == CHANCE, state.current_player, _exchange(state, role)),
        rewards=game_state.rewards[_exchange(state, jnp.arange(2))],
        terminated=game_state.terminated,
        truncated=truncated,
        legal_action_mask=game_state.legal_action_mask | game_state.terminated | truncated,
        _game_state=game_state,
    )


def _exchange(state: State, index: Array) -> Array:
    """The player of a role, which is also the role of a player: both are numbered 0 and 1."""
    return index ^ state._player_of_role_0

"""Both engines side by side: the same actions go to each, and everything they say is compared.

Not a test itself; the tests of this folder drive it.
"""

import functools
import random
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from boardwright.games.base import ONGOING, BatchEnv, Game, Position

AT_ONCE = 150  # games in a batch: one size, so that programs are compiled once
Policy = Callable[[list[Position]], list[int]]  # unfinished games -> an action for each


@functools.lru_cache(maxsize=64)
def compiled(game: Game) -> tuple[BatchEnv, Any, Any, Any]:
    """(env, step, masks, observe), each jitted over a batch of games."""
    env = game.batch()
    step = jax.jit(lambda states, actions: jax.vmap(env.step, (0, 0, None))(states, actions, jax.random.key(0)))
    masks = jax.jit(lambda states: states.legal_action_mask)
    observe = jax.jit(jax.vmap(env.observe))
    return env, step, masks, observe


def play_both(game: Game, starts: list[Position], policy: Policy, observe_every: int = 16) -> list[Position]:
    """Plays all games to their end in both engines, comparing at every ply; the final positions."""
    groups = [starts[first : first + AT_ONCE] for first in range(0, len(starts), AT_ONCE)]
    return [final for group in groups for final in _play_some(game, group, policy, observe_every)]


def _play_some(game: Game, starts: list[Position], policy: Policy, observe_every: int) -> list[Position]:
    """Up to AT_ONCE games; the batch is always of that size, its last game played several times over if need be."""
    env, step, masks, observe = compiled(game)
    played = np.minimum(np.arange(AT_ONCE), len(starts) - 1)
    different = {id(start): start for start in starts}  # most games begin alike
    places = np.array([list(different).index(id(start)) for start in starts])[played]
    states = jax.tree.map(lambda *leaves: np.stack(leaves)[places], *map(env.from_position, different.values()))
    positions = list(starts)
    alive = np.ones(len(starts), bool)
    ply = 0
    while True:
        compare(game, positions, states, np.asarray(masks(states)), alive)
        if ply % observe_every == 0 or not alive.any():
            _compare_observations(positions, states, observe)
        alive = np.array([position.core.result == ONGOING for position in positions])
        if not alive.any():
            return positions
        going = np.flatnonzero(alive)
        chosen = policy([positions[i] for i in going])
        actions = np.zeros(len(positions), np.int32)
        actions[going] = chosen
        for i, action in zip(going, chosen, strict=True):
            positions[i] = positions[i].play(int(action))
        states = step(states, actions[played])
        ply += 1


def compare(game: Game, positions: list[Position], states: Any, masks: np.ndarray, rows: np.ndarray) -> None:
    """Asserts that the engines agree on the given rows (True: look at it)."""
    index = np.flatnonzero(rows)
    cores = [positions[i].core for i in index]
    hashes = np.asarray(states.hash).astype(np.uint64)
    for what, scalar, batched in (
        ("role to move", [core.role_to_move for core in cores], states.current_role),
        ("result", [core.result for core in cores], states.result),
        ("reason", [core.reason for core in cores], states.reason),
        ("terminated", [core.result != ONGOING for core in cores], states.terminated),
        ("hash", np.array([core.hash for core in cores], np.uint64), hashes[:, 0] | hashes[:, 1] << np.uint64(32)),
    ):
        wrong = index[np.asarray(scalar) != np.asarray(batched)[index]]
        assert len(wrong) == 0, f"{what} differs after {positions[wrong[0]].actions()} of {game.rules.name}"
    legal = np.stack([core.legal_mask() for core in cores])
    wrong = index[(legal != masks[index]).any(axis=1)]
    assert len(wrong) == 0, f"legal actions differ after {positions[wrong[0]].actions()} of {game.rules.name}"
    rewards = np.asarray(states.rewards)[index]
    expected = [_rewards(core) for core in cores]
    if positions[index[0]].actions():  # a position set up after the end of a game has no rewards
        assert np.array_equal(rewards, expected)


def _rewards(core: Any) -> list[float]:
    """What the last action paid each role: its own word where a game pays during play, else the result's."""
    if hasattr(core, "rewards"):
        return core.rewards()
    return [float(core.result == role) - float(core.result == 1 - role) for role in (0, 1)]


def _compare_observations(positions: list[Position], states: Any, observe: Any) -> None:
    for role in (0, 1):
        batched = np.asarray(observe(states, np.full(AT_ONCE, role, np.int8)))
        for position, planes in zip(positions, batched, strict=False):
            assert np.array_equal(position.observation(role), planes), f"planes differ after {position.actions()}"


def random_policy(seed: int) -> Policy:
    """Every legal action as likely as the next."""
    rng = random.Random(seed)  # of so few numbers at a time NumPy's is much slower
    return lambda positions: [rng.choice(position.legal_actions()) for position in positions]


def repeating_policy(seed: int) -> Policy:
    """Returns to an earlier position of the game where it can: makes repetitions and quiet plies."""
    rng = np.random.default_rng(seed)
    seen: dict[tuple[int, ...], set[int]] = {}

    def choose(position: Position) -> int:
        line = tuple(position.actions())
        known = seen.pop(line[:-1], set()) | {position.hash}
        actions = position.legal_actions()
        back = [a for a in actions if position.core.play(a).hash in known]
        action = int(rng.choice(back if back and rng.random() < 0.8 else actions))
        seen[line] = known
        return action

    return lambda positions: [choose(position) for position in positions]


def ending_policy(seed: int) -> Policy:
    """Ends the game at once if a move does, by any rule: makes every kind of ending frequent."""
    rng = np.random.default_rng(seed)

    def choose(position: Position) -> int:
        actions = position.legal_actions()
        ends = [a for a in actions if position.core.play(a).result != ONGOING]
        return int(rng.choice(ends or actions))

    return lambda positions: [choose(position) for position in positions]

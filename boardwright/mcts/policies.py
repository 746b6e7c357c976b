"""Search for self-play: from B states to a move, a policy to learn and a value, in one jittable call.

    search = jax.jit(functools.partial(gumbel_search, env=env, evaluate=evaluate, num_simulations=32, num_slots=128))
    result = search(key, states)
    states = jax.vmap(env.step)(states, result.action, keys)

`gumbel_search` and `puct_search` agree with mctx's `gumbel_muzero_policy` and `muzero_policy` on the same
priors, values and random numbers, as the tests show. Noise by action is drawn over all of them, as mctx does,
and read at the slots; Dirichlet noise is drawn over the slots.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.mcts import gumbel, puct
from boardwright.mcts.nodes import Tree, best_slot, side_of
from boardwright.mcts.slots import PADDING, Slots, at_slots, pack, probabilities
from boardwright.mcts.tree import Depth, Evaluate, grow, root_node


class SearchResult(PyTreeNode):
    """The result of a search of B states. Where a game is over, `action` is PADDING and `policy` 0."""

    action: Array  # [B] int32: the move to play
    slot: Array  # [B] int32: where it is in the next ones
    slot_actions: Array  # [B, K] int16: the moves searched; PADDING in empty slots
    policy: Array  # [B, K] float32: target for learning, sums to 1
    prior: Array  # [B, K] float32: of `evaluate`, over the slots, without noise
    visits: Array  # [B, K] int32
    value: Array  # [B] float32: mean of all simulations, from the side of the role to move
    raw_value: Array  # [B] float32: of `evaluate`, from the same side
    entropy: Array  # [B] float32: of the policy, in nats
    mean_depth: Array  # [B] float32: actions from the root to where simulations ended
    max_depth: Array  # [B] int32
    tree: Tree  # large: let `jit` drop it by not returning it


def gumbel_search(
    key: Array,
    states: Any,
    *,
    env: BatchEnv,
    evaluate: Evaluate,
    num_simulations: int,
    num_slots: int,
    num_considered: int = 16,
    c_visit: float = 50.0,
    c_scale: float = 0.1,
    relative: bool = True,
    gumbel_scale: Array | float = 1.0,
) -> SearchResult:
    """Gumbel search with sequential halving among `num_considered` moves; the policy is the improved one.

    A root with more moves than slots keeps those that rank highest with their noise, so that none that would
    be considered is missing. `gumbel_scale` 0 leaves out the noise and plays the best move. `c_visit`, `c_scale`
    and `relative` weigh values against priors, see `gumbel.py`.
    """
    logits, value = evaluate(states)
    search_key, noise_key = jax.random.split(key)
    noise_by_action = gumbel_scale * jax.random.gumbel(noise_key, logits.shape, jnp.float32)
    root = pack(states.legal_action_mask, logits, num_slots, rank=logits + noise_by_action)
    noise = at_slots(noise_by_action, root)
    considered = jnp.minimum(root.filled.sum(axis=1), num_considered)
    table = jnp.asarray(gumbel.considered_visits_table(num_considered, num_simulations))
    scales: dict[str, Any] = {"c_visit": c_visit, "c_scale": c_scale, "relative": relative}

    tree, depth = grow(
        search_key,
        states,
        root,
        value,
        env=env,
        evaluate=evaluate,
        num_simulations=num_simulations,
        root_scores=lambda node, index: gumbel.root_scores(node, noise, table[considered, index], **scales),
        scores=functools.partial(gumbel.interior_scores, **scales),
    )
    node = root_node(tree, root)
    most_visits = node.visits.max(axis=1)
    slot = best_slot(root.logits, gumbel.root_scores(node, noise, most_visits, **scales))
    improved = root.logits + gumbel.sigma_of_completed_q(node, **scales)
    return _result(root, tree, depth, states, policy=probabilities(improved), slot=slot)


def puct_search(
    key: Array,
    states: Any,
    *,
    env: BatchEnv,
    evaluate: Evaluate,
    num_simulations: int,
    num_slots: int,
    pb_c_init: float = 1.25,
    pb_c_base: float = 19652.0,
    dirichlet_fraction: float = 0.25,
    dirichlet_alpha: float = 0.3,
    relative: bool = True,
    temperature: Array | float = 1.0,
) -> SearchResult:
    """PUCT; the policy is each move's share of the visits, and the move is drawn from it at `temperature`.

    `relative` scales values as MuZero does (`puct.scores`); else they are taken as they are and `pb_c_init` is the
    constant of the exploration term (`puct.plain_scores`). `temperature` is a number, or [B] with one per game; see
    `puct.temperature_by_ply`.
    """
    logits, value = evaluate(states)
    draw_key, noise_key, search_key = jax.random.split(key, 3)
    root = pack(states.legal_action_mask, logits, num_slots)
    noisy_logits = puct.with_dirichlet_noise(noise_key, root.logits, fraction=dirichlet_fraction, alpha=dirichlet_alpha)
    if relative:
        scores = functools.partial(puct.scores, pb_c_init=pb_c_init, pb_c_base=pb_c_base)
    else:
        scores = functools.partial(puct.plain_scores, c_puct=pb_c_init)
    tree, depth = grow(
        search_key,
        states,
        Slots(root.actions, noisy_logits),
        value,
        env=env,
        evaluate=evaluate,
        num_simulations=num_simulations,
        root_scores=lambda node, index: scores(node),
        scores=scores,
    )
    visits = jnp.where(root.filled, root_node(tree, root).visits, 0)
    policy = visits / jnp.maximum(visits.sum(axis=1, keepdims=True), 1)
    noise_by_action = jax.random.gumbel(draw_key, logits.shape, jnp.float32)
    slot = best_slot(root.logits, puct.sharpen(policy, temperature) + at_slots(noise_by_action, root))
    return _result(root, tree, depth, states, policy=policy, slot=slot)


def _result(root: Slots, tree: Tree, depth: Depth, states: Any, *, policy: Array, slot: Array) -> SearchResult:
    node = root_node(tree, root)
    side = side_of(states.current_role)
    action = jnp.take_along_axis(root.actions, slot[:, None], axis=1)[:, 0].astype(jnp.int32)
    return SearchResult(
        action=jnp.where(states.terminated, PADDING, action),
        slot=slot,
        slot_actions=root.actions,
        policy=policy,
        prior=probabilities(root.logits),
        visits=jnp.where(root.filled, node.visits, 0),
        value=tree.value[0] * side,
        raw_value=tree.raw_value[0] * side,
        entropy=-jax.scipy.special.xlogy(policy, policy).sum(axis=1),
        mean_depth=depth.total / (tree.visits.shape[0] - 1),
        max_depth=depth.deepest,
        tree=tree,
    )

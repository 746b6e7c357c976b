"""The searches agree with mctx on the same priors, values and random numbers, and find what is planted."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import mctx_reference
import numpy as np
import pytest
from jax import Array
from midgames import played, quick_jit, started
from toy_tree import evaluate_by_number, make_toy
from true_tree import check

import boardwright
from boardwright.games.base import BatchEnv
from boardwright.mcts import puct
from boardwright.mcts.gumbel import considered_visits_table, sigma_of_completed_q
from boardwright.mcts.nodes import UNVISITED, Node
from boardwright.mcts.policies import SearchResult, gumbel_search, puct_search
from boardwright.mcts.slots import PADDING

KEY = jax.random.key(11)


def by_action(result: SearchResult, values: Array, actions: int) -> np.ndarray:
    """[B, A]: what is said of slots, 0 for actions without one."""
    spread = np.zeros((values.shape[0], actions + 1), values.dtype)
    np.put_along_axis(spread, np.asarray(result.slot_actions, np.int64) % (actions + 1), np.asarray(values), axis=1)
    return spread[:, :actions]


def agree(states: Any, result: SearchResult, theirs: Any, actions: int) -> None:
    """Of games that are over mctx makes something, too; those are left out."""
    summary, going = theirs.search_tree.summary(), ~np.asarray(states.terminated)
    visits, policy = (by_action(result, values, actions) for values in (result.visits, result.policy))
    np.testing.assert_array_equal(visits[going], summary.visit_counts[going])
    np.testing.assert_array_equal(result.action[going], theirs.action[going])
    np.testing.assert_allclose(result.value[going], summary.value[going], atol=1e-6)
    np.testing.assert_allclose(policy[going], theirs.action_weights[going], atol=1e-5)


def both_gumbel(
    env: BatchEnv, states: Any, actions: int, simulations: int, num_slots: int, considered: int, relative: bool = True
) -> tuple[SearchResult, Any]:
    """mctx has absolute values from -1 to 1, and so half the scale for what is from 0 to 1 here."""
    evaluate = evaluate_by_number(actions)
    ours = functools.partial(gumbel_search, env=env, evaluate=evaluate, num_simulations=simulations)
    theirs = functools.partial(
        mctx_reference.run, mctx.gumbel_muzero_policy, env=env, evaluate=evaluate, num_simulations=simulations
    )
    if not relative:
        ours = functools.partial(ours, relative=False, c_scale=0.2)
        transform = functools.partial(mctx.qtransform_completed_by_mix_value, rescale_values=False, value_scale=0.1)
        theirs = functools.partial(theirs, qtransform=transform)
    return (
        quick_jit(functools.partial(ours, num_slots=num_slots, num_considered=considered))(KEY, states),
        quick_jit(functools.partial(theirs, max_num_considered_actions=considered))(KEY, states=states),
    )


@pytest.mark.parametrize("relative", [True, False])
def test_gumbel_agrees_with_mctx_on_toys(relative: bool) -> None:
    """Movers follow no pattern."""
    env = make_toy(8)
    states = started(env, 16)
    result, theirs = both_gumbel(env, states, 8, 40, 10, 4, relative)
    agree(states, result, theirs, 8)
    assert result.max_depth.max() > 4


def test_puct_agrees_with_mctx_on_toys_with_noise_and_draws() -> None:
    """Movers alternate; all moves are legal and there are as many slots, so that Dirichlet noise is the same."""
    env, evaluate = make_toy(6, all_legal=True, alternating=True), evaluate_by_number(6)
    states = started(env, 16)
    options = {"num_simulations": 40, "dirichlet_fraction": 0.3, "dirichlet_alpha": 0.5, "temperature": 0.7}
    ours = functools.partial(puct_search, env=env, evaluate=evaluate, num_slots=6, **options)
    theirs = functools.partial(mctx_reference.run, mctx.muzero_policy, env=env, evaluate=evaluate, **options)
    agree(states, quick_jit(ours)(KEY, states), quick_jit(theirs)(KEY, states=states), 6)


def plain_puct_visits(env: BatchEnv, evaluate: Any, root: Any, simulations: int, c_puct: float) -> dict[int, int]:
    """Root visits by the DraughtsZero paper's formula, one simulation after the other, in plain Python."""
    step = jax.jit(lambda state, action: env.step(state, action, KEY))
    batch_of_one = jax.jit(lambda state: evaluate(jax.tree.map(lambda leaf: leaf[None], state)))

    def node_of(state: Any) -> dict[str, Any]:
        legal = np.flatnonzero(state.legal_action_mask)
        side = 1 - 2 * int(state.current_role)
        if bool(state.terminated):
            return {"state": state, "value": float(state.rewards[0]), "over": True}
        logits, value = jax.device_get(batch_of_one(state))
        weights = np.exp(np.asarray(logits[0], np.float64)[legal])
        prior = dict(zip(legal.tolist(), weights / weights.sum(), strict=True))
        return {"state": state, "value": side * float(value[0]), "over": False, "side": side, "prior": prior}

    def simulate(node: dict[str, Any]) -> float:
        """Value from the side of role 0 of what the simulation found below a node."""
        if node["over"]:
            return node["value"]
        edges = node.setdefault("edges", {})  # action -> [child, visits, total]
        total = sum(visits for _, visits, _ in edges.values())

        def score(action: int) -> float:
            _, visits, value = edges.get(action, (None, 0, 0.0))
            q = node["side"] * value / visits if visits else 0.0
            return q + c_puct * node["prior"][action] * np.sqrt(total + 1e-8) / (1 + visits)

        action = max(node["prior"], key=score)
        if action not in edges:
            child = node_of(jax.device_get(step(node["state"], action)))
            edges[action] = [child, 1, child["value"]]
            return child["value"]
        edge = edges[action]
        found = simulate(edge[0])
        edge[1], edge[2] = edge[1] + 1, edge[2] + found
        return found

    tree = node_of(root)
    for _ in range(simulations):
        simulate(tree)
    return {action: visits for action, (_, visits, _) in tree["edges"].items()}


@pytest.mark.parametrize("c_puct", [0.5, 1.25, 4.0])
def test_puct_with_absolute_values_is_the_papers_formula(c_puct: float) -> None:
    """Q as it is, 0 for moves without a visit, a constant c; movers follow no pattern."""
    env, evaluate = make_toy(6), evaluate_by_number(6)
    states = started(env, 4)
    options = {"num_simulations": 40, "dirichlet_fraction": 0.0, "relative": False, "pb_c_init": c_puct}
    search = functools.partial(puct_search, env=env, evaluate=evaluate, num_slots=6, temperature=0.0, **options)
    result = quick_jit(search)(KEY, states)
    visits = by_action(result, result.visits, 6)
    for number in range(4):
        root = jax.device_get(jax.tree.map(lambda leaf, n=number: leaf[n], states))
        target = plain_puct_visits(env, evaluate, root, 40, c_puct)
        assert {action: int(count) for action, count in enumerate(visits[number]) if count} == target
        assert target[int(result.action[number])] == max(target.values())


def test_draughts_agrees_with_mctx_without_illegal_nodes() -> None:
    """Both searches, from positions some of which are in the middle of a capture."""
    env, evaluate = boardwright.game("draughts").batch(), evaluate_by_number(128)
    states = played(env, 12, 90, seed=5)
    assert (states.continuing != 0).any()
    result, theirs = both_gumbel(env, states, 128, 24, 48, 8)
    agree(states, result, theirs, 128)
    check(result.tree, env, states)

    options = {"num_simulations": 24, "dirichlet_fraction": 0.0}
    temperature = puct.temperature_by_ply(states.plies, until=20)
    assert set(np.asarray(temperature).tolist()) == {0.0, 1.0}
    ours = functools.partial(puct_search, env=env, evaluate=evaluate, num_slots=48, **options)
    reference = functools.partial(mctx_reference.run, mctx.muzero_policy, env=env, evaluate=evaluate, **options)
    result = quick_jit(ours)(KEY, states, temperature=temperature)
    agree(states, result, quick_jit(reference)(KEY, states=states, temperature=temperature[:, None]), 128)


@pytest.mark.slow
def test_cathedral_agrees_with_mctx_without_illegal_nodes() -> None:
    game = boardwright.game("cathedral", "official-6")
    env, states = game.batch(), played(game.batch(), 8, 14)
    result, theirs = both_gumbel(env, states, game.num_actions, 24, 640, 16)
    agree(states, result, theirs, game.num_actions)
    check(result.tree, env, states)


def test_tablut_with_too_few_slots_has_no_illegal_nodes() -> None:
    game = boardwright.game("tablut", "tablutzero")
    env, evaluate = game.batch(), jax.jit(evaluate_by_number(game.num_actions))
    states = started(env, 6)
    run = functools.partial(gumbel_search, env=env, evaluate=evaluate, num_simulations=24, num_slots=24)
    result = quick_jit(run)(KEY, states)
    links, _ = check(result.tree, env, states)
    assert links > 100
    assert (result.slot_actions != PADDING).all()

    # A root that overflows still holds every move that would be considered.
    logits = evaluate(states)[0] + jax.random.gumbel(jax.random.split(KEY)[1], (6, game.num_actions))
    best = np.argsort(np.where(states.legal_action_mask, logits, -np.inf))[:, -16:]
    for game_number in range(6):
        assert set(best[game_number]) <= set(np.asarray(result.slot_actions[game_number]).tolist())


@pytest.mark.parametrize("search", ["gumbel", "puct"])
def test_planted_results_are_found(search: str) -> None:
    """Only the ends of small trees distinguish moves; every chosen move keeps the best result."""
    env = make_toy(4, longest=3, ends=6)
    states = started(env, 24, seed=3)
    step = quick_jit(jax.vmap(env.step, (0, 0, None)))

    def best_result(states: Any) -> tuple[np.ndarray, np.ndarray]:
        """(value [B] from the side of role 0, of each action [B, A]) with best play, by trying everything."""
        result = np.asarray(states.result)
        ended = np.where(result == 0, 1.0, np.where(result == 1, -1.0, 0.0))
        if np.asarray(states.terminated).all():
            return ended, np.zeros((len(ended), 4))
        first = np.asarray(states.current_role) == 0
        by_move = np.stack(
            [best_result(step(states, jnp.full(len(ended), a), KEY))[0] for a in range(3)] + [ended], axis=1
        )
        legal, worst = np.asarray(states.legal_action_mask), np.where(first, -2.0, 2.0)[:, None]
        options = np.where(legal, by_move, worst)
        best = np.where(first, options.max(axis=1), options.min(axis=1))
        return np.where(np.asarray(states.terminated), ended, best), by_move

    def know_nothing(states: Any) -> tuple[Array, Array]:
        return jnp.zeros((24, 4)), jnp.zeros(24)

    options = {"env": env, "evaluate": know_nothing, "num_slots": 4}
    if search == "gumbel":  # both less greedy than for play, where values are informative
        run = functools.partial(gumbel_search, num_simulations=100, gumbel_scale=0.0, c_scale=0.02, **options)
    else:
        run = functools.partial(puct_search, num_simulations=300, pb_c_init=4.0, temperature=0.0, **options)
    result = quick_jit(run)(KEY, states)
    best, by_move = best_result(states)
    assert len(set(best)) == 3
    np.testing.assert_array_equal(by_move[np.arange(24), np.asarray(result.action)], best)


@pytest.mark.parametrize("search", [gumbel_search, puct_search])
def test_fields_of_a_search_result_are_consistent(search: Any) -> None:
    """Also of games that are over already, and of trees with many ends."""
    env, evaluate = make_toy(5, ends=4, longest=5), jax.jit(evaluate_by_number(5))
    states = played(env, 16, 4)
    run = functools.partial(search, env=env, evaluate=evaluate, num_simulations=16, num_slots=6)
    result = jax.tree.map(np.asarray, quick_jit(run)(KEY, states))
    _, ends = check(result.tree, env, states)
    assert ends > 16
    over, going = np.asarray(states.terminated), ~np.asarray(states.terminated)
    assert over.any()
    assert (result.action[over] == PADDING).all()
    assert (result.policy[over] == 0).all()
    assert (result.entropy[over] == 0).all()
    assert (result.action[going] == result.slot_actions[going, result.slot[going]]).all()
    assert np.asarray(states.legal_action_mask)[going, result.action[going]].all()
    np.testing.assert_allclose(result.policy[going].sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(result.prior[going].sum(axis=1), 1, atol=1e-6)
    assert (result.policy[result.slot_actions == PADDING] == 0).all()
    entropy = -np.where(result.policy > 0, result.policy * np.log(np.maximum(result.policy, 1e-30)), 0).sum(axis=1)
    np.testing.assert_allclose(result.entropy, entropy, atol=1e-5)
    _, raw_value = evaluate(states)
    np.testing.assert_allclose(result.raw_value[going], np.asarray(raw_value)[going])
    assert (result.visits[going].sum(axis=1) == 16).all()
    passed = result.tree.visits[1:].sum(axis=0)  # a simulation that ends at depth d passes d nodes below the root
    np.testing.assert_allclose(result.mean_depth[going], passed[going] / 16)
    assert (result.mean_depth <= result.max_depth)[going].all()
    assert result.max_depth.max() <= 5
    assert np.isfinite(result.value).all()


@pytest.mark.parametrize("empty", [0, 1])
def test_mixed_value_counts_in_the_range_of_values(empty: int) -> None:
    """By hand, where it is below all visited moves; whether a slot is empty makes no difference."""
    node = Node(
        logits=jnp.array([[0.0, 0.0, *[-jnp.inf] * empty]]),
        total=jnp.array([[2.0]]),
        child=jnp.array([[1, 2, *[UNVISITED] * empty]]),
        visits=jnp.array([[1, 1, *[0] * empty]]),
        q=jnp.array([[0.2, 0.4, *[0.0] * empty]]),
        own_visits=jnp.array([[3.0]]),
        value=jnp.array([[-0.4 / 3]]),
        raw_value=jnp.array([[-1.0]]),
    )
    sigma = sigma_of_completed_q(node, c_visit=50.0, c_scale=0.1)
    mixed = (-1.0 + 0.2 + 0.4) / 3  # the mean of the moves has the weight of two visits
    share = (0.2 - mixed) / (0.4 - mixed)
    np.testing.assert_allclose(sigma[0, :2], [5.1 * share, 5.1], rtol=1e-5)


def test_sequential_halving_follows_mctx() -> None:
    from mctx._src import seq_halving

    for moves, simulations in ((16, 128), (5, 12), (16, 7), (1, 3)):
        expected = seq_halving.get_table_of_considered_visits(moves, simulations)
        np.testing.assert_array_equal(considered_visits_table(moves, simulations), expected)


def test_dirichlet_noise_falls_on_moves_only() -> None:
    logits = jnp.array([[0.0, -1.0, -2.0, -jnp.inf, -jnp.inf], [-jnp.inf] * 5])
    noisy = puct.with_dirichlet_noise(KEY, logits, fraction=0.25, alpha=0.3)
    prior, mixed = jnp.exp(logits[0, :3]), jnp.exp(noisy[0, :3])
    noise = (mixed / mixed.sum() - 0.75 * prior / prior.sum()) / 0.25
    assert noise.min() > -1e-6
    assert float(noise.sum()) == pytest.approx(1)
    assert (np.asarray(noisy[0, 3:]) == -np.inf).all()
    assert (np.asarray(noisy[1]) == -np.inf).all()
    assert float(noisy[0].max()) == 0


def test_temperature_follows_the_ply() -> None:
    plies = jnp.array([0, 29, 30, 100])
    np.testing.assert_array_equal(puct.temperature_by_ply(plies, until=30), [1, 1, 0, 0])
    policy = jnp.array([[0.2, 0.8], [0.2, 0.8]])
    sharp = jax.nn.softmax(puct.sharpen(policy, jnp.array([1.0, 0.0])))
    np.testing.assert_allclose(sharp, [[0.2, 0.8], [0, 1]], atol=1e-6)

"""Matches of policies without search, compared with the scalar engine and with plain Python."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from climb import MAX_PLIES, evaluator, make_climb, predict
from jax import Array
from jax.tree_util import Partial
from sizes import size

import boardwright
from boardwright.errors import RunError
from boardwright.games.base import DRAW, BatchEnv, Game
from boardwright.learn.match import matches
from boardwright.learn.match.matches import MatchResult, play_pairs
from boardwright.learn.match.policies import Policy, make_net_evaluator, net_policy, random_policy
from boardwright.nets.config import PlainConfig
from boardwright.nets.network import make_network

CLIMB = make_climb(0)


@functools.cache
def shaped(rules: str, first: str = "light") -> tuple[Game, BatchEnv]:
    options = {"name": f"shaped-{rules}-{first}", "base": rules, "rewards": "shaped", "first": first}
    game = boardwright.game("cathedral", options, "paper")
    return game, game.batch()


def at_place(factor: Any, key: Array, states: Any) -> Array:
    """A legal action that depends on the ply alone: the n-th of them, counted round and round."""
    del key
    legal = jnp.cumsum(states.legal_action_mask, axis=-1)
    place = (factor * (states.plies + 1)) % jnp.maximum(legal[:, -1], 1)
    return jnp.argmax(legal > place[:, None], axis=-1)


def in_the_scalar_engine(game: Game, factors: tuple[int, ...]) -> tuple[int, int, list[int], list[float], bool]:
    """Result, plies, by role decisions and rewards, and whether a role moved twice, where roles play `at_place`."""
    position, decisions, rewards, movers = game.start(), [0, 0], np.zeros(2), list[int]()
    while position.outcome is None:
        legal, role = position.legal_actions(), position.role_to_move
        position = position.play(legal[(factors[role] * (position.plies + 1)) % len(legal)])
        decisions[role] += 1
        movers.append(role)
        rewards += position.core.rewards()  # type: ignore[attr-defined]
    twice = any(one == other for one, other in itertools.pairwise(movers))
    return position.core.result, position.plies, decisions, rewards.tolist(), twice


def test_planted_policies_play_as_in_the_scalar_engine() -> None:
    """Double moves, captures and rewards for the other's actions included, in both roles."""
    game, env = shaped("paper-6")
    seen = set()
    for factors in [(5, 3), (1, 8), (11, 4), (2, 9), (7, 7)]:
        sides = [Partial(at_place, jnp.int32(factor)) for factor in factors]
        match = play_pairs(jax.random.key(0), env, *sides, games=4)
        decisions, rewards = np.zeros(2, int), np.zeros(2)
        for role in (0, 1):  # of the first side
            result, plies, decided, gained, twice = in_the_scalar_engine(game, factors if role == 0 else factors[::-1])
            got = (match.wins[role], match.draws[role], match.losses[role], match.plies[role])
            assert got == (2 * (result == role), 2 * (result == DRAW), 2 * (result == 1 - role), 2 * plies)
            decisions += 2 * np.array(decided if role == 0 else decided[::-1])
            rewards += 2 * np.array(gained if role == 0 else gained[::-1])
            seen |= {(role, result), ("twice", twice)}
        assert match.decisions == tuple(decisions)
        assert match.rewards == pytest.approx(tuple(rewards))
        assert match.reward_per_game == pytest.approx(tuple(rewards / 4))
        assert match.reward_per_decision == pytest.approx(tuple(rewards / decisions))
    assert {(0, 0), (0, 1), (1, 0), (1, 1), ("twice", True)} <= seen


@pytest.mark.parametrize(
    ("rules", "first"), [("paper-6", "coin"), pytest.param("paper", "light", marks=pytest.mark.slow)]
)
def test_random_games_are_those_of_the_scalar_engine(rules: str, first: str) -> None:
    game, env = shaped(rules, first)
    games, others = 1024, 20_000
    match = play_pairs(jax.random.key(5), env, random_policy, random_policy, games=games)
    tally = game.start().core.playouts(1, 0, others)
    results, plies, actions = tally.outcomes, tally.plies, tally.actions
    assert match.games == games
    assert sum(match.wins) + sum(match.draws) + sum(match.losses) == games
    won_by_role_0 = match.wins[0] + match.losses[1]
    for count, other in ((won_by_role_0, results[0]), (sum(match.draws), results[DRAW])):
        share = other / others
        assert abs(count / games - share) < 4 * np.sqrt(share * (1 - share) * (1 / games + 1 / others)) + 1e-9
    assert sum(match.plies) / games == pytest.approx(plies / others, rel=0.02)
    coins = int(first == "coin")  # an action, but not a decision
    assert sum(match.decisions) / games == pytest.approx(actions / others - coins, rel=0.02)
    sides = np.array(match.reward_per_decision)
    assert abs(sides[0] - sides[1]) < 4 * np.hypot(*match.reward_errors)


def tastes(count: int, seed: int) -> list[Any]:
    return list(np.random.default_rng(seed).permuted(np.tile([0.0, 4.0, 8.0], (count, 2, 2, 1)), axis=3))


GREEDY = net_policy(evaluator, 0.0)


def climbed(first: Any, second: Any, **options: Any) -> MatchResult:
    return play_pairs(jax.random.key(2), CLIMB, GREEDY(first), GREEDY(second), **options)


def test_nets_play_their_most_likely_move() -> None:
    """Matches predicted in plain Python; surplus games are not counted, however they are sliced."""
    for seed in range(8):
        first, second = tastes(2, seed)
        match = climbed(first, second, games=10, at_once=4)
        for role in (0, 1):
            result, plies = predict((first, second) if role == 0 else (second, first), 0)
            got = (match.wins[role], match.draws[role], match.losses[role], match.plies[role])
            assert got == (5 * (result == role), 5 * (result == DRAW), 5 * (result == 1 - role), 5 * plies)
        assert sum(match.decisions) == sum(match.plies)


def test_games_of_a_pair_start_alike_and_pairs_differ() -> None:
    net = tastes(1, seed=1)[0]
    score = climbed(net, net, games=96, opening_plies=5)
    assert score.wins == score.losses[::-1]
    assert score.plies[0] == score.plies[1]
    assert 0 < score.wins[0] < 48


def test_one_program_serves_all_nets() -> None:
    asked: Counter[str] = Counter()
    traced: Counter[str] = Counter()

    def counted(name: str) -> Any:
        def choose(taste: Any, key: Array, states: Any) -> Array:
            del key
            traced[name] += 1
            jax.debug.callback(lambda: asked.update([name]))
            logits, _ = evaluator(taste)(states)
            return jnp.argmax(logits, axis=-1)

        return lambda taste: Partial(choose, taste)

    one_step = jnp.asarray(np.tile(np.array([0, 1, 0], np.float32), (2, 2, 1)))  # and moves again: the other never does
    makers = counted("first"), counted("second")
    match = play_pairs(jax.random.key(0), CLIMB, makers[0](one_step), makers[1](one_step), games=2)
    jax.effects_barrier()
    assert match.decisions == (9, 9)  # role 0 climbs alone to the top
    assert asked == {"first": 9, "second": 9}
    traces = dict(traced)
    play_pairs(jax.random.key(0), CLIMB, *(make(one_step[..., ::-1]) for make in makers), games=2)
    assert traced == traces


def test_progress_and_endless_games(monkeypatch: pytest.MonkeyPatch) -> None:
    idle: Any = np.tile(np.array([1, 0, 0], np.float32), (2, 2, 1))
    received: list[float] = []
    sides = GREEDY(idle), GREEDY(idle)
    match = play_pairs(jax.random.key(0), CLIMB, *sides, games=8, at_once=4, on_share=received.append)
    assert match.draws == (4, 4)
    assert match.plies == (4 * MAX_PLIES, 4 * MAX_PLIES)
    assert received == sorted(received)
    assert {0.0, 0.5, 1.0} <= set(received)
    monkeypatch.setattr(matches, "MAX_TURNS", 0)
    assert climbed(idle, idle, games=4).draws == (2, 2)


@pytest.mark.usefixtures("careful_compiler")
def test_match_ends_with_its_last_game() -> None:
    """Of 41, 47 or 55 pairs the mean of as many ones is less than 1 in single precision, as compilers divide."""
    quick: Any = np.tile(np.array([0, 0, 1], np.float32), (2, 2, 1))
    for games in (82, 94, 110)[: size(1, full=3)]:
        received: list[float] = []
        sides = GREEDY(quick), GREEDY(quick)
        play_pairs(jax.random.key(0), CLIMB, *sides, games=games, on_share=received.append)
        assert received == [0.0, 1.0]


@pytest.mark.parametrize(("games", "at_once"), [(3, 10), (0, 10), (4, 1)])
def test_only_whole_pairs(games: int, at_once: int) -> None:
    with pytest.raises(RunError, match="games must be even and at least 2"):
        play_pairs(jax.random.key(0), CLIMB, random_policy, random_policy, games=games, at_once=at_once)


def states(logits: list[float], legal: list[bool], games: int) -> Any:
    """As little of a state as a policy looks at; the net's opinion is part of it."""
    return SimpleNamespace(
        legal_action_mask=jnp.tile(jnp.array(legal), (games, 1)),
        logits=jnp.tile(jnp.array(logits), (games, 1)),
        terminated=jnp.zeros(games, bool),
    )


@pytest.mark.parametrize("temperature", [0.5, 3.0])
def test_actions_are_drawn_in_proportion(temperature: float) -> None:
    logits, legal = [2.0, 9.0, 1.0, 2.5], [True, False, True, True]
    policy: Policy = net_policy(lambda _: lambda states: (states.logits, states.terminated), temperature)({})
    drawn = np.asarray(policy(jax.random.key(3), states(logits, legal, 20_000)))
    weights = np.where(legal, np.exp(np.array(logits) / temperature), 0)
    np.testing.assert_allclose(np.bincount(drawn, minlength=4) / 20_000, weights / weights.sum(), atol=0.015)
    best: Policy = net_policy(lambda _: lambda states: (states.logits, states.terminated), 0.0)({})
    assert set(np.asarray(best(jax.random.key(3), states(logits, legal, 5))).tolist()) == {3}


def test_a_real_net_plays_its_best_moves() -> None:
    """One game of a plain net against itself, in the scalar engine too."""
    game, env = shaped("paper-6")
    network = make_network(PlainConfig(convolutions=(4,), policy_hidden=(8,)), game)
    variables = network.init(jax.random.key(0))
    net = net_policy(make_net_evaluator(network, env), 0.0)(network.fold(variables))
    match = play_pairs(jax.random.key(1), env, net, net, games=2)
    position, apply = game.start(), jax.jit(network.apply)
    while position.outcome is None:
        planes, role = position.observation()[None], np.array([position.role_to_move])
        logits = np.where(position.legal_mask(), apply(variables, planes, role).policy_logits[0], -np.inf)
        position = position.play(int(logits.argmax()))
    assert match.plies == (position.plies, position.plies)
    wins = tuple(int(position.core.result == role) for role in (0, 1))
    assert match.wins == wins
    assert match.losses == wins[::-1]

"""The scalar engine's search and the batched one visit the same moves equally often.

Both ask the same made-up evaluation, a function of what the mover observes, one position at a time. Endings
are far: where they are near the scalar search knows more, since it passes sure results up its tree.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from midgames import quick_jit

import boardwright
from boardwright.agents.base import Choice, Limit
from boardwright.agents.zero import ZeroPlayer
from boardwright.games.base import Game, Position
from boardwright.search.zero import SearchResult, gumbel_search, puct_search

# In the first a capture of several hops is on: White acts twice running in many lines.
POSITIONS = [
    ("draughts", "wcdf", "W:W18,21,25,26,29,30,31,32:B1,2,3,5,6,7,14,15"),
    ("draughts", "wcdf", "W:WK18,K21,25,29,30:BK1,2,3,5,6,K12"),
    ("tablut", "zero", None),
    ("cathedral", "official-6", None),
]


def start_of(name: str, rules: str, text: str | None) -> Position:
    """A position without a past; Cathedral's with some buildings on the board."""
    game = boardwright.game(name, rules)
    if text is not None:
        return game.position(text)
    position = game.start()
    for index in range(3 if name == "cathedral" else 0):
        position = position.play(position.legal_actions()[40 * index])
    return game.position(position.text)


def make_evaluate(game: Game, numpy: Any) -> Any:
    """(observations [N, ...]) -> (logits [N, num_actions], values [N]), the same whichever library computes it.

    Logits are few-digit numbers, since the batched tree keeps them in bfloat16; values can tell all moves apart.
    """
    rng = np.random.default_rng(5)
    size = int(np.prod(game.observation_shape))
    weights = numpy.asarray(rng.integers(1, 1 << 31, size).astype(np.uint32))
    by_action = numpy.asarray(rng.integers(1, 1 << 31, game.num_actions).astype(np.uint32) | 1)

    def evaluate(observations: Any) -> tuple[Any, Any]:
        bits = numpy.round(observations * 64).astype(np.uint32).reshape(len(observations), size)
        number = (bits * weights).sum(axis=1, dtype=np.uint32)
        number = number ^ (number >> 15)
        logits = ((number[:, None] * by_action) >> 27).astype(np.float32) / 4
        values = ((number * np.uint32(2654435761)) >> 9).astype(np.float32) / (1 << 22) - 1
        return logits, values * 0.9

    return evaluate


def batched(search: Any, position: Position, simulations: int, **options: Any) -> SearchResult:
    game, env = position.game, position.game.batch()
    evaluate = make_evaluate(game, jnp)
    states = jax.tree.map(lambda field: jnp.asarray(field)[None], env.from_position(position))
    run = functools.partial(
        search,
        env=env,
        evaluate=lambda states: evaluate(jax.vmap(env.observe)(states, states.current_role)),
        num_simulations=simulations,
        num_slots=640 if game.name == "cathedral" else game.slots,
        **options,
    )
    return quick_jit(run)(jax.random.key(0), states)


def scalar(position: Position, simulations: int, gumbel: bool) -> Choice:
    game, evaluate = position.game, make_evaluate(position.game, np)
    no_tables = {"tables": None} if game.name == "draughts" else {}
    player = ZeroPlayer(
        game, game.puct(16, 1, 0, **no_tables), lambda planes, roles: evaluate(planes), Limit(), gumbel=gumbel
    )
    return player.choose(position, Limit(simulations=simulations))


def by_action(result: SearchResult, values: Any) -> dict[int, float]:
    actions = np.asarray(result.slot_actions[0])
    return {int(action): np.asarray(values)[0, slot].item() for slot, action in enumerate(actions) if action >= 0}


@pytest.mark.parametrize(("name", "rules", "text"), POSITIONS)
def test_puct_agrees_with_the_batched_search(name: str, rules: str, text: str | None) -> None:
    position, simulations = start_of(name, rules, text), 400
    ours = scalar(position, simulations, gumbel=False)
    theirs = batched(puct_search, position, simulations, dirichlet_fraction=0.0)
    assert ours.visits == by_action(theirs, theirs.visits)
    assert sum(ours.visits.values()) == ours.simulations == simulations
    assert sum(count > 0 for count in ours.visits.values()) > 1  # there was something to choose


@pytest.mark.parametrize(("name", "rules", "text"), POSITIONS)
def test_gumbel_agrees_with_the_batched_search(name: str, rules: str, text: str | None) -> None:
    position, simulations = start_of(name, rules, text), 100
    ours = scalar(position, simulations, gumbel=True)
    theirs = batched(gumbel_search, position, simulations, gumbel_scale=0.0)
    assert ours.visits == by_action(theirs, theirs.visits)
    assert ours.action == theirs.action[0]
    policy = by_action(theirs, theirs.policy)
    assert ours.policy == pytest.approx(policy, abs=1e-4)

"""The scalar engine's search visits the same moves as often as others do: by PUCT one written down here, in Gumbel
search the batched one.

Both ask the same made-up evaluation, a function of what the mover observes, one position at a time. Neither asks where
there is nothing to choose. Endings are far: where they are near the scalar search knows more, since it passes sure
results up its tree.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from midgames import quick_jit

import boardwright
from boardwright.agents.alphazero import AlphaZeroPlayer
from boardwright.agents.base import Choice, Limit
from boardwright.games.base import Game, Position, SearchResources
from boardwright.games.batched import without_forced
from boardwright.mcts.policies import SearchResult, gumbel_search

# In the first a capture of several hops is on: White acts twice running in many lines.
POSITIONS = [
    ("draughts", "wcdf", "W:W18,21,25,26,29,30,31,32:B1,2,3,5,6,7,14,15"),
    ("draughts", "wcdf", "W:WK18,K21,25,29,30:BK1,2,3,5,6,K12"),
    ("tablut", "tablutzero", None),
    ("cathedral", "official-6", None),
]

CURIOSITY = 0.7
MAX_FORCED = 12  # plies without a choice that follow each other


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
    """(observations [N, ...]) -> (logits [N, num_actions], values [N]), the same with every library.

    Logits are few-digit numbers, since the batched tree keeps them in bfloat16; values differ for all moves.
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


@dataclasses.dataclass
class Node:
    """A position in the reference's tree; values are from the side of role 0."""

    position: Position
    prior: dict[int, float] = dataclasses.field(default_factory=dict)  # likelier moves first
    children: dict[int, Node] = dataclasses.field(default_factory=dict)
    visits: int = 0
    total: float = 0.0

    def best(self) -> int:
        """PUCT as docs/reference/search.md has it."""
        side = 1 - 2 * self.position.role_to_move
        tried = sum(self.prior[action] for action, child in self.children.items() if child.visits)
        untried = (1 + side * self.total / max(self.visits, 1)) / 2 - 0.1 * math.sqrt(tried)
        curiosity = math.sqrt(self.visits) * (CURIOSITY + math.log((self.visits + 19653) / 19652))

        def score(action: int) -> float:
            child = self.children.get(action)
            if child is None:
                return untried + curiosity * self.prior[action]
            return (1 + side * child.total / child.visits) / 2 + curiosity * self.prior[action] / (child.visits + 1)

        return max(self.prior, key=score)


def reference(position: Position, simulations: int) -> dict[int, int]:
    """Visits of the moves by PUCT, one simulation after the other."""
    evaluate = make_evaluate(position.game, np)

    def simulate(node: Node) -> float:
        legal = node.position.legal_actions()
        assert node.position.outcome is None  # endings are far
        if node.prior:
            action = node.best()
            value = simulate(node.children.setdefault(action, Node(node.position.play(action))))
        elif len(legal) == 1:
            node.prior = {legal[0]: 1.0}
            return simulate(node)
        else:
            logits, values = evaluate(node.position.observation()[None])
            weights = np.exp(logits[0, legal] - logits[0, legal].max())
            shares = dict(zip(legal, (weights / weights.sum()).tolist(), strict=True))
            node.prior = dict(sorted(shares.items(), key=lambda item: -item[1]))
            value = values[0].item() * (1 - 2 * node.position.role_to_move)
        node.visits, node.total = node.visits + 1, node.total + value
        return value

    root = Node(position)
    for _ in range(simulations + 1):  # the first looks at the root alone
        simulate(root)
    return {action: root.children[action].visits if action in root.children else 0 for action in root.prior}


def batched(search: Any, position: Position, simulations: int, **options: Any) -> SearchResult:
    game, env = position.game, without_forced(position.game.batch(), MAX_FORCED)
    evaluate = make_evaluate(game, jnp)
    states = jax.tree.map(lambda field: jnp.asarray(field)[None], env.from_position(position))
    run = functools.partial(
        search,
        env=env,
        evaluate=lambda states: evaluate(jax.vmap(env.observe)(states, states.current_role)),
        num_simulations=simulations,
        num_slots=640 if game.name == "cathedral" else game.max_search_actions,
        **options,
    )
    return quick_jit(run)(jax.random.key(0), states)


def scalar(position: Position, simulations: int, gumbel: bool) -> Choice:
    game, evaluate = position.game, make_evaluate(position.game, np)
    player = AlphaZeroPlayer(
        game, game.puct(16, 1, 0, SearchResources()), lambda planes, roles: evaluate(planes), Limit(), gumbel=gumbel
    )
    return player.choose(position, Limit(simulations=simulations))


def by_action(result: SearchResult, values: Any) -> dict[int, float]:
    actions = np.asarray(result.slot_actions[0])
    return {int(action): np.asarray(values)[0, slot].item() for slot, action in enumerate(actions) if action >= 0}


@pytest.mark.parametrize(("name", "rules", "text"), [*POSITIONS[:3], ("cathedral", "official", None)])
def test_puct_agrees_with_the_reference(name: str, rules: str, text: str | None) -> None:
    position = start_of(name, rules, text)
    simulations = 200 if name == "cathedral" else 400  # more would come to ends of games
    ours = scalar(position, simulations, gumbel=False)
    assert ours.visits == reference(position, simulations)
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

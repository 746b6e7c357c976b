"""Rollouts of a planted game, step by step: every decision gets its rewards, after any moves in between."""

import dataclasses
import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from boardwright.games.base import ONGOING, BatchEnv
from boardwright.learn.match.policies import BOTH, Policy, first_seats
from boardwright.learn.ppo import selfplay
from boardwright.learn.ppo.learner import row_advantages
from boardwright.learn.ppo.selfplay import Decision

# Who moves at each ply of the planted game, and what each role is paid for it plus the action's number: role 0
# decides twice running, so does role 1, and role 1 ends the game with three moves of its own, the last of them dear.
MOVERS = (0, 1, 1, 0, 0, 1, 0, 1, 1, 1)
PAID = np.array([[1, 0], [-2, 5], [0, -1], [4, -4], [0, 3], [-6, 0], [2, 2], [0, 1], [-1, 0], [-50, 50]], float)
OWN, THEIRS = 1, 2  # actions of the learner and of opponents, so that payments identify the mover
DISCOUNT, TRACE = 0.75, 0.5


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    current_role: Array
    rewards: Array
    terminated: Array
    result: Array
    plies: Array
    legal_action_mask: Array


def _init(key: Array) -> State:
    del key
    legal = jnp.ones(3, bool)
    return State(jnp.int8(MOVERS[0]), jnp.zeros(2), jnp.bool_(False), jnp.int8(ONGOING), jnp.int32(0), legal)


def _step(state: State, action: Array, key: Array) -> State:
    del key
    plies = state.plies + 1
    ends = plies == len(MOVERS)
    after = State(
        current_role=jnp.asarray((*MOVERS, 0), jnp.int8)[plies],
        rewards=(jnp.asarray(PAID)[state.plies] + action * jnp.asarray([1.0, 100.0])).astype(jnp.float32),
        terminated=ends,
        result=jnp.where(ends, 1, ONGOING).astype(jnp.int8),
        plies=plies,
        legal_action_mask=jnp.full(3, ~ends),
    )
    stays = dataclasses.replace(state, rewards=jnp.zeros(2))
    return jax.tree.map(functools.partial(jnp.where, state.terminated), stays, after)


def _refuse(*_: object) -> None:
    raise NotImplementedError


ENV = BatchEnv(init=_init, step=_step, observe=_refuse, from_position=_refuse)


def _value(ply: Any) -> Any:
    """What the learner expects: anything, but another number at every ply."""
    return 3.0 * ply - 7.0 + ply * ply % 5


def _decide(key: Array, states: State) -> tuple[Array, Decision]:
    del key
    action = jnp.full(states.plies.shape, OWN, jnp.int32)
    seen = states.plies[:, None]  # the ply itself, so that the test knows which decision it has before it
    return action, Decision(
        seen, states.legal_action_mask, action, 0.0 * action, _value(states.plies), states.current_role
    )


def _always(action: int) -> Policy:
    return lambda key, states: jnp.full(states.plies.shape, action, jnp.int32)


def _rolled_out(
    games: selfplay.Games, rows: int, against: int
) -> tuple[selfplay.Games, selfplay.Tally, selfplay.Row, np.ndarray]:
    """The games after a number of rows and the tail, the rows and the advantages."""
    reply = _always(THEIRS) if against else None
    common: dict[str, Any] = {"env": ENV, "reply": reply, "against": against}
    tally, played = selfplay.Tally(), []
    row = jax.jit(functools.partial(selfplay.play_row, decide=_decide, **common))
    for number in range(rows):
        games, tally, done = row(jax.random.key(number), games, tally)
        played.append(done)
    tail_of = functools.partial(selfplay.play_tail, value=lambda s: _value(s.plies), own=_always(OWN), **common)
    games, tally, tail = jax.jit(tail_of)(jax.random.key(99), games, tally)
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *played)
    found = row_advantages(stacked, tail, discount=DISCOUNT, trace=TRACE)
    return games, tally, stacked, np.asarray(found)


def _paid(ply: int, role: int, seat: int) -> float:
    action = OWN if seat in (BOTH, MOVERS[ply]) else THEIRS
    return PAID[ply, role] + action * (1.0, 100.0)[role]


def _predict(role: int, seat: int, ply: int, decisions: int) -> list[tuple[int, float, bool]]:
    """(ply, what was paid until the next decision, whether the game ended before that) of a role's next decisions
    in one column that is at a ply, walked move by move; the learner has `seat`, and changes it after every game.
    """
    found: list[tuple[int, float, bool]] = []
    decided, paid = None, 0.0
    while len(found) < decisions:
        if role in (seat, BOTH) or seat == BOTH:
            if MOVERS[ply] == role:
                if decided is not None:
                    found.append((decided, paid, False))
                decided, paid = ply, 0.0
            paid += _paid(ply, role, seat)
        ply += 1
        if ply == len(MOVERS):
            if decided is not None:
                found.append((decided, paid, True))
            decided, ply = None, 0
            if seat != BOTH:
                seat, role = 1 - seat, 1 - role
    return found


def _advantage(line: list[tuple[int, float, bool]], cut: int) -> list[float]:
    """Of the first `cut` decisions of a line: what happened later than the next one after them is only foreseen."""
    found = [0.0] * (cut + 1)
    for place in reversed(range(cut)):
        ply, paid, ended = line[place]
        following = 0.0 if ended else _value(line[place + 1][0])
        further = 0.0 if ended else found[place + 1]
        found[place] = paid + DISCOUNT * following - _value(ply) + DISCOUNT * TRACE * further
    return found[:cut]


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7, 13])
@pytest.mark.parametrize("against", [0, 2, 4])
def test_decision_gets_all_rewards_until_the_next_one(rows: int, against: int) -> None:
    games = selfplay.new_games(jax.random.key(0), ENV, first_seats(4, against))
    for _ in range(2):  # the second time from the middle of games, wherever the first left them
        before = games
        games, _, played, found = _rolled_out(games, rows, against)
        role_there = np.asarray(played.decision.role)
        for column in range(4):
            seat, ply = int(before.seat[column]), int(before.states.plies[column])
            decided = np.asarray(played.decided[:, column])
            for role in (0, 1) if seat == BOTH else (seat,):
                # Against an opponent the learner changes its role after a game; its line continues all the same.
                mine = decided & (role_there[:, column] == role) if seat == BOTH else decided
                plies = np.asarray(played.decision.observation[:, column, 0])[mine].tolist()
                line = _predict(role, seat, ply, len(plies) + 1)
                assert plies == [decision[0] for decision in line[: len(plies)]]
                np.testing.assert_allclose(found[mine, column], _advantage(line, len(plies)), rtol=1e-5, atol=1e-4)


def test_final_reward_reaches_the_side_that_did_not_move_last() -> None:
    games = selfplay.new_games(jax.random.key(0), ENV, first_seats(2, 2))
    _, _, played, _ = _rolled_out(games, 12, 2)
    assert int(games.seat[0]) == 0
    last = int(np.flatnonzero(played.over[:, 0])[0])
    decisions = np.flatnonzero(played.decided[: last + 1, 0])
    assert int(played.decision.observation[decisions[-1], 0, 0]) == 6  # and role 1 has moved three times since
    assert float(played.rewards[decisions[-1] : last + 1, 0, 0].sum()) == sum(_paid(ply, 0, 0) for ply in range(6, 10))


def test_all_rows_but_waiting_ones_are_used() -> None:
    games = selfplay.new_games(jax.random.key(0), ENV, first_seats(4, 0))
    _, _, played, _ = _rolled_out(games, 10, 0)
    assert bool(played.decided.all())  # with both roles every move is a decision
    games = selfplay.new_games(jax.random.key(0), ENV, first_seats(2, 2))
    _, _, played, _ = _rolled_out(games, 8, 2)
    # Role 0: decides at plies 0, 3, 4 and 6; a row passes with the second of two replies, two with the last three.
    plies = [
        int(ply) if decided else None
        for ply, decided in zip(played.decision.observation[:, 0, 0], played.decided[:, 0], strict=True)
    ]
    assert plies == [0, None, 3, 4, 6, None, None, None]


def test_tally_counts_games_moves_and_rewards() -> None:
    games = selfplay.new_games(jax.random.key(0), ENV, first_seats(3, 2))
    after, tally, played, _ = _rolled_out(games, 10, 2)
    over = np.asarray(played.over).sum(axis=0)
    assert over.tolist() == [1, 1, 1]
    assert np.asarray(tally.ended).tolist() == [0, 3, 0]
    assert np.asarray(tally.against).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert float(tally.plies) == 3 * len(MOVERS)
    by_role = [[sum(_paid(ply, role, seat) for ply in range(10)) for role in range(2)] for seat in (BOTH, 0, 1)]
    assert float(tally.paid) == pytest.approx(sum(by_role[0]) / 2 + by_role[1][0] + by_role[2][1])
    assert int(tally.moves) == sum(len(MOVERS) + int(ply) for ply in after.states.plies)
    assert np.asarray(after.seat).tolist() == [BOTH, 1, 0]
    expected = [
        [sum(_paid(p, role, int(seat)) for p in range(int(ply))) for role in range(2)]
        for ply, seat in zip(after.states.plies, after.seat, strict=True)
    ]
    np.testing.assert_allclose(after.paid, expected)
    assert list(itertools.chain(*expected)).count(0.0) < 6  # some games are under way


def test_move_and_reply_have_separate_random_numbers() -> None:
    """Chance after one must not depend on chance after the other."""
    given: list[np.ndarray] = []

    def noted(state: State, action: Array, key: Array) -> State:
        jax.debug.callback(lambda data: given.append(np.asarray(data)), jax.random.key_data(key))
        jax.debug.callback(lambda data: given.append(np.asarray(data)), jax.random.key_data(jax.random.split(key)[0]))
        return _step(state, action, key)

    games = selfplay.new_games(jax.random.key(0), ENV, first_seats(4, 4))
    env = dataclasses.replace(ENV, step=noted)
    selfplay.play_row(
        jax.random.key(1), games, selfplay.Tally(), env=env, decide=_decide, reply=_always(THEIRS), against=4
    )
    jax.effects_barrier()
    assert len({tuple(data.tolist()) for data in given}) == len(given) == 2 * 2 * 4

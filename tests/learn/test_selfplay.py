"""Self-play against games played one by one in the scalar engine: who moved, what is remembered, how it ended."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from climb import MAX_PLIES, make_climb
from slow_selfplay import DEPTH, ENTROPY, Moment, SlowSelfPlay, int_hash, on_device, search_result

import boardwright
from boardwright.games.base import Game, Learning
from boardwright.games.cathedral.rules import CathedralRules
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.config import SelfPlayConfig
from boardwright.learn.match.policies import BOTH
from boardwright.mcts.policies import SearchResult

STEPS, GAMES, LEAGUE, ITERATIONS = 150, 12, 8, 3
ALONE = GAMES - LEAGUE
CONFIG = SelfPlayConfig(games=GAMES, opening_plies=3, full_share=0.6, resign_below=-0.5, audit_share=0.5)
CASES = {
    "draughts": (boardwright.game("draughts"), 48),  # several actions a move
    "cathedral": (boardwright.game("cathedral", CathedralRules(name="coin", size=6, first="coin")), 512),  # passes
}


@dataclasses.dataclass(frozen=True)
class Both:
    """The same games on the device and one by one."""

    game: Game
    device: dict[str, Any]
    slow: SlowSelfPlay
    moments: list[list[Moment]]  # by step, by game


@pytest.fixture(scope="module", params=CASES)
def both(request: pytest.FixtureRequest) -> Both:
    game, slots = CASES[request.param]
    device = on_device(game, CONFIG, league_games=LEAGUE, slots=slots, steps=STEPS, seed=2)
    slow = SlowSelfPlay(game, LEAGUE, CONFIG.resign_below)
    slow.begin(at(device["before"], 0))
    in_full = device["row"].policy[:, 0].astype(np.float32).sum(axis=1) == 1
    moments = [slow.step(at(device["after"], step), bool(in_full[step]), theirs=step % 2 == 1) for step in range(STEPS)]
    return Both(game, device, slow, moments)


def at(tree: Any, step: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[step], tree)


def test_games_equal_those_played_one_by_one(both: Both) -> None:
    """Also whose move it was: the nets disagree on moves, and a game sits out only if it must."""
    before, row = both.device["before"], both.device["row"]
    for step, moments in enumerate(both.moments):
        for game, moment in enumerate(moments):
            place = (step, game)
            assert int_hash(before.states.hash[place]) == moment.position.hash, place
            assert before.serial[place] == row.serial[place] == moment.serial
            assert row.plies[place] == moment.position.plies
            assert row.status[place] == (replay_buffer.OPEN if moment.learned else replay_buffer.EMPTY)
            assert row.value[place] == pytest.approx(moment.value, abs=1e-6)
    assert any(not moment.moves for moments in both.moments for moment in moments[ALONE:])
    assert all(moment.moves for moments in both.moments for moment in moments[:ALONE])


def test_endings_equal_those_of_games_played_one_by_one(both: Both) -> None:
    """Results, lengths, margins and holders, given up or played out; a game is over once."""
    ending = both.device["ending"]
    cells = both.game.learning().views.shape[1]
    unpack = jax.jit(jax.vmap(lambda words: replay_buffer.unpack_holders(words, cells)))
    for step, moments in enumerate(both.moments):
        held = np.asarray(unpack(ending.holders[step]))
        for game, moment in enumerate(moments):
            place = (step, game)
            assert ending.over[place] == (moment.ending is not None)
            if moment.ending is not None:
                result, plies, margin, holders, stopped = moment.ending
                assert ending.stopped[place] == stopped
                assert (ending.result[place], ending.plies[place]) == (result, plies)
                assert ending.margin[place] == pytest.approx(margin, abs=1e-6)
                np.testing.assert_array_equal(held[game], holders)
    assert ending.over.sum() > GAMES


def test_stored_position_is_the_one_played_from(both: Both) -> None:
    env, learning = both.game.batch(), both.game.learning()

    @jax.jit
    def seen(words: Any) -> Any:
        states = jax.vmap(learning.unpack)(words)
        return jax.vmap(env.observe)(states, states.current_role), states.legal_action_mask, states.current_role

    row = both.device["row"]
    for step in range(0, STEPS, 5):
        for game, (observation, legal, role) in enumerate(zip(*map(np.asarray, seen(row.words[step])), strict=True)):
            position = both.moments[step][game].position
            assert role == position.role_to_move
            np.testing.assert_array_equal(legal, position.legal_mask())
            np.testing.assert_array_equal(observation, position.observation())
            actions = row.actions[step, game]
            assert actions[actions >= 0].tolist() == position.legal_actions()


def test_the_tally(both: Both) -> None:
    tally, counts = at(both.device["tally"], -1), both.slow.counts
    for name in ("moves", "learnable", "ended", "league", "resigned", "audited", "plies", "pieces"):
        np.testing.assert_array_equal(getattr(tally, name), counts[name], err_msg=name)
    np.testing.assert_allclose(tally.root_value, counts["root_value"], rtol=1e-4)
    np.testing.assert_allclose(tally.surprise, counts["surprise"], rtol=1e-3)
    np.testing.assert_allclose(tally.entropy, ENTROPY * counts["learnable"], rtol=1e-5)
    np.testing.assert_allclose(tally.depth, DEPTH * counts["learnable"], rtol=1e-5)
    assert counts["resigned"] > 5
    assert counts["audited"][0] > counts["audited"][1] > 0
    assert counts["league"].sum(axis=1).min() > 1


def test_roles_alternate_and_openings_vary(both: Both) -> None:
    before = both.device["before"]
    for game in range(ALONE, GAMES):
        numbers, first = np.unique(before.serial[:, game], return_index=True)
        assert before.seat[first, game].tolist() == [(number + game - ALONE) % 2 for number in numbers]
    assert (before.seat[:, :ALONE] == BOTH).all()
    begun = [before.opening[step, game] for step in range(STEPS) for game in range(GAMES)]
    assert set(begun) == {0, 1, 2, 3}
    share = np.mean([moment.learned for moments in both.moments for moment in moments[:ALONE]])
    assert 0.4 < share < 0.65  # of 0.6, less openings


def test_results_fill_the_replay(both: Both) -> None:
    """Three iterations: finished games are known, resigned ones by result only; unfinished ones wait."""
    row, ending, before = both.device["row"], both.device["ending"], both.device["before"]
    steps = STEPS // ITERATIONS
    replay = jax.tree.map(jnp.asarray, row)
    replay = dataclasses.replace(replay, status=jnp.zeros_like(replay.status))
    settle = jax.jit(replay_buffer.settle, static_argnames=("surprise", "bootstrap"))
    for first in range(0, STEPS, steps):
        part = slice(first, first + steps)
        replay = dataclasses.replace(replay, status=replay.status.at[part].set(row.status[part]))
        endings = jax.tree.map(lambda leaf, part=part: jnp.asarray(leaf[part]), ending)
        replay = settle(
            replay, endings, jnp.int32(first), jnp.asarray(before.serial[first]), surprise=0.0, bootstrap=False
        )
    on_host: Any = jax.device_get(replay)
    ends = {
        (game, moment.serial): moment.ending
        for moments in both.moments
        for game, moment in enumerate(moments)
        if moment.ending is not None
    }
    waiting = 0
    for step, moments in enumerate(both.moments):
        for game, moment in enumerate(moments):
            place, end = (step, game), ends.get((game, moment.serial))
            if not moment.learned:
                assert on_host.status[place] == replay_buffer.EMPTY
            elif end is None:
                assert on_host.status[place] == replay_buffer.OPEN
                waiting += 1
            else:
                assert on_host.status[place] == (replay_buffer.RESULT_ONLY if end[4] else replay_buffer.KNOWN)
                assert on_host.result[place] == end[0]
                assert on_host.plies[place] == end[1] - moment.position.plies
                assert on_host.margin[place] == pytest.approx(end[2], abs=1e-6)
    assert 0 < waiting < (on_host.status >= replay_buffer.KNOWN).sum()


@pytest.mark.parametrize(("below", "audited"), [(-1.0, 0.1), (-0.5, 0.0), (-0.5, 1.0)])
def test_no_resignations_by_default(below: float, audited: float) -> None:
    """In a game that is hopeless from the first move on, for either mover."""
    config = SelfPlayConfig(games=4, resign_below=below, audit_share=audited)
    env, whole = make_climb(free=0), np.arange(4, dtype=np.int32)
    learning = Learning(
        pack=lambda state: jnp.zeros(1, jnp.uint32),
        unpack=lambda words: words,
        holders=lambda state: jnp.zeros(4, jnp.int8),
        margin=lambda state: jnp.float32(0),
        views=np.stack([whole, whole]),
    )

    def hopeless(key: Any, states: Any) -> SearchResult:
        del key, states
        certain = jnp.tile(jnp.asarray([1.0, 0.0, 0.0]), (4, 1))
        nothing, actions = jnp.zeros(4), jnp.tile(jnp.arange(3, dtype=jnp.int16), (4, 1))
        return search_result(
            action=jnp.zeros(4, jnp.int32),
            slot_actions=actions,
            policy=certain,
            prior=certain,
            value=nothing - 1,
            entropy=nothing,
            mean_depth=nothing,
        )

    games, tally = selfplay.new_games(jax.random.key(0), env, config, 0), selfplay.Tally()
    context = selfplay.StepContext(env, learning, config, with_holders=False, full=hopeless)
    step = jax.jit(lambda games, tally: selfplay.step(jax.random.key(0), games, tally, context))
    for _ in range(MAX_PLIES):  # in which no one climbs, so that games are drawn
        games, tally, *_ = step(games, tally)
    gives_up = below > -1 and audited == 0
    assert int(tally.resigned) == (4 * MAX_PLIES if gives_up else 0)
    assert tally.ended.tolist() == ([0, 4 * MAX_PLIES, 0] if gives_up else [0, 0, 4])
    assert tally.audited.tolist() == ([4, 4] if audited == 1 else [0, 0])
    assert int(tally.moves) == int(tally.learnable) == 4 * MAX_PLIES


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 1.0, 1.0), (1.0, 0.0, 0.0), (0.25, 0.7, 0.8)])
def test_audits_are_a_share_of_the_games(share: float, least: float, most: float) -> None:
    config = SelfPlayConfig(games=4000, resign_below=-0.9, audit_share=share)
    may_resign = np.asarray(selfplay.new_games(jax.random.key(0), make_climb(free=0), config, 0).may_resign)
    assert least <= may_resign.mean() <= most

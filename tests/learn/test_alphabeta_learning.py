"""Learning for alpha-beta piece by piece: the net, games and what is kept of them, the replay, the learner."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.errors import RunError
from boardwright.games.base import DRAW
from boardwright.games.registry import game
from boardwright.learn.evaluation.config import PRESETS, AlphaBetaConfig
from boardwright.learn.evaluation.learner import EvaluationLearner, add, mean_loss, new_replay
from boardwright.learn.evaluation.method import AlphaBetaEvaluation, opponents, play_match
from boardwright.learn.evaluation.selfplay import (
    GameRecord,
    Samples,
    Weights,
    make_searches,
    map_in_threads,
    play_game,
    random_opening,
    samples_of,
)
from boardwright.learn.run import settings
from boardwright.learn.shared.boards import pack, unpack
from boardwright.nets import evaluation
from boardwright.nets.config import EvaluationConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.network import weights_of
from boardwright.stats.score import Score

DRAUGHTS = game("draughts", None, "paper")
SHAPE = DRAUGHTS.observation_shape
INPUTS = int(np.prod(SHAPE))
TINY = PRESETS["draughts-tiny"]
WORTH = {"own men": 1.0, "own kings": 1.5, "enemy men": -1.0, "enemy kings": -1.5}


def weights(config: EvaluationConfig, seed: int = 0) -> Weights:
    return weights_of({"params": evaluation.init(jax.random.key(seed), config, INPUTS)})


def material(seen: np.ndarray) -> np.ndarray:
    """[B] of observations [B, rows, columns, planes]: what the mover has more than the enemy, in men."""
    return seen.sum(axis=(1, 2)) @ np.array([WORTH[plane] for plane in DRAUGHTS.planes])


def counts_material() -> Weights:
    """A net whose output is material alone, a tenth for a man."""
    config = EvaluationConfig(width=4, hidden=1, phases=1)
    shapes = weight_shapes(config, interface_of(config, DRAUGHTS))
    net = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    worth = [WORTH[plane] for plane in DRAUGHTS.planes]
    net["params/features/kernel"][:, 0] = np.tile(worth, INPUTS // len(worth)) / 40
    net["params/features/bias"][0] = 0.5
    net["params/hidden/kernel"][0, 0, 0] = 1
    net["params/output/kernel"][0, 0] = 4
    net["params/output/bias"][0] = -2
    return net


def some_games(count: int, nodes: int = 30, net: Weights | None = None) -> list[GameRecord]:
    make, net = make_searches(DRAUGHTS, None), weights(TINY.net) if net is None else net

    def one(number: int) -> GameRecord:
        search = make(net)
        return play_game(DRAUGHTS, (search, search), nodes, random_opening(DRAUGHTS, f"test {number}", 4, 12))

    return map_in_threads(one, range(count))


@pytest.fixture(scope="module")
def games() -> list[GameRecord]:
    return some_games(60)


@pytest.mark.parametrize("phases", [1, 2, 8, 24])
def test_net_agrees_with_its_formula(phases: int) -> None:
    config = EvaluationConfig(width=12, hidden=5, phases=phases)
    params = evaluation.init(jax.random.key(phases), config, INPUTS)
    params = jax.tree.map(lambda leaf: leaf + 0.3 * jax.random.normal(jax.random.key(leaf.size), leaf.shape), params)
    named = weights_of({"params": params})
    assert {name: weight.shape for name, weight in named.items()} == weight_shapes(
        config, interface_of(config, DRAUGHTS)
    )
    seen = np.zeros((27, INPUTS), np.float32)
    for pieces in range(27):
        seen[pieces, np.random.default_rng(pieces).choice(INPUTS, pieces, replace=False)] = 1
    found = np.asarray(evaluation.outputs(params, jnp.asarray(seen)))
    for pieces, board in enumerate(seen):
        phase = min((max(pieces, 1) - 1) * phases // 24, phases - 1)
        first = np.clip(board @ named["params/features/kernel"] + named["params/features/bias"], 0, 1)
        second = np.clip(first @ named["params/hidden/kernel"][phase] + named["params/hidden/bias"][phase], 0, 1)
        z = second @ named["params/output/kernel"][phase] + named["params/output/bias"][phase]
        assert found[pieces] == pytest.approx(z, abs=1e-4), pieces


def test_search_uses_the_net_in_training() -> None:
    """What C++ says of a position is what JAX says of its observation, in the search's unit."""
    config = EvaluationConfig(width=32, hidden=8, phases=8)
    params = evaluation.init(jax.random.key(1), config, INPUTS)
    params["output"]["kernel"] = 10 * params["output"]["kernel"]
    search = make_searches(DRAUGHTS, None)(weights_of({"params": params}))
    for number in range(20):
        position = DRAUGHTS.play_all(random_opening(DRAUGHTS, f"asks {number}", 0, 40))
        if position.outcome is None:
            z = evaluation.outputs(params, jnp.asarray(position.observation().reshape(1, -1)))
            assert search.value(position.core) == pytest.approx(search.SCALE * float(z[0]), abs=1)


def test_games_are_the_same_with_any_number_of_threads() -> None:
    make, net = make_searches(DRAUGHTS, None), weights(TINY.net)

    def one(number: int) -> GameRecord:
        search = make(net)
        return play_game(DRAUGHTS, (search, search), 40, random_opening(DRAUGHTS, f"threads {number}", 4, 12))

    alone, three = (map_in_threads(one, range(12), threads) for threads in (1, 3))
    for mine, theirs in zip(alone, three, strict=True):
        for name in GameRecord.__dataclass_fields__:
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name
    assert len({(record.plies, record.scores.tobytes()) for record in alone}) > 6  # they are not one game


def test_openings_have_allowed_lengths() -> None:
    lengths = [DRAUGHTS.play_all(random_opening(DRAUGHTS, f"{number}", 3, 6)).plies for number in range(60)]
    assert set(lengths) == {3, 4, 5, 6}


def test_samples_are_from_the_movers_side(games: list[GameRecord]) -> None:
    """Against the games played again: who moved, whether he won, and what the search said to him."""
    results: set[int] = set()
    for record in games:
        samples = samples_of(record, DRAUGHTS, 250.0)
        pieces = record.seen.sum(axis=(1, 2, 3))
        quiet = [place for place in range(len(record.roles)) if pieces[place + 1] == pieces[place]]
        kept = [place for place in quiet if record.searched[place]]
        assert len(kept) == len(samples.bits) == len(samples.values) == len(samples.results)
        bits = np.unpackbits(samples.bits, axis=1, bitorder="little")
        assert np.array_equal(bits, record.seen[kept].reshape(len(kept), -1))
        for place, value, result in zip(kept, samples.values, samples.results, strict=True):
            assert value == pytest.approx(np.tanh(record.scores[place] / 250), abs=1e-6)
            results.add(int(result))
            if record.winner == DRAW:
                assert result == 0
            else:
                assert result == (1 if record.roles[place] == record.winner else -1)
    assert results == {-1, 0, 1}


def test_recorded_positions_follow_the_rules(games: list[GameRecord]) -> None:
    """Positions are the mover's view of a line of play, and the winner is far ahead, or the game was over."""
    for number, record in enumerate(games[:10]):
        opening = DRAUGHTS.play_all(random_opening(DRAUGHTS, f"test {number}", 4, 12))
        assert np.array_equal(record.seen[0], opening.observation())
        assert record.roles[0] == opening.role_to_move
        sides = record.seen.reshape(len(record.seen), -1, 2, 2).sum(axis=(1, 3))  # [N + 1, 2]: own pieces, the enemy's
        for place, role in enumerate(record.roles[:-1]):  # a move takes none of the mover's own pieces
            stays = record.roles[place + 1] == role
            assert sides[place + 1][0 if stays else 1] == sides[place][0]
            assert sides[place + 1][1 if stays else 0] <= sides[place][1]
    decided = [record for record in games if record.winner != DRAW and record.scores[-1] > 20_000]
    assert len(decided) > 10
    assert all(record.roles[-1] == record.winner for record in decided)


def test_the_search_sees_material_from_the_movers_side() -> None:
    """With a net that counts material, mean scores rise and fall with the mover's material."""
    records = some_games(20, net=counts_material())
    ahead = np.concatenate([material(record.seen[:-1]) for record in records])
    searched = np.concatenate([record.searched for record in records])
    scores = np.tanh(np.concatenate([record.scores for record in records]) / 250)
    assert np.corrcoef(ahead[searched], scores[searched])[0, 1] > 0.7


def samples_numbered(numbers: list[int]) -> Samples:
    bits = np.zeros((len(numbers), INPUTS // 8), np.uint8)
    bits[:, 0] = numbers
    return Samples(bits, np.array(numbers, np.float32), np.array(numbers, np.int8))


def test_replay_holds_the_newest_samples() -> None:
    replay = new_replay(7, SHAPE)
    for added in ([1, 2, 3], [], [4, 5, 6], [7, 8, 9, 10, 11]):
        replay = add(replay, samples_numbered(added))
    assert (int(replay.place), int(replay.filled)) == (4, 7)
    for column in (replay.bits[:, 0], replay.values, replay.results):
        assert sorted(np.asarray(column).tolist()) == [5, 6, 7, 8, 9, 10, 11]
        assert np.array_equal(column, replay.values)
    replay = add(replay, samples_numbered(list(range(20, 40))))  # more than it has room for
    assert sorted(np.asarray(replay.values).tolist()) == list(range(33, 40))


@pytest.mark.usefixtures("careful_compiler")
def test_learner_fits_the_targets(games: list[GameRecord]) -> None:
    """Material, of positions that were held back too; the loss comes near the entropy, below which it cannot be."""
    seen = np.concatenate([record.seen for record in games])
    seen = seen[np.random.default_rng(0).permutation(len(seen))]
    values = np.tanh(material(seen) / 3).astype(np.float32)
    config = settings.apply(
        TINY, ["learner.result_share=0", "iterations=1", "learner.steps=800", "learner.batch_size=128"]
    )
    learner = EvaluationLearner(config, SHAPE)
    train, held = slice(0, -300), slice(-300, None)
    replay = add(
        new_replay(len(seen), SHAPE),
        Samples(pack(seen[train], DRAUGHTS), values[train], np.zeros(len(seen) - 300, np.int8)),
    )
    state, step = learner.init(jax.random.key(0)), jax.jit(learner.step, donate_argnums=0)
    begun = float(mean_loss(state.params, jnp.asarray(seen[train].reshape(-1, INPUTS)), jnp.asarray(values[train])))
    for number in range(800):
        state, _ = step(state, replay, jax.random.key(number))
    predicted = np.tanh(evaluation.outputs(state.params, jnp.asarray(seen[held].reshape(300, -1))))
    assert np.mean((predicted - values[held]) ** 2) < 0.01 < 0.2 * values.var()
    chance = (1 + values[train]) / 2
    entropy = float(-(chance * np.log(chance) + (1 - chance) * np.log(1 - chance)).mean())
    ended = float(mean_loss(state.params, jnp.asarray(seen[train].reshape(-1, INPUTS)), jnp.asarray(values[train])))
    assert entropy < ended < entropy + 0.01 < begun - 0.05
    assert int(state.steps) == 800
    assert learner.schedule(800) == pytest.approx(config.learner.lr_final, rel=1e-3)
    assert learner.schedule(0) == pytest.approx(config.learner.lr_peak)


@pytest.mark.parametrize(("share", "expected"), [(0.0, -0.8), (0.25, -0.35), (1.0, 1.0)])
def test_results_and_values_are_blended(share: float, expected: float) -> None:
    """One position, of which the search said one thing and the game another, is learned as their blend."""
    config = settings.apply(TINY, [f"learner.result_share={share}", "learner.steps=200", "learner.lr_peak=0.05"])
    learner = EvaluationLearner(config, SHAPE)
    seen = pack(DRAUGHTS.start().observation()[None], DRAUGHTS)
    replay = add(new_replay(4, SHAPE), Samples(seen, np.array([-0.8], np.float32), np.array([1], np.int8)))
    state, step = learner.init(jax.random.key(0)), jax.jit(learner.step, donate_argnums=0)
    for number in range(200):
        state, _ = step(state, replay, jax.random.key(number))
    predicted = np.tanh(evaluation.outputs(state.params, unpack(seen, SHAPE).reshape(1, -1)))
    assert float(predicted[0]) == pytest.approx(expected, abs=0.03)


def test_evaluation_match_counts_by_role() -> None:
    """Of a net that counts material against one that wants to lose it."""
    count = counts_material()
    sacrifice: dict[str, Any] = {name: -weight if "output" in name else weight for name, weight in count.items()}
    config = dataclasses.replace(TINY.evaluation, games=12)
    for score, plies in play_match(DRAUGHTS, make_searches(DRAUGHTS, None), count, sacrifice, config, "seed"):
        assert score == Score(6, 0, 0)
        assert plies > 6 * TINY.evaluation.opening_plies
    swapped = play_match(DRAUGHTS, make_searches(DRAUGHTS, None), sacrifice, count, config, "seed")
    assert [score.losses for score, _ in swapped] == [6, 6]


def test_opponents_are_last_rated_net_and_one_half_as_old() -> None:
    config = dataclasses.replace(TINY.evaluation, every=5)
    met = {done: opponents(config, done) for done in range(31) if done}
    assert {done: others for done, others in met.items() if others} == {
        5: [0],
        10: [5],
        15: [5, 10],
        20: [10, 15],
        25: [10, 20],
        30: [15, 25],
    }
    assert opponents(dataclasses.replace(config, every=0), 5) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("learner.result_share=1.5", "setting learner.result_share: 1.5 is not from 0 to 1"),
        (
            "selfplay.min_random_plies=20",
            "setting selfplay.min_random_plies: 20 is more than selfplay.max_random_plies, 12",
        ),
        ("evaluation.games=3", "setting evaluation.games: must be even"),
        ("replay=0", "setting replay: 0 is not from 1"),
        ("selfplay.node=5", "unknown setting 'selfplay.node': did you mean 'selfplay.nodes'"),
    ],
)
def test_impossible_settings_are_refused(change: str, message: str) -> None:
    with pytest.raises(RunError, match=message) as error:
        settings.apply(TINY, [change])
    assert "\n" not in str(error.value)


def test_game_without_evaluation_networks_is_refused() -> None:
    with pytest.raises(RunError, match="setting game: alpha-beta of tablut has no evaluation network"):
        AlphaBetaEvaluation(AlphaBetaConfig(game="tablut"))


@pytest.mark.parametrize(("nodes", "pieces"), [(50, 4), (1000, 16), (10**6, 63)])
def test_work_chunks_use_all_cores_and_fit_memory(nodes: int, pieces: int) -> None:
    changes = ["selfplay.games=4000", f"selfplay.nodes={nodes}", "learner.steps=1"]
    assert AlphaBetaEvaluation(settings.apply(TINY, changes)).chunks == pieces + 1


@pytest.mark.parametrize("what", ["selfplay", "evaluation"])
def test_too_few_nodes_are_refused(what: str) -> None:
    with pytest.raises(RunError, match=rf"{what}\.nodes"):
        settings.apply(TINY, [f"{what}.nodes=49"])

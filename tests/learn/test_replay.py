"""The replay against a slow twin that keeps every game in a dictionary and fills results in one by one."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.games.registry import game_names
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.alphazero.replay import BOOTSTRAPPED, EMPTY, KNOWN, OPEN, RESULT_ONLY, Ending, Replay
from boardwright.nets.config import NetConfig

STEPS, GAMES, WINDOW, ITERATIONS = 4, 6, 3, 12
SETTLED = ("status", "result", "plies", "margin", "holders", "weight")


class SlowReplay:
    """What the replay should say, by (iteration, step, game)."""

    def __init__(self, surprise: float, bootstrap: bool):
        self.surprise, self.bootstrap = surprise, bootstrap
        self.entries: dict[tuple[int, int, int], dict[str, Any]] = {}

    def iteration(self, number: int, rows: list[Any], endings: list[dict[int, Any]]) -> None:
        """rows: by step, by game, entries; endings: by step, (result, plies, margin, holders, stopped) by game."""
        self.entries = {place: entry for place, entry in self.entries.items() if place[0] > number - WINDOW}
        fresh = {}
        for step, row in enumerate(rows):
            for game, entry in enumerate(row):
                fresh[number, step, game] = dict(entry)
            self.entries |= fresh
            for game, (result, plies, margin, holders, stopped) in endings[step].items():
                for place, entry in self.entries.items():
                    if place[2] != game or entry["serial"] != rows[step][game]["serial"]:
                        continue
                    if entry["status"] in (OPEN, BOOTSTRAPPED):
                        entry["plies"] = plies - entry["plies"]
                        entry |= {"status": RESULT_ONLY if stopped else KNOWN}
                        entry |= {"result": result, "margin": margin, "holders": holders}
        learned = [entry for entry in fresh.values() if entry["status"] != EMPTY]
        mean = sum(entry["surprise"] for entry in learned) / max(len(learned), 1)
        for entry in learned:
            weight = 64 * (1 - self.surprise + self.surprise * entry["surprise"] / mean)
            entry["weight"] = int(np.clip(np.round(weight), 1, 512))
        if self.bootstrap:
            for game in range(GAMES):
                going = [
                    fresh[number, step, game] for step in range(STEPS) if fresh[number, step, game]["status"] == OPEN
                ]
                for entry in going:
                    entry |= {"status": BOOTSTRAPPED, "result": going[-1]["value"]}


def a_game(rng: np.random.Generator, stops: bool) -> tuple[float, int, float, int, bool]:
    """result, plies, margin, holders of an ending, and whether the game was stopped before."""
    board = float(rng.normal()), int(rng.integers(1, 2**31))
    return float(rng.integers(-1, 2)), int(rng.integers(50, 90)), *board, stops and rng.random() < 0.4


def as_row(entries: list[dict[str, Any]]) -> Replay:
    """Entries of all games as the device is given them."""
    columns = {
        field.name: jnp.asarray(np.array([entry.get(field.name, 0) for entry in entries]))
        for field in dataclasses.fields(Replay)
    }
    wide = {name: columns[name][:, None] for name in ("words", "actions", "policy", "holders")}
    return Replay(**{**columns, **wide})


def as_endings(endings: list[dict[int, Any]], stops: bool) -> Ending:
    def of(what: int, empty: Any) -> np.ndarray:
        return np.array([[row[game][what] if game in row else empty for game in range(GAMES)] for row in endings])

    over = np.array([[game in row for game in range(GAMES)] for row in endings])
    # Rows of unfinished games hold data, too, which must not be learned.
    return Ending(
        over=jnp.asarray(over),
        result=jnp.asarray(of(0, 7.0), jnp.float32),
        plies=jnp.asarray(of(1, 999), jnp.int32),
        margin=jnp.asarray(of(2, 7.0), jnp.float32),
        holders=jnp.asarray(of(3, 12345)[..., None], jnp.uint32),
        stopped=jnp.asarray(of(4, True), bool) if stops else None,
    )


write = jax.jit(replay_buffer.write_row)
settle = jax.jit(replay_buffer.settle, static_argnames=("surprise", "bootstrap"))


@pytest.mark.parametrize(("surprise", "bootstrap", "stops"), [(0.0, False, False), (0.5, True, True)])
@pytest.mark.parametrize("ends", [0.05, 0.3])
def test_results_reach_exactly_the_positions_of_their_game(
    surprise: float, bootstrap: bool, stops: bool, ends: float
) -> None:
    """Games last from one step to more iterations than the ring holds; four in ten positions are not learned."""
    rng = np.random.default_rng([int(100 * ends), bootstrap])
    replay = replay_buffer.new_replay(WINDOW * STEPS, GAMES, words=1, slots=1, holder_words=1)
    slow, serial, seen = SlowReplay(surprise, bootstrap), np.zeros(GAMES, int), set()
    for iteration in range(ITERATIONS):
        first_serial, rows, endings = serial.copy(), [], []
        for step in range(STEPS):
            row = [
                {
                    "words": 1000 * iteration + 10 * step + game,
                    "value": float(np.float32(rng.uniform(-1, 1))),
                    "surprise": float(np.float32(rng.exponential())),
                    "serial": int(serial[game]),
                    "status": OPEN if rng.random() < 0.6 else EMPTY,
                    "plies": int(rng.integers(0, 50)),
                }
                for game in range(GAMES)
            ]
            ending = {game: a_game(rng, stops) for game in range(GAMES) if rng.random() < ends}
            replay = write(replay, jnp.int32(iteration % WINDOW * STEPS + step), as_row(row))
            serial[list(ending)] += 1
            rows.append(row)
            endings.append(ending)
        slow.iteration(iteration, rows, endings)
        replay = settle(
            replay,
            as_endings(endings, stops),
            jnp.int32(iteration % WINDOW * STEPS),
            jnp.asarray(first_serial, jnp.int32),
            surprise=surprise,
            bootstrap=bootstrap,
        )
        on_host: Any = jax.device_get(replay)
        for (number, step, game), entry in slow.entries.items():
            at = (number % WINDOW * STEPS + step, game)
            assert on_host.words[at][0] == entry["words"]
            for name in SETTLED:
                got = np.asarray(getattr(on_host, name)[at]).reshape(())
                assert got == pytest.approx(entry.get(name, 0), abs=1e-6), (name, number, step, game)
            if entry["status"] in (KNOWN, RESULT_ONLY):
                seen.add((entry["status"], iteration - number))
    came = {KNOWN, RESULT_ONLY} if stops else {KNOWN}
    assert seen == {(status, late) for status in came for late in range(WINDOW)}  # at once, or iterations later


def learned_replay(weights: np.ndarray, status: np.ndarray) -> Replay:
    """A replay of which each entry holds the number of its place in every field."""
    replay = replay_buffer.new_replay(*weights.shape, words=2, slots=3, holder_words=1)
    place = np.arange(weights.size).reshape(weights.shape)

    def numbered(leaf: Any) -> Any:
        return jnp.asarray(np.broadcast_to(place.reshape(*place.shape, *[1] * (leaf.ndim - 2)), leaf.shape), leaf.dtype)

    numbers = jax.tree.map(numbered, replay)
    return dataclasses.replace(numbers, weight=jnp.asarray(weights, jnp.int16), status=jnp.asarray(status, jnp.int8))


def test_draws_follow_weights_and_skip_unlearnable_positions() -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 513, (7, 9))
    weights[0, 0] = weights[-1, -1] = 512
    status = rng.integers(0, 5, weights.shape)
    status[0, 0], status[-1, -1] = OPEN, EMPTY
    count = 100_000
    drawn = np.asarray(replay_buffer.draw(jax.random.key(1), learned_replay(weights, status), count))
    expected = np.where(status >= BOOTSTRAPPED, weights, 0).reshape(-1) / weights[status >= BOOTSTRAPPED].sum() * count
    met = np.bincount(drawn, minlength=weights.size)
    assert met.size == weights.size
    assert (met[expected == 0] == 0).all()
    usable = expected > 0
    statistic = ((met - expected)[usable] ** 2 / expected[usable]).sum()
    freedom = usable.sum() - 1
    assert abs(statistic - freedom) < 4 * np.sqrt(2 * freedom)


def test_the_first_and_the_last_place_can_be_drawn() -> None:
    for place in (0, 5):
        status = np.full((2, 3), OPEN)
        status.reshape(-1)[place] = KNOWN
        replay = learned_replay(np.full((2, 3), 64), status)
        assert (np.asarray(replay_buffer.draw(jax.random.key(0), replay, 50)) == place).all()
        assert int(replay_buffer.usable_states(replay)) == 1


def test_take_returns_the_stored_rows() -> None:
    """Known are ends that games were played to: not values that stand in, nor the boards of games that were stopped."""
    status = np.tile([KNOWN, BOOTSTRAPPED, RESULT_ONLY], (4, 1))
    samples = replay_buffer.take(learned_replay(np.ones((4, 3)), status), jnp.asarray([11, 0, 4, 4]))
    assert samples.known.tolist() == [False, True, False, False]
    for name, field in vars(samples).items():
        if name not in ("status", "weight"):
            by_sample = np.asarray(field, np.float64).reshape(4, -1)
            np.testing.assert_array_equal(by_sample, np.tile([[11], [0], [4], [4]], (1, by_sample.shape[1])))


def test_holders_packed_and_unpacked() -> None:
    held = np.random.default_rng(0).integers(0, 3, 81)
    words = replay_buffer.pack_holders(jnp.asarray(held))
    assert words.shape == (replay_buffer.holder_words(81),) == (6,)
    np.testing.assert_array_equal(replay_buffer.unpack_holders(words, 81), held)


@pytest.mark.parametrize("name", game_names())
def test_a_state_takes_less_than_a_kilobyte(name: str) -> None:
    net = NetConfig(auxiliary=("ownership", "margin", "plies"))
    run: Any = jax.eval_shape(AlphaZero(AlphaZeroConfig(game=name, net=net)).initialise)
    replay = run.replay
    assert replay.status.shape == (16 * 64, 256)
    total = sum(functools.reduce(int.__mul__, leaf.shape, leaf.dtype.itemsize) for leaf in jax.tree.leaves(replay))
    assert replay_buffer.bytes_per_state(replay) == total / replay.status.size < 1000

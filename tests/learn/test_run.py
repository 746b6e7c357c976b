"""Whole runs: learning, resuming to the same results, and refused settings."""

import copy
import dataclasses
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from sizes import size

from boardwright.cli.train import _line
from boardwright.errors import RunError
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import arrayfile, checkpoint, league, loop, packing, settings
from boardwright.learn.run.method import MethodContext, RunObserver
from boardwright.learn.run.metrics import ON_DEVICE, read_metrics
from boardwright.nets import netfile

TINY = settings.apply(
    PRESETS["draughts-tiny"],
    [
        "game=tictactoe",
        "iterations=4",
        "selfplay.games=8",
        "selfplay.steps=8",
        "selfplay.full_share=1",
        "selfplay.unfinished=bootstrap",
        "league.nets=1",
        "learner.steps=4",
        "search.simulations=2",
        "search.max_considered_actions=2",
        "evaluation.opponents=1",
        "evaluation.simulations=2",
    ],
)


alphazero = functools.cache(AlphaZero)  # its programs are traced and compiled once for each config


def with_config(method: AlphaZero, config: AlphaZeroConfig) -> AlphaZero:
    """The method with other settings, of those that its programs do not depend on."""
    other = copy.copy(method)
    other.config = config
    return other


def _arrays(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What the last checkpoint says of itself, and every array of it."""
    found = checkpoint.find_checkpoints(folder / "checkpoints")
    file = arrayfile.read(found[max(found)])
    data = file.path.read_bytes()
    return dict(file.header["meta"]), {name: data[begin:end] for name, (begin, end) in file.offsets.items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    progress = loop.train(alphazero(TINY), folder)
    assert progress.iteration == TINY.iterations
    return folder


def test_run_writes_its_metrics_and_files(whole: Path) -> None:
    history = read_metrics(whole)
    for name in ("loss/policy", "loss/value", "loss/ownership", "selfplay/entropy", "speed/frames_per_second"):
        assert history.scalars[name].iterations.tolist() == [1, 2, 3, 4]
        assert np.isfinite(history.scalars[name].values).all()
    assert history.scalars["selfplay/moves"].frames.tolist() == np.cumsum(
        history.scalars["selfplay/moves"].values
    ).astype(int).tolist()  # fmt: skip
    # By the tiny preset's rule the nets of iterations 2 and 4 are measured, against a past one each.
    (other,) = league.draw_opponents(TINY.evaluation, TINY.seed, 4)
    assert {(match.iteration, match.role0_net, match.role1_net) for match in history.matches} == {
        (2, 2, 0), (2, 0, 2), (4, 4, other), (4, other, 4)
    }  # fmt: skip
    games = sum(match.wins0 + match.draws + match.wins1 for match in history.matches)
    assert games == 2 * TINY.evaluation.games
    assert set(history.scalars["evaluation/elo"].iterations.tolist()) == {0, 2, 4}
    assert history.scalars["evaluation/elo"].values[0] == 0
    nets = whole / "nets"
    for iteration in range(5):
        net = netfile.read(league.path_of(nets, iteration))
        assert net.training["iteration"] == iteration
        assert net.training["devices"] == (["cpu"] if iteration else [])
    best, last = netfile.read(nets / league.BEST), netfile.read(league.path_of(nets, 4))
    for name, weight in best.weights.items():
        np.testing.assert_allclose(weight, last.weights[name], rtol=1e-2, atol=1e-3)  # the last is shortened


def test_run_stopped_anywhere_is_bit_identical(whole: Path, tmp_path: Path) -> None:
    """Stopped after every few chunks, in self-play, in learning and between iterations."""
    stops = 0
    for pause in (1, 2, 3, 4, 1, 100):
        chunks = iter(range(pause))
        watch = RunObserver(stopped=lambda left=chunks: next(left, None) is None)
        progress = loop.train(alphazero(TINY), tmp_path, watch)
        stops += progress.iteration < TINY.iterations
    assert progress.iteration == TINY.iterations
    assert stops >= 4
    _assert_same_run(whole, tmp_path)


def _assert_same_run(one: Path, other: Path) -> None:
    (meta, arrays), (other_meta, other_arrays) = _arrays(one), _arrays(other)
    for report in (meta, other_meta):  # how long it took is never the same
        for seconds in ("device_seconds", "evaluation_seconds"):
            assert report["progress"].pop(seconds)
    assert meta == other_meta
    assert arrays.keys() == other_arrays.keys()
    assert [name for name in arrays if arrays[name] != other_arrays[name]] == [arrayfile.CHECKSUM]
    history, other_history = read_metrics(one), read_metrics(other)
    assert history.matches == other_history.matches
    for name, series in history.scalars.items():
        if not name.startswith(("speed/", "time/")):
            np.testing.assert_array_equal(series.values, other_history.scalars[name].values, err_msg=name)
    for path in (one / "nets").iterdir():
        assert path.read_bytes() == (other / "nets" / path.name).read_bytes()


SCRIPT = """
import json, sys
from pathlib import Path
from boardwright.games import registry
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import loop, settings
from boardwright.learn.alphazero.config import AlphaZeroConfig
registry.GAMES["tictactoe"] = "tictactoe:TicTacToe"
config = settings.from_json(AlphaZeroConfig, json.loads(sys.argv[1]))
loop.train(AlphaZero(config), Path(sys.argv[2]), seconds_between_checkpoints=0.0)
"""


def test_run_killed_anywhere_is_bit_identical(tmp_path: Path) -> None:
    """All in processes of their own: in this one some programs may have been compiled otherwise, by other tests."""
    folder = tmp_path / "run"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent / "toys")}
    arguments = [sys.executable, "-c", SCRIPT, json.dumps(settings.to_json(TINY)), str(folder)]
    kills = 0
    for checkpoints in (6, 2, 9)[: size(1, full=3)]:
        with subprocess.Popen(arguments, env=environment, stderr=subprocess.PIPE) as process:
            limit = time.monotonic() + 300
            seen: set[int] = set()
            while process.poll() is None and len(seen) < checkpoints:
                seen |= set(checkpoint.find_checkpoints(folder / "checkpoints"))
                time.sleep(0.01)
                assert time.monotonic() < limit
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
    assert kills >= size(1, full=2)
    subprocess.run(arguments, env=environment, check=True, timeout=300)
    straight = [*arguments[:-1], str(tmp_path / "straight")]
    subprocess.run(straight, env=environment, check=True, timeout=300)
    _assert_same_run(tmp_path / "straight", folder)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped in its second iteration, with two checkpoints of it."""
    folder, chunks = tmp_path_factory.mktemp("stopped"), iter(range(6))
    watch = RunObserver(stopped=lambda: next(chunks, None) is None)
    progress = loop.train(alphazero(TINY), folder, watch, seconds_between_checkpoints=0.0)
    assert (progress.iteration, progress.chunk) == (1, 2)
    return folder


def test_damaged_checkpoint_falls_back_to_the_previous_one(whole: Path, stopped: Path, tmp_path: Path) -> None:
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    found = checkpoint.find_checkpoints(tmp_path / "checkpoints")
    assert len(found) == 2
    path = found[max(found)]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    words: list[str] = []
    loop.train(alphazero(TINY), tmp_path, RunObserver(message=words.append))
    assert any(path.name in word and "loading the previous checkpoint" in word for word in words)
    _assert_same_run(whole, tmp_path)


def test_unpacked_run_resumes_after_its_last_iteration(
    stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped while it learned, it begins that iteration again; nets that did not come along are stood in for."""
    packing.pack(stopped, tmp_path / "file", nets=1)
    folder = tmp_path / "run"
    packing.unpack(tmp_path / "file", folder)
    before, said = read_metrics(folder), []

    def thinned(iteration: int, *_: Any) -> None:  # as if few nets had come along
        league.path_of(folder / "nets", {2: 1, 3: 3}.get(iteration, 99)).unlink(missing_ok=True)

    monkeypatch.setattr(league, "draw_opponents", lambda config, seed, done: [0] if done == 2 else [3])
    progress = loop.train(alphazero(TINY), folder, RunObserver(message=said.append, on_iteration=thinned))
    frames = before.scalars["selfplay/moves"].frames[-1]
    assert said[:2] == [
        f"resuming iteration 2 of 4 after {frames} frames",
        "games restart and the replay buffer is empty: a packed run contains neither",
    ]
    assert (progress.iteration, progress.parts) == (4, 2)
    after = read_metrics(folder)
    for name, series in before.scalars.items():
        assert (series.iterations.tolist(), series.values[0]) == ([1], after.scalars[name].values[0])
    assert after.scalars["loss/total"].iterations.tolist() == [1, 2, 3, 4]
    moves = after.scalars["selfplay/moves"]
    assert moves.frames.tolist() == np.cumsum(moves.values).astype(int).tolist()
    assert after.scalars["time/parts"].values.tolist() == [1, 2, 2, 2]
    seconds = after.scalars["time/device_seconds"].values
    assert (np.diff(seconds) > 0).all()
    assert sum(progress.device_seconds.values()) == seconds[-1]
    assert {kind: after.scalars[f"{ON_DEVICE}{kind}"].values[-1] for kind in after.devices} == progress.device_seconds
    evaluated = np.diff(after.scalars["time/evaluation_seconds"].values)
    assert (evaluated > 0.001).tolist() == [True, False, True]
    # Net 3 was drawn for the last evaluation and is missing; net 2 exists and is rated.
    assert [(match.role0_net, match.role1_net) for match in after.matches if match.iteration == 4] == [(2, 4), (4, 2)]
    assert set(after.scalars["evaluation/elo"].iterations.tolist()) == {0, 2, 4}
    found = checkpoint.find_checkpoints(folder / "checkpoints")
    (begin, end) = arrayfile.read(found[max(found)]).offsets[".learner.steps"]
    assert int.from_bytes(found[max(found)].read_bytes()[begin:end], "little") == 4 * TINY.learner.steps


def test_other_settings_for_a_started_run_are_refused(whole: Path) -> None:
    other = dataclasses.replace(TINY, learner=dataclasses.replace(TINY.learner, lr_peak=1e-3))
    with pytest.raises(RunError, match=r"learner\.lr_peak is 0\.002 there and 0\.001 here"):
        loop.train(AlphaZero(other), whole)


def test_nan_loss_stops_the_run_and_keeps_checkpoints(tmp_path: Path) -> None:
    class Diverging(AlphaZero):
        def work(self, state: Any, iteration: int, chunk: int, context: MethodContext) -> Any:
            state, losses = super().work(state, iteration, chunk, context)
            return state, {**losses, "value": jax.numpy.float32("nan")} if losses and iteration == 1 else losses

    with pytest.raises(
        RunError, match=r"the value loss is nan in iteration 2, after 1 of 3 chunks: .* a lower learning rate"
    ):
        loop.train(Diverging(TINY), tmp_path, seconds_between_checkpoints=0.0)
    kept = checkpoint.restore(tmp_path / "checkpoints", jax.eval_shape(alphazero(TINY).initialise))
    assert kept is not None
    assert kept.meta["progress"]["iteration"] <= 1
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(kept.tree.learner.variables))


def test_no_loss_is_logged_where_nothing_was_learned(tmp_path: Path) -> None:
    """As in the first iterations of a game that takes longer: 4 steps end none of tic-tac-toe, 8 steps end some."""
    waiting = settings.apply(
        TINY, ["iterations=2", "selfplay.unfinished=wait", "selfplay.steps=4", "league.share=0", "evaluation.every=0"]
    )
    report: list[dict[str, float]] = []
    watch = RunObserver(on_iteration=lambda done, frames, scalars: report.append(dict(scalars)))
    loop.train(AlphaZero(waiting), tmp_path, watch)
    history = read_metrics(tmp_path)
    assert history.scalars["selfplay/games"].values[0] == 0 < history.scalars["selfplay/games"].values[1]
    losses = [name for name in history.scalars if name.startswith("loss/")]
    assert {"loss/total", "loss/policy", "loss/value"} <= {*losses}
    for name in losses:
        assert history.scalars[name].iterations.tolist() == [2]
    assert history.scalars["learning_rate"].iterations.tolist() == [1, 2]
    lines = [_line(number, 2, 32, scalars) for number, scalars in enumerate(report, start=1)]
    assert ", nothing learned yet, " in lines[0]
    assert "policy" not in lines[0]
    assert "policy" in lines[1]
    assert "nothing learned" not in lines[1]


def test_out_of_device_memory_names_the_setting_to_lower(tmp_path: Path) -> None:
    method = AlphaZero(TINY)

    def play(state: Any, iteration: int, first: int) -> Any:
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1 byte")

    method.play = play
    with pytest.raises(RunError, match=r"out of device memory: lower selfplay\.games"):
        loop.train(method, tmp_path)


def test_gating_promotes_above_the_threshold_only(tmp_path: Path) -> None:
    gated = settings.apply(
        TINY,
        ["iterations=2", "gating.games=4", "gating.simulations=2", "evaluation.every=0", "league.share=0"],
    )
    never = dataclasses.replace(gated, gating=dataclasses.replace(gated.gating, threshold=1.0))
    method = alphazero(gated)
    loop.train(with_config(method, never), tmp_path / "never")
    history = read_metrics(tmp_path / "never")
    assert history.scalars["gating/promoted"].values.tolist() == [0, 0]
    first, last = (netfile.read(league.path_of(tmp_path / "never" / "nets", number)) for number in (0, 2))
    assert all(np.array_equal(first.weights[name], weight) for name, weight in last.weights.items())
    always = dataclasses.replace(gated, gating=dataclasses.replace(gated.gating, threshold=0.0))
    loop.train(with_config(method, always), tmp_path / "always")
    scores = read_metrics(tmp_path / "always").scalars["gating/score"].values
    promoted = read_metrics(tmp_path / "always").scalars["gating/promoted"].values
    assert promoted.tolist() == [float(score > 0) for score in scores]
    assert promoted.any()
    last = netfile.read(league.path_of(tmp_path / "always" / "nets", 2))
    assert not all(np.array_equal(first.weights[name], weight) for name, weight in last.weights.items())


def test_run_starts_from_a_net(whole: Path, tmp_path: Path) -> None:
    """Its first net is that one, it learns from there, and once begun it needs the file no longer."""
    first = tmp_path / "first.net"
    shutil.copy(league.path_of(whole / "nets", 4), first)
    method = with_config(alphazero(TINY), dataclasses.replace(TINY, init_from=str(first)))
    folder = tmp_path / "run"
    loop.train(method, folder, RunObserver(stopped=iter([False, False, True]).__next__))
    given, begun = (netfile.read(path).weights for path in (first, league.path_of(folder / "nets", 0)))
    assert given.keys() == begun.keys()
    assert all(np.array_equal(given[name], begun[name]) for name in given)
    first.unlink()
    assert loop.train(method, folder).iteration == TINY.iterations
    learned = netfile.read(league.path_of(folder / "nets", TINY.iterations)).weights
    assert not all(np.array_equal(given[name], learned[name]) for name in given)


def test_run_starts_from_a_net_of_another_board_size(tmp_path: Path) -> None:
    """Whose weights it takes, but for those of the value's hidden layer, which has a row a cell."""
    shipped = netfile.read(Path(netfile.__file__).parent / "data" / "cathedral.safetensors")
    sizes = ["net.blocks=8", "net.width=64", "net.policy_channels=32", "net.value_hidden=64"]
    config = settings.apply(PRESETS["cathedral-tiny"], ["init_from=cathedral", "league.share=0", *sizes])
    loop.train(AlphaZero(config), tmp_path, RunObserver(stopped=lambda: True))
    begun = netfile.read(tmp_path / "nets" / league.BEST)
    assert (begun.interface.observation_shape[:2], shipped.interface.observation_shape[:2]) == ((8, 8), (10, 10))
    other = {name for name, weight in begun.weights.items() if not np.array_equal(weight, shipped.weights[name])}
    assert other == {"params/value_0/hidden/kernel"}


def test_unusable_initial_nets_are_refused(whole: Path, tmp_path: Path) -> None:
    theirs = str(league.path_of(whole / "nets", 0))
    for changes, complaint in (
        (["init_from=nowhere.net"], "setting init_from: net 'nowhere.net': no such file"),
        (["init_from=tablut"], "setting init_from: .*made for tablut, not tictactoe"),
        (
            [f"init_from={theirs}", "net.width=16"],
            "setting init_from: .* is a 1x8 net whose architecture differs from net",
        ),
    ):
        with pytest.raises(RunError, match=complaint):
            loop.train(
                AlphaZero(settings.apply(TINY, changes)), tmp_path / "run"
            )  # where those before it left no settings

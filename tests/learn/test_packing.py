"""Runs in pieces: what a packed file holds, and what is refused; by a method that learns nothing.

Resuming a real run from a pack is tested in `test_run.py`, where its programs are compiled anyway.
"""

import shutil
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from drift import USUAL, Config, Drift, trained

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, checkpoint, league, metrics, packing, portable_state
from boardwright.learn.run.metrics import read_metrics


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped in its third iteration."""
    folder = tmp_path_factory.mktemp("begun")
    _, progress = trained(folder, pieces=10)
    assert (progress.iteration, progress.chunk) == (2, 2)
    return folder


def final_leaves(folder: Path) -> dict[str, Any]:
    kept = checkpoint.restore(folder / "checkpoints", Drift(USUAL).initialise())
    assert kept is not None
    return checkpoint.name_leaves(kept.tree)


def test_packed_run_resumes_after_its_last_iteration(begun: Path, tmp_path: Path) -> None:
    """And ends with the weights of a run that stayed, since they do not hang on what is left behind here."""
    packed = packing.pack(begun, tmp_path / "file", nets=1)
    assert (packed.progress.iteration, packed.progress.frames, packed.nets) == (2, 200, (2,))
    assert packing.unpack(tmp_path / "file", tmp_path / "run") == packed
    trained(tmp_path / "stayed")
    trained(tmp_path / "run", pieces=6)
    packing.pack(tmp_path / "run", tmp_path / "second", nets=4)
    packing.unpack(tmp_path / "second", tmp_path / "third")
    _, progress = trained(tmp_path / "third")
    assert (progress.iteration, progress.parts, progress.frames) == (6, 3, 600)
    stayed, moved = final_leaves(tmp_path / "stayed"), final_leaves(tmp_path / "third")
    for name, leaf in stayed.items():
        if name != ".replay":
            np.testing.assert_array_equal(leaf, moved[name], err_msg=name)
    history = read_metrics(tmp_path / "third")
    assert history.scalars["time/parts"].values.tolist() == [1, 1, 2, 3, 3, 3]
    assert history.scalars["replay"].values.tolist() == [3, 6, 3, 3, 6, 9]
    assert (np.diff(history.scalars["time/device_seconds"].values) > 0).all()
    assert league.iterations_in(tmp_path / "third" / "nets") == [0, 2, 3, 4, 5, 6]
    for net in (2, 3, 6):
        path = league.path_of(tmp_path / "third" / "nets", net)
        assert path.read_bytes() == league.path_of(tmp_path / "stayed" / "nets", net).read_bytes()


def test_optimiser_moments_alone_are_rounded(begun: Path, tmp_path: Path) -> None:
    trained(tmp_path, pieces=8)
    expected = final_leaves(tmp_path)
    file, _ = portable_state.read(begun / portable_state.NAME)
    found = checkpoint.name_leaves(portable_state.restore_into(file, Drift(USUAL).initialise(), ("learner", "league")))
    for name, leaf in expected.items():
        if name.startswith(".learner.optimiser['mu']"):
            leaf = leaf.astype(jnp.bfloat16).astype(jnp.float32)
        if name != ".replay":
            np.testing.assert_array_equal(found[name], leaf, err_msg=name)


def test_numbers_are_compressed(begun: Path, tmp_path: Path) -> None:
    """The state has weights twice and two arrays of bfloat16; a net is bfloat16."""
    for name, (size, compressed) in packing.pack(begun, tmp_path / "file", nets=1).sizes.items():
        if name.endswith((".net", ".safetensors")):
            assert compressed < 0.75 * size, name


@pytest.mark.parametrize(
    ("kept", "most", "measured", "expected"),
    [
        (range(101), 4, {}, [25, 50, 75, 100]),
        (range(101), 1, {}, [100]),
        (range(101), 4, set(range(20, 101, 5)), [25, 50, 75, 100]),
        (range(58), 4, set(range(20, 58, 5)), [20, 30, 45, 57]),
        ([0, 3], 4, {}, [3]),
        ([0, 1, 2, 60], 2, {}, [2, 60]),
    ],
)
def test_nets_are_spread_over_the_iterations(kept: Any, most: int, measured: Any, expected: list[int]) -> None:
    assert league.choose_nets(list(kept), max(kept), most, measured) == expected


def test_missing_past_checkpoints_are_replaced(tmp_path: Path) -> None:
    for iteration in (0, 4, 10, 11):
        league.path_of(tmp_path, iteration).touch()
    (tmp_path / "best.net").touch()
    assert league.nearest_iterations(tmp_path, [2], before=11) == [0]
    assert league.nearest_iterations(tmp_path, [7], before=11) == [4]
    assert league.nearest_iterations(tmp_path, [0, 3, 4, 9], before=11) == [0, 4, 10]
    assert league.nearest_iterations(tmp_path, [9, 10], before=11) == [4, 10]
    with pytest.raises(RunError, match="has no net from before iteration 0"):
        league.nearest_iterations(tmp_path, [3], before=0)


def test_a_damaged_file_is_refused_and_leaves_nothing(begun: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    packing.pack(begun, whole, nets=1)
    data = whole.read_bytes()
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1
    for name, wrong in (("cut", data[:-100]), ("empty", b""), ("changed", bytes(changed)), ("text", b"no pack" * 99)):
        (tmp_path / name).write_bytes(wrong)
        with pytest.raises(RunError, match=r"is damaged|was not written by Boardwright"):
            packing.unpack(tmp_path / name, tmp_path / "run")
    with pytest.raises(RunError, match="cannot be read: No such file"):
        packing.unpack(tmp_path / "none", tmp_path / "run")
    arrayfile.write(tmp_path / "newer", {}, {"pack": 99, "bytes": {}})
    with pytest.raises(RunError, match="has format 99, this version reads 1"):
        packing.unpack(tmp_path / "newer", tmp_path / "run")
    with pytest.raises(RunError, match="is not a packed run"):
        packing.unpack(begun / portable_state.NAME, tmp_path / "run")
    arrayfile.write(tmp_path / "sly", {"../out": np.zeros(3, np.uint8)}, {"pack": 1, "bytes": {"../out": 3}})
    with pytest.raises(RunError, match=r"has '../out' of 3 bytes, expected a file of a run"):
        packing.unpack(tmp_path / "sly", tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "changed", "cut", "empty", "newer", "sly", "text", "whole"
    ]  # fmt: skip


def test_folders_that_do_not_fit_are_refused(begun: Path, tmp_path: Path) -> None:
    packing.pack(begun, tmp_path / "file", nets=1)
    with pytest.raises(RunError, match="it is not empty: give a new folder"):
        packing.unpack(tmp_path / "file", begun)
    with pytest.raises(RunError, match=r"not a run folder, it has no config\.json"):
        packing.pack(tmp_path, tmp_path / "other", nets=1)
    packing.unpack(tmp_path / "file", tmp_path / "run")
    with pytest.raises(RunError, match="seed is 0 there and 1 here"):
        trained(tmp_path / "run", Config(seed=1))
    (tmp_path / "run" / portable_state.UNPACKED).unlink()
    with pytest.raises(RunError, match="has no portable state: runs of alphazero, ppo and alphabeta do"):
        packing.pack(tmp_path / "run", tmp_path / "other", nets=1)


def test_run_set_back_is_not_packed(tmp_path: Path) -> None:
    """A killed run resumes before the end of its last iteration, so its portable state is ahead of its metrics."""
    run = tmp_path / "run"
    trained(run, pieces=4)
    found = checkpoint.find_checkpoints(run / "checkpoints")
    assert sorted(found) == [3, 10**6]  # the first, before anything is measured, and the last
    found[10**6].unlink()
    _, progress = trained(run, pieces=0)
    assert (progress.iteration, progress.parts) == (0, 1)
    with pytest.raises(RunError, match=r"was resumed from before iteration 1, .*: train up to that iteration again"):
        packing.pack(run, tmp_path / "file", nets=1)


def test_iteration_that_ends_during_packing_is_left_out(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights, header and metrics are of one moment; newer metrics are deleted when the run resumes."""
    folder, snapshot = tmp_path / "run", metrics.snapshot
    for before in (True, False):
        shutil.copytree(begun, folder)

        def meanwhile(run: Path, before: bool = before) -> bytes:
            known = b"" if before else snapshot(run)
            assert trained(run, pieces=3)[1].iteration == 3
            return known or snapshot(run)

        monkeypatch.setattr(metrics, "snapshot", meanwhile)
        packed = packing.pack(folder, tmp_path / "file", nets=1)
        assert portable_state.read(folder / portable_state.NAME)[1].iteration == 3
        assert packing.unpack(tmp_path / "file", tmp_path / "new") == packed
        inside = portable_state.read(tmp_path / "new" / portable_state.UNPACKED)[1]
        assert (packed.progress.iteration, inside) == (2, packed.progress)
        assert metrics.progress(tmp_path / "new")[0] == (3 if before else 2)
        assert (tmp_path / "new" / portable_state.UNPACKED).read_bytes() == (begun / portable_state.NAME).read_bytes()
        _, progress = trained(tmp_path / "new", pieces=1)
        assert (progress.iteration, metrics.progress(tmp_path / "new")[0]) == (2, 2)
        for gone in (folder, tmp_path / "new"):
            shutil.rmtree(gone)


@pytest.mark.parametrize(
    ("limit", "complaint"),
    [
        ("MAX_FILE_BYTES", r"it has '\S+' of [0-9]+ bytes, expected a file of a run of at most 50 bytes"),
        ("MAX_RUN_BYTES", r"4 files of [0-9,]+ bytes, expected at most 1,003 files of 50"),
        ("MAX_FILES", r"4 files of [0-9,]+ bytes, expected at most 3 files"),
    ],
)
def test_run_too_large_to_unpack_is_not_packed(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, complaint: str
) -> None:
    packing.pack(begun, tmp_path / "whole", nets=1)
    monkeypatch.setattr(packing, limit, 3 if limit == "MAX_FILES" else 50)
    with pytest.raises(RunError, match=f"cannot pack .*: {complaint}"):
        packing.pack(begun, tmp_path / "file", nets=1)
    with pytest.raises(RunError, match=f"cannot unpack .*: {complaint}"):
        packing.unpack(tmp_path / "whole", tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]

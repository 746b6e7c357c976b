"""Checkpoints come back exactly, or are known to be damaged: any type, any flipped byte, any moment of death."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import optax
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sizes import size

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile
from boardwright.learn.run.checkpoint import find_checkpoints, restore, save

NAMES = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "float32")
DTYPES = [*map(np.dtype, NAMES), np.dtype(ml_dtypes.bfloat16)]
SMALL = {"w": jnp.arange(6, dtype=jnp.float32), "step": jnp.int32(3)}


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    params: dict[str, jax.Array]
    optimiser: Any
    frames: jax.Array


def state(seed: int, frames: int) -> State:
    params = {"w": jax.random.normal(jax.random.key(seed), (4, 3)), "b": jnp.full(3, seed, jnp.bfloat16)}
    return State(params, optax.adamw(1e-3).init(params), jnp.uint32(frames))


def assert_same(one: Any, other: Any) -> None:
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def back(folder: Path, like: Any) -> Any:
    restored = restore(folder, like)
    assert restored is not None
    return restored


@st.composite
def arrays(draw: st.DrawFn) -> jax.Array:
    dtype, shape = draw(st.sampled_from(DTYPES)), draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    if dtype == np.dtype(bool):
        return jnp.asarray(draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1))).astype(dtype))
    size = int(np.prod(shape)) * dtype.itemsize
    values = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), dtype).reshape(shape)
    if not np.issubdtype(dtype, np.integer):
        values = np.where(np.isnan(values), dtype.type(np.nan), values)  # XLA need not keep which NaN it was
    return jnp.asarray(values)


TREES = st.recursive(
    arrays(), lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=4) | st.lists(inner, max_size=3)
)


@settings(max_examples=60)
@given(tree=TREES, piece=st.sampled_from([1, 7, 1 << 20]))
def test_any_tree_is_restored_byte_for_byte(tree: Any, piece: int) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrayfile, "PIECE", piece)
        path = save(Path(folder), 1, tree, {"counters": [1, 2.5, None]})
        restored = back(Path(folder), tree)
        with safetensors.safe_open(path, "numpy") as file:  # as others read it
            assert len(list(file.keys())) == 1 + len(jax.tree.leaves(tree))
    assert_same(restored.tree, tree)
    assert (restored.number, restored.meta, restored.warnings) == (1, {"counters": [1, 2.5, None]}, ())


def test_learner_state_is_restored(tmp_path: Path) -> None:
    before = state(3, 1 << 31)
    save(tmp_path, 7, before, {"preset": "paper"})
    assert_same(back(tmp_path, state(9, 0)).tree, before)
    assert_same(back(tmp_path, jax.eval_shape(lambda: before)).tree, before)


def test_weak_types_are_restored(tmp_path: Path) -> None:
    save(tmp_path, 1, [jnp.asarray(0.1), jnp.float32(0.1)], {})
    weak, strong = back(tmp_path, [jnp.asarray(0.0), jnp.float32(0)]).tree
    assert (weak * jnp.bfloat16(1)).dtype == jnp.bfloat16
    assert (strong * jnp.bfloat16(1)).dtype == jnp.float32


def test_checkpoint_is_a_valid_safetensors_file(tmp_path: Path) -> None:
    path = save(tmp_path, 1, SMALL, {})
    tensors = safetensors.numpy.load_file(path)
    assert set(tensors) == {"['w']", "['step']", "sha256"}
    assert tensors["['w']"].tolist() == SMALL["w"].tolist()
    assert tensors["['step']"] == 3


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A folder with two checkpoints, and what the second one is."""
    folder = tmp_path_factory.mktemp("two")
    save(folder, 1, SMALL, {"of": "one"})
    return folder, save(folder, 2, SMALL, {"of": "two"}).read_bytes()


@settings(max_examples=300)
@given(place=st.integers(0, 1 << 20), bit=st.integers(0, 7))
def test_any_flipped_bit_is_noticed(two: tuple[Path, bytes], place: int, bit: int) -> None:
    folder, data = two
    damaged = bytearray(data)
    damaged[place % len(data)] ^= 1 << bit
    check_falls_back(folder, bytes(damaged))


@settings(max_examples=60)
@given(length=st.integers(0, 1 << 20))
def test_a_file_cut_off_anywhere_is_noticed(two: tuple[Path, bytes], length: int) -> None:
    folder, data = two
    check_falls_back(folder, data[: length % len(data)])


def test_a_longer_file_is_noticed(two: tuple[Path, bytes]) -> None:
    folder, data = two
    check_falls_back(folder, data + b"\0")


def check_falls_back(folder: Path, data: bytes) -> None:
    (folder / "000002.ckpt").write_bytes(data)
    restored = back(folder, SMALL)
    assert (restored.number, restored.meta) == (1, {"of": "one"})
    (warning,) = restored.warnings
    assert "000002.ckpt is damaged" in warning
    assert "loading the previous checkpoint" in warning


def test_damaged_checkpoints_do_not_restart_a_run(tmp_path: Path) -> None:
    assert restore(tmp_path, SMALL) is None
    assert restore(tmp_path / "nowhere", SMALL) is None
    for number in (1, 2):
        save(tmp_path, number, SMALL, {}).write_bytes(b"")
    with pytest.raises(RunError, match=r"all 2 checkpoints in .* are damaged: start again with another --out"):
        restore(tmp_path, SMALL)


def test_checkpoint_that_is_not_a_file_is_skipped(tmp_path: Path) -> None:
    save(tmp_path, 1, SMALL, {})
    (tmp_path / "000002.ckpt").mkdir()
    assert "000002.ckpt cannot be read: Is a directory" in back(tmp_path, SMALL).warnings[0]


@pytest.mark.parametrize(
    ("like", "difference"),
    [
        ({**SMALL, "w": jnp.zeros(7)}, r"\['w'\] is float32\[6\] there and float32\[7\] here \(1 arrays differ\)"),
        ({**SMALL, "w": jnp.zeros(6, jnp.int32)}, r"\['w'\] is float32\[6\] there and int32\[6\] here"),
        ({"w": SMALL["w"]}, r"\['step'\] is int32\[\] there and missing here"),
        ({**SMALL, "more": jnp.int8(1)}, r"\['more'\] is missing there and int8\[\] here"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, like: Any, difference: str) -> None:
    save(tmp_path, 1, SMALL, {})
    with pytest.raises(
        RunError, match=f"made with other settings: {difference}.*: use the same preset, or a new --out"
    ):
        restore(tmp_path, like)


def test_the_newest_two_are_kept(tmp_path: Path) -> None:
    for number in range(1, 12):
        save(tmp_path, number, jnp.int32(number), {})
    assert sorted(find_checkpoints(tmp_path)) == [10, 11]
    (tmp_path / "000011.ckpt").write_bytes(b"damaged")
    assert back(tmp_path, jnp.int32(0)).number == 10
    save(tmp_path, 9, jnp.int32(9), {})  # of a run that was resumed from before the others
    assert sorted(find_checkpoints(tmp_path)) == [9]


def test_full_disk_keeps_earlier_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, 1, SMALL, {})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)  # where a disk may well say so
        with pytest.raises(RunError, match=r"000002[.]ckpt: the disk is full: make room and resume"):
            save(tmp_path, 2, SMALL, {})
    assert [path.name for path in tmp_path.iterdir()] == ["000001.ckpt"]
    assert_same(back(tmp_path, SMALL).tree, SMALL)


WRITER = """
import sys
from pathlib import Path
import jax.numpy as jnp
from boardwright.learn.run.checkpoint import save

folder, first, count = Path(sys.argv[1]), *map(int, sys.argv[2:])
for number in range(first, first + count):
    save(folder, number, {"replay": jnp.full(8 << 20, number), "number": jnp.int32(number)}, {})
    print(number, flush=True)
"""


def test_killed_writer_leaves_the_last_checkpoint_intact(tmp_path: Path) -> None:
    dice, first, caught = random.Random(5), 1, 0
    for _ in range(size(3, full=20)):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(first), "1000"]
        process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE)
        assert process.stdout is not None
        reported = int(process.stdout.readline())
        time.sleep(dice.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        reported = max([reported, *map(int, output.split())])
        caught += any(tmp_path.glob(".*.part"))
        restored = back(tmp_path, {"replay": jnp.zeros(8 << 20, jnp.int32), "number": jnp.int32(0)})
        assert restored.warnings == ()
        assert restored.number >= reported
        assert restored.tree["number"] == restored.number
        assert (restored.tree["replay"] == restored.number).all()
        first = restored.number + 1
    assert caught or size(1, full=0)  # with `--full` at least once in the middle of writing
    save(tmp_path, first, SMALL, {})
    assert not list(tmp_path.glob(".*"))

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

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile
from boardwright.learn.run.checkpoint import Keep, numbered, restore, save

DTYPES = [
    *(np.dtype(name) for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")),
    *(np.dtype(name) for name in ("float16", "float32", "float64", "complex64", ">f4")),
    *(np.dtype(kind) for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4)),
]
SMALL = {"w": np.arange(6, dtype=np.float32), "step": 3}


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    params: dict[str, jax.Array]
    optimiser: Any
    key: jax.Array
    frames: int


def state(seed: int, frames: int) -> State:
    params = {"w": jax.random.normal(jax.random.key(seed), (4, 3)), "b": jnp.full(3, seed, jnp.bfloat16)}
    return State(params, optax.adamw(1e-3).init(params), jax.random.key(seed), frames)


def raw(leaf: Any) -> bytes:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf).tobytes()


def assert_same(one: Any, other: Any) -> None:
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert type(a) is type(b)
        assert raw(a) == raw(b)
        if not isinstance(a, int | float):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)


def back(folder: Path, like: Any) -> Any:
    restored = restore(folder, like)
    assert restored is not None
    return restored


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    dtype, shape = draw(st.sampled_from(DTYPES)), draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    if dtype in (np.dtype(bool), np.dtype(ml_dtypes.int4)):
        return draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1))).astype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(draw(st.binary(min_size=size, max_size=size)), dtype).reshape(shape)


LEAVES = arrays() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans()
TREES = st.recursive(
    LEAVES, lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=4) | st.lists(inner, max_size=3)
)


@settings(max_examples=60)
@given(tree=TREES, piece=st.sampled_from([1, 7, 1 << 20]))
def test_any_tree_comes_back_byte_for_byte(tree: Any, piece: int) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrayfile, "PIECE", piece)
        path = save(Path(folder), 1, tree, {"counters": [1, 2.5, None]}, Keep())
        restored = back(Path(folder), tree)
        with safetensors.safe_open(path, "numpy") as file:  # as others read it
            assert len(list(file.keys())) == 1 + len(jax.tree.leaves(tree))
    assert_same(restored.tree, tree)
    assert (restored.number, restored.meta, restored.warnings) == (1, {"counters": [1, 2.5, None]}, ())


def test_a_state_of_learning_comes_back(tmp_path: Path) -> None:
    before = state(3, 1 << 40)
    save(tmp_path, 7, before, {"preset": "paper"}, Keep())
    assert_same(back(tmp_path, state(9, 0)).tree, before)
    params, optimiser, key = jax.eval_shape(lambda: (before.params, before.optimiser, before.key))
    assert_same(back(tmp_path, State(params, optimiser, key, 0)).tree, before)


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg"])
def test_random_keys_go_on(tmp_path: Path, implementation: str) -> None:
    keys = jax.random.split(jax.random.key(5, impl=implementation), 3)
    save(tmp_path, 1, keys, {}, Keep())
    again = back(tmp_path, jnp.empty_like(keys)).tree
    assert jax.random.bits(again[1], (4,)).tolist() == jax.random.bits(keys[1], (4,)).tolist()


def test_numbers_keep_what_they_become_with_others(tmp_path: Path) -> None:
    save(tmp_path, 1, [jnp.asarray(0.1), jnp.float32(0.1)], {}, Keep())
    weak, strong = back(tmp_path, [jnp.asarray(0.0), jnp.float32(0)]).tree
    assert (weak * jnp.bfloat16(1)).dtype == jnp.bfloat16
    assert (strong * jnp.bfloat16(1)).dtype == jnp.float32


def test_other_tools_can_look_inside(tmp_path: Path) -> None:
    path = save(tmp_path, 1, SMALL, {}, Keep())
    tensors = safetensors.numpy.load_file(path)
    assert set(tensors) == {"['w']", "['step']", "sha256"}
    assert tensors["['w']"].tolist() == SMALL["w"].tolist()
    assert tensors["['step']"] == 3


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A folder with two checkpoints, and what the second one is."""
    folder = tmp_path_factory.mktemp("two")
    save(folder, 1, SMALL, {"of": "one"}, Keep())
    return folder, save(folder, 2, SMALL, {"of": "two"}, Keep()).read_bytes()


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
    assert "the checkpoint before it is used" in warning


def test_none_whole_is_no_new_beginning(tmp_path: Path) -> None:
    assert restore(tmp_path, SMALL) is None
    assert restore(tmp_path / "nowhere", SMALL) is None
    for number in (1, 2):
        save(tmp_path, number, SMALL, {}, Keep()).write_bytes(b"")
    with pytest.raises(RunError, match=r"none of the 2 checkpoints .* is whole: begin anew with another --out"):
        restore(tmp_path, SMALL)


def test_a_checkpoint_that_is_no_file_is_passed_over(tmp_path: Path) -> None:
    save(tmp_path, 1, SMALL, {}, Keep())
    (tmp_path / "000002.ckpt").mkdir()
    assert "000002.ckpt cannot be read: Is a directory" in back(tmp_path, SMALL).warnings[0]


@pytest.mark.parametrize(
    ("like", "difference"),
    [
        ({"w": np.zeros(7, np.float32), "step": 0}, r"\['w'\] is float32\[6\] there and float32\[7\] here"),
        ({"w": np.zeros(6, np.int32), "step": 0}, r"\['w'\] is float32\[6\] there and int32\[6\] here"),
        ({"w": np.zeros(6, np.float32)}, r"\['step'\] is int there and missing here"),
        ({"w": np.zeros(6, np.float32), "step": 0.0}, r"\['step'\] is int there and float here"),
        ({**SMALL, "more": 1, "most": 2}, r"\['more'\] is missing there and int here \(and 1 more differ\)"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, like: Any, difference: str) -> None:
    save(tmp_path, 1, SMALL, {}, Keep())
    with pytest.raises(RunError, match=f"made with other settings: {difference}: use the same preset, or a new --out"):
        restore(tmp_path, like)


@pytest.mark.parametrize("leaf", ["text", np.array(["text"]), np.array([None]), 2**64])
def test_what_is_no_number_is_refused(tmp_path: Path, leaf: Any) -> None:
    with pytest.raises(TypeError, match=r"leaf \['x'\] of the tree"):
        save(tmp_path, 1, {"x": leaf}, {}, Keep())


def test_which_are_kept(tmp_path: Path) -> None:
    for number in range(1, 12):
        save(tmp_path, number, number, {}, Keep(newest=2, every=4))
    assert sorted(numbered(tmp_path)) == [4, 8, 10, 11]
    (tmp_path / "000011.ckpt").write_bytes(b"damaged")
    assert back(tmp_path, 0).number == 10
    save(tmp_path, 9, 9, {}, Keep(newest=2, every=4))  # resumed from 8, whatever came after it
    assert sorted(numbered(tmp_path)) == [4, 8, 9]
    with pytest.raises(RunError, match="both count from 1"):
        Keep(newest=0)


def test_a_full_disk_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, 1, SMALL, {}, Keep(newest=1))

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)  # where a disk may well say so
        with pytest.raises(RunError, match=r"000002[.]ckpt: the disk is full: make room and go on"):
            save(tmp_path, 2, SMALL, {}, Keep(newest=1))
    assert [path.name for path in tmp_path.iterdir()] == ["000001.ckpt"]
    assert_same(back(tmp_path, SMALL).tree, SMALL)


WRITER = """
import resource, sys
from pathlib import Path
import numpy as np
from boardwright.learn.run.checkpoint import Keep, save

folder, first, count, most = Path(sys.argv[1]), *map(int, sys.argv[2:])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for number in range(first, first + count):
    save(folder, number, {"replay": np.full(4 << 20, number), "number": number}, {}, Keep())
    print(number, flush=True)
"""


def test_a_file_that_may_not_grow_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    save(tmp_path, 1, SMALL, {}, Keep())
    command = [sys.executable, "-c", WRITER, str(tmp_path), "2", "1", str(1 << 20)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "000002.ckpt: File too large: the files before it are safe" in done.stderr.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["000001.ckpt"]


def test_killed_writers_leave_the_last_one_whole(tmp_path: Path) -> None:
    dice, first, caught = random.Random(5), 1, 0
    for _ in range(6):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(first), "1000", str(1 << 30)]
        process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE)
        assert process.stdout is not None
        reported = int(process.stdout.readline())
        time.sleep(dice.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        reported = max([reported, *map(int, output.split())])
        caught += any(tmp_path.glob(".*.part"))
        restored = back(tmp_path, {"replay": np.zeros(4 << 20, int), "number": 0})
        assert restored.warnings == ()
        assert restored.number >= reported
        assert restored.tree["number"] == restored.number
        assert (restored.tree["replay"] == restored.number).all()
        first = restored.number + 1
    assert caught  # at least once in the middle of writing
    save(tmp_path, first, SMALL, {}, Keep())
    assert not list(tmp_path.glob(".*"))

"""Checkpoints: everything a run needs to go on exactly where it stopped, `NNNNNN.ckpt` in one folder.

A checkpoint holds any JAX pytree (weights, optimiser, replay, random keys, counters) as flat arrays named by
their paths in the tree, and JSON beside them. It is restored into the shape of a tree that the same settings
give, never from what the file says of itself. A damaged one is told of, and the one before it used.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from boardwright.errors import RunError
from boardwright.learn.distributed import processes
from boardwright.learn.run import arrayfile
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError
from boardwright.wholefile import PARTIAL, sync_folder

VERSION = 1
SUFFIX = ".ckpt"


@dataclass(frozen=True, kw_only=True)
class Keep:
    """Which checkpoints stay when another is written."""

    newest: int = 2  # so many of the newest
    every: int | None = None  # and those whose number this divides

    def __post_init__(self) -> None:
        if self.newest < 1 or (self.every is not None and self.every < 1):
            raise RunError(f"keep newest={self.newest}, every={self.every}: both count from 1")


@dataclass(frozen=True)
class Restored:
    """What a checkpoint held."""

    number: int
    tree: Any
    meta: Mapping[str, Any]
    warnings: tuple[str, ...]  # of newer ones that were damaged


def save(folder: Path, number: int, tree: Any, meta: Mapping[str, Any], keep: Keep) -> Path:
    """Writes a checkpoint, whole or not at all, then removes those that need not be kept.

    Leaves of `tree` are arrays of any numbers, keys of jax.random, or Python's own numbers; `meta` is JSON.
    Checkpoints of a higher number go too: they are of a future that was given up for the one saved here.
    Raises RunError where it cannot be written; the older ones are untouched then. Of several processes all must
    call it; the first writes.
    """
    leaves = named(tree)
    arrays = {name: _array(name, leaf) for name, leaf in leaves.items()}
    kinds = {name: kind(leaf) for name, leaf in leaves.items()}
    header = {"version": VERSION, "number": number, "leaves": kinds, "meta": dict(meta)}
    path = folder / f"{number:06d}{SUFFIX}"
    if not processes.is_first():
        arrayfile.hand_over(arrays)
        return path
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            sync_folder(folder.parent)
        for leftover in folder.glob(f".*{SUFFIX}.*{PARTIAL}"):
            leftover.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror}") from error
    arrayfile.write(path, arrays, header)
    _prune(folder, number, keep)
    return path


def copied(tree: Any) -> Any:
    """A tree as it is now, on the host, to be saved while the one it was copied from is used up."""
    leaves, structure = jax.tree.flatten(tree)
    arrays = [leaf for leaf in leaves if isinstance(leaf, jax.Array) and not _is_key(leaf)]
    for array in arrays:
        array.copy_to_host_async()  # all at once, before the first is waited for
    return jax.tree.unflatten(structure, [_copied(leaf) for leaf in leaves])


def restore(folder: Path, like: Any) -> Restored | None:
    """The newest whole checkpoint, or None where there is none.

    `like` gives structure, shapes, types and devices; its leaves may be jax.ShapeDtypeStruct. Raises RunError
    where the checkpoint was made with other settings, or none of several is whole.
    """
    warnings: list[str] = []
    found = numbered(folder)
    for number in sorted(found, reverse=True):
        try:
            file = arrayfile.read(found[number])
            tree = _tree(file, like)
        except DamagedError as error:
            warnings.append(f"{error}; the checkpoint before it is used")
        else:
            return Restored(number, tree, file.header["meta"], tuple(warnings))
    if found:
        raise RunError(f"none of the {len(found)} checkpoints in {folder} is whole: begin anew with another --out")
    return None


def numbered(folder: Path) -> dict[int, Path]:
    """The checkpoints in a folder by number, whole or not."""
    paths = (path for path in folder.glob(f"*{SUFFIX}") if re.fullmatch("[0-9]{6,18}", path.stem))
    return {int(path.stem): path for path in paths}


def named(tree: Any) -> dict[str, Any]:
    """The leaves by their paths in the tree, such as `.params['head']`."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    named = {jax.tree_util.keystr(path): leaf for path, leaf in leaves}
    if len(named) < len(leaves):
        raise TypeError("two leaves of the tree have the same path")
    return named


def kind(leaf: Any) -> str:
    """Type and shape as text: `float32[3,4]`, `key<fry>[]`, or `int` for a number of Python's."""
    if _is_plain(leaf):
        return type(leaf).__name__
    return f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"


def placed(value: Any, like: Any) -> jax.Array:
    """An array on the devices of another."""
    sharding = like.sharding if getattr(like, "committed", True) else None
    if isinstance(value, np.ndarray) and sharding is not None and not sharding.is_fully_addressable:
        return jax.make_array_from_callback(value.shape, sharding, lambda index: value[index])
    return jax.device_put(value, sharding)


def check_kinds(path: Path, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raises RunError where a file holds other arrays, by name and `kind`, than these settings ask for."""
    differing = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    if differing:
        name, more = differing[0], f" (and {len(differing) - 1} more differ)" if len(differing) > 1 else ""
        raise RunError(
            f"{path} was made with other settings: {name} is {there.get(name, 'missing')} there and "
            f"{here.get(name, 'missing')} here{more}: use the same preset, or a new --out"
        )


def _prune(folder: Path, number: int, keep: Keep) -> None:
    found = numbered(folder)
    newest = sorted(other for other in found if other <= number)[-keep.newest :]
    for other, path in found.items():
        forever = keep.every is not None and other <= number and other % keep.every == 0
        if other not in newest and not forever:
            path.unlink(missing_ok=True)


def _tree(file: ArrayFile, like: Any) -> Any:
    """The tree of a file in the shape of another."""
    if file.header.get("version") != VERSION:
        raise RunError(f"{file.path} is of format {file.header.get('version')}, not {VERSION}: update Boardwright")
    leaves = named(like)
    there, here = file.header["leaves"], {name: kind(leaf) for name, leaf in leaves.items()}
    check_kinds(file.path, there, here)
    restored = [_restored(file, name, leaf) for name, leaf in leaves.items()]
    return jax.tree.unflatten(jax.tree.structure(like), restored)


def _copied(leaf: Any) -> Any:
    if _is_plain(leaf):
        return leaf
    if isinstance(leaf, jax.Array) and _is_key(leaf):
        return leaf.copy()
    shared = not isinstance(leaf, jax.Array) or any(device.platform == "cpu" for device in leaf.devices())
    return np.array(leaf) if shared else np.asarray(leaf)  # from another device it has come as a copy


def _is_plain(leaf: Any) -> bool:
    """Whether a leaf is a number of Python's own; numpy's float64 pretends to be one."""
    return isinstance(leaf, int | float) and not isinstance(leaf, np.generic)


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _array(name: str, leaf: Any) -> jax.Array | np.ndarray:
    """A leaf as it is stored."""
    if _is_plain(leaf):
        kind = np.bool_ if isinstance(leaf, bool) else np.int64 if isinstance(leaf, int) else np.float64
        try:
            return np.asarray(leaf, kind)
        except OverflowError as error:
            raise TypeError(f"leaf {name} of the tree: {leaf} is more than 64 bits") from error
    if isinstance(leaf, jax.Array):
        return jax.random.key_data(leaf) if _is_key(leaf) else leaf
    array = np.asarray(leaf)
    if array.dtype.kind in "OSUMm" or array.dtype.itemsize == 0:
        raise TypeError(f"leaf {name} of the tree: {array.dtype} is no type of numbers")
    return array


def _restored(file: ArrayFile, name: str, like: Any) -> Any:
    """The leaf of a file as the same kind of object as another."""
    if _is_plain(like):
        stored = np.empty_like(_array(name, like))
        file.fill(name, stored)
        return type(like)(stored)
    if _is_key(like):
        example = jax.random.key_data(jnp.empty((), like.dtype))
        stored = np.empty((*like.shape, *example.shape), example.dtype)
        file.fill(name, stored)
        keys = jax.random.wrap_key_data(jnp.asarray(stored), impl=jax.random.key_impl(jnp.empty((), like.dtype)))
        return placed(keys, like)
    stored = np.empty(like.shape, like.dtype)
    file.fill(name, stored)
    if isinstance(like, np.generic):
        return stored[()]
    if isinstance(like, np.ndarray):
        return stored
    if like.weak_type and not like.shape:  # decides what it becomes together with others
        return placed(jnp.asarray(stored.item()), like)
    return placed(stored, like)

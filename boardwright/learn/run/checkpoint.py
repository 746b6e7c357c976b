"""Checkpoints: all arrays of a run, to resume it to the bit, as array files `NNNNNN.ckpt` in one folder.

Arrays have the names of their paths in the run's pytree. They are restored into a pytree that the same settings give,
never into one described by the file. A damaged checkpoint is reported and the previous one is loaded.
"""

import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from boardwright.atomicfile import remove_partial, sync_folder
from boardwright.errors import RunError, reraise_as
from boardwright.learn.distributed import processes
from boardwright.learn.distributed.device import on_cpu
from boardwright.learn.run import arrayfile
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError

VERSION = 1
SUFFIX = ".ckpt"
KEPT = 2  # newest checkpoints
MAX_SHARE_BLOCKED = 1 / 20  # of a run's time: work waits while arrays are copied for a checkpoint
MAX_SHARE_WRITING = 1 / 2  # of a run's time: a checkpoint is written while work continues


@dataclass(frozen=True)
class Restored:
    """Contents of a checkpoint."""

    number: int
    tree: Any
    meta: Mapping[str, Any]
    warnings: tuple[str, ...]  # about newer ones that were damaged


def save(folder: Path, number: int, tree: Any, meta: Mapping[str, Any]) -> Path:
    """Writes a checkpoint of a pytree of arrays atomically, then removes all but it and the one before.

    Checkpoints of a higher number are removed too: the run was resumed from one before them. Raises RunError; older
    checkpoints are untouched then. Of several processes all must call it; the first writes.
    """
    path = folder / f"{number:06d}{SUFFIX}"
    if not processes.is_first():
        write(path, name_leaves(tree), meta)
        return path
    with reraise_as(RunError, f"cannot write into {folder}"):
        if not folder.is_dir():
            folder.mkdir(parents=True)
            sync_folder(folder.parent)
        remove_partial(folder)
        write(path, name_leaves(tree), meta)
        found = find_checkpoints(folder)
        for other in found.keys() - sorted(other for other in found if other <= number)[-KEPT:]:
            found[other].unlink(missing_ok=True)
    return path


def restore(folder: Path, like: Any) -> Restored | None:
    """The newest undamaged checkpoint; None where the folder has no checkpoints.

    `like` gives structure, shapes, types and devices; its leaves may be jax.ShapeDtypeStruct. Raises RunError where
    the checkpoint was made with other settings, or all are damaged.
    """
    warnings: list[str] = []
    found = find_checkpoints(folder)
    for number in sorted(found, reverse=True):
        try:
            file = arrayfile.read(found[number])
            tree = jax.tree.unflatten(jax.tree.structure(like), load(file, name_leaves(like)).values())
            return Restored(number, tree, file.header["meta"], tuple(warnings))
        except DamagedError as error:
            warnings.append(f"{error}; loading the previous checkpoint")
    if found:
        raise RunError(f"all {len(found)} checkpoints in {folder} are damaged: start again with another --out")
    return None


def find_checkpoints(folder: Path) -> dict[int, Path]:
    """The checkpoints in a folder by number, damaged or not."""
    return {int(path.stem): path for path in folder.glob(f"*{SUFFIX}") if re.fullmatch("[0-9]{6,18}", path.stem)}


def name_leaves(tree: Any) -> dict[str, Any]:
    """The leaves by their paths in the pytree, such as `.params['head']`."""
    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def write(path: Path, leaves: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Writes arrays by name, and JSON; raises RunError."""
    arrayfile.write(path, leaves, {"version": VERSION, "leaves": _kinds(leaves), "meta": dict(meta)})


def load(file: ArrayFile, like: Mapping[str, Any]) -> dict[str, jax.Array]:
    """The arrays of a file, on the devices of others; raises RunError where their shapes or types differ."""
    version, there, here = file.header.get("version"), file.header.get("leaves"), _kinds(like)
    if version != VERSION or not isinstance(there, dict):
        raise RunError(f"{file.path} has format {version!r:.20}, this version reads {VERSION}: update Boardwright")
    differing = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    if differing:
        theirs, ours = (kinds.get(differing[0], "missing") for kinds in (there, here))
        difference = f"{differing[0]} is {theirs} there and {ours} here ({len(differing)} arrays differ)"
        raise RunError(f"{file.path} was made with other settings: {difference}: use the same preset, or a new --out")
    return {name: _place(file.load(name, leaf.shape, leaf.dtype), leaf) for name, leaf in like.items()}


def copy_to_host(tree: Any) -> Any:
    """A copy of a pytree on the host, to save while the original is overwritten."""
    for leaf in jax.tree.leaves(tree):
        leaf.copy_to_host_async()  # all at once, before the first is waited for
    return jax.tree.map(np.array if on_cpu() else np.asarray, tree)  # from other devices it arrives as a copy


def _kinds(leaves: Mapping[str, Any]) -> dict[str, str]:
    """Types and shapes as text, such as `float32[3,4]`."""
    return {name: f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]" for name, leaf in leaves.items()}


def _place(value: np.ndarray, like: Any) -> jax.Array:
    """An array on the devices of another."""
    sharding = like.sharding if getattr(like, "committed", True) else None
    if sharding is not None and not sharding.is_fully_addressable:
        return jax.make_array_from_callback(value.shape, sharding, lambda index: value[index])
    # A scalar of a weak type adopts the type of what it is combined with.
    return jax.device_put(jnp.asarray(value.item()) if like.weak_type and not like.shape else value, sharding)


class Saver:
    """Writes checkpoints in a thread; its `with` statement waits for the last.

    A checkpoint is due `seconds` after the last, or later where checkpoints would take too large a share of the time.
    Only the time that work waits for counts fully: a slow disk must not make a killed run lose many minutes.
    """

    def __init__(self, folder: Path, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._folder, self._seconds, self._clock = folder, seconds, clock
        self._begin = clock()  # of the last checkpoint
        self._blocked = self._writing = 0.0  # seconds: how long work waited for it, and how long it took in all
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="checkpoint")
        self._checkpoint: Future[None] | None = None
        self._other: Future[None] | None = None
        self._has_saved = False

    def due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        if self._checkpoint is not None and not self._checkpoint.done():
            return False
        pause = max(self._seconds, self._blocked / MAX_SHARE_BLOCKED, self._writing / MAX_SHARE_WRITING)
        return self._clock() - self._begin >= pause

    def save(self, number: int, tree: Any, meta: Mapping[str, Any]) -> None:
        """Writes a checkpoint; `tree` may be overwritten when this returns. Raises RunError, also of earlier writes."""
        self._begin = begin = self._clock()
        self.finish()
        self._has_saved = True
        at_once = jax.process_count() > 1  # which exchange arrays while they write
        held = tree if at_once else copy_to_host(tree)

        def write() -> None:
            save(self._folder, number, held, meta)
            self._writing = self._clock() - begin

        if at_once:
            write()
            processes.any_process(False)  # waits: one that ends before the checkpoint is written may end the others
        else:
            self._checkpoint = self._thread.submit(write)
        self._blocked = self._clock() - begin

    def save_first(self, number: int, tree: Any, meta: Mapping[str, Any]) -> None:
        """Waits until a checkpoint is on the disk: an earlier one, or else this."""
        if not self._has_saved:
            self.save(number, tree, meta)
        self.finish()

    def write_in_thread(self, write: Callable[[], None]) -> None:
        """Writes something else, instead of the last such write if that has not begun; raises the error of that."""
        if self._other is not None and not self._other.cancel() and self._other.done():
            self._other.result()
        self._other = self._thread.submit(write)

    def finish(self) -> None:
        """Waits until everything is on the disk; raises RunError where that failed."""
        pending, self._checkpoint, self._other = (self._checkpoint, self._other), None, None
        for future in pending:
            if future is not None:
                future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        try:
            if error is None:
                self.finish()
        finally:
            self._thread.shutdown()

"""Packs: a run in one file, to resume on another machine: config, metrics, portable state and a few nets.

A pack is an array file: every file of the run is an array of compressed bytes. `boardwright pack` writes one and
`boardwright unpack` makes a run's folder of it. Replay buffer and games are left out: they may be gigabytes.
"""

import re
import shutil
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.atomicfile import open_ordinary, write_atomic
from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, config_file, league, metrics, portable_state
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError
from boardwright.learn.run.progress import Progress

VERSION = 1
PLANES = 4  # bytes of equal significance are stored together in files of numbers, which then compress by about 30 %
MAX_FILE_BYTES = 1 << 31
MAX_RUN_BYTES = 1 << 34
MAX_EXPANSION = 100  # of a pack: numbers of a trained run compress by a few, a forged file by up to 1,000
MIN_RUN_BYTES = 1 << 26  # that any pack may expand to
MAX_FILES = 1003  # a thousand nets among them
REQUIRED = (config_file.NAME, metrics.NAME, portable_state.NAME)
INSIDE = re.compile("|".join((*map(re.escape, REQUIRED), r"nets/[0-9]{6,9}\.net")))


@dataclass(frozen=True)
class Packed:
    """Contents of a pack."""

    progress: Progress
    config: Mapping[str, Any]  # as in `config.json`
    nets: tuple[int, ...]  # iterations
    sizes: Mapping[str, tuple[int, int]]  # of each file: bytes, and compressed


def pack(folder: Path, path: Path, *, nets: int) -> Packed:
    """Packs the run in a folder, which may be training, as of its last iteration, with up to `nets` past nets.

    Raises RunError.
    """
    if not (folder / config_file.NAME).is_file():
        raise RunError(f"{folder} is not a run folder, it has no {config_file.NAME}: give the --out of a training run")
    if path.resolve().is_relative_to(folder.resolve()):
        raise RunError(f"cannot pack into {path}: it is inside the run's folder: give a file elsewhere")
    if path.exists():
        try:
            _read_pack(path)
        except RunError as error:
            raise RunError(f"cannot pack into {path}: it exists and is not a packed run: give another file") from error
    states = [portable_state.path_in(folder, name) for name in (portable_state.NAME, portable_state.UNPACKED)]
    state = next((state for state in states if state.exists()), None)
    if state is None:
        raise RunError(f"{folder} has no portable state: runs of alphazero, ppo and alphabeta do, after an iteration")
    try:
        # Read once, and before the metrics: the end of an iteration replaces it, after metrics of that iteration.
        data = _read_bytes(state)
        progress, database = portable_state.read(state, data)[1], metrics.snapshot(folder)
        if metrics.progress(folder)[0] < progress.iteration:
            at = f"iteration {progress.iteration}, that of {state.name}"
            raise RunError(f"{folder} was resumed from before {at}: train up to that iteration again, then pack")
        matches = metrics.read_metrics(folder).matches
        evaluated = {net for match in matches for net in (match.role0_net, match.role1_net)}
        chosen = league.choose_nets(league.iterations_in(folder / "nets"), progress.iteration, nets, evaluated)
        files = dict(zip(REQUIRED, (_read_bytes(folder / config_file.NAME), database, data), strict=True))
        files |= {f"nets/{net:06d}.net": _read_bytes(league.path_of(folder / "nets", net)) for net in chosen}
    except OSError as error:
        raise RunError(f"cannot pack {folder}: {error.strerror}: {error.filename}") from error
    sizes = {name: len(data) for name, data in files.items()}
    _check_sizes(f"cannot pack {folder}", sizes)
    arrays = {name: np.frombuffer(_compress(name, data), np.uint8) for name, data in files.items()}
    arrayfile.write(path, arrays, {"pack": VERSION, "bytes": sizes})
    packed_sizes = {name: (size, arrays[name].nbytes) for name, size in sizes.items()}
    return Packed(progress, config_file.read(folder), tuple(chosen), packed_sizes)


def unpack(path: Path, folder: Path) -> Packed:
    """Makes a run's folder, new or empty, of a pack: completely or not at all; raises RunError."""
    file, sizes = _read_pack(path)
    folder, is_new = folder.absolute(), not folder.exists()
    try:
        if not is_new and any(folder.iterdir()):
            raise RunError(f"cannot unpack into {folder}: it is not empty: give a new folder")
        try:
            (folder / "nets").mkdir(parents=True)
            # State and config last: until all other files are there, training in the folder is refused.
            for name in sorted(sizes, key=lambda name: (name == config_file.NAME, name == portable_state.NAME)):
                target = portable_state.UNPACKED if name == portable_state.NAME else name
                write_atomic(folder / target, _expand(file, name, sizes[name]))
            progress = portable_state.read(folder / portable_state.UNPACKED)[1]
            packed_sizes = {name: (size, int(np.diff(file.offsets[name])[0])) for name, size in sizes.items()}
            nets = tuple(league.iterations_in(folder / "nets"))
            return Packed(progress, config_file.read(folder), nets, packed_sizes)
        except BaseException:
            for inside in folder.iterdir():
                shutil.rmtree(inside) if inside.is_dir() else inside.unlink()
            if is_new:
                folder.rmdir()
            raise
    except OSError as error:
        raise RunError(f"cannot unpack into {folder}: {error.strerror}") from error


def _read_bytes(path: Path) -> bytes:
    with open_ordinary(path) as file:
        return file.read()


def _read_pack(path: Path) -> tuple[ArrayFile, dict[str, int]]:
    """A pack and the sizes of its files by name; raises RunError."""
    file = portable_state.modern_pack(arrayfile.read(path))
    version, sizes = file.header.get("pack"), file.header.get("bytes")
    if version is None:
        raise RunError(f"{path} is not a packed run: give a file that boardwright pack wrote")
    if version != VERSION or not isinstance(sizes, dict):
        raise RunError(f"{path} has format {version!r:.20}, this version reads {VERSION}: update Boardwright")
    _check_sizes(f"cannot unpack {path}", sizes)
    total, most = sum(sizes.values()), max(MIN_RUN_BYTES, MAX_EXPANSION * path.stat().st_size)
    if total > most:
        raise RunError(f"cannot unpack {path}: it claims to hold {total:,} bytes, expected at most {most:,}")
    return file, sizes


def _check_sizes(refusal: str, sizes: Mapping[str, int]) -> None:
    """Raises RunError for files, by name and bytes, that are not those of a run, or too large."""
    for name, size in sizes.items():
        if not INSIDE.fullmatch(name) or type(size) is not int or not 0 <= size <= MAX_FILE_BYTES:
            limit = f"expected a file of a run of at most {MAX_FILE_BYTES:,} bytes"
            raise RunError(f"{refusal}: it has {name[:60]!r} of {size!r:.30} bytes, {limit}")
    for name in REQUIRED:
        if name not in sizes:
            raise RunError(f"{refusal}: it has no {name}")
    if len(sizes) > MAX_FILES or sum(sizes.values()) > MAX_RUN_BYTES:
        total = f"{len(sizes):,} files of {sum(sizes.values()):,} bytes"
        raise RunError(f"{refusal}: {total}, expected at most {MAX_FILES:,} files of {MAX_RUN_BYTES:,}")


def _has_planes(name: str) -> bool:
    return name.endswith((league.SUFFIX, ".safetensors"))


def _compress(name: str, data: bytes) -> bytes:
    if not _has_planes(name):
        return zlib.compress(data)
    padded = np.frombuffer(data + bytes(-len(data) % PLANES), np.uint8)
    compressor = zlib.compressobj(strategy=zlib.Z_RLE)  # numbers do not repeat, except zeros
    return compressor.compress(padded.reshape(-1, PLANES).T.tobytes()) + compressor.flush()


def _expand(file: ArrayFile, name: str, size: int) -> bytes:
    begin, end = file.offsets.get(name, (0, 0))
    stored, padded = file.load(name, (end - begin,), np.uint8), size + (-size % PLANES if _has_planes(name) else 0)
    try:
        data = zlib.decompressobj().decompress(stored.data, padded + 1)
    except zlib.error:
        data = b""
    if len(data) != padded:
        raise DamagedError(f"{file.path} is damaged: {name} cannot be unpacked")
    return np.frombuffer(data, np.uint8).reshape(PLANES, -1).T.tobytes()[:size] if _has_planes(name) else data

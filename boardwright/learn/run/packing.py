"""A run in one file, to go on elsewhere: `boardwright pack` writes it, `boardwright unpack` makes a folder of it.

The file holds files of the run's folder: `config.json`, `metrics.sqlite`, `portable_state.arrays` and a few nets; not
checkpoints, whose replay is gigabytes. It is a file of `arrayfile`: every file is an array of bytes, compressed, and
the last is a checksum over all.

Numbers are compressed by bytes of like meaning: the exponents of weights are few different bytes, the rest is noise.
So a net takes about 30 % less room, where compressing it as it is would gain nothing.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, config_file, league, metrics, portable_state
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError
from boardwright.learn.run.progress import Progress
from boardwright.wholefile import PARTIAL, sync_folder, write_whole

VERSION = 1
PLANES = 4  # bytes of like meaning lie so far apart, in numbers of two and of four
LARGEST_FILE = 1 << 31  # bytes as it is, not packed
LARGEST_RUN = 1 << 34  # bytes of all files
MOST_FILES = 1003  # a thousand nets among them
NEEDED = (config_file.NAME, metrics.NAME, portable_state.NAME)
INSIDE = re.compile(r"config\.json|metrics\.sqlite|luggage\.arrays|nets/[0-9]{6,9}\.net")


@dataclass(frozen=True)
class Packed:
    """What went into a file, or came out."""

    progress: Progress
    config: Mapping[str, Any]  # as `config.json` holds it
    nets: tuple[int, ...]  # iterations
    sizes: Mapping[str, tuple[int, int]]  # of each file inside: bytes as it is, and packed


def pack(folder: Path, path: Path, *, nets: int) -> Packed:
    """Writes the run in a folder, which may be under way, as of the end of its last iteration; raises RunError.

    Up to so many past nets go along, see `chosen_nets`.
    """
    if not (folder / config_file.NAME).is_file():
        raise RunError(f"{folder} is not a run folder, it has no {config_file.NAME}: give the --out of a training run")
    _check_target(folder, path)
    brought, own = folder / portable_state.UNPACKED, folder / portable_state.NAME
    source = own if own.exists() else brought
    if not source.exists():
        raise RunError(f"{folder} holds nothing to take along: runs of alphazero and ppo do, after an iteration")
    # Read once, for it is another file when the next iteration ends; metrics later, which then hold all up to it.
    brought_along = _read(source)
    progress = portable_state.progress_within(brought_along, source)
    database = metrics.snapshot(folder)
    if metrics.progress(folder)[0] < progress.iteration:
        raise RunError(
            f"{folder} was set back to before iteration {progress.iteration}, whose net it holds: "
            f"train on until that is done again"
        )
    measured = {net for match in metrics.read_metrics(folder).matches for net in (match.role0_net, match.role1_net)}
    chosen = chosen_nets(league.kept(folder / "nets"), progress.iteration, nets, measured)
    files = {
        config_file.NAME: _read(folder / config_file.NAME),
        metrics.NAME: database,
        portable_state.NAME: brought_along,
        **{f"nets/{net:06d}{league.SUFFIX}": _read(league.path_of(folder / "nets", net)) for net in chosen},
    }
    lengths = {name: len(data) for name, data in files.items()}
    too_large = _too_large(lengths)
    if too_large is not None:
        raise RunError(f"cannot pack {folder}: {too_large}: take fewer --nets, or move the folder as it is")
    arrays = {name: np.frombuffer(_compressed(name, data), np.uint8) for name, data in files.items()}
    arrayfile.write(path, arrays, {"pack": VERSION, "progress": dataclasses.asdict(progress), "bytes": lengths})
    sizes = {name: (length, arrays[name].nbytes) for name, length in lengths.items()}
    return Packed(progress, config_file.read(folder), tuple(chosen), sizes)


def unpack(path: Path, folder: Path) -> Packed:
    """Makes a run's folder, new or empty, whole or not at all, of a file; raises RunError."""
    file = arrayfile.read(path)
    progress, lengths = _told(file)
    folder = folder.absolute()
    try:
        # Within a folder that is there: it may be a disk of its own, or where somebody's shell is.
        partial = folder / PARTIAL if folder.is_dir() else folder.with_name(f".{folder.name}{PARTIAL}")
        if folder.exists() and (not folder.is_dir() or any(inside != partial for inside in folder.iterdir())):
            raise RunError(f"cannot unpack into {folder}: there is something already: give a new folder")
        try:
            shutil.rmtree(partial, ignore_errors=True)
            (partial / "nets").mkdir(parents=True)
            for name, data in _files(file, lengths):
                if name == portable_state.NAME and portable_state.progress_within(data, path) != progress:
                    raise DamagedError(f"{path} is damaged: its luggage is of another moment")
                write_whole(partial / (portable_state.UNPACKED if name == portable_state.NAME else name), data)
            packed = Packed(
                progress=progress,
                config=config_file.read(partial),
                nets=tuple(league.kept(partial / "nets")),
                sizes={name: (length, _stored(file, name)) for name, length in lengths.items()},
            )
            _put_in_place(partial, folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise RunError(f"cannot unpack into {folder}: {os.strerror(error.errno or 0)}") from error
    return packed


def chosen_nets(kept: Sequence[int], newest: int, most: int, measured: Iterable[int]) -> list[int]:
    """Which past nets go along: the newest, and others spread evenly over the iterations before it.

    Iteration 0 needs not: it is made again from the seed. Nets that have played contests come first, since their
    strength is known: ratings of the nets to come lean on them.
    """
    there = [net for net in kept if 0 < net <= newest]
    rated = set(measured)
    left = [net for net in there if net in rated or net == newest]
    left = left if len(left) >= most else there
    chosen: list[int] = []
    for place in range(most, 0, -1):
        if left:
            wanted = newest * place / most
            chosen.append(min(left, key=lambda net: (abs(net - wanted), net)))
            left = [net for net in left if net != chosen[-1]]
    return sorted(chosen)


def _check_target(folder: Path, path: Path) -> None:
    """Raises RunError where a packed file would take the place of something else: of the run's own files, or others."""
    if path.resolve().is_relative_to(folder.resolve()):
        raise RunError(f"cannot pack into {path}: it is inside the run's folder: give a file elsewhere")
    if not path.exists():
        return
    try:
        is_pack = "pack" in arrayfile.read(path).header
    except DamagedError:
        is_pack = False
    if not is_pack:
        raise RunError(f"cannot pack into {path}: it is there already, and is no packed run: give another file")


def _told(file: ArrayFile) -> tuple[Progress, dict[str, int]]:
    """What a file says of itself: how far the run was, and how long each file is that it holds; raises RunError."""
    version, lengths = file.header.get("pack"), file.header.get("bytes")
    if version is None:
        raise RunError(f"{file.path} is not a packed run: give a file that boardwright pack wrote")
    if version != VERSION:
        raise RunError(f"{file.path} is of format {version!r:.20}, this version reads {VERSION}: update Boardwright")
    if not isinstance(lengths, dict):
        raise DamagedError(f"{file.path} is damaged: it does not tell what it holds")
    for name, length in lengths.items():
        if not INSIDE.fullmatch(name) or name not in file.offsets or type(length) is not int or length < 0:
            raise DamagedError(f"{file.path} holds {name[:60]!r}, which is no file of a run's folder")
    for name in NEEDED:
        if name not in lengths:
            raise DamagedError(f"{file.path} is damaged: it holds no {name}")
    too_large = _too_large(lengths)
    if too_large is not None:
        raise RunError(f"cannot unpack {file.path}: {too_large}")
    return portable_state.progress_of(file), lengths


def _too_large(lengths: Mapping[str, int]) -> str | None:
    """What is too much of files of these lengths in bytes, in words."""
    for name, length in lengths.items():
        if length > LARGEST_FILE:
            return f"{name} has {length:,} bytes, more than the {LARGEST_FILE:,} of a file"
    if len(lengths) > MOST_FILES:
        return f"{len(lengths):,} files are more than {MOST_FILES:,}"
    total = sum(lengths.values())
    return f"{total:,} bytes are more than the {LARGEST_RUN:,} of a run" if total > LARGEST_RUN else None


def _files(file: ArrayFile, lengths: Mapping[str, int]) -> Iterable[tuple[str, bytes]]:
    """Names and bytes of what is inside."""
    for name, length in lengths.items():
        stored = np.empty(_stored(file, name), np.uint8)
        file.fill(name, stored)
        try:
            yield name, _decompressed(name, stored.tobytes(), length)
        except (zlib.error, ValueError) as error:
            raise DamagedError(f"{file.path} is damaged: {name} cannot be unpacked") from error


def _put_in_place(partial: Path, folder: Path) -> None:
    """In one step; into a folder that is there file by file, first what keeps the run there from beginning anew."""
    if not folder.exists():
        partial.replace(folder)
        sync_folder(folder.parent)
        return
    moved: list[Path] = []
    try:
        for name in (portable_state.UNPACKED, metrics.NAME, "nets", config_file.NAME):
            moved.append((partial / name).replace(folder / name))
        sync_folder(folder)
    except OSError:
        for path in moved:
            path.rename(partial / path.name)
        raise


def _stored(file: ArrayFile, name: str) -> int:
    """Bytes that a file takes inside."""
    begin, end = file.offsets[name]
    return end - begin


def _holds_numbers(name: str) -> bool:
    return name.endswith((league.SUFFIX, ".arrays"))


def _compressed(name: str, data: bytes) -> bytes:
    if not _holds_numbers(name):
        return zlib.compress(data)
    padded = np.frombuffer(data + bytes(-len(data) % PLANES), np.uint8)
    # Numbers never repeat, so that looking for repetitions would only take time.
    compressor = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    return compressor.compress(padded.reshape(-1, PLANES).T.tobytes()) + compressor.flush()


def _decompressed(name: str, data: bytes, size: int) -> bytes:
    padded = size + (-size % PLANES if _holds_numbers(name) else 0)
    found = zlib.decompressobj().decompress(data, padded + 1)
    if len(found) != padded:
        raise ValueError(name)
    if not _holds_numbers(name):
        return found
    return np.frombuffer(found, np.uint8).reshape(PLANES, -1).T.tobytes()[:size]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error

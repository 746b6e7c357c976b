"""Packed runs with crafted headers are refused in one line; where runs are unpacked.

The run inside has learned nothing.
"""

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, checkpoint, config_file, metrics, packing, portable_state
from boardwright.learn.run.progress import Progress


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / config_file.NAME).write_text('{"method": "none", "seed": 0}')
    with metrics.Metrics(folder) as written:
        written.log(2, 200, {"total": 1.0})
    progress = Progress(iteration=2, frames=200, device_seconds={"cpu": 1.5})
    checkpoint.write(folder / portable_state.NAME, {}, {"progress": dataclasses.asdict(progress)})
    return folder


def crafted(data: bytes, change: Callable[[Any, Any], Any]) -> bytes:
    """A file with another header, and a checksum that fits it; change: of the header and all entries, to a header."""
    length = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + length])
    header = json.loads(entries["__metadata__"][arrayfile.KEY])
    entries["__metadata__"][arrayfile.KEY] = json.dumps(change(header, entries))
    text = json.dumps(entries).encode()
    changed = len(text).to_bytes(8, "little") + text + data[8 + length : -32]
    return changed + hashlib.sha256(changed).digest()


def with_length(length: Any) -> Callable[[Any, Any], Any]:
    return lambda header, _: {**header, "bytes": {**header["bytes"], config_file.NAME: length}}


def with_offsets(offsets: Any) -> Callable[[Any, Any], Any]:
    return lambda header, entries: (entries[config_file.NAME].update(data_offsets=offsets), header)[1]


def without(name: str) -> Callable[[Any, Any], Any]:
    return lambda header, _: {key: value for key, value in header.items() if key != name}


def without_file(name: str) -> Callable[[Any, Any], Any]:
    return lambda header, _: {**header, "bytes": without(name)(header["bytes"], None)}


def of_one_blob(header: Any, entries: Any) -> Any:
    nets = {f"nets/{number:06d}.net": 10 for number in range(500)}
    entries |= dict.fromkeys(nets, entries[portable_state.NAME])
    return {**header, "bytes": {**header["bytes"], **nets}}


def test_small_pack_may_not_claim_a_large_run(begun: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(begun, folder)
    (folder / "nets").mkdir()
    (folder / "nets" / "000001.net").write_bytes(bytes(70 << 20))
    packing.pack(folder, tmp_path / "file", nets=1)
    assert (tmp_path / "file").stat().st_size < 1 << 20
    with pytest.raises(RunError, match=r"claims to hold 73,4\d\d,\d{3} bytes, expected at most 67,108,864"):
        packing.unpack(tmp_path / "file", tmp_path / "unpacked")
    assert not (tmp_path / "unpacked").exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda header, _: [header], "was not written by Boardwright"),
        (lambda header, _: {**header, "pack": "1\n" * 99}, "has format '1"),
        (without("bytes"), "has format 1, this version reads 1"),
        (lambda header, _: {**header, "bytes": [1]}, "has format 1, this version reads 1"),
        *((with_length(length), "expected a file of a run") for length in ("9", -1, 9.0, True, None, [], 1 << 70)),
        (with_length(1 << 25), "cannot be unpacked"),
        (with_length(1 << 31), "claims to hold"),
        *((without_file(name), f"it has no {name}") for name in ("config.json", metrics.NAME, portable_state.NAME)),
        *(
            (with_offsets(offsets), "was not written by Boardwright")
            for offsets in ([0], [0, 1, 2], ["a", "1"], None, [[0], 9], [0, float("inf")])
        ),
        *(
            (with_offsets(offsets), "its arrays overlap or exceed the file")
            for offsets in ([-9, 9], [9, 0], [0, 1 << 80], [0, 1 << 45], [1 << 45, 1 << 46], [0, 10**5])
        ),
        (of_one_blob, "its arrays overlap"),
    ],
)
def test_a_crafted_file_is_refused_in_one_line(begun: Path, tmp_path: Path, change: Any, complaint: str) -> None:
    packing.pack(begun, tmp_path / "file", nets=1)
    (tmp_path / "file").write_bytes(crafted((tmp_path / "file").read_bytes(), change))
    with pytest.raises(RunError, match=complaint) as refusal:
        packing.unpack(tmp_path / "file", tmp_path / "run")
    assert len(str(refusal.value).splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "progress",
    [
        None, 7, {"iteration": "2"}, {"iteration": -1}, {"frames": 1 << 99}, {"frames": 2.0}, {"chunk": None},
        {"device_seconds": 1.0}, {"device_seconds": {"cpu": "long"}}, {"evaluation_seconds": 1e300}, {"else": 1},
    ],
)  # fmt: skip
def test_a_state_of_crafted_progress_is_refused(begun: Path, tmp_path: Path, progress: Any) -> None:
    packing.pack(begun, tmp_path / "file", nets=1)
    checkpoint.write(tmp_path / "state", {}, {"progress": progress})
    files = {name: (begun / name).read_bytes() for name in ("config.json", metrics.NAME)}
    files[portable_state.NAME] = (tmp_path / "state").read_bytes()
    arrays = {name: np.frombuffer(packing._compress(name, data), np.uint8) for name, data in files.items()}
    arrayfile.write(tmp_path / "file", arrays, {"pack": 1, "bytes": {name: len(data) for name, data in files.items()}})
    with pytest.raises(RunError, match="does not contain the progress of a run"):
        packing.unpack(tmp_path / "file", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_empty_folder_is_filled(begun: Path, tmp_path: Path) -> None:
    """It stays the same folder, and is empty again where that fails."""
    (tmp_path / "run").mkdir()
    number = (tmp_path / "run").stat().st_ino
    packed = packing.pack(begun, tmp_path / "file", nets=1)
    assert packing.unpack(tmp_path / "file", tmp_path / "run") == packed
    assert (tmp_path / "run").stat().st_ino == number
    packing.unpack(tmp_path / "file", tmp_path / "new")
    for folder in (tmp_path / "run", tmp_path / "new"):
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["config.json", "metrics.sqlite", "nets", portable_state.UNPACKED]
    (tmp_path / "damaged").write_bytes(crafted((tmp_path / "file").read_bytes(), with_length(1)))
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match=r"config\.json cannot be unpacked"):
        packing.unpack(tmp_path / "damaged", tmp_path / "empty")
    assert not [*(tmp_path / "empty").iterdir()]

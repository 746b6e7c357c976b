"""Packed runs that somebody made by hand: refused in one line, whatever their headers say. And where runs are unpacked.

The run inside has learned nothing.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, config_file, metrics, packing, portable_state
from boardwright.learn.run.progress import Progress


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / config_file.NAME).write_text('{"method": "none", "seed": 0}')
    with metrics.Metrics(folder) as written:
        written.log(2, 200, {"total": 1.0})
    progress = Progress(iteration=2, frames=200, device_seconds={"cpu": 1.5})
    portable_state.write(folder / portable_state.NAME, {}, dataclasses.asdict(progress), {})
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


def with_progress(**told: Any) -> Callable[[Any, Any], Any]:
    return lambda header, _: {**header, "progress": {**header["progress"], **told}}


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


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda header, _: [header], "is not a file of ours"),
        (lambda header, _: {**header, "pack": "1\n" * 99}, "is of format '1"),
        (without("bytes"), "does not tell what it holds"),
        (lambda header, _: {**header, "bytes": [1]}, "does not tell what it holds"),
        *((with_length(length), "is no file of a run's folder") for length in ("9", -1, 9.0, True, None, [])),
        (with_length(1 << 70), "more than the 2,147,483,648 of a file"),
        (with_length(1 << 31), "cannot be unpacked"),
        (without("progress"), "does not tell how far the run was"),
        (lambda header, _: {**header, "progress": 7}, "does not tell how far the run was"),
        *(
            (with_progress(**told), "does not tell how far the run was")
            for told in (
                {"iteration": "2"}, {"iteration": -1}, {"frames": 1 << 99}, {"frames": 2.0}, {"chunk": None},
                {"device_seconds": 1.0}, {"device_seconds": {"cpu": "long"}}, {"evaluation_seconds": 1e300},
                {"else": 1},
            )
        ),
        (with_progress(iteration=1), "its luggage is of another moment"),
        *((without_file(name), f"it holds no {name}") for name in ("config.json", metrics.NAME, portable_state.NAME)),
        *(
            (with_offsets(offsets), "is not a file of ours")
            for offsets in ([0], [0, 1, 2], ["0", "1"], [0.0, 9.0], None, [False, 9])
        ),
        *(
            (with_offsets(offsets), "its arrays overlap or are not in it")
            for offsets in ([-9, 9], [9, 0], [0, 1 << 80], [0, 1 << 45], [1 << 45, 1 << 46], [0, 10**5])
        ),
        (of_one_blob, "its arrays overlap"),
    ],
)  # fmt: skip
def test_a_crafted_file_is_refused_in_one_line(begun: Path, tmp_path: Path, change: Any, complaint: str) -> None:
    packing.pack(begun, tmp_path / "file", nets=1)
    (tmp_path / "file").write_bytes(crafted((tmp_path / "file").read_bytes(), change))
    with pytest.raises(RunError, match=complaint) as refusal:
        packing.unpack(tmp_path / "file", tmp_path / "run")
    assert len(str(refusal.value).splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_empty_folder_is_filled(begun: Path, tmp_path: Path) -> None:
    """It stays the folder it was; what an unpacking that was killed left in it is no hindrance."""
    (tmp_path / "run" / ".part").mkdir(parents=True)
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

"""Archives of results: what they hold comes back, their bytes follow from it, and strange ones are refused."""

import io
import lzma
import tarfile
from pathlib import Path

import pytest

from boardwright.errors import BoardwrightError
from boardwright.papers import archive


def work_folder(folder: Path) -> Path:
    (folder / "runs" / "one" / "nets").mkdir(parents=True)
    (folder / "runs" / "one" / "config.json").write_text("{}")
    (folder / "runs" / "one" / "metrics.sqlite").write_bytes(bytes(range(256)))
    (folder / "runs" / "one" / "nets" / "best.net").write_bytes(b"net")
    (folder / "runs" / "one" / "nets" / "000001.net").write_bytes(b"other")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_archive_holds_results_and_named_extras_only(tmp_path: Path) -> None:
    before = work_folder(tmp_path / "work")
    assert archive.pack(before, tmp_path / "data.tar.xz", ("best.net",)) == 3
    archive.unpack(tmp_path / "data.tar.xz", tmp_path / "after")
    expected = {name: data for name, data in contents(before).items() if not name.endswith("000001.net")}
    assert contents(tmp_path / "after") == expected


def test_archive_of_the_same_data_has_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("first.tar.xz", "second.tar.xz")]
    for number, file in enumerate(files):
        archive.pack(work_folder(tmp_path / f"work-{number}"), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_archive_of_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoardwrightError, match="holds no data"):
        archive.pack(tmp_path, tmp_path / "data.tar.xz")


def crafted(member: tarfile.TarInfo, data: bytes = b"") -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as tar:
        tar.addfile(member, io.BytesIO(data))
    return lzma.compress(written.getvalue())


def linked() -> tarfile.TarInfo:
    member = tarfile.TarInfo("link.json")
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return member


@pytest.mark.parametrize(
    "data",
    [
        crafted(tarfile.TarInfo("../outside.json")),
        crafted(tarfile.TarInfo("/absolute.json")),
        crafted(linked()),
        crafted(tarfile.TarInfo("whole.json"))[:-20],
        b"no archive",
    ],
    ids=["parent", "absolute", "link", "cut off", "text"],
)
def test_strange_archives_are_refused_in_one_line(data: bytes, tmp_path: Path) -> None:
    file, folder = tmp_path / "data.tar.xz", tmp_path / "inside" / "folder"
    file.write_bytes(data)
    folder.mkdir(parents=True)
    with pytest.raises(BoardwrightError, match="not an archive of results, or damaged") as refused:
        archive.unpack(file, folder)
    assert "\n" not in str(refused.value)
    assert not contents(folder)
    assert sorted(path.name for path in tmp_path.rglob("*.json")) == []


def test_archive_with_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.pack(work_folder(tmp_path / "work"), tmp_path / "data.tar.xz")
    monkeypatch.setattr(archive, "MAX_BYTES", 100)
    with pytest.raises(BoardwrightError, match="more than"):
        archive.unpack(tmp_path / "data.tar.xz", tmp_path / "after")

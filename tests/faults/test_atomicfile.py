"""What is left of a file that a killed process was writing is removed, and what is being written is not."""

from pathlib import Path

from boardwright.atomicfile import open_atomic, write_atomic


def test_leftovers_of_the_same_file_are_removed(tmp_path: Path) -> None:
    others = [tmp_path / name for name in (".other.a1b2c3d4.part", ".page.md.part", ".page.md.more.a1b2c3d4.part")]
    for path in (*others, tmp_path / ".page.md.a1b2c3d4.part"):
        path.touch()
    write_atomic(tmp_path / "page.md", b"whole")
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "page.md"])


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    with open_atomic(path) as first:
        first.write(b"first")
        write_atomic(path, b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]

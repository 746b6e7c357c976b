"""Files that commands read and write."""

from pathlib import Path

from boardwright.atomicfile import write_atomic
from boardwright.errors import BoardwrightError

DATABASE = b"SQLite format 3\0"  # how a file of SQLite begins


def read_bytes(path: Path, most: int) -> bytes:
    """What is in an ordinary file of at most so many bytes."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise BoardwrightError(f"cannot read {path}: not an ordinary file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise _refusal("read", path, error) from error
    if len(data) > most:
        raise BoardwrightError(f"cannot read {path}: larger than {most:,} bytes")
    return data


def write_text(path: Path, text: str) -> None:
    """Writes an ordinary file whole or not at all; what is no ordinary file, such as a pipe, is written to.

    Refuses to replace a database.
    """
    check_place(path)
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        write_atomic(path.resolve(), text.encode())
    except (OSError, ValueError) as error:
        raise _refusal("write", path, error) from error


def check_place(path: Path) -> None:
    """Raises BoardwrightError where text would replace a database: somebody has mixed up two names."""
    try:
        if not path.is_file():  # a pipe would keep whoever looks into it
            return
        with path.open("rb") as file:
            begins = file.read(len(DATABASE))
    except (OSError, ValueError):
        return  # not there, or whoever writes will say it
    if begins == DATABASE:
        raise BoardwrightError(f"cannot write {path}: it is a database: name another file, or delete this one first")


def _refusal(verb: str, path: Path, error: OSError | ValueError) -> BoardwrightError:
    if isinstance(error, BoardwrightError):
        return error
    reason = error.strerror if isinstance(error, OSError) else "not a file's name"
    return BoardwrightError(f"cannot {verb} {str(path)!r}: {reason}")

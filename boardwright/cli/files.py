"""Files that commands read and write."""

from pathlib import Path

from boardwright.errors import BoardwrightError
from boardwright.wholefile import write_whole


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
    """Writes an ordinary file whole or not at all; what is no ordinary file, such as a pipe, is written to."""
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        write_whole(path.resolve(), text.encode())
    except (OSError, ValueError) as error:
        raise _refusal("write", path, error) from error


def _refusal(verb: str, path: Path, error: OSError | ValueError) -> BoardwrightError:
    if isinstance(error, BoardwrightError):
        return error
    reason = error.strerror if isinstance(error, OSError) else "not a file's name"
    return BoardwrightError(f"cannot {verb} {str(path)!r}: {reason}")

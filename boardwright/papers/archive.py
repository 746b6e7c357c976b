"""The data behind a results page as one compressed file: what a page is made of, without checkpoints and programs.

`boardwright paper NAME --archive FILE` writes it and `--work FILE` reads it. It is a tar file compressed by xz, of the
same bytes for the same data.
"""

import io
import lzma
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from boardwright.atomicfile import write_atomic
from boardwright.errors import BoardwrightError

SUFFIX = ".tar.xz"
DATA_NAMES = ("*.json", "metrics.sqlite")
MAX_FILES = 20_000
MAX_BYTES = 256 << 20  # of all files together


def pack(folder: Path, archive: Path, extra: tuple[str, ...] = ()) -> int:
    """Writes the data in a work folder into an archive and returns the number of files.

    `extra` are further patterns of file names, such as `best.net`.
    """
    files = sorted({path for name in (*DATA_NAMES, *extra) for path in folder.rglob(name) if path.is_file()})
    if not files:
        raise BoardwrightError(f"--archive {archive}: {folder} holds no data")
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files:
            data = path.read_bytes()
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    try:
        write_atomic(archive, lzma.compress(written.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    except OSError as error:
        raise BoardwrightError(f"--archive {archive}: {error.strerror}") from error
    return len(files)


def unpack(archive: Path, folder: Path) -> None:
    """Extracts an archive into a folder; raises BoardwrightError for what `pack` would not have written."""
    try:
        for name, data in _members(archive):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise BoardwrightError(f"--work {archive}: not an archive of results, or damaged ({error})") from error
    except OSError as error:
        raise BoardwrightError(f"--work {archive}: {error.strerror or error}") from error


def _members(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    with lzma.open(archive) as compressed:
        data = compressed.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise tarfile.TarError(f"more than {MAX_BYTES} bytes")
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        for count, member in enumerate(tar):
            name = PurePosixPath(member.name)
            if count == MAX_FILES:
                raise tarfile.TarError(f"more than {MAX_FILES} files")
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or name.is_absolute() or ".." in name.parts:
                raise tarfile.TarError(f"{member.name!r} is not a plain file inside the folder")
            yield name, content.read()

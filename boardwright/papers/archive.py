"""The data behind a results page as one compressed file: what a page is made of, without checkpoints and programs.

`boardwright paper NAME --archive FILE` writes it and `--work FILE` reads it. It is a tar file compressed by xz, of the
same bytes for the same data.
"""

import io
import lzma
import tarfile
from pathlib import Path, PurePosixPath

from boardwright.atomicfile import write_atomic
from boardwright.errors import BoardwrightError, reraise_as

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
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(member, file)
    with reraise_as(BoardwrightError, f"--archive {archive}"):
        write_atomic(archive, lzma.compress(written.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    return len(files)


def unpack(archive: Path, folder: Path) -> None:
    """Extracts an archive into a folder; raises BoardwrightError for what `pack` would not have written."""
    damaged = f"--work {archive}: not an archive of results, or damaged"
    with (
        reraise_as(BoardwrightError, f"--work {archive}"),
        reraise_as(BoardwrightError, damaged, tarfile.TarError, lzma.LZMAError, EOFError),
        lzma.open(archive) as compressed,
    ):
        data = compressed.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise tarfile.TarError(f"more than {MAX_BYTES} bytes")
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for count, member in enumerate(tar):
                name = PurePosixPath(member.name)
                if count == MAX_FILES:
                    raise tarfile.TarError(f"more than {MAX_FILES} files")
                if not member.isreg() or name.is_absolute() or ".." in name.parts:
                    raise tarfile.TarError(f"{member.name!r} is not a plain file inside the folder")
                tar.extract(member, folder, filter="data")

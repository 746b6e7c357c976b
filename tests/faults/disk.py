"""A folder as it was after any call of a log: what a killed process leaves, or a machine that lost its power.

After a power cut a file has what it had when it was last synced. Its names are either as the last call left them, or as
they were at the last sync of anything: a journal of a file system keeps their order.
"""

import shutil
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from shim import Call

SHARED_MEMORY = "-shm"  # ends the name of SQLite's index of its log, which it makes again when the first process opens


class Loss(Enum):
    """What is lost."""

    NOTHING = "kill"
    DATA = "power cut, names kept"
    DATA_AND_NAMES = "power cut"


@dataclass(eq=False)
class File:
    """What a file has, and what it had when it was last synced."""

    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""


class Disk:
    """The files and folders below a folder, by path; the value of a folder is None."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._names: dict[str, File | None] = {}
        for path in folder.rglob("*"):
            data = b"" if path.is_dir() else path.read_bytes()
            self._names[str(path)] = None if path.is_dir() else File(bytearray(data), data)
        self._synced_names = dict(self._names)

    def apply(self, call: Call) -> None:
        """Does what a call did."""
        if SHARED_MEMORY in call.path:
            return
        file = self._names.get(call.path)
        match call.kind:
            case "write" if file is not None:
                end = call.offset + len(call.data)
                file.data.extend(bytes(max(0, end - len(file.data))))
                file.data[call.offset : end] = call.data
            case "truncate" if file is not None:
                del file.data[call.offset :]
                file.data.extend(bytes(call.offset - len(file.data)))
            case "create":
                if file is None:
                    self._names[call.path] = File()
                else:
                    file.data.clear()
            case "mkdir":
                self._names[call.path] = None
            case "unlink":
                self._names.pop(call.path, None)
            case "link":
                self._names[call.other] = file
            case "rename":
                self._rename(call.path, call.other)
            case "sync":
                if file is not None:
                    file.synced = bytes(file.data)
                self._synced_names = dict(self._names)

    def _rename(self, path: str, other: str) -> None:
        inside = [name for name in self._names if name.startswith(f"{path}/")]
        for name in (path, *inside):
            self._names[other + name.removeprefix(path)] = self._names.pop(name)

    def contents(self, loss: Loss) -> dict[str, bytes | None]:
        """What is in the files after a loss, by path; None is a folder."""
        names = self._synced_names if loss is Loss.DATA_AND_NAMES else self._names
        return {
            name: None if file is None else bytes(file.data) if loss is Loss.NOTHING else file.synced
            for name, file in names.items()
        }

    def write(self, loss: Loss) -> None:
        """Makes the folder as it is after a loss."""
        shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True)
        for name, data in sorted(self.contents(loss).items()):
            if data is None:
                Path(name).mkdir(parents=True)
            else:
                Path(name).write_bytes(data)


def contents_of(folder: Path) -> dict[str, bytes | None]:
    """What is in the files of a real folder, by path; None is a folder."""
    found = {str(path): None if path.is_dir() else path.read_bytes() for path in folder.rglob("*")}
    return {name: data for name, data in found.items() if not name.endswith(SHARED_MEMORY)}

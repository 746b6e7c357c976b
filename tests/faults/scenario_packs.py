"""A run that is packed over an older pack, and the pack unpacked into a new folder."""

import shutil
from pathlib import Path

import pytest
from scenario import Attempts, Facts, Scenario
from scenario_training import train

from boardwright.errors import RunError
from boardwright.learn.run import packing
from boardwright.learn.run.metrics import progress

NETS = 2


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Packs(Scenario):
    """A pack is the older or the newer one; a folder that was not unpacked to its end is not taken for a run."""

    unpacked: dict[str, bytes]

    def prepare(self, folder: Path) -> Facts:
        run = folder / "run"
        train(run, 5)
        packing.pack(run, folder / "pack", nets=NETS)
        train(run, 1000)
        packing.pack(run, folder / "new", nets=NETS)
        packing.unpack(folder / "new", folder / "unpacked")
        self.unpacked = files_of(folder / "unpacked")
        (folder / "new").unlink()
        shutil.rmtree(folder / "unpacked")
        return {"pack": 1}

    def work(self, folder: Path, attempt: Attempts) -> None:
        packed = attempt(lambda: packing.pack(folder / "run", folder / "pack", nets=NETS))
        attempt.acknowledge("pack", packed.progress.iteration)
        target = folder / "unpacked"
        if target.exists() and any(target.iterdir()):  # of a killed process: the user is told to give a new folder
            with pytest.raises(RunError, match="it is not empty: give a new folder"):
                packing.unpack(folder / "pack", target)
            shutil.rmtree(target)
        attempt(lambda: packing.unpack(folder / "pack", target))
        attempt.acknowledge("unpacked")

    def check(self, folder: Path, facts: Facts) -> None:
        packing.unpack(folder / "pack", folder / "check")
        assert progress(folder / "check")[0] >= facts["pack"]
        shutil.rmtree(folder / "check")
        if "unpacked" in facts:
            assert files_of(folder / "unpacked") == self.unpacked


SCENARIO = Packs()

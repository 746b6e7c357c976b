"""A run that is trained in pieces: its settings, checkpoints, metrics, nets, the best net and its portable state."""

import functools
import tempfile
from pathlib import Path
from typing import Any

from drift import USUAL, Config, Drift
from scenario import Attempts, Facts, Scenario

from boardwright.learn.run import arrayfile, checkpoint, loop, portable_state
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.nets import netfile

CONFIG = Config(iterations=2)
PIECES = 5  # chunks and ends of iterations before the stop


def train(folder: Path, steps: int) -> int:
    """Trains some steps and returns the number of the checkpoint of its end."""
    left = iter(range(steps))
    observer = RunObserver(stopped=lambda: next(left, None) is None)
    return loop.train(Drift(CONFIG), folder, observer).number


def results_of(folder: Path) -> dict[str, Any]:
    """Everything in the folder of a run that does not hang on its times."""
    history, kept = read_metrics(folder), checkpoint.restore(folder / "checkpoints", Drift(CONFIG).initialise())
    assert kept is not None
    nets = {path.name: netfile.read(path).weights for path in sorted((folder / "nets").glob("*.net"))}
    path = folder / portable_state.NAME
    (file, progress), data = portable_state.read(path), path.read_bytes()
    arrays = {name: data[begin:end] for name, (begin, end) in file.offsets.items()}
    arrays.pop(arrayfile.CHECKSUM)  # of times too
    return {
        "metrics": {
            name: (series.iterations.tolist(), series.values.tolist())
            for name, series in history.scalars.items()
            if not name.startswith(("time/", "speed/"))
        },
        "nets": {name: {key: value.tobytes() for key, value in net.items()} for name, net in nets.items()},
        "state": {name: leaf.tobytes() for name, leaf in checkpoint.name_leaves(kept.tree).items()},
        "number": kept.number,
        "portable": arrays,
        "progress": progress.number,
    }


@functools.cache
def expected_results() -> dict[str, Any]:
    """The results of a run that was not disturbed."""
    with tempfile.TemporaryDirectory() as folder:
        assert train(Path(folder), 1000)
        return results_of(Path(folder))


class Training(Scenario):
    """A run resumes from the last checkpoint that was written when it stopped, to the same end."""

    def work(self, folder: Path, attempt: Attempts) -> None:
        run = folder / "run"
        for steps in (PIECES, 1000):
            number = attempt(lambda steps=steps: train(run, steps))
            attempt.acknowledge("checkpoint", number)

    def check(self, folder: Path, facts: Facts) -> None:
        checkpoints = folder / "run" / "checkpoints"
        if "checkpoint" in facts:
            restored = checkpoint.restore(checkpoints, Drift(USUAL).initialise())
            assert restored is not None
            assert restored.number >= facts["checkpoint"]
            assert restored.warnings == ()

    def check_end(self, folder: Path) -> None:
        super().check_end(folder)
        found = results_of(folder / "run")
        assert not {name: found[name] for name in found if found[name] != expected_results()[name]}


SCENARIO = Training()

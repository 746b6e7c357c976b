"""Whether a folder has a run to resume."""

import json
from pathlib import Path

import safetensors

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, checkpoint, league, metrics, portable_state


def can_resume(folder: Path) -> bool:
    """Whether a folder has a run to resume; raises RunError where a new run would overwrite the rest of one.

    The rest of a run is metrics and nets without checkpoints, as published.
    """
    if checkpoint.find_checkpoints(folder / "checkpoints"):
        return True
    unpacked, nets = portable_state.path_in(folder, portable_state.UNPACKED), folder / "nets"
    if unpacked.exists():  # metrics may be of more than was packed
        first, found, best = portable_state.read(unpacked)[1].iteration, [], []
    else:
        measured = metrics.progress(folder)[0] if (folder / metrics.NAME).exists() else 0
        first, found = 0, [f"metrics up to iteration {measured}"] if measured else []
        best = [path for path in sorted(nets.glob("best.*")) if _iteration(path)]
    later = [league.path_of(nets, number) for number in league.iterations_in(nets) if number > first]
    found += [f"nets/{path.name}" for path in (later or best)[-1:]]
    if found:
        raise RunError(
            f"{folder} has {' and '.join(found)}, but no checkpoint to resume from, and a new run would overwrite "
            f"that: restore its checkpoints, unpack it again if it was packed, or give another --out"
        )
    return unpacked.exists()


def _iteration(path: Path) -> int | None:
    """The iteration of a net or an auto-encoder; 1 where the file does not say."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return 1
        with safetensors.safe_open(path, "numpy") as file:
            return json.loads(file.metadata()[arrayfile.KEY])["training"]["iteration"]
    except (safetensors.SafetensorError, OSError, ValueError, KeyError, TypeError):
        return 1

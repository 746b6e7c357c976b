"""What lies in a run's folder from before: a run to go on with, nothing that would be missed, or the rest of a run.

The rest of a run (metrics, nets) is what a published folder holds, or one whose checkpoints were thrown away. A run
that began there would write over it, so it does not.
"""

from __future__ import annotations

from pathlib import Path

from boardwright.errors import NetError, RunError
from boardwright.learn.run import arrayfile, checkpoint, league, metrics, portable_state
from boardwright.nets import netfile


def can_go_on(folder: Path) -> bool:
    """Whether a run is there; else one may begin. Raises RunError where what is left of one would be lost."""
    if checkpoint.numbered(folder / "checkpoints"):
        return True
    is_unpacked = (folder / portable_state.UNPACKED).exists()
    begins_after = (
        portable_state.progress_of(portable_state.read(folder / portable_state.UNPACKED)).iteration
        if is_unpacked
        else 0
    )
    found = [] if is_unpacked else _measured(folder)  # what was packed may have measured more than it took along
    found += _nets_after(folder / "nets", begins_after, with_best=not is_unpacked)
    if found:
        raise RunError(
            f"{folder} holds {' and '.join(found)}, but no checkpoint to go on from, and a new run would write over "
            f"that: put its checkpoints back, unpack it anew if it was packed, or give another --out"
        )
    return is_unpacked


def _measured(folder: Path) -> list[str]:
    """The metrics of iterations, in words."""
    iteration = metrics.progress(folder)[0] if (folder / metrics.NAME).exists() else 0
    return [f"metrics up to iteration {iteration}"] if iteration else []


def _nets_after(nets: Path, iteration: int, *, with_best: bool) -> list[str]:
    """The last net after an iteration, in words."""
    there = [number for number in league.kept(nets) if number > iteration]
    if there:
        return [f"nets/{league.path_of(nets, there[-1]).name}"]
    best = sorted(nets.glob("best.*")) if with_best else []
    return [f"nets/{path.name}" for path in best if not _is_first(path)]


def _is_first(path: Path) -> bool:
    """Whether a net, or an auto-encoder, is that of iteration 0: from what a run makes before it does anything."""
    try:
        if path.name == league.BEST:
            return netfile.read(path).training.get("iteration") == 0
        return arrayfile.read(path).header["training"]["iteration"] == 0
    except (NetError, RunError, KeyError, TypeError):
        return False

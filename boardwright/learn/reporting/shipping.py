"""Packaged nets: a net of a run in bfloat16, with its provenance in the header.

The provenance is what the run stores in its nets (method, settings, iteration, frames, devices, version), the commit of
the source, GPU-minutes, and the curve of its strength.
"""

import datetime
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardwright.errors import RunError, reraise_as
from boardwright.learn.reporting.rating import NAMES
from boardwright.learn.run import league
from boardwright.learn.run.league import BEST
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.nets import netfile, shipped

SOURCE = Path(__file__).parent.parent.parent  # of the package, where that is a checkout
PATHS = ("tablebase_dir", "init_from", "tables", "initial")  # settings that name files, the last two in old runs


def ship(run: Path, name: str, *, iteration: int | None = None, folder: Path | None = None) -> Path:
    """Writes the best net of a run, or that of an iteration, into the folder of packaged nets, or into another.

    Raises RunError or NetError.
    """
    if not re.fullmatch("[a-z0-9][a-z0-9-]{0,60}", name):
        raise RunError(f"net name {name!r}: expected small letters, digits and dashes, such as tablut-small")
    history = read_metrics(run)
    net = netfile.read(_net_of(run, iteration))
    folder = shipped.FOLDER if folder is None else folder
    path = folder / f"{name}{shipped.SUFFIX}"
    there = netfile.read(path) if path.exists() else net
    if there.game != net.game or netfile.differing_rules(there, netfile.game_of(net)):
        raise RunError(f"{path} is a net of another game or other rules: choose another name, or remove it first")
    with reraise_as(RunError, f"cannot write into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    netfile.write(
        path,
        config=net.config,
        game=netfile.game_of(net),
        weights=net.weights,
        training=provenance(net.training, history),
        storage="bfloat16",
    )
    return path


def provenance(training: Mapping[str, Any], history: History) -> dict[str, Any]:
    """The `training` of a packaged net, from that of a net in a run; all JSON."""
    iteration, settings = int(training["iteration"]), training["config"]
    seconds = history.by_iteration("time/device_seconds").get(iteration)
    return {
        **training,
        # Without the folders of files on the machine that trained.
        "config": {key: Path(value).name if key in PATHS and value else value for key, value in settings.items()},
        "commit": commit(),
        "device_minutes": None if seconds is None else round(seconds / 60, 2),
        "elo": _elo_curve(history, iteration),
        "shipped": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def commit() -> str | None:
    """The commit of the source, with a plus where it has been changed since; None where it is no checkout."""
    if not (SOURCE / ".git").exists():
        return None
    try:
        return _git("rev-parse", "HEAD") + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(SOURCE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()


def _net_of(run: Path, iteration: int | None) -> Path:
    there = league.iterations_in(run / "nets")
    if iteration is None and (run / "nets" / BEST).is_file():
        return run / "nets" / BEST
    if not there:
        raise RunError(f"{run} holds no nets: give the --out of a training run")
    target = there[-1] if iteration is None else iteration
    if target not in there:
        nearest = min(there, key=lambda other: (abs(other - target), other))
        raise RunError(f"{run} holds no net of iteration {target}: the nearest is that of {nearest}")
    return league.path_of(run / "nets", target)


def _elo_curve(history: History, last: int) -> list[dict[str, float]]:
    """Ratings with their intervals up to an iteration, iteration 0 being 0 Elo."""
    elo = history.scalars.get(NAMES[0])
    if elo is None:
        return []
    low, high = map(history.by_iteration, NAMES[1:])
    points = zip(elo.iterations.tolist(), elo.frames.tolist(), elo.values.tolist(), strict=True)
    return [
        {
            "iteration": iteration,
            "frames": frames,
            "elo": round(value, 1),
            "low": round(low[iteration], 1),
            "high": round(high[iteration], 1),
        }
        for iteration, frames, value in points
        if iteration <= last
    ]

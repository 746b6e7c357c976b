"""Nets for others: a net of a run in bfloat16, with where it comes from in its header.

To what the run itself says of its nets (method, settings, iteration, frames, devices, version) come the commit of the
source that ships it, minutes of devices, and the curve of its strength. So a net tells by itself what it took to
make it.
"""

from __future__ import annotations

import datetime
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardwright.errors import RunError
from boardwright.learn.reporting.figures import minutes
from boardwright.learn.run import league
from boardwright.learn.run.league import BEST
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.nets import netfile, shipped
from boardwright.nets.netfile import NetFile

SOURCE = Path(__file__).parent.parent.parent  # of the package, where that is a checkout
PATHS = ("tablebase_dir", "init_from", "tables", "initial")  # settings that name files, the last two in old runs
ELO = ("evaluation/elo", "evaluation/elo_low", "evaluation/elo_high")


def ship(run: Path, name: str, *, iteration: int | None = None, folder: Path | None = None) -> Path:
    """Writes the net of a run that plays, or that of an iteration, where nets are that ship, or into another folder.

    Raises RunError or NetError.
    """
    if not re.fullmatch("[a-z0-9][a-z0-9-]{0,60}", name):
        raise RunError(f"net name {name!r}: expected small letters, digits and dashes, such as tablut-small")
    history = read_metrics(run)
    net = netfile.read(_net_of(run, iteration))
    folder = shipped.FOLDER if folder is None else folder
    path = folder / f"{name}{shipped.SUFFIX}"
    _check_replaced(path, net)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror}") from error
    netfile.write(
        path,
        config=net.config,
        game=netfile.game_of(net),
        weights=net.weights,
        training=provenance(net.training, history),
        storage="bfloat16",
    )
    return path


def _check_replaced(path: Path, net: NetFile) -> None:
    """Raises RunError where a net of another game or of other rules has the place of this one."""
    if not path.exists():
        return
    there = netfile.read(path)
    if there.game != net.game or netfile.differing_rules(there, netfile.game_of(net)):
        raise RunError(f"{path} is a net of another game or other rules: choose another name, or remove it first")


def provenance(training: Mapping[str, Any], history: History) -> dict[str, Any]:
    """What a shipped net says of its training, of which it knew the first part; all JSON."""
    iteration = int(training["iteration"])
    curve = _elo_curve(history, iteration)
    used = history.scalars.get("time/device_seconds")
    spent = None if used is None else minutes(history, used.iterations[used.iterations == iteration])
    return {
        **training,
        "config": _public(training["config"]),
        "commit": commit(),
        "device_minutes": round(spent[0], 2) if spent else None,
        "elo": curve,
        "shipped": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def _public(config: Mapping[str, Any]) -> dict[str, Any]:
    """A run's settings, without the places that files had on the machine that trained."""
    names = {key: Path(place).name for key in PATHS if (place := config.get(key))}
    return {**config, **names}


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
    there = league.kept(run / "nets")
    if iteration is None and (run / "nets" / BEST).is_file():
        return run / "nets" / BEST
    if not there:
        raise RunError(f"{run} holds no nets: give the --out of a training run")
    wanted = there[-1] if iteration is None else iteration
    if wanted not in there:
        nearest = min(there, key=lambda kept: (abs(kept - wanted), kept))
        raise RunError(f"{run} holds no net of iteration {wanted}: the nearest is that of {nearest}")
    return league.path_of(run / "nets", wanted)


def _elo_curve(history: History, last: int) -> list[dict[str, float]]:
    """Ratings with their intervals up to an iteration, iteration 0 being 0 Elo."""
    elo = history.scalars.get(ELO[0])
    if elo is None:
        return []
    low, high = (
        dict(zip(history.scalars[name].iterations.tolist(), history.scalars[name].values.tolist(), strict=True))
        for name in ELO[1:]
    )
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

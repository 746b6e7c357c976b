"""The work folder of a paper: training runs, and results of games as JSON files, each made where it is missing.

A page can be made of a copy of the folder, or of one made elsewhere, in which little more than settings and metrics is
left of the runs.
"""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax

from boardwright.arena.backends import local_backend, play
from boardwright.arena.event import Conditions, Event
from boardwright.arena.tally import match_tally
from boardwright.atomicfile import write_atomic
from boardwright.errors import BoardwrightError, reraise_as
from boardwright.games.base import Game
from boardwright.games.registry import current_rule_name
from boardwright.learn.run import config_file, loop
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.method import Method, RunObserver
from boardwright.learn.run.metrics import NAME as METRICS
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.stats.score import Score

CONDITIONS = "told"  # the key in result files of what a result depends on: a name that published data has
OTHER_RUN_FOLDER = re.compile(r"[^=]*(?=runs/[a-z-]+-\d+/nets/)")  # the folder before the name of another run's file


class StoppedError(Exception):
    """The work was stopped; what is done is saved, and the same command resumes."""


def load_or_play(
    path: Path,
    conditions: Any,
    make: Callable[[], Any] | None,
    observer: RunObserver,
    *,
    nets: Sequence[Path] = (),
    on_device: bool = False,
) -> Any:
    """The result in a file if it is of these nets, else that of `make`, which is saved.

    Without nets a saved result counts, of any nets; without `make` there is None where none is saved. Raises
    BoardwrightError for a result of other conditions, which may have taken hours, or that cannot be saved, and
    StoppedError.
    """
    checksums = [zlib.crc32(net.read_bytes()) for net in nets]
    saved = _read_result(path)
    if saved is not None:
        if saved[CONDITIONS] != json.loads(json.dumps(conditions)):  # where tuples are lists
            raise BoardwrightError(
                f"{path} has results of other settings ({json.dumps(saved[CONDITIONS])}, not "
                f"{json.dumps(conditions)}): give the same ones or another folder, or move that file away"
            )
        if not nets or saved.get("nets") == checksums:
            return saved["played"]
    if make is None:
        return None
    if observer.stopped():
        raise StoppedError
    played = make()
    device = jax.devices()[0].device_kind if on_device else None
    result = {CONDITIONS: conditions, "nets": checksums, "device": device, "played": played}
    with reraise_as(BoardwrightError, f"cannot write {path}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(result).encode())
    return played


def _read_result(path: Path) -> dict[str, Any] | None:
    """A saved result: its conditions, `nets` and what was `played`; None without one, or for a damaged file."""
    saved = read_table(path) or {}
    conditions = saved.get(CONDITIONS)
    if "found" in saved and isinstance(conditions, list):  # an older file, whose conditions end with the net
        return {CONDITIONS: conditions[:-1], "nets": conditions[-1:], "played": saved["found"]}
    if isinstance(conditions, dict) and "rules" in conditions:
        conditions["rules"] = [current_rule_name(conditions["game"], rules) for rules in conditions["rules"]]
    return {CONDITIONS: None, **saved} if "played" in saved else None


def read_table(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None without one."""
    try:
        table = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return table if isinstance(table, dict) else None


def play_match(
    game: Game,
    players: tuple[str, str],
    games: int,
    on_game: Callable[[int, int], None],
    *,
    openings: str,
    seed: int,
    workers: int,
) -> tuple[Score, Score]:
    """The first player's scores in role 0 and in role 1, by games in the scalar engine; `on_game` counts them."""
    event = Event(
        game=game.name, rules=game.rules, players=players, openings=openings, seed=seed, conditions=Conditions()
    )
    event.check()
    done = []
    for played in play(event, itertools.islice(event.schedule(), games), local_backend(workers)):
        done.append(played)
        on_game(len(done), games)
    first, second = match_tally(done).a
    return first.score, second.score


def train_to_end(method: Method[Any], folder: Path, observer: RunObserver) -> None:
    """Trains a run, or resumes it, to its end; raises StoppedError when the observer stops it."""
    if loop.train(method, folder, observer).iteration < method.config.iterations:
        raise StoppedError


def has_ended(folder: Path, method: str, config: Any) -> bool:
    """Whether a folder holds a run of these settings with all its iterations."""
    if not ((folder / METRICS).exists() and is_same_run(folder, method, config)):
        return False  # the loop reports the reason
    return finished_iterations(read_metrics(folder)) >= config.iterations


def finished_iterations(history: History) -> int:
    """How many iterations a run has done and measured, with the evaluation after the last of them."""
    return max(history.by_iteration("speed/seconds"), default=0)


def is_same_run(folder: Path, method: str, config: Any) -> bool:
    """Whether a run has these settings; its folder may have moved, and newer settings have their defaults."""
    if read_table(folder / CONFIG) is None:
        return False
    found = config_file.with_defaults(config_file.read(folder), config)
    return _without_folders(found) == _without_folders(config_file.contents(method, config))


def _without_folders(value: Any) -> Any:
    """Settings in which files of other runs are named relative to the work folder."""
    if isinstance(value, dict):
        return {name: _without_folders(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_folders(part) for part in value]
    return OTHER_RUN_FOLDER.sub("", value) if isinstance(value, str) else value

"""Files that are replaced as a whole: settings of a run, pages, nets, ratings and results of papers."""

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from drift import GAME, NET, Config
from scenario import Attempts, Facts, Scenario

from boardwright.arena import ladder_file
from boardwright.cli.common import write_text
from boardwright.games.registry import game
from boardwright.learn.run import config_file
from boardwright.learn.run.method import RunObserver
from boardwright.nets import netfile
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.papers.work_folder import load_or_play

VERSIONS = range(3)  # the contents that each file has in turn, by number
RATED = ladder_file.shipped_ratings(game("tablut"))


def write_net(path: Path, version: int) -> None:
    shapes = weight_shapes(NET, interface_of(NET, GAME))
    weights = {name: np.full(shape, version, np.float32) for name, shape in shapes.items()}
    netfile.write(path, config=NET, game=GAME, weights=weights, training={"iteration": version})


def read_net(path: Path) -> int:
    net = netfile.read(path, game=GAME)
    assert all((weight == net.training["iteration"]).all() for weight in net.weights.values())
    return net.training["iteration"]


def write_ratings(path: Path, version: int) -> None:
    assert RATED is not None
    ladder_file.write(path, dataclasses.replace(RATED, games=version))


KINDS: dict[str, tuple[Callable[[Path, int], Any], Callable[[Path], int]]] = {
    "page.md": (lambda path, version: write_text(path, f"{version}\n" * 3000), lambda path: _read_page(path)),
    "config.json": (
        lambda path, version: config_file.write(path.parent, "drift", Config(seed=version)),
        lambda path: config_file.read(path.parent)["seed"],
    ),
    "small.net": (write_net, read_net),
    "ratings.json": (write_ratings, lambda path: ladder_file.read(path).games),
}


def _read_page(path: Path) -> int:
    (line,) = set(path.read_text().splitlines())
    assert path.stat().st_size == 6000
    return int(line)


class Files(Scenario):
    """A file has one of its versions as a whole, and at least the last that was acknowledged."""

    def prepare(self, folder: Path) -> Facts:
        for name, (write, _) in KINDS.items():
            write(folder / name, 0)
        return dict.fromkeys(KINDS, 0)

    def work(self, folder: Path, attempt: Attempts) -> None:
        for version in VERSIONS:
            for name, (write, _) in KINDS.items():
                attempt(partial(write, folder / name, version))
                attempt.acknowledge(name, version)
            result = folder / f"result-{version}.json"
            attempt(partial(load_or_play, result, {"seed": 0}, partial(int, version), RunObserver()))
            attempt.acknowledge(result.name, version)

    def check(self, folder: Path, facts: Facts) -> None:
        for name, (_, read) in KINDS.items():
            found = read(folder / name)
            assert found in VERSIONS[facts[name] :], (name, found)
        for path in folder.glob("result-*.json"):
            assert load_or_play(path, {"seed": 0}, None, RunObserver()) == int(path.stem[-1])
        assert facts.keys() <= {path.name for path in folder.iterdir()}


SCENARIO = Files()

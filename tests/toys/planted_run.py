"""Folders as training runs leave them, without the training."""

import json
from pathlib import Path

import numpy as np

import boardwright
from boardwright.learn.run.metrics import Metrics
from boardwright.nets import netfile
from boardwright.nets.config import Architecture, NetConfig
from boardwright.nets.layout import interface_of, weight_shapes

RESIDUAL = NetConfig(blocks=1, width=8)


def plant_run(folder: Path, method: str = "alphazero", game: str = "draughts", iterations: int = 10) -> Path:
    """A run that has not measured anything yet."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"method": method, "game": game, "iterations": iterations}))
    return folder


def plant_broken_net(runs: Path, name: str, game: str) -> Path:
    """A run whose best net is not a net file."""
    nets = plant_run(runs / name, game=game, iterations=3) / "nets"
    nets.mkdir()
    (nets / "best.net").write_bytes(b"no net")
    return nets / "best.net"


def log(folder: Path, iterations: range) -> None:
    """What a run measures in some iterations."""
    with Metrics(folder) as metrics:
        for iteration in iterations:
            metrics.log(iteration, 100 * iteration, {"loss/total": 3 / iteration, "selfplay/role0_wins": 0.5})
            if iteration % 2 == 0:
                elo = 50.0 * iteration
                rating = {"evaluation/elo": elo, "evaluation/elo_low": elo - 40, "evaluation/elo_high": elo + 40}
                metrics.log(iteration, 100 * iteration, rating)


def plant_net(
    run: Path,
    iteration: int,
    game: str = "draughts",
    config: Architecture = RESIDUAL,
    observation: str | None = None,
    rules: str | None = None,
) -> None:
    """A net of small random weights, kept after an iteration."""
    bound, chance = boardwright.game(game, rules, observation), np.random.default_rng(iteration)
    shapes = weight_shapes(config, interface_of(config, bound))
    weights = {name: chance.uniform(0.1, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    (run / "nets").mkdir(exist_ok=True)
    path = run / "nets" / f"{iteration:06d}.net"
    netfile.write(path, config=config, game=bound, weights=weights, training={"method": "alphazero"})

"""Nets with random weights and random running statistics, so that nothing is left out unnoticed."""

from pathlib import Path

import numpy as np

from boardwright.games.base import Game
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.layout import interface_of, weight_shapes


def weights(config: Architecture, game: Game, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    drawn = {}
    for name, shape in weight_shapes(config, interface_of(config, game)).items():
        numbers = rng.normal(size=shape)
        if name.endswith("/kernel"):
            numbers /= np.sqrt(np.prod(shape[:-1]))
        elif name.endswith("/var"):
            numbers = rng.uniform(0.3, 3, shape)
        elif name.endswith("/scale"):
            numbers = 1 + 0.3 * numbers
        drawn[name] = numbers.astype(np.float32)
    return drawn


def observations(game: Game, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(random planes [count, rows, columns, planes] float32, roles [count] int8, both of them among them)."""
    rng = np.random.default_rng(seed)
    return rng.random((count, *game.observation_shape), np.float32), (np.arange(count) % 2).astype(np.int8)


def net_file(folder: Path, config: Architecture, game: Game, **options) -> Path:
    path = folder / "scrambled.net"
    netfile.write(path, config=config, game=game, weights=weights(config, game), training={"steps": 7}, **options)
    return path

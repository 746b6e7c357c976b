"""Nets from files that meet: of two architectures, at a game that knows its better player."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardwright.errors import NetError
from boardwright.games import registry
from boardwright.learn.meeting import meet
from boardwright.nets import netfile
from boardwright.nets.config import NetConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.netfile import NetFile

SIZES: dict[str, Any] = {"games": 16, "simulations": 4, "opening_plies": 2, "seed": 5}


def net(path: Path, game: str, width: int, rules: str | None = None) -> NetFile:
    bound, config = registry.game(game, rules), NetConfig(blocks=1, width=width, policy="dense")
    shapes, chance = weight_shapes(config, interface_of(config, bound)), np.random.default_rng(width)
    weights = {name: chance.uniform(0.1, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    netfile.write(path, config=config, game=bound, weights=weights, training={})
    return netfile.read(path)


def test_nets_of_two_architectures_meet(tmp_path: Path) -> None:
    small, large = (net(tmp_path / f"{width}.net", "tictactoe", width) for width in (4, 8))
    heard: list[float] = []
    (score,) = meet(small, [large], **SIZES, heard=heard.append)
    assert (score.games, sum(score.pairs)) == (16, 8)
    assert [score.wins[role] + score.draws[role] + score.losses[role] for role in (0, 1)] == [8, 8]
    assert (heard[0], heard[-1]) == (0.0, 1.0)
    assert meet(small, [large], **SIZES) == [score]  # nothing but the seed decides


def test_nets_that_cannot_meet(tmp_path: Path) -> None:
    toy = net(tmp_path / "toy.net", "tictactoe", 4)
    zero, other = (net(tmp_path / f"{rules}.net", "tablut", 4, rules=rules) for rules in ("zero", "mcgill"))
    for one, two in ((toy, zero), (zero, other)):
        with pytest.raises(NetError, match="not of the game and rules of"):
            meet(one, [two], **SIZES)
    with pytest.raises(NetError, match="built otherwise"):
        meet(toy, [toy, net(tmp_path / "wide.net", "tictactoe", 8)], **SIZES)

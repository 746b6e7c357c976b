"""Matches between nets from files: of two architectures, at a game whose better player is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boardwright.errors import NetError
from boardwright.games import registry
from boardwright.learn.match.matches import play_nets
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


def test_nets_of_two_architectures_play_each_other(tmp_path: Path) -> None:
    small, large = (net(tmp_path / f"{width}.net", "tictactoe", width) for width in (4, 8))
    received: list[float] = []
    (score,) = play_nets(small, [large], **SIZES, on_share=received.append)
    assert (score.games, sum(score.pairs)) == (16, 8)
    assert [score.wins[role] + score.draws[role] + score.losses[role] for role in (0, 1)] == [8, 8]
    assert (received[0], received[-1]) == (0.0, 1.0)
    assert play_nets(small, [large], **SIZES) == [score]  # nothing but the seed decides


def preferring(path: Path, width: int, cells: list[int]) -> NetFile:
    """A net that sees nothing and takes the first of some cells that is free."""
    bound, config = registry.game("tictactoe"), NetConfig(blocks=1, width=width, policy="dense")
    shapes = weight_shapes(config, interface_of(config, bound))
    weights = {name: np.full(shape, name.endswith("/var"), np.float32) for name, shape in shapes.items()}
    weights["params/policy_0/logits/bias"][cells] = 4.0 * np.arange(len(cells), 0, -1)
    netfile.write(path, config=config, game=bound, weights=weights, training={})
    return netfile.read(path)


def test_score_is_from_the_challengers_side(tmp_path: Path) -> None:
    """Centre and corners first never loses a pair to edges first, and from 51 of 72 openings wins both games."""
    strong = preferring(tmp_path / "strong.net", 4, [4, 0, 8, 2, 6, 1, 3, 5, 7])
    weak = preferring(tmp_path / "weak.net", 8, [1, 3, 5, 7, 0, 2, 6, 8, 4])
    sizes = {**SIZES, "simulations": 1}  # so that each does as it likes
    (won,), (lost,) = play_nets(strong, [weak], **sizes), play_nets(weak, [strong], **sizes)
    assert won.pairs[:2] == (0, 0)
    assert won.pairs[4] > 0
    assert won.points > 0.5 > lost.points
    assert lost.pairs == won.pairs[::-1]  # from the same openings


def test_nets_of_different_games_are_refused(tmp_path: Path) -> None:
    toy = net(tmp_path / "toy.net", "tictactoe", 4)
    zero, other = (net(tmp_path / f"{rules}.net", "tablut", 4, rules=rules) for rules in ("tablutzero", "mcgill"))
    for one, two in ((toy, zero), (zero, other)):
        with pytest.raises(NetError, match="made for another game or other rules than"):
            play_nets(one, [two], **SIZES)
    with pytest.raises(NetError, match="its architecture or observation differs"):
        play_nets(toy, [toy, net(tmp_path / "wide.net", "tictactoe", 8)], **SIZES)

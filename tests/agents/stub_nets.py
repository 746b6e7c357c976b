"""Evaluations that stand in for nets, untrained nets, and a watch that stops a search. Not a test itself."""

import random
import threading
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.agents.alphazero import AlphaZeroPlayer
from boardwright.agents.base import Choice, Limit
from boardwright.agents.netplayers import Evaluate
from boardwright.games.base import Game, Position, SearchResources
from boardwright.nets import netfile
from boardwright.nets.config import Architecture, NetConfig
from boardwright.nets.layout import interface_of, weight_shapes

SMALL = NetConfig(blocks=1, width=8, heads="by-role", value="wdl")


class StoppableWatch:
    """Collects the reports of a search and stops it after some seconds."""

    def __init__(self, seconds: float) -> None:
        self.stopped = False
        self.reports: list[Choice] = []
        threading.Timer(seconds, self._stop).start()

    def _stop(self) -> None:
        self.stopped = True

    def report(self, choice: Choice) -> None:
        self.reports.append(choice)


def unsure(game: Game) -> Evaluate:
    """All moves alike, every game even."""
    return lambda planes, roles: (
        np.zeros((len(roles), game.num_actions), np.float32),
        np.zeros(len(roles), np.float32),
    )


def role_0_is_ahead(game: Game, by: float) -> Evaluate:
    """All moves alike; role 0 is ahead, no matter who moves."""
    return lambda planes, roles: (
        np.zeros((len(roles), game.num_actions), np.float32),
        np.where(roles == 0, by, -by).astype(np.float32),
    )


def opinionated(game: Game, seed: int = 0) -> Evaluate:
    """Something else of every observation, the same whenever it is asked."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(game.observation_shape))
    weights, by_action = rng.normal(size=size) * 3, rng.normal(size=game.num_actions) * 3

    def evaluate(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        numbers = np.array([position.reshape(-1) @ weights for position in planes.astype(np.float64)])
        logits = 2 * np.sin(numbers[:, None] * by_action)
        return logits.astype(np.float32), np.sin(7 * numbers).astype(np.float32)

    return evaluate


def player(
    game: Game,
    evaluate: Evaluate | None = None,
    *,
    batch: int = 1,
    megabytes: int = 16,
    tables: bool = True,
    sims: int = 100,
    **options: Any,
) -> AlphaZeroPlayer:
    """A player without a net, by default one that is unsure; draughts' endgame tables on or off."""
    resources = SearchResources(game.shipped_tables if tables else None)
    return AlphaZeroPlayer(
        game, game.puct(megabytes, batch, 1, resources), evaluate or unsure(game), Limit(simulations=sims), **options
    )


def walk(game: Game, seed: int, plies: int) -> Position:
    """The position after some random plies, or the last one before the end."""
    chance, position = random.Random(seed), game.start()
    while position.plies < plies:
        following = position.play(chance.choice(position.legal_actions()))
        if following.outcome is not None:
            break
        position = following
    return position


def play_line(position: Position, line: tuple[int, ...]) -> Position:
    """The position at the end of a line; raises where it is not legal."""
    for action in line:
        position = position.play(action)
    return position


def net_file(folder: Path, game: Game, config: Architecture = SMALL, method: str | None = None) -> Path:
    """A net that has learnt nothing: random weights."""
    rng, path = np.random.default_rng(3), folder / f"{game.name}{f'-{method}' if method else ''}.net"
    weights = {
        name: np.ones(shape, np.float32) if name.endswith(("/scale", "/var")) else rng.normal(size=shape) * 0.3
        for name, shape in weight_shapes(config, interface_of(config, game)).items()
    }
    typed = {name: np.asarray(weight, np.float32) for name, weight in weights.items()}
    netfile.write(path, config=config, game=game, weights=typed, training={"method": method} if method else {})
    return path

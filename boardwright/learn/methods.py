"""The learning methods by name, as in `boardwright train` and in net files, and their presets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.learn.alphazero import presets
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.dqn import presets as dqn_presets
from boardwright.learn.dqn.method import DQN
from boardwright.learn.evaluation import presets as evaluation_presets
from boardwright.learn.evaluation.method import AlphaBetaEvaluation
from boardwright.learn.ppo import presets as ppo_presets
from boardwright.learn.ppo.method import PPO
from boardwright.learn.run.method import Method
from boardwright.learn.shared.boards import Boards
from boardwright.learn.vae import presets as vae_presets
from boardwright.learn.vae.config import VaeConfig
from boardwright.learn.vae.method import VAE

METHODS: Mapping[str, type[Any]] = {method.name: method for method in (AlphaBetaEvaluation, AlphaZero, DQN, PPO, VAE)}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "alphabeta": evaluation_presets.PRESETS,
    "alphazero": presets.PRESETS,
    "dqn": dqn_presets.PRESETS,
    "ppo": ppo_presets.PRESETS,
    "vae": vae_presets.PRESETS,
}
GENERAL: Mapping[str, Callable[[str], Mapping[str, Any]]] = {  # of games without presets of their own
    "alphazero": presets.general,
    "dqn": dqn_presets.general,
    "ppo": ppo_presets.general,
}
USUAL = {  # the preset GAME-… if none is named
    "alphabeta": "laptop",
    "alphazero": "laptop",
    "dqn": "best",
    "ppo": "best",
    "vae": "paper",
}


def preset(method: str, name: str | None, game: str) -> Any:
    """A preset of a method and a game by its name, or the usual one; raises BoardwrightError, naming what there is."""
    of_game = {known: config for known, config in PRESETS[method].items() if config.game == game}
    if not of_game and method in GENERAL:
        of_game = dict(GENERAL[method](game))
    if not of_game:
        games = sorted({config.game for config in PRESETS[method].values()})
        raise BoardwrightError(f"{method} has no presets of {game}: choose one of its games, {', '.join(games)}")
    name = f"{game}-{USUAL[method]}" if name is None else name
    if name not in of_game:
        raise UnknownNameError(f"{method} preset of {game}", name, of_game)
    return of_game[name]


def make_method(name: str, config: Any, boards: Callable[[VaeConfig], Boards]) -> Method[Any]:
    """A method for `loop.train`. `boards` plays the games that an auto-encoder learns from; only it needs players."""
    return VAE(config, boards(config)) if name == VAE.name else METHODS[name](config)

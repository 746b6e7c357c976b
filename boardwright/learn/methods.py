"""The learning methods by name, as in `boardwright train` and in net files, and their presets."""

from collections.abc import Callable, Mapping
from typing import Any

from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.learn.alphazero import config as alphazero
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.dqn import config as dqn
from boardwright.learn.dqn.method import DQN
from boardwright.learn.evaluation import config as evaluation
from boardwright.learn.evaluation.method import AlphaBetaEvaluation
from boardwright.learn.ppo import config as ppo
from boardwright.learn.ppo.method import PPO
from boardwright.learn.run.config_file import Presets
from boardwright.learn.run.method import Method
from boardwright.learn.shared.boards import Boards
from boardwright.learn.vae import config as vae
from boardwright.learn.vae.method import VAE

METHODS: Mapping[str, type[Any]] = {method.name: method for method in (AlphaBetaEvaluation, AlphaZero, DQN, PPO, VAE)}
PRESETS: Mapping[str, Presets[Any]] = {
    "alphabeta": evaluation.PRESETS,
    "alphazero": alphazero.PRESETS,
    "dqn": dqn.PRESETS,
    "ppo": ppo.PRESETS,
    "vae": vae.PRESETS,
}
# The preset GAME-… if no preset is named.
USUAL = {"alphabeta": "laptop", "alphazero": "laptop", "dqn": "best", "ppo": "best", "vae": "paper"}


def preset(method: str, name: str | None, game: str) -> Any:
    """A preset of a method and a game by its name, or the usual one; raises BoardwrightError with the known names."""
    of_game = PRESETS[method].of_game(game)
    if not of_game:
        games = sorted({config.game for config in PRESETS[method].values()})
        raise BoardwrightError(f"{method} has no presets of {game}: choose one of its games, {', '.join(games)}")
    name = f"{game}-{USUAL[method]}" if name is None else name
    if name not in of_game:
        raise UnknownNameError(f"{method} preset of {game}", name, of_game)
    return of_game[name]


def make_method(name: str, config: Any, boards: Callable[[vae.VaeConfig], Boards]) -> Method[Any]:
    """A method for `loop.train`. `boards` plays the games that an auto-encoder learns from; only it needs players."""
    return VAE(config, boards(config)) if name == VAE.name else METHODS[name](config)

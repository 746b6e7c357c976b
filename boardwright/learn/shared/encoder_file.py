"""The file an auto-encoder is kept in, and the encoder in it for other learners' nets to begin with.

Its weights have the names of a plain net's: what begins with `params/encoder/` takes the place of such a net's own.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.learn.run import arrayfile
from boardwright.learn.vae.config import VAE_FILE
from boardwright.nets.config import Architecture, PlainConfig, config_of
from boardwright.nets.vae import ENCODER

VERSION = 1
_ENCODER_OPTIONS = ("convolutions", "stride", "encoder_hidden", "latent")


@dataclass(frozen=True, eq=False)
class EncoderFile:
    """The encoder of an auto-encoder."""

    path: Path
    config: PlainConfig  # of which the encoder's part counts
    observation: str
    observation_shape: tuple[int, int, int]
    weights: Mapping[str, np.ndarray]  # float32, `params/encoder/...`

    def check_fits(self, config: PlainConfig, game: Game) -> None:
        """Raises NetError where a plain net for a game has another encoder or sees other boards."""
        for option in _ENCODER_OPTIONS:
            ours, theirs = getattr(self.config, option), getattr(config, option)
            if ours != theirs:
                raise NetError(f"{self.path}: its {option} is {ours}, the net's {theirs}: set the net's to that")
        if (self.observation, self.observation_shape) != (game.observation, game.observation_shape):
            raise NetError(
                f"{self.path}: it sees {self.observation} boards of {self.observation_shape}, "
                f"the net {game.observation} ones of {game.observation_shape}: choose the same"
            )


def write(
    path: Path, weights: Mapping[str, np.ndarray], *, config: PlainConfig, game: Game, training: Mapping[str, Any]
) -> None:
    """Writes an auto-encoder so that a file of that name is always whole."""
    header = {
        "version": VERSION,
        "architecture": {option: asdict(config)[option] for option in _ENCODER_OPTIONS},
        "game": game.name,
        "rules": asdict(game.rules),
        "observation": game.observation,
        "observation_shape": list(game.observation_shape),
        "shapes": {name: list(weight.shape) for name, weight in weights.items()},
        "training": dict(training),
    }
    arrayfile.write(path, {name: np.asarray(weight, np.float32) for name, weight in weights.items()}, header)


def read(path: Path) -> EncoderFile:
    """The encoder in a file; raises NetError where there is none."""
    try:
        file = arrayfile.read(path)
        header = file.header
        if header["version"] != VERSION:
            raise NetError(f"{path} is of format {header['version']}, not {VERSION}: update Boardwright")
        config = config_of({"kind": "plain", **{option: header["architecture"][option] for option in _ENCODER_OPTIONS}})
        assert isinstance(config, PlainConfig)
        rows, columns, planes = header["observation_shape"]
        shapes = {name: tuple(shape) for name, shape in header["shapes"].items() if name.startswith(ENCODER)}
        weights = {name: file.load(name, shape, np.float32) for name, shape in shapes.items()}
        return EncoderFile(path, config, header["observation"], (rows, columns, planes), weights)
    except arrayfile.DamagedError as error:
        raise NetError(f"{error}: give the {VAE_FILE} of a training run of a VAE") from error
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, NetError):
            raise
        raise NetError(f"{path} holds no encoder: give the {VAE_FILE} of a training run of a VAE") from error


def encoder_for(path: str | None, net: Architecture, game: Game) -> Mapping[str, np.ndarray] | None:
    """The weights of the encoder that a net for a game begins with, of a file that may be named; raises NetError
    where they do not go together.
    """
    if path is None:
        return None
    file = read(Path(path))
    if isinstance(net, PlainConfig):
        file.check_fits(net, game)
    return file.weights

"""The file of an auto-encoder, and the encoder in it that nets of other methods can start from.

Its weights are named as in a plain net: those under `params/encoder/` replace the net's own.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import traverse_util
from jax.typing import ArrayLike

from boardwright.errors import NetError, RunError
from boardwright.games.base import Game
from boardwright.learn.run import arrayfile
from boardwright.nets.config import PlainConfig, config_of
from boardwright.nets.network import Variables
from boardwright.nets.vae import ENCODER

VERSION = 1
GROUP = "encoder"  # of parameters in a plain net
_ADVICE = "give the .vae file of a VAE training run"
_ENCODER_OPTIONS = ("convolutions", "stride", "encoder_hidden", "latent")


@dataclass(frozen=True, eq=False)
class EncoderFile:
    """The encoder of an auto-encoder."""

    path: Path
    config: PlainConfig  # only the options of the encoder matter
    observation: str
    observation_shape: tuple[int, int, int]
    weights: Mapping[str, np.ndarray]  # float32, `params/encoder/...`

    def check_fits(self, config: PlainConfig, game: Game) -> None:
        """Raises NetError if a plain net for a game has another encoder or another observation."""
        for option in _ENCODER_OPTIONS:
            ours, theirs = getattr(self.config, option), getattr(config, option)
            if ours != theirs:
                raise NetError(f"{self.path}: its {option} is {ours}, the net's {theirs}: set the net's to {ours}")
        if (self.observation, self.observation_shape) != (game.observation, game.observation_shape):
            raise NetError(
                f"{self.path}: its observation is {self.observation} of {self.observation_shape}, "
                f"the net's {game.observation} of {game.observation_shape}: choose the same"
            )


def write(
    path: Path, weights: Mapping[str, np.ndarray], *, config: PlainConfig, game: Game, training: Mapping[str, Any]
) -> None:
    """Saves an auto-encoder atomically."""
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
    """Loads the encoder of a file; raises NetError."""
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
        raise NetError(f"{error}: {_ADVICE}") from error
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, NetError):
            raise
        raise NetError(f"{path} has no encoder: {_ADVICE}") from error


def with_encoder(variables: Variables, encoder: Mapping[str, ArrayLike] | None) -> Variables:
    """Variables with another encoder, its weights given by name, `params/encoder/...`; unchanged if it is None.

    Raises RunError if it does not fit.
    """
    if encoder is None:
        return variables
    flat: dict[str, Any] = traverse_util.flatten_dict(dict(variables["params"]), sep="/")  # type: ignore[assignment]
    expected = {f"params/{name}": weight.shape for name, weight in flat.items() if name.startswith(f"{GROUP}/")}
    if not expected:
        raise RunError("setting encoder: a residual net has no encoder to replace: set plain, and net to none")
    given = {name: jnp.shape(weight) for name, weight in encoder.items()}
    for name in sorted({*expected, *given}):
        if expected.get(name) != given.get(name):
            theirs, ours = (shapes.get(name, "missing") for shapes in (given, expected))
            raise RunError(
                f"setting encoder: {name} is {theirs} in the file and {ours} in the net: set plain to what the encoder "
                "was trained with"
            )
    loaded = {name.removeprefix("params/"): jnp.asarray(weight, jnp.float32) for name, weight in encoder.items()}
    return {**variables, "params": traverse_util.unflatten_dict(flat | loaded, sep="/")}


def frozen_mask(params: Mapping[str, Any]) -> Any:
    """Whether each parameter belongs to the encoder, for `optax.masked`."""
    return {name: jax.tree.map(lambda _, frozen=name == GROUP: frozen, tree) for name, tree in params.items()}

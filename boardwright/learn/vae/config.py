"""Settings of the training of an auto-encoder, as frozen dataclasses that are also its config file."""

from dataclasses import dataclass, field
from typing import Annotated

from boardwright.errors import RunError
from boardwright.learn.run.config_file import Presets
from boardwright.learn.run.settings import check_ranges
from boardwright.nets.config import PlainConfig
from boardwright.setting import Setting

BOARDS_FILE = "boards.arrays"  # in a run's folder: the dataset
VAE_FILE = "best.vae"  # in its folder of nets: the auto-encoder


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """The encoder, by default the paper's; a plain net with the same sizes can start from it."""

    convolutions: Annotated[tuple[int, ...], Setting("channels of each convolution", 1, 2048)] = (32, 64)
    stride: Annotated[int, Setting("stride of the convolutions", 1, 4)] = 2
    hidden: Annotated[tuple[int, ...], Setting("units of each dense layer", 1, 8192)] = (128,)
    latent: Annotated[int, Setting("numbers of a code", 1, 8192)] = 32

    def as_plain(self) -> PlainConfig:
        """The encoder as part of a plain net, whose heads do not matter."""
        return PlainConfig(
            convolutions=self.convolutions, stride=self.stride, encoder_hidden=self.hidden, latent=self.latent
        )


@dataclass(frozen=True, kw_only=True)
class BoardsConfig:
    """The positions that are learned from."""

    players: Annotated[tuple[str, ...], Setting("players of the games; each plays an equal share against itself")] = (
        "random",
    )
    games: Annotated[int, Setting("games", 2, 10**6)] = 4000
    validation: Annotated[float, Setting("share of games for validation", 0, 0.9)] = 0.1


@dataclass(frozen=True, kw_only=True)
class VaeConfig:
    """One run. An iteration is an epoch: every position once, up to the last few that fill no batch."""

    game: Annotated[str, Setting("name of the game")]
    rules: Annotated[str | None, Setting("rule set; none is the game's default")] = None
    observation: Annotated[str | None, Setting("observation of the game; none is its default")] = None
    seed: Annotated[int, Setting("seed of all random numbers", 0, 2**31 - 1)] = 0
    iterations: Annotated[int, Setting("epochs of the run", 1, 10**6)] = 300
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    boards: BoardsConfig = field(default_factory=BoardsConfig)
    batch_size: Annotated[int, Setting("positions of a step", 1, 2**16, was="batch")] = 64
    lr: Annotated[float, Setting("learning rate of Adam", 0, 10, was="rate")] = 1e-3
    beta: Annotated[float, Setting("weight of the divergence of the codes", 0, 1e3)] = 1.0

    def __post_init__(self) -> None:
        check(self)


def check(config: VaeConfig) -> None:
    """Raises RunError that names the first setting that is out of range or contradicts another."""
    check_ranges(config)
    if not config.boards.players:
        raise RunError('setting boards.players: no players: name some, such as ["random", "largest-first"]')
    config.encoder.as_plain()  # raises an error for invalid sizes


PRESETS = Presets(VaeConfig, __file__)

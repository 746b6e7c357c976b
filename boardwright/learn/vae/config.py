"""Settings of the training of an auto-encoder, as frozen dataclasses that are also its config file."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import RunConfig
from boardwright.nets.config import PlainConfig
from boardwright.setting import setting

BOARDS_FILE = "boards.arrays"  # in a run's folder: the dataset
VAE_FILE = "best.vae"  # in its folder of nets: the auto-encoder


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """The encoder, by default the paper's; a plain net with the same sizes can start from it."""

    convolutions: tuple[int, ...] = setting((32, 64), "channels of each convolution", 1, 2048)
    stride: int = setting(2, "stride of the convolutions", 1, 4)
    hidden: tuple[int, ...] = setting((128,), "units of each dense layer", 1, 8192)
    latent: int = setting(32, "dimensions of the latent code", 1, 8192)

    def as_plain(self) -> PlainConfig:
        """The encoder as part of a plain net, whose heads do not matter."""
        return PlainConfig(
            convolutions=self.convolutions, stride=self.stride, encoder_hidden=self.hidden, latent=self.latent
        )


@dataclass(frozen=True, kw_only=True)
class BoardsConfig:
    """The positions that are learned from."""

    players: tuple[str, ...] = setting(("random",), "players of the games; each plays an equal share against itself")
    games: int = setting(4000, "games", 2, 10**6)
    validation: float = setting(0.1, "share of games for validation", 0, 0.9)


@dataclass(frozen=True, kw_only=True)
class VaeConfig(RunConfig):
    """One run. An iteration is an epoch: every position once, except the last few that do not fill a batch."""

    observation: str | None = setting(None, "observation of the game; none: its default")
    iterations: int = setting(300, "epochs of the run", 1, 10**6)
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    boards: BoardsConfig = field(default_factory=BoardsConfig)
    batch_size: int = setting(64, "positions per step", 1, 2**16, was="batch")
    lr: float = setting(1e-3, "learning rate of Adam", 0, 10, was="rate")
    beta: float = setting(1.0, "weight of the KL divergence of the codes", 0, 1e3)

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        if not self.boards.players:
            yield 'boards.players: expected at least one, such as ["random", "largest-first"]'
        self.encoder.as_plain()  # raises an error for invalid sizes


PRESETS = Presets(VaeConfig, __file__)

"""Everything the training of an auto-encoder can be told, as frozen records that are also its config file."""

from __future__ import annotations

from dataclasses import dataclass, field

from boardwright.errors import RunError
from boardwright.learn.run.settings import check_limits
from boardwright.nets.config import PlainConfig

BOARDS_FILE = "boards.arrays"  # in a run's folder: what it learns from
VAE_FILE = "best.vae"  # in its folder of nets: what it has learned


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """What becomes of a board; a plain net with the same numbers can take the encoder in. By default the paper's."""

    convolutions: tuple[int, ...] = (32, 64)  # channels of each
    stride: int = 2
    hidden: tuple[int, ...] = (128,)  # units of dense layers
    latent: int = 32  # numbers of a code

    def as_plain(self) -> PlainConfig:
        """The encoder as plain nets have it, with heads that do not matter."""
        return PlainConfig(
            convolutions=self.convolutions, stride=self.stride, encoder_hidden=self.hidden, latent=self.latent
        )


@dataclass(frozen=True, kw_only=True)
class BoardsConfig:
    """The positions that are learned from."""

    players: tuple[str, ...] = ("random",)  # specs; each plays an equal share of the games, against itself
    games: int = 4000
    validation: float = 0.1  # share of the games that are held back to measure by


@dataclass(frozen=True, kw_only=True)
class VaeConfig:
    """One run. An iteration is an epoch: every position once, up to the last few that fill no batch."""

    game: str
    rules: str | None = None  # name of a rule set; the game's default
    observation: str | None = None  # one of the game's ways to observe, of zeros and ones; its default
    seed: int = 0
    iterations: int = 300
    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    boards: BoardsConfig = field(default_factory=BoardsConfig)
    batch: int = 64
    rate: float = 1e-3  # of Adam
    beta: float = 1.0  # weight of the codes' divergence beside the boards' cross-entropy

    def __post_init__(self) -> None:
        check(self)


LIMITS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "iterations": (1, 10**6),
    "encoder.latent": (1, 8192),
    "boards.games": (2, 10**6),
    "boards.validation": (0, 0.9),
    "batch": (1, 2**16),
    "rate": (0, 10),
    "beta": (0, 1e3),
}


def check(config: VaeConfig) -> None:
    """Raises RunError that names the first setting out of range."""
    check_limits(config, LIMITS)
    if not config.boards.players:
        raise RunError('setting boards.players: nobody plays: name players, such as ["random", "largest-first"]')
    config.encoder.as_plain()  # says what is wrong with the sizes

"""What a net looks like: a frozen record that is also what net files and command lines say of it.

There are three kinds. The trunk of `NetConfig` is AlphaZero's: a 3x3 convolution, then residual blocks of two,
batch-normalised throughout; `8x128` is its text: blocks x width. `PlainConfig` is convolutions and dense layers
one after the other, as in the Cathedral paper; `plain 32-64-64-128` is its text: the channels of each convolution.
`EvaluationConfig` is for alpha-beta, which asks millions of times a second how a position stands, and nothing else:
two thin layers over the squares of the board; `evaluation 128-16` is its text: their units.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from boardwright.errors import NetError, UnknownNameError

Auxiliary = Literal["ownership", "margin", "plies"]

LIMITS = {  # of each size of a residual net: least, most
    "blocks": (1, 128),
    "width": (4, 2048),
    "patch": (1, 8),
    "pool_every": (0, 128),
    "policy_channels": (2, 2048),
    "value_channels": (1, 2048),
    "value_hidden": (1, 4096),
}
PLAIN_LIMITS = {
    "convolutions": (1, 2048),
    "stride": (1, 4),
    "encoder_hidden": (1, 8192),
    "latent": (0, 8192),
    "policy_hidden": (1, 8192),
    "value_hidden": (1, 8192),
}
MOST_PIECES = 24  # of the last phase; see EvaluationConfig
EVALUATION_LIMITS = {"width": (4, 1024), "hidden": (1, 256), "phases": (1, 24)}
MOST_LAYERS = 64  # of one sort, in a plain net


@dataclass(frozen=True, kw_only=True)
class NetConfig:
    """The architecture of one net; the game gives the rest (planes in, actions out)."""

    blocks: int = 4  # residual blocks
    width: int = 64  # channels of the trunk
    # A cell of the trunk stands for so many rows and columns of the board, which must divide it. On a board of which
    # only every other cell is in use, 2 costs a quarter as much at the same width.
    patch: int = 1
    # Every n-th block, and a convolutional policy head, learn what holds for the whole board: a quarter
    # of their channels, pooled over it (mean and maximum), is added to the others. 0 is never.
    pool_every: int = 0
    # How a policy head ends. conv: a 1x1 projection, then a 1x1 convolution to the game's action planes; planes: one
    # 1x1 convolution with batch norm straight to these planes, as in TablutZero; dense: a projection, then a dense
    # layer to the actions; table: the same to every pair of squares, as in DraughtsZero.
    policy: Literal["conv", "planes", "dense", "table"] = "conv"
    policy_channels: int = 32  # of the 1x1 projection a policy head begins with; not used by planes
    # One number through tanh, or win, draw and loss; linear is any number, for returns of shaped rewards.
    value: Literal["scalar", "wdl", "linear"] = "scalar"
    value_channels: int = 8  # of the 1x1 projection a value head begins with
    value_hidden: int = 64  # units between that and the value
    heads: Literal["shared", "by-role"] = "shared"  # by-role: a policy and a value head for each role
    # What to predict besides, to learn faster: who holds each cell at the end, by how much the game is
    # won, how many plies it goes on. Not evaluated in play.
    auxiliary: tuple[Auxiliary, ...] = ()

    def __post_init__(self) -> None:
        _check_all(self, LIMITS)
        if len(set(self.auxiliary)) < len(self.auxiliary):
            raise NetError(f"net option auxiliary: {', '.join(self.auxiliary)} names one twice")

    @property
    def size(self) -> str:
        """`8x128`: blocks x width."""
        return f"{self.blocks}x{self.width}"

    def sized(self, text: str) -> NetConfig:
        """The same net with the blocks and width of a text like `8x128`."""
        match = re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})", text.strip())
        if match is None:
            raise NetError(f"net size {text[:40]!r}: expected blocks x width, such as 8x128")
        return dataclasses.replace(self, blocks=int(match[1]), width=int(match[2]))

    def pools(self, block: int) -> bool:
        """Whether a block, numbered from 0, pools globally."""
        return self.pool_every > 0 and (block + 1) % self.pool_every == 0

    @property
    def head_count(self) -> int:
        """Pairs of policy and value head."""
        return 2 if self.heads == "by-role" else 1

    @property
    def value_outputs(self) -> int:
        """Numbers the last layer of a value head gives."""
        return 3 if self.value == "wdl" else 1

    @property
    def has_value(self) -> bool:
        """It always has a value head."""
        return True

    @property
    def foretells_results(self) -> bool:
        """Whether the value is an expected result, from -1 to 1, rather than a return in some unit of reward."""
        return self.value != "linear"


@dataclass(frozen=True, kw_only=True)
class PlainConfig:
    """A net without blocks or norms; by default that of the Cathedral paper's DQN.

    Encoder: 3x3 convolutions, dense layers, each followed by ReLU, and a linear latent layer. Then a policy head of
    dense ReLU layers and a linear one to the actions, and a value head like it.
    """

    convolutions: tuple[int, ...] = (32, 64, 64, 128)  # channels of each; padded, so that stride 1 keeps the board
    stride: int = 1  # of every convolution
    encoder_hidden: tuple[int, ...] = ()  # units of each dense layer after them
    latent: int = 0  # units of the layer the encoder ends with, linear as a VAE's means are; 0: none
    policy_hidden: tuple[int, ...] = (1024, 2048)
    value_hidden: tuple[int, ...] | None = None  # None: no value head

    def __post_init__(self) -> None:
        _check_all(self, PLAIN_LIMITS)
        if not self.convolutions:
            raise NetError("net option convolutions: expected at least one, such as [32, 64]")

    @property
    def size(self) -> str:
        """`plain 32-64-64-128`: the channels of its convolutions."""
        return f"plain {'-'.join(map(str, self.convolutions))}"

    @property
    def has_value(self) -> bool:
        """Whether there is a value head; else the value is 0."""
        return self.value_hidden is not None

    @property
    def foretells_results(self) -> bool:
        """Never: its value, where it has one, is linear."""
        return False


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """A net that says how a position stands and nothing of moves, small enough to be asked at every leaf of alpha-beta.

    It reads an observation of zeros and ones. Units are cut off below 0 and above 1. The layers after the first are
    others in each phase of the game, which the number of pieces tells: phase (n - 1) * phases // MOST_PIECES for n
    ones in the observation, 0 for none, the last for more than that.
    """

    width: int = 128  # units of the first layer
    hidden: int = 16  # units of the second
    phases: int = 8

    def __post_init__(self) -> None:
        _check_all(self, EVALUATION_LIMITS)

    @property
    def size(self) -> str:
        """`evaluation 128-16`: units of its layers."""
        return f"evaluation {self.width}-{self.hidden}"

    @property
    def has_value(self) -> bool:
        """It has nothing else."""
        return True

    @property
    def foretells_results(self) -> bool:
        """Always: the hyperbolic tangent of its output is an expected result."""
        return True


Architecture = NetConfig | PlainConfig | EvaluationConfig
KINDS: dict[str, type[Architecture]] = {"residual": NetConfig, "plain": PlainConfig, "evaluation": EvaluationConfig}


def without_policy(what: str, file: object = "FILE") -> NetError:
    """What to raise where an evaluation net is asked for moves; `file` is what players' specs call it."""
    return NetError(f"{what}: an evaluation net, which says nothing of moves: play it with alphabeta:net={file}")


def pooled_channels(channels: int) -> int:
    """How many of a pooling layer's channels are pooled; the others get what they say as a bias."""
    return max(1, channels // 4)


def config_of(options: Mapping[str, Any]) -> Architecture:
    """A config from a mapping such as JSON gives; what is left out has its default. Raises NetError.

    `kind` says which: `plain`, `evaluation`, or `residual` as where it is left out.
    """
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    kind = values.pop("kind", "residual")
    if kind not in KINDS:
        raise UnknownNameError("kind of net", str(kind), KINDS)
    made = KINDS[kind]
    known = {field.name for field in dataclasses.fields(made)}
    for key in values:
        if key not in known:
            raise UnknownNameError("net option", str(key), known)
    return made(**values)


def options_of(config: Architecture) -> dict[str, Any]:
    """The mapping that `config_of` makes a config of."""
    kind = (
        {} if isinstance(config, NetConfig) else {"kind": next(k for k, made in KINDS.items() if type(config) is made)}
    )
    return {**kind, **dataclasses.asdict(config)}


def _check_all(config: Architecture, limits: Mapping[str, tuple[int, int]]) -> None:
    hints = typing.get_type_hints(type(config))
    for field in dataclasses.fields(config):
        _check(field.name, getattr(config, field.name), hints[field.name], limits.get(field.name, (0, 0)))


def _check(key: str, value: Any, hint: Any, limits: tuple[int, int]) -> None:
    """Raises NetError for a value that is not of its type or beyond its limits."""
    if typing.get_origin(hint) is types.UnionType:  # with None
        if value is not None:
            _check(key, value, typing.get_args(hint)[0], limits)
        return
    if hint is int:
        if type(value) is not int or not limits[0] <= value <= limits[1]:
            raise NetError(f"net option {key}: expected a whole number from {limits[0]} to {limits[1]}, not {value!r}")
        return
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, tuple) or len(value) > MOST_LAYERS:
            raise NetError(f"net option {key}: expected a list of at most {MOST_LAYERS}, not {value!r}")
        for item in value:
            _check(key, item, typing.get_args(hint)[0], limits)
        return
    choices = typing.get_args(hint)
    if not isinstance(value, str) or value not in choices:
        raise NetError(f"net option {key}: {value!r} is not one of {', '.join(choices)}")

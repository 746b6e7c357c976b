"""Architectures of nets: frozen records that net files and command lines use too.

There are three kinds. The trunk of `NetConfig` is AlphaZero's: a 3x3 convolution, then residual blocks of two,
batch-normalised throughout; `8x128` is its text: blocks x width. `PlainConfig` is convolutions and dense layers
one after the other, as in the Cathedral paper; `plain 32-64-64-128` is its text: the channels of each convolution.
`EvaluationConfig` scores positions for alpha-beta, millions of times per second: two thin layers over the squares of
the board; `evaluation 128-16` is its text: their units.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from boardwright.errors import NetError, UnknownNameError
from boardwright.setting import Setting, settings_of

Auxiliary = Literal["ownership", "margin", "plies"]

MAX_PIECES = 24  # of the last phase; see EvaluationConfig
MAX_LAYERS = 64  # of one sort, in a plain net


@dataclass(frozen=True, kw_only=True)
class NetConfig:
    """The architecture of one net; the game gives the rest (planes in, actions out)."""

    blocks: Annotated[int, Setting("residual blocks", 1, 128)] = 4
    width: Annotated[int, Setting("channels of the trunk", 4, 2048)] = 64
    patch: Annotated[
        int,
        Setting(
            "rows and columns of the board in a cell of the trunk; 2 suits boards with every other cell unused", 1, 8
        ),
    ] = 1
    pool_every: Annotated[int, Setting("every n-th block has global pooling, mean and maximum; 0 is none", 0, 128)] = 0
    policy: Annotated[
        Literal["conv", "planes", "dense", "table"],
        Setting(
            "last layer of a policy head: conv and planes give action planes, dense actions, table pairs of squares"
        ),
    ] = "conv"
    policy_channels: Annotated[
        int, Setting("channels of the 1x1 projection of a policy head; not used by planes", 2, 2048)
    ] = 32
    value: Annotated[
        Literal["scalar", "wdl", "linear"],
        Setting("value head: one number through tanh, win-draw-loss, or any number for shaped rewards"),
    ] = "scalar"
    value_channels: Annotated[int, Setting("channels of the 1x1 projection of a value head", 1, 2048)] = 8
    value_hidden: Annotated[int, Setting("units of the hidden layer of a value head", 1, 4096)] = 64
    heads: Annotated[Literal["shared", "by-role"], Setting("heads shared by the roles, or one per role")] = "shared"
    auxiliary: Annotated[tuple[Auxiliary, ...], Setting("auxiliary heads, for training only")] = ()

    def __post_init__(self) -> None:
        _check_all(self)
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
    def predicts_results(self) -> bool:
        """Whether the value is an expected result, from -1 to 1, rather than a return in some unit of reward."""
        return self.value != "linear"


@dataclass(frozen=True, kw_only=True)
class PlainConfig:
    """A net without blocks or norms; by default that of the Cathedral paper's DQN.

    Encoder: 3x3 convolutions, dense layers, each followed by ReLU, and a linear latent layer. Then a policy head of
    dense ReLU layers and a linear one to the actions, and a value head like it.
    """

    convolutions: Annotated[tuple[int, ...], Setting("channels of each 3x3 convolution", 1, 2048)] = (32, 64, 64, 128)
    stride: Annotated[int, Setting("stride of the convolutions", 1, 4)] = 1
    encoder_hidden: Annotated[tuple[int, ...], Setting("units of each dense layer of the encoder", 1, 8192)] = ()
    latent: Annotated[int, Setting("units of the linear last layer of the encoder; 0 is no such layer", 0, 8192)] = 0
    policy_hidden: Annotated[tuple[int, ...], Setting("units of each policy layer", 1, 8192)] = (
        1024,
        2048,
    )
    value_hidden: Annotated[
        tuple[int, ...] | None, Setting("units of each hidden layer of the value head; none is no value head", 1, 8192)
    ] = None

    def __post_init__(self) -> None:
        _check_all(self)
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
    def predicts_results(self) -> bool:
        """Never: its value, where it has one, is linear."""
        return False


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """A net without a policy that scores the leaves of alpha-beta.

    It reads an observation of zeros and ones. Units have a clipped ReLU, clamp(x, 0, 1). The later layers have weights
    for each phase of the game, by the number n of pieces: phase (n - 1) * phases // MAX_PIECES, 0 without pieces, and
    the last for more than MAX_PIECES.
    """

    width: Annotated[int, Setting("units of the first layer", 4, 1024)] = 128
    hidden: Annotated[int, Setting("units of the second layer", 1, 256)] = 16
    phases: Annotated[int, Setting("phases of the game, by pieces, with their own later layers", 1, 24)] = 8

    def __post_init__(self) -> None:
        _check_all(self)

    @property
    def size(self) -> str:
        """`evaluation 128-16`: units of its layers."""
        return f"evaluation {self.width}-{self.hidden}"

    @property
    def has_value(self) -> bool:
        """It has nothing else."""
        return True

    @property
    def predicts_results(self) -> bool:
        """Always: the hyperbolic tangent of its output is an expected result."""
        return True


Architecture = NetConfig | PlainConfig | EvaluationConfig
KINDS: dict[str, type[Architecture]] = {"residual": NetConfig, "plain": PlainConfig, "evaluation": EvaluationConfig}


def without_policy(what: str, file: object = "FILE") -> NetError:
    """The error for an evaluation network where a policy is needed; `file` is its name in players' specs."""
    return NetError(f"{what}: an evaluation network has no policy: play it with alphabeta:net={file}")


def pooled_channels(channels: int) -> int:
    """How many channels of a pooling layer are pooled; the others get a bias from these."""
    return max(1, channels // 4)


def config_of(options: Mapping[str, Any]) -> Architecture:
    """A config from a mapping such as JSON gives, with defaults for what is missing. Raises NetError.

    `kind` is `plain`, `evaluation` or, by default, `residual`.
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


def _check_all(config: Architecture) -> None:
    hints, settings = typing.get_type_hints(type(config)), settings_of(type(config))
    for field in dataclasses.fields(config):
        _check(field.name, getattr(config, field.name), hints[field.name], settings[field.name])


def _check(key: str, value: Any, hint: Any, setting: Setting) -> None:
    """Raises NetError for a value that is not of its type or not in its range."""
    if typing.get_origin(hint) is types.UnionType:  # with None
        if value is not None:
            _check(key, value, typing.get_args(hint)[0], setting)
        return
    if hint is int:
        if type(value) is not int or not setting.allows(value):
            raise NetError(f"net option {key}: expected a whole number {setting.range_text}, not {value!r}")
        return
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, tuple) or len(value) > MAX_LAYERS:
            raise NetError(f"net option {key}: expected a list of at most {MAX_LAYERS}, not {value!r}")
        for item in value:
            _check(key, item, typing.get_args(hint)[0], setting)
        return
    choices = typing.get_args(hint)
    if not isinstance(value, str) or value not in choices:
        raise NetError(f"net option {key}: {value!r} is not one of {', '.join(choices)}")

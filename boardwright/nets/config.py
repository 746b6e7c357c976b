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
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from boardwright.coerce import MismatchError, check_value
from boardwright.errors import NetError, UnknownNameError, reraise_as
from boardwright.setting import setting, settings_of

Auxiliary = Literal["ownership", "margin", "plies"]

MAX_PIECES = 24  # of the last phase; see EvaluationConfig
MAX_LAYERS = 64  # of one sort, in a plain net


@dataclass(frozen=True, kw_only=True)
class NetConfig:
    """The architecture of one net; the game gives the rest (planes in, actions out)."""

    blocks: int = setting(4, "residual blocks", 1, 128)
    width: int = setting(64, "channels of the trunk", 4, 2048)
    patch: int = setting(
        1, "rows and columns of the board in a cell of the trunk; 2 suits boards with every other cell unused", 1, 8
    )
    pool_every: int = setting(0, "every n-th block has global pooling, mean and maximum; 0: none", 0, 128)
    policy: Literal["conv", "planes", "dense", "table"] = setting(
        "conv", "last layer of a policy head: conv and planes give action planes, dense actions, table pairs of squares"
    )
    policy_channels: int = setting(32, "channels of the 1x1 projection of a policy head; not used by planes", 2, 2048)
    value: Literal["scalar", "wdl", "linear"] = setting(
        "scalar", "value head: one number through tanh, win-draw-loss, or any number for shaped rewards"
    )
    value_channels: int = setting(8, "channels of the 1x1 projection of a value head", 1, 2048)
    value_hidden: int = setting(64, "units of the hidden layer of a value head", 1, 4096)
    heads: Literal["shared", "by-role"] = setting("shared", "heads shared by the roles, or one per role")
    auxiliary: tuple[Auxiliary, ...] = setting((), "auxiliary heads, for training only")
    kind: ClassVar[str] = "residual"
    has_value: ClassVar[bool] = True

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
        """Number of pairs of a policy and a value head."""
        return 2 if self.heads == "by-role" else 1

    @property
    def value_outputs(self) -> int:
        """Number of outputs of a value head."""
        return 3 if self.value == "wdl" else 1

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

    convolutions: tuple[int, ...] = setting((32, 64, 64, 128), "channels of each 3x3 convolution", 1, 2048)
    stride: int = setting(1, "stride of the convolutions", 1, 4)
    encoder_hidden: tuple[int, ...] = setting((), "units of each dense layer of the encoder", 1, 8192)
    latent: int = setting(0, "units of the linear last layer of the encoder; 0: no such layer", 0, 8192)
    policy_hidden: tuple[int, ...] = setting((1024, 2048), "units of each policy layer", 1, 8192)
    value_hidden: tuple[int, ...] | None = setting(
        None, "units of each hidden layer of the value head; none: no value head", 1, 8192
    )
    kind: ClassVar[str] = "plain"
    predicts_results: ClassVar[bool] = False  # its value, where it has one, is linear

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


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """A net without a policy that scores the leaves of alpha-beta.

    It reads an observation of zeros and ones. Units have a clipped ReLU, clamp(x, 0, 1). The later layers have weights
    for each phase of the game, by the number n of pieces: phase (n - 1) * phases // MAX_PIECES, 0 without pieces, and
    the last for more than MAX_PIECES.
    """

    width: int = setting(128, "units of the first layer", 4, 1024)
    hidden: int = setting(16, "units of the second layer", 1, 256)
    phases: int = setting(8, "phases of the game, by pieces, with their own later layers", 1, 24)
    kind: ClassVar[str] = "evaluation"
    has_value: ClassVar[bool] = True
    predicts_results: ClassVar[bool] = True  # as the hyperbolic tangent of its output

    def __post_init__(self) -> None:
        _check_all(self)

    @property
    def size(self) -> str:
        """`evaluation 128-16`: units of its layers."""
        return f"evaluation {self.width}-{self.hidden}"


Architecture = NetConfig | PlainConfig | EvaluationConfig
KINDS: dict[str, type[Architecture]] = {kind.kind: kind for kind in (NetConfig, PlainConfig, EvaluationConfig)}


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
    kind = values.pop("kind", NetConfig.kind)
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
    kind = {"kind": config.kind} if config.kind != NetConfig.kind else {}
    return {**kind, **dataclasses.asdict(config)}


def _check_all(config: Architecture) -> None:
    """Raises NetError for an option that is not of its type or not in its range."""
    hints = typing.get_type_hints(type(config))
    for name, option in settings_of(type(config)).items():
        value = getattr(config, name)
        with reraise_as(NetError, f"net option {name}", MismatchError):
            check_value(value, hints[name])
        numbers = value if isinstance(value, tuple) else (value,)
        if len(numbers) > MAX_LAYERS:
            raise NetError(f"net option {name}: expected a list of at most {MAX_LAYERS}, not {len(numbers)}")
        for number in numbers:
            if not option.allows(number):
                raise NetError(f"net option {name}: expected a whole number {option.range_text}, not {number!r}")

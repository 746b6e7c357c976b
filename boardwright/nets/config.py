"""What a net looks like: a frozen record that is also what net files and command lines say of it.

The trunk is AlphaZero's: a 3x3 convolution, then residual blocks of two, batch-normalised throughout.
`8x128` is its text: blocks x width.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from boardwright.errors import NetError, UnknownNameError

Auxiliary = Literal["ownership", "margin", "plies"]

MOST = {  # of each size
    "blocks": 128,
    "width": 2048,
    "pool_every": 128,
    "policy_channels": 2048,
    "value_channels": 2048,
    "value_hidden": 4096,
}
LEAST = {"blocks": 1, "width": 4, "pool_every": 0, "policy_channels": 2, "value_channels": 1, "value_hidden": 1}


@dataclass(frozen=True, kw_only=True)
class NetConfig:
    """The architecture of one net; the game gives the rest (planes in, actions out)."""

    blocks: int = 4  # residual blocks
    width: int = 64  # channels of the trunk
    # Every n-th block, and a convolutional policy head, learn what holds for the whole board: a quarter
    # of their channels, pooled over it (mean and maximum), is added to the others. 0 is never.
    pool_every: int = 0
    policy: Literal["conv", "dense"] = "conv"  # "conv" needs a game whose actions lie on the board
    policy_channels: int = 32  # of the 1x1 projection a policy head begins with
    value: Literal["scalar", "wdl"] = "scalar"  # one number through tanh, or win, draw and loss
    value_channels: int = 8  # of the 1x1 projection a value head begins with
    value_hidden: int = 64  # units between that and the value
    heads: Literal["shared", "by-role"] = "shared"  # by-role: a policy and a value head for each role
    # What to predict besides, to learn faster: who holds each cell at the end, by how much the game is
    # won, how many plies it goes on. Not evaluated in play.
    auxiliary: tuple[Auxiliary, ...] = ()

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(NetConfig)
        for field in dataclasses.fields(self):
            _check(field.name, getattr(self, field.name), hints[field.name])
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


def pooled_channels(channels: int) -> int:
    """How many of a pooling layer's channels are pooled; the others get what they say as a bias."""
    return max(1, channels // 4)


def config_of(options: Mapping[str, Any]) -> NetConfig:
    """A config from a mapping such as JSON gives; what is left out has its default. Raises NetError."""
    known = {field.name for field in dataclasses.fields(NetConfig)}
    for key in options:
        if key not in known:
            raise UnknownNameError("net option", str(key), known)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    return NetConfig(**values)


def _check(key: str, value: Any, hint: Any) -> None:
    """Raises NetError for a value that is not of its type or beyond its limits."""
    if hint is int:
        if type(value) is not int or not LEAST[key] <= value <= MOST[key]:
            raise NetError(f"net option {key}: expected a whole number from {LEAST[key]} to {MOST[key]}, not {value!r}")
        return
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, tuple):
            raise NetError(f"net option {key}: expected a list, not {value!r}")
        for item in value:
            _check(key, item, typing.get_args(hint)[0])
        return
    choices = typing.get_args(hint)
    if not isinstance(value, str) or value not in choices:
        raise NetError(f"net option {key}: {value!r} is not one of {', '.join(choices)}")

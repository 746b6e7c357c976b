"""Run a player as an engine: a long-lived process that other programs talk to over stdin and stdout."""

from dataclasses import dataclass
from typing import Annotated

import tyro

from boardwright.cli.common import GameOptions
from boardwright.errors import BoardwrightError


@dataclass(frozen=True, kw_only=True)
class Options(GameOptions):
    """Which player answers, in which protocol."""

    agent: Annotated[str, tyro.conf.arg(metavar="SPEC")] = "alphabeta:time=1s"
    """The player; `boardwright agents GAME` lists them."""
    protocol: Annotated[str, tyro.conf.arg(metavar="NAME")] = "line"
    """`line`, for all games, or a protocol of the game's own; see docs/reference/protocols.md."""


def run(options: Options) -> None:
    """Answers commands until `quit` or the end of input."""
    from boardwright.protocols.serve import make_engine, serve

    bound = options.bound_game()
    if options.json:
        raise BoardwrightError("engine speaks its protocol and does not support --json")
    serve(lambda write: make_engine(options.protocol, bound, options.agent, write))

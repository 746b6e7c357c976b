"""Run a player as an engine: a long-lived process that other programs talk to over stdin and stdout."""

from dataclasses import dataclass
from typing import Annotated

import tyro

from boardwright.cli.common import GameOptions
from boardwright.errors import BoardwrightError


@dataclass(frozen=True, kw_only=True)
class Options(GameOptions):
    """Which player answers, in which language."""

    agent: Annotated[str, tyro.conf.arg(metavar="SPEC")] = "alphabeta:time=1s"
    """The player; `boardwright agents GAME` lists them."""
    protocol: Annotated[str, tyro.conf.arg(metavar="NAME")] = "line"
    """`line`: our own, for all games; or one that programs of the game speak, see docs/reference/protocols.md."""


def run(options: Options) -> None:
    """Talks until the other side says so or is gone."""
    from boardwright.protocols.serve import make_engine, serve

    bound = options.bound_game()
    if options.json:
        raise BoardwrightError("engine has no JSON form: it speaks its protocol")
    serve(lambda write: make_engine(options.protocol, bound, options.agent, write))

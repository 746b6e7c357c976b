"""Be an engine: a long-lived process that other programs talk to over stdin and stdout."""

from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from boardwright.cli.choose import GameOptions
from boardwright.errors import BoardwrightError


@dataclass(frozen=True, kw_only=True)
class Options(GameOptions):
    """Which player answers, in which language."""

    agent: Annotated[str, tyro.conf.arg(metavar="SPEC")] = "alphabeta:time=1s"
    """The player; `boardwright agents GAME` lists them."""
    protocol: Literal["line", "hub", "opentafl"] = "line"
    """`line`: our own, for all games; `hub`: that of draughts programs; `opentafl`: that of tafl programs."""


def run(options: Options) -> None:
    """Talks until the other side says so or is gone."""
    from boardwright.engine.protocols import PROTOCOLS
    from boardwright.engine.serve import serve

    bound = options.bound_game()
    if options.json:
        raise BoardwrightError("engine has no JSON form: it speaks its protocol")
    protocol, only = PROTOCOLS[options.protocol]
    if only is not None and bound.name != only:
        raise BoardwrightError(f"--protocol {options.protocol} is for {only}, not {bound.name}: use line")
    serve(lambda write: protocol(bound, options.agent, write))

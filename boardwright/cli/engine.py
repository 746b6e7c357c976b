"""Run a player as an engine: a long-lived process that other programs talk to over stdin and stdout."""

from dataclasses import dataclass

from boardwright.cli.common import NAME, SPEC, GameOptions
from boardwright.errors import BoardwrightError


@dataclass(frozen=True, kw_only=True)
class Options(GameOptions):
    """Which player answers, in which protocol."""

    agent: SPEC[str] = "alphabeta:time=1s"  # The player; `boardwright agents GAME` lists them.
    protocol: NAME[str] = "line"
    """`line`, for all games, or one of the game's own; see docs/reference/protocols.md."""


def run(options: Options) -> None:
    """Answers commands until `quit` or the end of input."""
    from boardwright.protocols.serve import serve

    bound = options.bound_game()
    if options.json:
        raise BoardwrightError("engine speaks its protocol and does not support --json")
    serve(options.protocol, bound, options.agent)

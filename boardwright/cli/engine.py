"""Run a player as an engine: a long-lived process that other programs talk to over stdin and stdout."""

from dataclasses import dataclass

from boardwright.cli.common import NAME, SPEC, InteractiveOptions


@dataclass(frozen=True, kw_only=True)
class Options(InteractiveOptions):
    """Which player answers, in which protocol."""

    agent: SPEC[str] = "alphabeta:time=1s"  # The player; `boardwright agents GAME` lists them.
    protocol: NAME[str] = "line"
    """`line`, for all games, or one of the game's own; an unknown name lists them."""


def run(options: Options) -> None:
    """Answers commands until `quit` or the end of input."""
    from boardwright.protocols.serve import serve

    bound = options.bound_game()
    serve(options.protocol, bound, options.agent)

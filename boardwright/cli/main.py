"""`boardwright COMMAND …`: finds the command, parses its options, and reports errors in one line.

Each command is a module with a frozen dataclass `Options` (the command line, by tyro) and a function
`run(options)`. Nothing heavy is imported before it is needed: `boardwright --help` must feel instant.
"""

import contextlib
import difflib
import importlib
import io
import os
import re
import shutil
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from boardwright import __version__
from boardwright.errors import BoardwrightError, printable
from boardwright.games.builtin import game_commands

COMMANDS = {
    "games": "list the games, their rule sets and sizes, or explain how one is played",
    "show": "draw a position",
    "legal": "list the legal moves of a position",
    "perft": "count the lines of play to a depth",
    "playout": "play random games and report statistics",
    "serve": "open the app in a browser: play, study, arena, training",
    "play": "play against a built-in player in the terminal",
    "agents": "list the players of a game and their options",
    "match": "play two players against each other",
    "tournament": "play several players against each other; resumable",
    "sprt": "test whether one player is stronger than another, in as few games as possible",
    "paper": "reproduce a published paper: published figures next to ours",
    "engine": "run a player as an engine over stdin/stdout",
    "openings": "list the openings that matches start from",
    "ratings": "rate players by their games",
    "ladder": "list the built-in opponents of a game with their ratings, or measure the ratings",
    "games-db": "list, show, import and export stored games",
    "train": "train a net by self-play",
    "balance": "measure which side a game favours, by games of a net against itself",
    "plot": "plot the metrics of training runs",
    "pack": "write a training run to one file, to resume it on another machine",
    "unpack": "restore the folder of a packed training run",
    "ship": "add a net of a training run to the package",
    "nets": "list the nets that ship with the package and how they were trained",
    "bench": "measure the speed of engines and searches",
}
HELP = """\
usage: boardwright COMMAND [OPTIONS]

A self-play laboratory for board games.

{commands}
'boardwright COMMAND --help' shows a command's options."""
MAX_MESSAGE_LENGTH = 600  # characters of an error line
MIN_COLUMNS = 40  # of help texts; tyro hangs when there are only a few
_NO_NUMBER = (  # tyro's messages for a value that is not a number, and what is expected
    (r"invalid literal for int\(\) with base 10: (.*)", "a whole number"),
    (r"no type matching \{None\}\|INT could be instantiated from \[(.*)\]\.", "a whole number"),
    (r"could not convert string to float: (.*)", "a number"),
    (r"no type matching \{None\}\|FLOAT could be instantiated from \[(.*)\]\.", "a number"),
)


def main() -> None:
    """The console script."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the parent process; reopened in order, so that each gets its number
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # never fail on what a terminal cannot show
    try:
        _dispatch(sys.argv[1:])
        sys.stdout.flush()
    except BoardwrightError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("boardwright"):
            raise
        _fail(f"this command needs {error.name}: pip install -e '.[learn]'")
    except KeyboardInterrupt:
        if "jax" in sys.modules:  # its threads may still run, and would crash during interpreter shutdown
            with contextlib.suppress(OSError):  # the same Ctrl-C may have ended the reader of our output
                sys.stdout.flush()
            os._exit(130)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        _fail("not enough memory: end other programs, or give smaller sizes")
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = "" if error.filename is None else f"{error.filename}: "
        _fail(f"cannot continue: {where}{error.strerror}")


def _dispatch(arguments: list[str]) -> None:
    command = arguments[0] if arguments else "--help"
    if command in ("-h", "--help", "help"):
        print(_help())
    elif command == "--version":
        print(f"boardwright {__version__}")
    elif command in (commands := all_commands()):
        module = importlib.import_module(commands[command][1])
        module.run(_parse(module.Options, command, module.__doc__, arguments[1:]))
    else:
        nearest = difflib.get_close_matches(command, commands, n=1)
        hint = f"did you mean {nearest[0]!r}?" if nearest else f"known: {', '.join(commands)}"
        _fail(f"unknown command {command!r}: {hint}")


def all_commands() -> dict[str, tuple[str, str]]:
    """(summary, module) by name, those that games add last."""
    ours = {name: (summary, f"boardwright.cli.{name.replace('-', '_')}") for name, summary in COMMANDS.items()}
    return ours | game_commands()


def _help() -> str:
    commands = all_commands()
    width = max(map(len, commands))
    lines = (f"  {name:<{width}}  {summary}\n" for name, (summary, _) in commands.items())
    return HELP.format(commands="".join(lines))


def _parse(options: type, command: str, description: str | None, arguments: list[str]) -> Any:
    """The command's options; an error of tyro becomes one line."""
    import tyro

    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint), _minimum_width():
            return tyro.cli(
                options,
                prog=f"boardwright {command}",
                description=description,
                args=arguments,
                config=(tyro.conf.FlagCreatePairsOff, tyro.conf.PositionalMetavarFromFieldName),
            )
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        sentence = _first_sentence(complaint.getvalue())
        for words, expected in _NO_NUMBER:
            if found := re.fullmatch(rf"Error parsing (\S+): {words}", sentence):
                sentence = f"{found[1]} must be {expected}, not {found[2]}"
        _fail(f"{command}: {sentence} (see boardwright {command} --help)")


@contextlib.contextmanager
def _minimum_width() -> Iterator[None]:
    """Sets COLUMNS to `MIN_COLUMNS` for narrower terminals."""
    before = os.environ.get("COLUMNS")
    if shutil.get_terminal_size().columns < MIN_COLUMNS:
        os.environ["COLUMNS"] = str(MIN_COLUMNS)
    try:
        yield
    finally:
        os.environ.pop("COLUMNS", None)
        if before is not None:
            os.environ["COLUMNS"] = before


def _first_sentence(box: str) -> str:
    """The first message in tyro's boxed output, without the box."""
    body: list[str] = []
    for line in box.splitlines():
        text = line.strip(" │|╭╮╰╯├┤─┌┐")
        if not text and body:
            break
        if text and not line.lstrip().startswith(("╭", "┌")):
            body.append(text)
    return " ".join(body) or "the options cannot be read"


def _fail(message: str) -> NoReturn:
    line = printable(" ".join(message.split()))
    if len(line) > MAX_MESSAGE_LENGTH:
        line = f"{line[: MAX_MESSAGE_LENGTH // 2]} … {line[-MAX_MESSAGE_LENGTH // 2 :]}"
    print(f"boardwright: {line}", file=sys.stderr)
    sys.exit(2)

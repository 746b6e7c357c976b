"""Find out which side a game favours: a net plays itself from many openings, under one rule set or several.

Plays hundreds of games in parallel on the device that JAX finds; a GPU is much faster than a CPU.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from boardwright import __version__
from boardwright.arena.balance import BalanceSettings, Line, fields, opening_name, opening_plies
from boardwright.cli.common import (
    FOLDER,
    JsonOption,
    N,
    command_line,
    in_range,
    make_folder,
    print_json,
    value,
    write_text,
)
from boardwright.cli.progress import phases
from boardwright.games.registry import game_class
from boardwright.nets import shipped
from boardwright.papers import balance_page
from boardwright.views.chart import render

MAX_GAMES, MAX_SIMULATIONS = 10**6, 2**14


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which game and nets, and how many games."""

    game: Positional[str]  # Name of the game; `boardwright games` lists them.
    net: Annotated[str, value("NET,…")]
    """The net that plays both sides: a file or the name of a shipped net; or several, separated by commas: each rule
    set is played by the first net trained on it, else by the first."""
    rules: Annotated[str | None, value("RULES,…")] = None
    """Rule sets, separated by commas. Default: those the nets were trained on."""
    games: N[int] = 1000  # Games for each rule set and kind of opening.
    simulations: N[int] = 128  # Simulations per move.
    openings: Annotated[str, value("KIND,…")] = "start,random:4"
    """Openings, separated by commas: `start`, or `random:K` for K random plies."""
    seed: int = 0  # Seed of the openings.
    out: FOLDER[Path | None] = None  # Write `balance.md` and a plot into this folder, which is made if missing.


def run(options: Options) -> None:
    """Prints one line per rule set and kind of opening, or JSON `{game, lines: [{rules, net, own, opening, …}]}`."""
    roles = game_class(options.game).roles
    in_range("--games", options.games, 1, MAX_GAMES)
    in_range("--simulations", options.simulations, 1, MAX_SIMULATIONS)
    in_range("--seed", options.seed, 0, 2**31 - 1)
    nets = tuple(dict.fromkeys(map(shipped.find, _names(options.net))))
    from boardwright.arena import balance_games

    settings = BalanceSettings(
        game=options.game,
        nets=nets,
        rules=() if options.rules is None else _names(options.rules),
        openings=opening_plies(options.openings),
        games=options.games,
        simulations=options.simulations,
        seed=options.seed,
    )
    balance_games.games_of(settings)  # raises before the folder is made
    if options.out is not None:
        make_folder("--out", options.out)
    lines = []
    with phases() as show:
        for line in balance_games.lines(settings, show.phase):
            lines.append(line)
            if not options.json:
                show.line(_words(line, roles, several=len(nets) > 1))
    if options.out is not None:
        import jax

        setting = f"on {jax.devices()[0].device_kind}, boardwright {__version__}"
        given = ("net", "rules", "games", "simulations", "openings", *(["seed"] if options.seed else []))
        command = command_line(["balance", options.game], options, given)
        text = balance_page.page(settings, lines, command=command, setting=setting)
        write_text(options.out / "balance.md", text)
        write_text(options.out / balance_page.PICTURE, render(balance_page.chart(settings, lines)))
    if options.json:
        rows = [fields(line, roles) for line in lines]
        print_json({"game": options.game, "simulations": options.simulations, "lines": rows})


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",")))


def _words(line: Line, roles: tuple[str, str], *, several: bool) -> str:
    counts, by = line.counts, f" by {line.net}" if several else ""
    own = "" if line.is_own else " (the net was trained on other rules)"
    favoured = "undecided which side is favoured" if counts.favoured is None else f"{roles[counts.favoured]} favoured"
    named = zip((*roles, "drawn"), (*counts.won, counts.drawn), strict=True)
    shares = ", ".join(f"{name} {balance_page.percent(share)}" for name, share in named)
    return f"{line.rules}{by}{own}, {opening_name(line.plies)}: {shares}: {favoured}"

"""Measure the speed of a game's engines and searches on this machine."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from boardwright.cli.choose import in_range, print_json
from boardwright.errors import BoardwrightError
from boardwright.games.registry import game_class


@dataclass(frozen=True)
class Options:
    """What to measure."""

    what: tyro.conf.Positional[Literal["engine", "search"]]
    """`engine`: perft, random games, batched steps, import and build. `search`: alpha-beta and Monte Carlo."""
    game: tyro.conf.Positional[str]
    """Name of the game; `boardwright games` lists them."""
    batch: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Games at once in the batched engine. Default: 16,384 on an accelerator, 1,024 on a CPU."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints the figures as they come, or JSON `{game, machine, figures: {key: {value, unit, …}}}`."""
    from boardwright.bench import engine, search

    game_class(options.game)  # an unknown game is an error before anything is measured
    batch = None if options.batch is None else in_range("--batch", options.batch, 1, 2**20)
    if batch is not None and options.what != "engine":
        raise BoardwrightError("--batch belongs to 'bench engine': searches play one game at a time")
    figures = {}
    measured = engine.measure(options.game, batch) if options.what == "engine" else search.measure(options.game)
    if not options.json:
        print(f"{options.game} on {engine.machine()}")
    for figure in measured:
        figures[figure.key] = {**dataclasses.asdict(figure), "ratio": figure.ratio}
        if not options.json:
            peer = f"   {figure.ratio:,.2f} × {figure.peer}" if figure.peer else ""
            print(f"  {figure.label:<72} {_short(figure.value):>9} {figure.unit}{peer}", flush=True)
    if options.json:
        print_json({"game": options.game, "machine": engine.machine(), "figures": figures})


def _short(value: float) -> str:
    """12,700,000 -> '12.7 M'."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value:.1f}"

"""Measure the speed of a game's engines on this machine."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from boardwright.cli.choose import in_range, print_json
from boardwright.games.registry import game_class


@dataclass(frozen=True)
class Options:
    """What to measure."""

    what: tyro.conf.Positional[Literal["engine"]]
    """`engine`: perft, random games, batched steps, import and build."""
    game: tyro.conf.Positional[str]
    """Name of the game; `boardwright games` lists them."""
    batch: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Games at once in the batched engine. Default: 16,384 on an accelerator, 1,024 on a CPU."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints the figures as they come, or JSON `{game, machine, figures: {key: {value, unit, …}}}`."""
    from boardwright.bench import engine

    game_class(options.game)  # an unknown game is an error before anything is measured
    batch = None if options.batch is None else in_range("--batch", options.batch, 1, 2**20)
    figures = {}
    if not options.json:
        print(f"{options.game} on {engine.machine()}")
    for figure in engine.measure(options.game, batch):
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

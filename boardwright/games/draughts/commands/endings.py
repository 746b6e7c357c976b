"""Measure how many won endings of draughts players win, against a defender that plays perfectly within the tables.

Every player gets the same random positions:
`boardwright endings net:net=FILE alphazero:net=FILE,sims=400 alphabeta:depth=8`.
"""

import math
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Annotated

from tyro.conf import Positional

from boardwright.agents.players import make_agent
from boardwright.cli.common import RULES, JsonOption, N, in_range, print_json, value
from boardwright.cli.progress import track
from boardwright.errors import BoardwrightError
from boardwright.games.draughts.endgames.conversion import (
    Conversion,
    EndingProver,
    Task,
    attempts,
    conversion,
    won_endings,
)
from boardwright.games.registry import game

MIN_PIECES, MAX_PIECES = 3, 8
MAX_POSITIONS, MAX_WORKERS = 10**5, 1024


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which players, and which endings."""

    # Players, such as `alphabeta:depth=8 net:net=FILE`; `boardwright agents draughts` lists them.
    players: Annotated[tuple[str, ...], Positional, value("PLAYER [PLAYER …]")]
    # Pieces on the board, 3 to 8; several numbers, separated by commas, are measured separately.
    pieces: Annotated[str, value("N,N,…")] = "5,6"
    positions: N[int] = 100  # Endings for each number of pieces.
    # Tables that prove and defend the endings. Default: the shipped ones, to 4 pieces.
    tables: Annotated[Path | None, value("DIR")] = None
    rules: RULES[str | None] = None  # Rule set: a name, or the path of a .toml or .json file. Default: wcdf.
    workers: N[int] = 1  # Concurrent endings, each in its own process.
    seed: int = 0  # Seed of positions and players; the same seed gives the same figures unless limits depend on time.


def run(options: Options) -> None:
    """Prints a table, or JSON `{endings: [{pieces, positions, proven_by, plies}], players: [{player, pieces, …}]}`."""
    bound = game("draughts", options.rules)
    if not options.players:
        raise BoardwrightError("name at least one player, such as alphabeta:depth=8")
    in_range("--positions", options.positions, 1, MAX_POSITIONS)
    in_range("--workers", options.workers, 1, MAX_WORKERS)
    in_range("--seed", options.seed, 0, 2**31 - 1)
    numbers = _numbers(options.pieces)
    for player in options.players:
        make_agent(player, bound).close()  # a wrong spec fails before any game
    prover = EndingProver(bound, options.tables)
    endings = {}
    for pieces in numbers:  # each with a new prover: its cache affects what it can prove
        drawn = islice(won_endings(bound, EndingProver(bound, options.tables), pieces, options.seed), options.positions)
        endings[pieces] = list(track(drawn, options.positions, f"endings with {pieces} pieces"))
    tasks = [
        Task(player, ending, options.seed + number, bound.rules, options.tables)
        for player in options.players
        for those in endings.values()
        for number, ending in enumerate(those)
    ]
    done = track(attempts(tasks, options.workers), len(tasks), "endings played")
    found = [conversion(list(islice(done, len(those)))) for _ in options.players for those in endings.values()]
    rows = []
    for pieces, those in endings.items():
        proven_by = "tables" if pieces <= prover.pieces else f"alpha-beta with tables to {prover.pieces}"
        plies = fmean(ending.plies for ending in those)
        rows.append({"pieces": pieces, "positions": len(those), "proven_by": proven_by, "plies": plies})
    if options.json:
        print_json({"endings": rows, "players": [_fields(one) for one in found]})
        return
    for row in rows:
        line = "{pieces} pieces: {positions} positions, proven by {proven_by}, won in {plies:.1f} plies on average"
        print(line.format_map(row))
    width = max(len("player"), *(len(one.player) for one in found))
    head = f"{'won (95 % interval)':<26} {'spoiled':>7} {'unconverted':>11} {'plies':>6} {'best':>6}"
    print(f"{'player':<{width}}  pieces  {head}")
    for one in found:
        share = f"{one.won} = {100 * one.share.mean:.1f} % ({100 * one.share.low:.1f}-{100 * one.share.high:.1f})"
        lengths = " ".join(f"{'–' if math.isnan(plies) else f'{plies:.1f}':>6}" for plies in (one.plies, one.best))
        print(f"{one.player:<{width}}  {one.pieces:>6}  {share:<26} {one.spoiled:>7} {one.nowhere:>11} {lengths}")


def _fields(one: Conversion) -> dict[str, object]:
    """A row of the JSON; null for means of no games."""
    share = {"share": one.share.mean, "low": one.share.low, "high": one.share.high}
    fields = {**asdict(one), "positions": one.endings, **share}
    return fields if one.won else {**fields, "plies": None, "best": None}


def _numbers(text: str) -> list[int]:
    numbers = []
    for part in text.split(","):
        if not (part.strip().isascii() and part.strip().isdigit() and len(part) < 4):
            raise BoardwrightError(f"--pieces {text!r}: expected numbers separated by commas, such as 5,6")
        numbers.append(in_range("--pieces", int(part), MIN_PIECES, MAX_PIECES))
    return sorted(set(numbers))

"""Measure how many won endings of draughts players win, against a defender that plays perfectly within the tables.

Every player gets the same random positions:
`boardwright endings net:net=FILE alphazero:net=FILE,sims=400 alphabeta:depth=8`.
"""

import math
from collections.abc import Iterator
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
from boardwright.games.base import Game
from boardwright.games.draughts.endgames.conversion import (
    Attempt,
    Conversion,
    EndingProver,
    Task,
    WonEnding,
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
    endings = {pieces: _draw_endings(bound, pieces, options) for pieces in numbers}
    found = [conversion(done) for done in _play(endings, options)]
    if options.json:
        rows = [
            {"pieces": pieces, "positions": len(those), "proven_by": _proven_by(prover, pieces), "plies": _mean(those)}
            for pieces, those in endings.items()
        ]
        print_json({"endings": rows, "players": [_fields(one) for one in found]})
        return
    for pieces, those in endings.items():
        print(
            f"{pieces} pieces: {len(those)} positions, proven by {_proven_by(prover, pieces)}, "
            f"won in {_mean(those):.1f} plies on average"
        )
    for line in table(found):
        print(line)


def table(found: list[Conversion]) -> list[str]:
    """The lines of the printed table."""
    width = max(len("player"), *(len(one.player) for one in found))
    head = f"{'won (95 % interval)':<26} {'spoiled':>7} {'unconverted':>11} {'plies':>6} {'best':>6}"
    lines = [f"{'player':<{width}}  pieces  {head}"]
    for one in found:
        share = f"{one.won} = {100 * one.share.mean:.1f} % ({100 * one.share.low:.1f}-{100 * one.share.high:.1f})"
        lengths = " ".join(f"{'–' if math.isnan(plies) else f'{plies:.1f}':>6}" for plies in (one.plies, one.best))
        lines.append(
            f"{one.player:<{width}}  {one.pieces:>6}  {share:<26} {one.spoiled:>7} {one.nowhere:>11} {lengths}"
        )
    return lines


def _draw_endings(bound: Game, pieces: int, options: Options) -> list[WonEnding]:
    prover = EndingProver(bound, options.tables)  # a new one: its cache affects what it can prove
    endings = islice(won_endings(bound, prover, pieces, options.seed), options.positions)
    return list(track(endings, options.positions, f"endings with {pieces} pieces"))


def _play(endings: dict[int, list[WonEnding]], options: Options) -> Iterator[list[Attempt]]:
    """The attempts of each player at the endings of each number of pieces."""
    tasks = [
        Task(player, ending, options.seed + number, game("draughts", options.rules).rules, options.tables)
        for player in options.players
        for those in endings.values()
        for number, ending in enumerate(those)
    ]
    done = track(attempts(tasks, options.workers), len(tasks), "endings played")
    for _ in options.players:
        for those in endings.values():
            yield list(islice(done, len(those)))


def _fields(one: Conversion) -> dict[str, object]:
    """A row of the JSON; null for means of no games."""
    share = {"share": one.share.mean, "low": one.share.low, "high": one.share.high}
    fields = {**asdict(one), "positions": one.endings, **share}
    return fields if one.won else {**fields, "plies": None, "best": None}


def _proven_by(prover: EndingProver, pieces: int) -> str:
    return "tables" if pieces <= prover.pieces else f"alpha-beta with tables to {prover.pieces}"


def _mean(endings: list[WonEnding]) -> float:
    return fmean(ending.plies for ending in endings)


def _numbers(text: str) -> list[int]:
    numbers = []
    for part in text.split(","):
        if not (part.strip().isascii() and part.strip().isdigit() and len(part) < 4):
            raise BoardwrightError(f"--pieces {text!r}: expected numbers separated by commas, such as 5,6")
        numbers.append(in_range("--pieces", int(part), MIN_PIECES, MAX_PIECES))
    return sorted(set(numbers))

"""Build and probe the endgame tables of draughts: win, draw or loss, and the plies to the end.

The tables ignore the draws by inactivity and repetition.
"""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, subcommand

from boardwright.cli.common import JsonOption, N, in_range, print_json, value
from boardwright.cli.progress import Phases, phases
from boardwright.games.draughts.endgames.tablebase import MAX_PIECES, BuildStep, Tablebase, build
from boardwright.games.registry import game

MAX_THREADS = 1024


@dataclass(frozen=True)
class Build(JsonOption):
    """Build the tables up to a number of pieces, or resume an interrupted build."""

    out: Annotated[Path, value("DIR")]  # Folder of the files.
    # Pieces of both sides together, 2 to 6. 5 take a minute or two, 6 about twenty times that and 2 GiB of memory.
    pieces: N[int] = 5
    threads: N[int | None] = None  # Threads. Default: one per core.


@dataclass(frozen=True, kw_only=True)
class Lookup(JsonOption):
    """Base of the options of commands that read tables."""

    # Folder of the tables. Default: those that ship, to 4 pieces.
    dir: Annotated[Path | None, value("DIR")] = None


@dataclass(frozen=True)
class Probe(Lookup):
    """Look up a position."""

    position: Positional[str]  # The position as FEN, such as `B:WK1:BK10,K15`.


@dataclass(frozen=True)
class Stats(Lookup):
    """Count wins, draws and losses, and check every byte of the files read."""

    pieces: N[int | None] = None  # Pieces of both sides together. Default: the most there are tables for.


@dataclass(frozen=True)
class Verify(Stats):
    """Verify the tables: the value of every position follows from its moves."""


Options = (
    Annotated[Build, subcommand("build")]
    | Annotated[Probe, subcommand("probe")]
    | Annotated[Stats, subcommand("stats")]
    | Annotated[Verify, subcommand("verify")]
)


def run(options: Build | Probe | Stats | Verify) -> None:
    """Runs the chosen action."""
    actions: dict[type, Callable[[Any], None]] = {Build: _build, Probe: _probe, Stats: _stats, Verify: _verify}
    actions[type(options)](options)


def _build(options: Build) -> None:
    """Prints one line per file, or JSON `{pieces, folder, written, seconds}`."""
    in_range("--pieces", options.pieces, 2, MAX_PIECES)
    in_range("--threads", options.threads, 1, MAX_THREADS)
    begin = time.perf_counter()
    with nullcontext(Phases(None)) if options.json else phases() as display:

        def show(step: BuildStep) -> None:
            display.phase(step.table, step.done, step.total)
            if step.wrote is not None and not options.json:
                display.line(f"wrote {step.wrote} ({step.wrote.stat().st_size:,} bytes)")

        written = build(options.pieces, options.out, show, options.threads)
    seconds = time.perf_counter() - begin
    if options.json:
        fields = {"pieces": options.pieces, "folder": str(options.out), "written": [path.name for path in written]}
        print_json({**fields, "seconds": round(seconds, 3)})
    else:
        done = f"{len(written)} files written in {seconds:.1f} s" if written else "all files existed before"
        print(f"tables to {options.pieces} pieces are in {options.out}: {done}")


def _probe(options: Probe) -> None:
    """Prints a sentence and the moves, or JSON `{position, to_move, result, plies, moves}`, the best move first."""
    position = game("draughts").position(options.position)
    tables = Tablebase(options.dir)
    probe, mover = tables.probe_position(position), position.game.roles[position.role_to_move]
    ranked = tables.ranked_moves(position)
    if options.json:
        moves = [{"move": move, "result": worth.result, "plies": worth.plies} for move, worth in ranked]
        fields = {"position": position.text, "to_move": mover, "result": probe.result, "plies": probe.plies}
        print_json({**fields, "moves": moves})
        return
    verb = {"win": "wins", "loss": "loses", "draw": "draws"}[probe.result]
    length = "" if probe.plies is None else " in 1 ply" if probe.plies == 1 else f" in {probe.plies} plies"
    print(f"{mover}, to move, {verb}{length}")
    for move, worth in ranked:
        print(f"  {move:<10} {worth.result}" + ("" if worth.plies is None else f" in {worth.plies}"))


def _stats(options: Stats) -> None:
    """Prints the counts, or JSON `{pieces, positions, wins, draws, losses, longest}`."""
    tables = _open(options)
    pieces = options.pieces or tables.pieces
    counts = tables.counts(pieces)
    if options.json:
        names = ("positions", "wins", "draws", "losses", "longest")
        print_json({"pieces": pieces, **{name: getattr(counts, name) for name in names}})
        return
    print(f"{pieces} pieces: {counts.positions:,} positions, results for the side to move")
    print(f"  wins {counts.wins:,}, draws {counts.draws:,}, losses {counts.losses:,}")
    print(f"  longest win: {counts.longest} plies")


def _verify(options: Verify) -> None:
    """Prints a sentence, or JSON `{pieces, positions, folder}`; a wrong table is an error."""
    tables = _open(options)
    positions = tables.verify()
    if options.json:
        print_json({"pieces": tables.pieces, "positions": positions, "folder": str(tables.folder)})
    else:
        print(f"all {positions:,} positions to {tables.pieces} pieces have the value that follows from their moves")


def _open(options: Stats) -> Tablebase:
    return Tablebase(options.dir, in_range("--pieces", options.pieces, 2, MAX_PIECES))

"""DraughtsZero (Hull): the paper's claims, and a run of our variant of its method with matches and endings.

    results = everything(Work(folder=..., seed=0, games=100, positions=100), watch)

`run` is a folder of a training run as `boardwright train` makes it, `matches` and `endings` hold the counts. The same
call resumes, also in a copy of the folder; of a finished run its settings, metrics and `best.net` are enough.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from boardwright.agents.netchoice import check_net
from boardwright.arena.backends import local_backend, play
from boardwright.arena.event import Conditions, Event, derived_seed
from boardwright.arena.tally import match_tally
from boardwright.atomicfile import write_atomic
from boardwright.games.draughts.endgames.conversion import Conversion, Task, attempts, conversion
from boardwright.games.draughts.endgames.endings import Judge, won_endings
from boardwright.games.draughts.endgames.tablebase import Tablebase
from boardwright.games.registry import game as make_game
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import loop, settings
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.nets import netfile, shipped
from boardwright.papers.result_cache import check_told, read_table
from boardwright.papers.run_status import has_ended
from boardwright.papers.stopping import StoppedError
from boardwright.papers.verdicts import FAILS, HOLDS, OPEN, is_more
from boardwright.stats.score import Interval, Score

NAME, TITLE, PRESET = "draughts", "DraughtsZero: Learning Draughts through Self-Play", "draughts-paper-variant"
NOT_RUN = "of our variant; the paper's method was not run"
NO_CRITERION = "an untrained net also scores above 0.5, so this criterion can hardly fail; of our variant"
RULES = "paper"  # of the run and its matches
OURS = "ours"  # the net that is trained here, in the results
OPPONENTS = ("random", "alphabeta:depth=1", "alphabeta:depth=4")
PIECES = (5, 6)
SIMULATIONS, QUICK_SIMULATIONS = 100, 4
GAMES, QUICK_GAMES, POSITIONS, QUICK_POSITIONS = 100, 4, 100, 4
QUICK = (
    *("iterations=4", "net.blocks=1", "net.width=8", "search.simulations=4", "selfplay.games=16", "selfplay.steps=32"),
    *("learner.batch_size=16", "learner.steps=8", "gating.games=4", "gating.every=2", "gating.simulations=4"),
    "evaluation.every=0",
)
# How a net is asked: words, and a player of the net in a file.
ASKED: dict[str, Callable[[str, int], str]] = {
    "net alone": lambda net, sims: f"net:net={net}",
    "net + search": lambda net, sims: f"alphazero:net={net},sims={sims},tables=off",
    "net + search + tables": lambda net, sims: f"alphazero:net={net},sims={sims}",
}
# Wins, draws and losses of the net before training, with search and tables, against random: `boardwright match draughts
# alphazero:net=run/nets/000000.net,sims=100 random --rules paper --games 40 --openings ballots`.
UNTRAINED = (35, 4, 1)
SAME, CHOSEN, VARIANT = "same", "same; numbers ours", "**variant**"
SETUP = (  # what, published, ours, difference
    (
        "network",
        "residual, 4 blocks of 64 channels, value head of 32",
        "residual, {blocks} blocks of {width} channels, value head of {hidden}",
        SAME,
    ),
    (
        "rules",
        "draw rules not reported",
        "rule set `paper`: drawn at the third repetition, after 40 plies without a capture, or after 200 plies",
        "draw rules ours",
    ),
    (
        "observation",
        "4 planes: white men, white kings, black men, black kings",
        "4 planes: men and kings of the mover and of the opponent, turned for the mover",
        VARIANT,
    ),
    ("actions", "4,096 logits: from and to square", "128 logits: a square and a direction, hop by hop", VARIANT),
    (
        "search",
        "PUCT with plain Q and a constant c; unvisited moves and number of simulations not reported",
        (
            "PUCT with Q scaled to [0, 1] between the lowest and highest of a node, c = {c:g} plus a logarithm of the "
            "visits, unvisited moves at the lowest value; {simulations} simulations"
        ),
        VARIANT,
    ),
    (
        "exploration",
        "Dirichlet noise at the root, temperature in early plies; numbers not reported",
        "the same: α {alpha:g}, share {share:.0%}, temperature 1 for {warm} plies",
        CHOSEN,
    ),
    ("self-play", "by the candidate", "by the reference", VARIANT),
    (
        "learning",
        "Adam, squared error, cross-entropy over all logits, L2, clipping; numbers not reported",
        "the same, but cross-entropy over legal moves; learning rate {rate:g}, batches of {batch}",
        VARIANT,
    ),
    (
        "gating",
        "candidate against reference, colours alternate; numbers not reported",
        "the same: {gates} games every {every} iterations, {least:.0%}",
        CHOSEN,
    ),
    ("games", "about 100", "{games:,}", VARIANT),
    ("time", "8 hours on an Apple M2", "{minutes:,.1f} minutes on {device}", "not comparable"),
    ("rating", "not reported", "see learning curves", ""),
)


@dataclass(frozen=True, kw_only=True)
class Work:
    """How much, and where."""

    folder: Path
    seed: int = 0
    games: int = GAMES  # against each opponent
    positions: int = POSITIONS  # endings for each number of pieces
    quick: bool = False
    workers: int = 1  # processes for games and endings
    nets: tuple[str, ...] = ()  # others, whose endings are measured too
    tables: Path | None = None  # that prove endings and defend them

    @property
    def simulations(self) -> int:
        """Of a search in matches and endings."""
        return QUICK_SIMULATIONS if self.quick else SIMULATIONS

    @property
    def net(self) -> Path:
        """The file the run ends with."""
        return self.folder / "run" / "nets" / BEST

    def config(self) -> Any:
        """What the run is told."""
        return settings.apply(PRESETS[PRESET], [*(QUICK if self.quick else ()), f"seed={self.seed}"])


class Claim(NamedTuple):
    """A claim of the paper, our figure, and the verdict with what restricts it."""

    claim: str
    ours: str
    verdict: str
    note: str


@dataclass(frozen=True)
class Results:
    """All that is reported."""

    history: History
    matches: dict[str, tuple[int, int, int]]  # by opponent: wins, draws and losses of our net with search
    endings: dict[tuple[str, str], tuple[Conversion, ...]]  # by net and how it is asked, for each number of pieces

    def score(self, opponent: str) -> Interval:
        """Of our net with search."""
        return Score(*self.matches[opponent]).interval

    def claims(self) -> list[Claim]:
        """The paper's claims and proposals, judged by our variant of its method."""
        plain, with_tables = (self.endings[OURS, asked][0].share for asked in ("net + search", "net + search + tables"))
        failing = Interval(1 - plain.mean, 1 - plain.high, 1 - plain.low)
        gained = HOLDS if with_tables.low > plain.high else OPEN
        strength, untrained = self.score("random"), Score(*UNTRAINED).share
        return [
            Claim(
                "it learned to play",
                f"{strength.mean:.3f} against random, with search and tables; the net before training, with the same, "
                f"{untrained:.3f} of {sum(UNTRAINED)} games",
                *((FAILS, NOT_RUN) if strength.high < 0.5 else (OPEN, NO_CRITERION)),
            ),
            Claim(
                "it had difficulty winning won endings (it fails in more than half of them)",
                f"fails in {100 * failing.mean:.0f} % with {PIECES[0]} pieces",
                is_more(failing, 0.5),
                NOT_RUN,
            ),
            Claim(
                "endgame tables would help (proposed as training targets, tested here in the search)",
                f"wins {100 * plain.mean:.0f} % without, {100 * with_tables.mean:.0f} % with tables in the search",
                FAILS if with_tables.high < plain.low else gained,
                "of tables in the search of our variant; tables as training targets were not run",
            ),
        ]


def everything(work: Work, watch: RunObserver) -> Results:
    """Trains, plays and measures what is not there yet; raises StoppedError when `watch` says so."""
    config, run = work.config(), work.folder / "run"
    nets = {OURS: work.net, **{text: _usable(text) for text in work.nets}}
    Tablebase(work.tables)  # so that what is wrong with them, too, is said before anything is made
    if not (work.net.exists() and has_ended(run, "alphazero", config)):
        progress = loop.train(AlphaZero(config), run, watch)
        if progress.iteration < config.iterations:
            raise StoppedError
    matches = {opponent: _met(work, opponent, watch) for opponent in OPPONENTS}
    endings = {
        (name, asked): tuple(_converted(work, name, path, asked, pieces, watch) for pieces in PIECES)
        for name, path in nets.items()
        for asked in ASKED
    }
    return Results(read_metrics(run), matches, endings)


def _usable(text: str) -> Path:
    """The file of a net whose endings can be measured, by whatever rules it learned; raises NetError."""
    path = shipped.find(text)
    file = netfile.read(path)
    netfile.check_game(file, make_game("draughts"))
    check_net("alphazero", path, netfile.game_of(file))
    return path


def _met(work: Work, opponent: str, watch: RunObserver) -> tuple[int, int, int]:
    """Wins, draws and losses of our net against a player, ballots with both colours."""

    def count() -> list[int]:
        game = make_game("draughts", RULES, "paper")
        ours = ASKED["net + search + tables"](str(work.net), work.simulations)
        seed = derived_seed(work.seed, opponent)
        players = (ours, opponent)
        event = Event(
            game=game.name, rules=game.rules, players=players, openings="ballots", seed=seed, conditions=Conditions()
        )
        done = []
        for played in play(event, itertools.islice(event.schedule(), work.games), local_backend(work.workers)):
            done.append(played)
            watch.progress(f"against {opponent}", len(done), work.games)
            _check(watch)
        first, second = match_tally(done).a
        return list(dataclasses.astuple(first.score + second.score))

    wins, draws, losses = _kept(work, f"matches/{opponent}", [work.games, work.simulations], work.net, count)
    return wins, draws, losses


def _converted(work: Work, name: str, net: Path, asked: str, pieces: int, watch: RunObserver) -> Conversion:
    """How many won endings of so many pieces a net wins that is asked so, by the rules it learned."""

    def measure() -> dict[str, Any]:
        game = make_game("draughts", netfile.game_of(netfile.read(net)).rules)
        player = ASKED[asked](str(net), work.simulations)
        endings = itertools.islice(won_endings(game, Judge(game, work.tables), pieces, work.seed), work.positions)
        tasks = [Task(player, ending, work.seed + n, game.rules, work.tables) for n, ending in enumerate(endings)]
        done = []
        for one in attempts(tasks, work.workers):
            done.append(one)
            watch.progress(f"endings with {pieces} pieces", len(done), work.positions)
            _check(watch)
        return dataclasses.asdict(dataclasses.replace(conversion(done), player=asked))  # not where its file lies

    place = f"endings/{zlib.crc32(name.encode()):08x}-{asked.replace(' ', '')}-{pieces}"
    told = [work.positions, work.simulations, Tablebase(work.tables).pieces]
    fields = _kept(work, place, told, net, measure)
    fields.pop("share", None)  # of older files: it follows from the counts
    return Conversion(**fields)


def _kept(work: Work, name: str, told: list[Any], net: Path, count: Callable[[], Any]) -> Any:
    """What a file holds of the same net, or else what is counted now."""
    path = work.folder / f"{name.replace(':', '-')}.json"
    told = [*told, work.seed, zlib.crc32(net.read_bytes())]
    there = read_table(path)
    if there is not None and "found" in there and isinstance(there.get("told"), list):  # and not damaged
        check_told(path, there["told"][:-1], told[:-1])
        if there["told"] == told:
            return there["found"]
    found = count()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps({"told": told, "found": found}).encode())
    return found


def _check(watch: RunObserver) -> None:
    if watch.stopped():
        raise StoppedError

"""The training run, matches and endings of DraughtsZero by our variant of its method, and the verdicts that follow.

    results = run_paper(Work(folder=..., seed=0, games=100, positions=100), observer)

`run` is a folder of a training run as `boardwright train` makes it, `matches` and `endings` hold the counts. The same
call resumes, also in a copy of the folder; of a finished run its settings, metrics and `best.net` are enough.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from boardwright.agents.netchoice import check_net
from boardwright.arena.event import derived_seed
from boardwright.games.draughts.endgames.conversion import (
    Conversion,
    EndingProver,
    Task,
    attempts,
    conversion,
    won_endings,
)
from boardwright.games.draughts.endgames.tablebase import Tablebase
from boardwright.games.registry import game as make_game
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import settings
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.nets import netfile, shipped
from boardwright.papers.report import FAILS, HOLDS, OPEN, is_more
from boardwright.papers.work_folder import StoppedError, has_ended, load_or_play, play_match, train_to_end
from boardwright.stats.score import Interval, Score

PRESET = "draughts-paper-variant"
OURS = "ours"  # the net that is trained here
NOT_RUN = "for our variant; the paper's method was not run"
NO_CRITERION = "an untrained net also scores above 0.5, so this criterion can hardly fail; for our variant"
# Wins, draws and losses of the net before training, with search and tables, against random: `boardwright match draughts
# alphazero:net=run/nets/000000.net,sims=100 random --rules paper --games 40 --openings ballots`.
UNTRAINED = (35, 4, 1)
RULES = "paper"  # of the run and its matches
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


@dataclass(frozen=True, kw_only=True)
class Work:
    """How much, and where."""

    folder: Path
    seed: int = 0
    games: int = GAMES  # against each opponent
    positions: int = POSITIONS  # endings for each number of pieces
    quick: bool = False
    workers: int = 1  # processes for games and endings
    nets: tuple[str, ...] = ()  # other nets whose endings are measured
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
        """The settings of the run."""
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
        pieces = self.endings[OURS, "net + search"][0].pieces
        return [
            Claim(
                "it learned to play",
                f"{strength.mean:.3f} against random, with search and tables; the net before training, with the same, "
                f"{untrained:.3f} of {sum(UNTRAINED)} games",
                *((FAILS, NOT_RUN) if strength.high < 0.5 else (OPEN, NO_CRITERION)),
            ),
            Claim(
                "it had difficulty winning won endings (our criterion: fails in more than half)",
                f"fails in {100 * failing.mean:.0f} % with {pieces} pieces",
                is_more(failing, 0.5),
                NOT_RUN,
            ),
            Claim(
                "endgame tables would help (proposed as training targets, tested here in the search)",
                f"wins {100 * plain.mean:.0f} % without, {100 * with_tables.mean:.0f} % with tables in the search",
                FAILS if with_tables.high < plain.low else gained,
                "for tables in the search of our variant; tables as training targets were not run",
            ),
        ]


def make_work(folder: Path, options: Any) -> Work:
    """The work that the options of `boardwright paper` describe."""
    quick = options.quick
    return Work(
        folder=folder,
        seed=options.seed,
        games=options.games or (QUICK_GAMES if quick else GAMES),
        positions=options.positions or (QUICK_POSITIONS if quick else POSITIONS),
        quick=quick,
        workers=options.workers,
        nets=options.nets,
        tables=options.tables,
    )


def run_paper(work: Work, observer: RunObserver) -> Results:
    """Trains, plays and measures what is missing; raises StoppedError when the observer stops it."""
    config, run = work.config(), work.folder / "run"
    nets = {OURS: work.net, **{text: _find_net(text) for text in work.nets}}
    Tablebase(work.tables)  # reports unusable tables before the training
    if not (work.net.exists() and has_ended(run, "alphazero", config)):
        train_to_end(AlphaZero(config), run, observer)
    matches = {opponent: _play_match(work, opponent, observer) for opponent in OPPONENTS}
    endings = {
        (name, asked): tuple(_play_endings(work, name, path, asked, pieces, observer) for pieces in PIECES)
        for name, path in nets.items()
        for asked in ASKED
    }
    return Results(read_metrics(run), matches, endings)


def _find_net(text: str) -> Path:
    """The file of a net whose endings can be measured, under the rules it learned; raises NetError."""
    path = shipped.find(text)
    file = netfile.read(path)
    netfile.check_game(file, make_game("draughts"))
    check_net("alphazero", path, netfile.game_of(file))
    return path


def _play_match(work: Work, opponent: str, observer: RunObserver) -> tuple[int, int, int]:
    """Wins, draws and losses of our net against a player, ballots with both colours."""

    def play() -> tuple[int, ...]:
        sides = play_match(
            make_game("draughts", RULES, "paper"),
            (ASKED["net + search + tables"](str(work.net), work.simulations), opponent),
            work.games,
            functools.partial(_show, observer, f"against {opponent}"),
            openings="ballots",
            seed=derived_seed(work.seed, opponent),
            workers=work.workers,
        )
        return dataclasses.astuple(sides[0] + sides[1])

    path = work.folder / "matches" / f"{opponent.replace(':', '-')}.json"
    wins, draws, losses = load_or_play(path, [work.games, work.simulations, work.seed], play, observer, nets=[work.net])
    return wins, draws, losses


def _play_endings(work: Work, name: str, net: Path, asked: str, pieces: int, observer: RunObserver) -> Conversion:
    """How many won endings with some number of pieces a net wins, under the rules it learned; `asked` is from ASKED."""

    def play() -> dict[str, Any]:
        game = make_game("draughts", netfile.game_of(netfile.read(net)).rules)
        player = ASKED[asked](str(net), work.simulations)
        endings = itertools.islice(
            won_endings(game, EndingProver(game, work.tables), pieces, work.seed), work.positions
        )
        tasks = [Task(player, ending, work.seed + n, game.rules, work.tables) for n, ending in enumerate(endings)]
        done = []
        for one in attempts(tasks, work.workers):
            done.append(one)
            _show(observer, f"endings with {pieces} pieces", len(done), work.positions)
        return dataclasses.asdict(dataclasses.replace(conversion(done), player=asked))  # without the path of its file

    path = work.folder / "endings" / f"{zlib.crc32(name.encode()):08x}-{asked.replace(' ', '')}-{pieces}.json"
    conditions = [work.positions, work.simulations, Tablebase(work.tables).pieces, work.seed]
    fields = load_or_play(path, conditions, play, observer, nets=[net])
    fields.pop("share", None)  # of older files: it follows from the counts
    return Conversion(**fields)


def _show(observer: RunObserver, what: str, done: int, total: int) -> None:
    """Shows progress; raises StoppedError when the observer stops the work."""
    observer.progress(what, done, total)
    if observer.stopped():
        raise StoppedError

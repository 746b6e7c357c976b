"""The training run, matches and endings of DraughtsZero, by our variant of its method.

    results = run_paper(Work(folder=..., seed=0, games=100, positions=100), observer)

`run` is a folder of a training run as `boardwright train` makes it, `matches` and `endings` hold the counts. The same
call resumes, also in a copy of the folder; of a finished run its settings, metrics and `best.net` are enough.
"""

from __future__ import annotations

import dataclasses
import itertools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardwright.agents.netchoice import check_net
from boardwright.arena.backends import local_backend, play
from boardwright.arena.event import Conditions, Event, derived_seed
from boardwright.arena.tally import match_tally
from boardwright.games.draughts.endgames.conversion import Conversion, Task, attempts, conversion
from boardwright.games.draughts.endgames.endings import Judge, won_endings
from boardwright.games.draughts.endgames.tablebase import Tablebase
from boardwright.games.registry import game as make_game
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import loop, settings
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.nets import netfile, shipped
from boardwright.papers.draughtszero import claims
from boardwright.papers.draughtszero.claims import ASKED, OPPONENTS, OURS, PIECES
from boardwright.papers.draughtszero.results import Results
from boardwright.papers.work_folder import StoppedError, check_settings, has_ended, read_table, write_table


@dataclass(frozen=True, kw_only=True)
class Work:
    """How much, and where."""

    folder: Path
    seed: int = 0
    games: int = claims.GAMES  # against each opponent
    positions: int = claims.POSITIONS  # endings for each number of pieces
    quick: bool = False
    workers: int = 1  # processes for games and endings
    nets: tuple[str, ...] = ()  # other nets whose endings are measured
    tables: Path | None = None  # that prove endings and defend them

    @property
    def simulations(self) -> int:
        """Of a search in matches and endings."""
        return claims.QUICK_SIMULATIONS if self.quick else claims.SIMULATIONS

    @property
    def net(self) -> Path:
        """The file the run ends with."""
        return self.folder / "run" / "nets" / BEST

    def config(self) -> Any:
        """The settings of the run."""
        return settings.apply(PRESETS[claims.PRESET], [*(claims.QUICK if self.quick else ()), f"seed={self.seed}"])


def make_work(folder: Path, options: Any) -> Work:
    """The work that the options of `boardwright paper` describe."""
    quick = options.quick
    return Work(
        folder=folder,
        seed=options.seed,
        games=options.games or (claims.QUICK_GAMES if quick else claims.GAMES),
        positions=options.positions or (claims.QUICK_POSITIONS if quick else claims.POSITIONS),
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
        progress = loop.train(AlphaZero(config), run, observer)
        if progress.iteration < config.iterations:
            raise StoppedError
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

    def count() -> list[int]:
        game = make_game("draughts", claims.RULES, "paper")
        ours = ASKED["net + search + tables"](str(work.net), work.simulations)
        seed = derived_seed(work.seed, opponent)
        players = (ours, opponent)
        event = Event(
            game=game.name, rules=game.rules, players=players, openings="ballots", seed=seed, conditions=Conditions()
        )
        done = []
        for played in play(event, itertools.islice(event.schedule(), work.games), local_backend(work.workers)):
            done.append(played)
            observer.progress(f"against {opponent}", len(done), work.games)
            _check_stop(observer)
        first, second = match_tally(done).a
        return list(dataclasses.astuple(first.score + second.score))

    wins, draws, losses = _load_or_count(work, f"matches/{opponent}", [work.games, work.simulations], work.net, count)
    return wins, draws, losses


def _play_endings(work: Work, name: str, net: Path, asked: str, pieces: int, observer: RunObserver) -> Conversion:
    """How many won endings with some number of pieces a net wins, under the rules it learned; `asked` is from ASKED."""

    def measure() -> dict[str, Any]:
        game = make_game("draughts", netfile.game_of(netfile.read(net)).rules)
        player = ASKED[asked](str(net), work.simulations)
        endings = itertools.islice(won_endings(game, Judge(game, work.tables), pieces, work.seed), work.positions)
        tasks = [Task(player, ending, work.seed + n, game.rules, work.tables) for n, ending in enumerate(endings)]
        done = []
        for one in attempts(tasks, work.workers):
            done.append(one)
            observer.progress(f"endings with {pieces} pieces", len(done), work.positions)
            _check_stop(observer)
        return dataclasses.asdict(dataclasses.replace(conversion(done), player=asked))  # without the path of its file

    place = f"endings/{zlib.crc32(name.encode()):08x}-{asked.replace(' ', '')}-{pieces}"
    conditions = [work.positions, work.simulations, Tablebase(work.tables).pieces]
    fields = _load_or_count(work, place, conditions, net, measure)
    fields.pop("share", None)  # of older files: it follows from the counts
    return Conversion(**fields)


def _load_or_count(work: Work, name: str, conditions: list[Any], net: Path, count: Callable[[], Any]) -> Any:
    """The result in a file if it is of the same net, else what `count` returns, which is saved."""
    path = work.folder / f"{name.replace(':', '-')}.json"
    conditions = [*conditions, work.seed, zlib.crc32(net.read_bytes())]
    saved = read_table(path)
    if saved is not None and "found" in saved and isinstance(saved.get("told"), list):  # and not damaged
        check_settings(path, saved["told"][:-1], conditions[:-1])
        if saved["told"] == conditions:
            return saved["found"]
    found = count()
    write_table(path, told=conditions, found=found)
    return found


def _check_stop(observer: RunObserver) -> None:
    if observer.stopped():
        raise StoppedError

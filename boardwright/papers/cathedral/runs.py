"""The training runs and matches of the Cathedral paper's tables, in a folder where nothing is done twice.

    results = run_paper(Work(folder, seeds=(0, 1, 2), games=10_000, ...), observer)

`runs/NAME-SEED` are folders of training runs as `boardwright train` makes them, without the checkpoints once they are
finished; `matches/CELL-SEED.json` are the counted games of a cell. The same call resumes, also in a copy of the folder.
"""

from __future__ import annotations

import dataclasses
import functools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from boardwright.arena.event import derived_seed
from boardwright.arena.positions import boards_for
from boardwright.games.registry import game as make_game
from boardwright.learn.match.matches import play_pairs
from boardwright.learn.match.policies import Policy, make_net_evaluator, net_policy, random_policy
from boardwright.learn.methods import PRESETS, make_method
from boardwright.learn.run import checkpoint, config_file, settings
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.learn.shared.policy_method import with_rewards
from boardwright.learn.vae.config import VAE_FILE
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.network import Network, Variables, make_network, variables_of
from boardwright.papers.cathedral import claims
from boardwright.papers.cathedral.claims import CELLS, RANDOM, TRAININGS, Cell, Played, Results, Training
from boardwright.papers.parallel_jobs import Job, run_jobs
from boardwright.papers.work_folder import has_ended, is_same_run, load_or_play, play_match, train_to_end


@dataclass(frozen=True, kw_only=True)
class Work:
    """How much, and where."""

    folder: Path
    seeds: tuple[int, ...]
    games: int  # of a cell, for each seed
    arena_games: int  # of a cell in the scalar engine, for each seed
    quick: bool = False
    workers: int = 1  # processes for games in the scalar engine
    at_once: int = 1  # training runs; several have a process each

    def run_folder(self, name: str, seed: int) -> Path:
        """Folder of a training run."""
        return self.folder / "runs" / f"{name}-{seed}"

    def last_file(self, name: str, seed: int) -> Path:
        """The file a training run ends with."""
        last = VAE_FILE if TRAININGS[name].method == "vae" else BEST
        return self.run_folder(name, seed) / "nets" / last

    def match_file(self, cell: Cell, seed: int) -> Path:
        """Of the counted games of a cell."""
        return self.folder / "matches" / f"{cell.name}-{seed}.json"

    def config(self, training: Training, seed: int) -> Any:
        """The settings of a training run."""
        own = list(training.settings)
        for other in training.after:
            own = [text.replace(f"{{{other}}}", str(self.last_file(other, seed))) for text in own]
        quick = (*claims.QUICK[training.method], *training.quick) if self.quick else ()
        return settings.apply(PRESETS[training.method][training.preset], [*own, *quick, f"seed={seed}"])

    def has_ended(self, training: Training, seed: int) -> bool:
        """Whether a training run is over."""
        return has_ended(self.run_folder(training.name, seed), training.method, self.config(training, seed))


def make_work(folder: Path, options: Any) -> Work:
    """The work that the options of `boardwright paper` describe."""
    usual = (claims.QUICK_GAMES, claims.QUICK_SEEDS) if options.quick else (claims.GAMES, claims.SEEDS)
    games, seeds = options.games or usual[0], options.seeds or usual[1]
    return Work(
        folder=folder,
        seeds=tuple(range(options.seed, options.seed + seeds)),
        games=games,
        arena_games=min(games, claims.QUICK_ARENA_GAMES if options.quick else claims.ARENA_GAMES),
        quick=options.quick,
        workers=options.workers,
        at_once=options.at_once,
    )


def run_paper(work: Work, observer: RunObserver) -> Results:
    """Trains and plays what is missing; raises StoppedError when the observer stops it."""
    if work.at_once > 1:
        run_jobs(_jobs(work), at_once=work.at_once, observer=observer)
    histories = {
        name: tuple(train_run(work, training, seed, observer) for seed in training.seeds(work.seeds))
        for name, training in TRAININGS.items()
    }
    played = {
        cell.name: tuple(play_cell(work, cell, seed, observer) for seed in cell.seeds(work.seeds)) for cell in CELLS
    }
    return Results(played, histories)


def train_run(work: Work, training: Training, seed: int, observer: RunObserver) -> History:
    """Trains a run to its end and returns its metrics."""
    folder = work.run_folder(training.name, seed)
    if not work.has_ended(training, seed):
        config = work.config(training, seed)
        observer.message(f"{training.name}, seed {seed}: {training.words}")
        if not (folder / CONFIG).exists():  # a run that starts from the beginning gives another net
            for cell in CELLS:
                if training.name in (cell.first, cell.second):
                    work.match_file(cell, seed).unlink(missing_ok=True)
        if is_same_run(folder, training.method, config):  # with other paths where its folder has moved
            config_file.write(folder, training.method, config)
        boards = functools.partial(boards_for, folder=folder, workers=work.workers, on_progress=observer.progress)
        method = make_method(training.method, config, boards)
        train_to_end(method, folder, dataclasses.replace(observer, message=lambda text: None))
        # Checkpoints and past nets are gigabytes, where nets are large.
        for path in (*(folder / "checkpoints").glob(f"*{checkpoint.SUFFIX}"), *(folder / "nets").glob("[0-9]*.net")):
            path.unlink()
    return read_metrics(folder)


def _jobs(work: Work) -> list[Job]:
    """The runs not trained yet, one seed after the other, since runs of one training would compile the same at once."""
    return [
        Job(
            f"{training.name}-{seed}",
            functools.partial(train_run, work, training, seed),
            tuple(f"{other}-{seed}" for other in training.after if not work.has_ended(TRAININGS[other], seed)),
        )
        for seed in work.seeds
        for training in TRAININGS.values()
        if seed in training.seeds(work.seeds) and not work.has_ended(training, seed)
    ]


def play_cell(work: Work, cell: Cell, seed: int, observer: RunObserver) -> Played:
    """The counted games of a cell."""
    games = work.arena_games if cell.arena else work.games
    show = functools.partial(observer.progress, f"{cell.first} – {cell.second}")

    def play() -> dict[str, Any]:
        counted = _play_in_arena(work, cell, seed, show) if cell.arena else _play_on_device(work, cell, seed, show)
        score = f"{counted.total.share:.3f} of {counted.total.games:,} games"
        observer.message(f"{cell.first} against {cell.second}, seed {seed}: {score}")
        return dataclasses.asdict(counted)

    conditions = {"games": games, "opening_plies": cell.opening_plies}
    played = load_or_play(work.match_file(cell, seed), conditions, play, observer)
    return settings.from_json(Played, played)


def _play_on_device(work: Work, cell: Cell, seed: int, show: Callable[[int, int], None]) -> Played:
    """Nets against each other or against random, thousands of games at once."""
    env = with_rewards(make_game(claims.GAME, claims.RULES, "paper"), "shaped").batch()
    first, second = (
        random_policy if name == RANDOM else _policy(work.last_file(name, seed), cell.temperature)
        for name in (cell.first, cell.second)
    )
    key = jax.random.fold_in(jax.random.key(seed), zlib.crc32(cell.name.encode()))
    result = play_pairs(
        key,
        env,
        first,
        second,
        games=work.games,
        opening_plies=cell.opening_plies,
        on_share=lambda share: show(round(share * work.games), work.games),
    )
    device = jax.devices()[0].device_kind
    return Played(result.wins, result.draws, result.losses, result.reward_per_decision, device)


def _policy(path: Path, temperature: float) -> Policy:
    net = netfile.read(path)
    network, choose = _choosing(net.config, net.observation, temperature)
    return choose(jax.jit(network.fold)(variables_of(net.weights)))


@functools.lru_cache(maxsize=32)  # compiled once for nets of an architecture
def _choosing(
    config: Architecture, observation: str, temperature: float
) -> tuple[Network, Callable[[Variables], Policy]]:
    game = make_game(claims.GAME, claims.RULES, observation)
    network = make_network(config, game)
    return network, net_policy(make_net_evaluator(network, game.batch()), temperature)


def _play_in_arena(work: Work, cell: Cell, seed: int, show: Callable[[int, int], None]) -> Played:
    """A net against a player without one, in the scalar engine."""
    first, second = play_match(
        make_game(claims.GAME, claims.RULES),
        (f"{TRAININGS[cell.first].method}:net={work.last_file(cell.first, seed)}", cell.second),
        work.arena_games,
        show,
        openings=f"random:{cell.opening_plies}",
        seed=derived_seed(seed, cell.name),
        workers=work.workers,
    )
    return Played((first.wins, second.wins), (first.draws, second.draws), (first.losses, second.losses))

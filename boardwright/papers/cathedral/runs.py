"""Training and playing what the Cathedral paper's tables need, in a folder where nothing is done twice.

    results = everything(Work(folder, seeds=(0, 1, 2), games=10_000, ...), watch)

`runs/NAME-SEED` are folders of training runs as `boardwright train` makes them, without what only going on needs once
they are finished; `matches/CELL-SEED.json` are the counted games of a cell. Whoever stops it goes on with the same
call, also in a copy of the folder.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from boardwright.arena.backends import local_backend, play
from boardwright.arena.event import Conditions, Event, derived_seed
from boardwright.arena.positions import boards_for
from boardwright.arena.tally import match_tally
from boardwright.atomicfile import write_atomic
from boardwright.games.registry import game as make_game
from boardwright.learn.match.matches import finish, play_pairs
from boardwright.learn.match.pairing import make_net_evaluator
from boardwright.learn.match.policies import Policy, net_policy, random_policy
from boardwright.learn.methods import PRESETS, make_method
from boardwright.learn.run import checkpoint, config_file, loop, settings
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import History, read_metrics
from boardwright.learn.shared.policy_method import with_rewards
from boardwright.learn.vae.config import VAE_FILE
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.network import Network, Variables, make_network, variables_of
from boardwright.papers.cathedral.claims import (
    CELLS,
    GAME,
    QUICK,
    RANDOM,
    RULES,
    TRAININGS,
    Cell,
    Training,
    training_of,
)
from boardwright.papers.cathedral.results import Played, Results
from boardwright.papers.parallel_jobs import Job, run_jobs
from boardwright.papers.result_cache import check_told, read_table
from boardwright.papers.run_status import has_ended, is_same_run
from boardwright.papers.stopping import StoppedError


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
        """Of a training run."""
        return self.folder / "runs" / f"{name}-{seed}"

    def kept(self, name: str, seed: int) -> Path:
        """The file a training run ends with."""
        last = VAE_FILE if training_of(name).method == "vae" else BEST
        return self.run_folder(name, seed) / "nets" / last

    def match_file(self, cell: Cell, seed: int) -> Path:
        """Of the counted games of a cell."""
        return self.folder / "matches" / f"{cell.name}-{seed}.json"

    def config(self, training: Training, seed: int) -> Any:
        """What a training run is told."""
        files = {other: str(self.kept(other, seed)) for other in training.after}
        changes = [*training.settings, *(QUICK[training.name] if self.quick else ()), f"seed={seed}"]
        return settings.apply(PRESETS[training.method][training.preset], [_filled(text, files) for text in changes])


def everything(work: Work, watch: RunObserver) -> Results:
    """Trains what is not trained yet, plays what is not played yet; raises StoppedError when `watch` says so."""
    if work.at_once > 1:
        run_jobs(_jobs(work), at_once=work.at_once, observer=watch)
    histories: dict[str, tuple[History, ...]] = {}
    for training in TRAININGS:
        histories[training.name] = tuple(trained(work, training, seed, watch) for seed in training.seeds(work.seeds))
    played: dict[str, tuple[Played, ...]] = {}
    for cell in CELLS:
        played[cell.name] = tuple(met(work, cell, seed, watch) for seed in cell.seeds(work.seeds))
    return Results(played, histories)


def trained(work: Work, training: Training, seed: int, watch: RunObserver) -> History:
    """What a training run measured, after it has come to its end."""
    folder, config = work.run_folder(training.name, seed), work.config(training, seed)
    if not _is_trained(work, training, seed):
        watch.message(f"{training.name}, seed {seed}: {training.words}")
        _forget_matches(work, training.name, seed, folder)
        _follow_places(folder, training.method, config)
        boards = functools.partial(boards_for, folder=folder, workers=work.workers, on_progress=watch.progress)
        progress = loop.train(make_method(training.method, config, boards), folder, _quiet(watch))
        if progress.iteration < config.iterations:
            raise StoppedError
        _slim(folder)
    return read_metrics(folder)


def _jobs(work: Work) -> list[Job]:
    """The runs not trained yet: a seed after the other, since runs of one training would compile the same at once."""
    return [
        Job(
            f"{training.name}-{seed}",
            functools.partial(trained, work, training, seed),
            tuple(f"{other}-{seed}" for other in training.after if not _is_trained(work, training_of(other), seed)),
        )
        for seed in work.seeds
        for training in TRAININGS
        if seed in training.seeds(work.seeds) and not _is_trained(work, training, seed)
    ]


def met(work: Work, cell: Cell, seed: int, watch: RunObserver) -> Played:
    """The counted games of a cell."""
    path = work.match_file(cell, seed)
    games = work.arena_games if cell.arena else work.games
    told = {"games": games, "opening_plies": cell.opening_plies}
    there = read_table(path)
    if there is not None and "played" in there:
        check_told(path, there.get("told"), told)
        return _counted(there["played"])
    if watch.stopped():
        raise StoppedError
    show = functools.partial(watch.progress, f"{cell.first} – {cell.second}")
    played = _in_the_arena(work, cell, seed, games, show) if cell.arena else _on_the_device(work, cell, seed, show)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps({"told": told, "played": dataclasses.asdict(played)}).encode())
    watch.message(
        f"{cell.first} against {cell.second}, seed {seed}: {played.total.share:.3f} of {played.total.games:,} games"
    )
    return played


def _counted(played: dict[str, Any]) -> Played:
    """Games as a file holds them."""
    wins, draws, losses = (tuple(played[what]) for what in ("wins", "draws", "losses"))
    rewards = None if played["rewards"] is None else tuple(played["rewards"])
    return Played(wins, draws, losses, rewards, played.get("device"))


def _filled(text: str, files: dict[str, str]) -> str:
    """A setting with the files it names."""
    for name, path in files.items():
        text = text.replace(f"{{{name}}}", path)
    return text


def _quiet(watch: RunObserver) -> RunObserver:
    """One who hears of a run's progress, but not of each of its iterations."""
    return dataclasses.replace(watch, on_iteration=lambda *_: None, message=lambda _: None)


def _is_trained(work: Work, training: Training, seed: int) -> bool:
    return has_ended(work.run_folder(training.name, seed), training.method, work.config(training, seed))


def _forget_matches(work: Work, name: str, seed: int, folder: Path) -> None:
    """Of a run that begins anew the net will be another, so that what the one before it played does not count."""
    if (folder / CONFIG).exists():
        return
    for cell in CELLS:
        if name in (cell.first, cell.second):
            work.match_file(cell, seed).unlink(missing_ok=True)


def _follow_places(folder: Path, method: str, config: Any) -> None:
    """Lets a run that was begun elsewhere go on: the files it names are where the folder is now."""
    if read_table(folder / CONFIG) != config_file.contents(method, config) and is_same_run(folder, method, config):
        (folder / CONFIG).unlink()
        config_file.keep(folder, method, config)


def _slim(folder: Path) -> None:
    """Throws away what a finished run needs no more: gigabytes, where nets are large."""
    for path in (*(folder / "checkpoints").glob(f"*{checkpoint.SUFFIX}"), *(folder / "nets").glob("[0-9]*.net")):
        path.unlink()


def _on_the_device(work: Work, cell: Cell, seed: int, show: Callable[[int, int], None]) -> Played:
    """Nets against each other or against random, thousands of games at once."""
    env = with_rewards(make_game(GAME, RULES, "paper"), "shaped").batch()
    first, second = (
        random_policy if name == RANDOM else _policy(work.kept(name, seed), cell.temperature)
        for name in (cell.first, cell.second)
    )
    key = jax.random.fold_in(jax.random.key(seed), zlib.crc32(cell.name.encode()))
    match = play_pairs(key, env, first, second, games=work.games, opening_plies=cell.opening_plies)
    result = finish(match, lambda share: show(round(share * work.games), work.games))
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
    game = make_game(GAME, RULES, observation)
    network = make_network(config, game)
    return network, net_policy(make_net_evaluator(network, game.batch()), temperature)


def _in_the_arena(work: Work, cell: Cell, seed: int, games: int, show: Callable[[int, int], None]) -> Played:
    """A net against a player that is none, one game after the other."""
    event = Event(
        game=GAME,
        rules=make_game(GAME, RULES).rules,
        players=(f"{training_of(cell.first).method}:net={work.kept(cell.first, seed)}", cell.second),
        openings=f"random:{cell.opening_plies}" if cell.opening_plies else "start",
        seed=derived_seed(seed, cell.name),
        conditions=Conditions(),
    )
    event.check()
    done = []
    for game in play(event, itertools.islice(event.schedule(), games), local_backend(work.workers)):
        done.append(game)
        show(len(done), games)
    first, second = (side.score for side in match_tally(done).a)
    return Played((first.wins, second.wins), (first.draws, second.draws), (first.losses, second.losses))

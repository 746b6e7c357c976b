"""A run: iterations of self-play and learning, measured and kept in a folder, until all are done.

    train(config, folder, watch)

The folder holds `config.json`, `checkpoints/`, `nets/` (the net after every iteration, and `best.net`) and
`metrics.sqlite`; see docs/run-folder.md. A run that was stopped or killed goes on from its last checkpoint, and
ends as if it never had been.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax

from boardwright import __version__
from boardwright.errors import RunError
from boardwright.learn import checkpoint, league, mesh, processes, settings
from boardwright.learn.alphazero import PLAY, AlphaZero, Run, make_alphazero, scalars, with_past_self
from boardwright.learn.config import AlphaZeroConfig
from boardwright.learn.duel import Contest, finished, make_duel
from boardwright.learn.lock import alone_in
from boardwright.learn.metrics import Match, Metrics
from boardwright.wholefile import write_whole

CONFIG = "config.json"
BEST = "best.net"
SECONDS_BETWEEN_CHECKPOINTS = 60.0
SHARE_OF_TIME = 20  # a checkpoint is written no more often than so many times the time it takes
OUT_OF_MEMORY = "RESOURCE_EXHAUSTED"

# All matches so far -> (elo, low, high) by iteration of the net, iteration 0 being 0.
Rate = Callable[[Sequence[Match]], Mapping[int, tuple[float, float, float]]]


@dataclass(frozen=True)
class Watch:
    """Who looks on; everything may be left out."""

    phase: Callable[[str, int, int], None] = lambda what, done, total: None  # of an iteration
    iteration: Callable[[int, int, Mapping[str, float]], None] = lambda iteration, frames, told: None
    word: Callable[[str], None] = lambda text: None
    stopped: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    iteration: int = 0  # that is under way, counted from 0
    played: int = 0  # steps of self-play in it
    learned: int = 0  # steps of learning in it
    frames: int = 0  # moves of self-play in the iterations before it
    losses: Mapping[str, float] = field(default_factory=dict)  # sums over the chunks learned in it

    @property
    def number(self) -> int:
        """Of its checkpoint: rises with every chunk."""
        return self.iteration * 2 * 10**6 + self.played + self.learned


def train(
    config: AlphaZeroConfig,
    folder: Path,
    watch: Watch | None = None,
    *,
    rate: Rate | None = None,
    seconds_between_checkpoints: float = SECONDS_BETWEEN_CHECKPOINTS,
) -> Progress:
    """Trains to the end, or until `watch` says to stop; then the next call with the same config goes on.

    On all devices there are. Of several processes all must call it; the first writes and speaks, and any may stop.
    """
    watch = watch or Watch()
    if not processes.is_first():
        watch, rate = Watch(stopped=watch.stopped), None
    with mesh.all_devices(config), contextlib.ExitStack() as held:
        processes.check_same(f"settings {settings.to_json(config)}")
        with processes.together():
            metrics = _opened(folder, config, held)
        if (split := mesh.in_words(config)) is not None:
            watch.word(split)
        az = make_alphazero(config)
        nets = folder / "nets"
        with _memory("selfplay.games, replay.iterations or the net's size"):
            run, progress = _begin(az, folder, metrics, nets, watch)
        saved = _Saver(folder / "checkpoints", seconds_between_checkpoints)
        clock = _Clock()
        while progress.iteration < config.iterations:
            stop, due = processes.agreed(stop=watch.stopped(), due=saved.due())
            if stop or due:
                saved.save(run, progress)
            if stop:
                watch.word(f"stopped in iteration {progress.iteration}; the same command goes on from here")
                return progress
            run, progress = _chunk(az, run, progress, metrics, nets, watch, rate, clock)
            if progress.iteration == config.iterations:
                saved.save(run, progress)
        watch.word(f"{config.iterations} iterations, {progress.frames:,} frames: the net is {nets / BEST}")
        return progress


def _chunk(
    az: AlphaZero,
    run: Run,
    progress: Progress,
    metrics: Metrics,
    nets: Path,
    watch: Watch,
    rate: Rate | None,
    clock: _Clock,
) -> tuple[Run, Progress]:
    """The next piece of work: some steps of self-play, some of learning, or the end of an iteration."""
    config, iteration = az.config, progress.iteration
    if progress.played < config.selfplay.steps:
        with _memory("selfplay.games, or search.simulations"):
            if progress.played == 0:
                watch.phase("self-play", 0, config.selfplay.steps)
                run = _with_league(az, run, iteration, nets)
            run = jax.block_until_ready(az.play(run, iteration, progress.played))
            played = progress.played + az.play_chunk
            if played == config.selfplay.steps:
                run = jax.block_until_ready(az.settle(run, iteration))
        watch.phase("self-play", played, config.selfplay.steps)
        return run, dataclasses.replace(progress, played=played)
    if progress.learned < config.learner.steps:
        with _memory("learner.batch"):
            run, losses = az.learn(run, iteration, progress.learned)
            told = {name: float(loss) for name, loss in losses.items()}
        _check_finite(told, iteration, progress.learned)
        sums = {name: progress.losses.get(name, 0.0) + loss * az.learn_chunk for name, loss in told.items()}
        learned = progress.learned + az.learn_chunk
        watch.phase("learning", learned, config.learner.steps)
        return run, dataclasses.replace(progress, learned=learned, losses=sums)
    return _end_of_iteration(az, run, progress, metrics, nets, watch, rate, clock)


def _end_of_iteration(
    az: AlphaZero,
    run: Run,
    progress: Progress,
    metrics: Metrics,
    nets: Path,
    watch: Watch,
    rate: Rate | None,
    clock: _Clock,
) -> tuple[Run, Progress]:
    """Gates, keeps and measures the net of an iteration, and tells what happened in it."""
    config, done = az.config, progress.iteration + 1
    told = scalars(run.tally, {name: total / config.learner.steps for name, total in progress.losses.items()})
    told["learning_rate"] = az.learning_rate(int(run.learner.steps))
    frames = progress.frames + int(told["selfplay/moves"])
    with _memory("gating.games or evaluation.games"):
        if config.gating.games and done % config.gating.every == 0:
            run, score = _gated(az, run, done, watch)
            told |= {"gating/score": score, "gating/promoted": float(score > config.gating.threshold)}
        _keep_net(az, run, nets, done, frames)
        metrics.log(done, frames, told)  # before ratings, which look up the frames of an iteration
        if league.is_evaluated(config.evaluation, done):
            _evaluate(az, run, done, nets, metrics, watch)
            told |= _rated(metrics, done, frames, rate)
    seconds = clock.lap()
    told |= {"speed/seconds": seconds, "speed/frames_per_second": told["selfplay/moves"] / seconds}
    metrics.log(done, frames, {name: told[name] for name in ("speed/seconds", "speed/frames_per_second")})
    watch.iteration(done, frames, told)
    return az.next_iteration(run), Progress(iteration=done, frames=frames)


def _opened(folder: Path, config: AlphaZeroConfig, held: contextlib.ExitStack) -> Metrics:
    """The folder, made where there is none and locked until `held` is closed, and its metrics; those of processes
    other than the first, which measure the same, are thrown away.
    """
    if not processes.is_first():
        return held.enter_context(Metrics(Path(held.enter_context(tempfile.TemporaryDirectory()))))
    held.enter_context(alone_in(folder))
    metrics = held.enter_context(Metrics(folder))
    _keep_config(folder, config)
    (folder / "nets").mkdir(exist_ok=True)
    return metrics


def _begin(az: AlphaZero, folder: Path, metrics: Metrics, nets: Path, watch: Watch) -> tuple[Run, Progress]:
    """The run at its last checkpoint, or at its beginning."""
    with processes.together():
        restored = checkpoint.restore(folder / "checkpoints", jax.eval_shape(az.init))
    processes.check_same("checkpoint" if restored is None else f"checkpoint {restored.number}")
    if restored is None:
        metrics.truncate_after(-1)
        run = az.init()
        _keep_net(az, run, nets, 0, 0)
        return run, Progress()
    for warning in restored.warnings:
        watch.word(warning)
    progress = Progress(**restored.meta["progress"])
    metrics.truncate_after(progress.iteration)
    watch.word(f"goes on in iteration {progress.iteration} of {az.config.iterations}, after {progress.frames:,} frames")
    return restored.tree, progress


def _with_league(az: AlphaZero, run: Run, iteration: int, nets: Path) -> Run:
    """The run with another past self in the league, which changes in turn."""
    if run.league is None or iteration == 0:
        return run
    past = league.drawn_past_self(az.config.seed, iteration)
    variables = league.recall(league.path_of(nets, past), az.game)
    return with_past_self(run, iteration % az.config.league.nets, variables)


def _gated(az: AlphaZero, run: Run, done: int, watch: Watch) -> tuple[Run, float]:
    """The run with its candidate promoted if it scored enough against the reference, and the score."""
    config = az.config.gating
    contest = _contest(az, opponents=1, games=config.games, simulations=config.simulations, plies=config.opening_plies)
    fold = jax.jit(az.network.fold)
    candidate = az.candidate(run)
    games = contest(_duel_key(az, done, 1), fold(candidate), [fold(run.reference)])
    (score,) = finished(games, lambda share: watch.phase("gating", round(share * config.games), config.games))
    if score.points > config.threshold:
        run = dataclasses.replace(run, reference=jax.tree.map(lambda leaf: leaf.copy(), candidate))
    return run, score.points


def _evaluate(az: AlphaZero, run: Run, done: int, nets: Path, metrics: Metrics, watch: Watch) -> None:
    """Plays the net of an iteration against past ones, and stores how that went."""
    config = az.config.evaluation
    opponents = league.drawn_opponents(config, az.config.seed, done)
    contest = _contest(
        az,
        opponents=len(opponents),
        games=config.games,
        simulations=config.simulations,
        plies=config.opening_plies,
    )
    fold = jax.jit(az.network.fold)
    others = [fold(league.recall(league.path_of(nets, other), az.game)) for other in opponents]
    total = config.games * len(opponents)
    games = contest(_duel_key(az, done, 2), fold(az.players(run)), others)
    scores = finished(games, lambda share: watch.phase("evaluation", round(share * total), total))
    for other, score in zip(opponents, scores, strict=True):
        for role, (first, second) in enumerate(((done, other), (other, done))):
            wins = (score.wins[role], score.losses[role])
            metrics.log_match(done, first, second, wins[role], score.draws[role], wins[1 - role], score.plies[role])


def _rated(metrics: Metrics, done: int, frames: int, rate: Rate | None) -> dict[str, float]:
    """The rating of an iteration's net; those of earlier ones are brought up to date."""
    if rate is None:
        return {}
    history = metrics.read()
    ratings = rate(history.matches)
    moves = history.scalars["selfplay/moves"]
    frames_at = dict(zip(moves.iterations.tolist(), moves.frames.tolist(), strict=True))
    for iteration, numbers in ratings.items():
        told: dict[str, float] = dict(
            zip(("evaluation/elo", "evaluation/elo_low", "evaluation/elo_high"), numbers, strict=True)
        )
        if iteration == done:
            metrics.log(done, frames, told)
        else:
            metrics.correct(iteration, frames_at.get(iteration, 0), told)
    return {"evaluation/elo": ratings[done][0]}


@functools.lru_cache(maxsize=8)  # compiled once for contests of a size
def _contest(az: AlphaZero, *, opponents: int, games: int, simulations: int, plies: int) -> Contest:
    return make_duel(
        az.env,
        az.asking,
        az.config.search,
        opponents=opponents,
        games=games,
        simulations=simulations,
        slots=min(az.game.slots, az.game.num_actions),
        opening_plies=plies,
    )


def _duel_key(az: AlphaZero, done: int, use: int) -> jax.Array:
    return jax.random.fold_in(jax.random.fold_in(jax.random.key(az.config.seed), PLAY + 16 + use), done)


def _keep_net(az: AlphaZero, run: Run, nets: Path, done: int, frames: int) -> None:
    """Keeps the net that plays: shortened among the past ones, whole as the best."""
    if not processes.is_first():
        return
    training = {
        "method": "alphazero",
        "iteration": done,
        "frames": frames,
        "steps": int(run.learner.steps),
        "boardwright": __version__,
        "config": settings.to_json(az.config),
    }
    variables = az.players(run)
    kept: dict[str, Any] = {"config": az.config.net, "game": az.game, "training": training}
    league.keep(league.path_of(nets, done), variables, **kept)
    league.keep(nets / BEST, variables, whole=True, **kept)


def _keep_config(folder: Path, config: AlphaZeroConfig) -> None:
    """Writes the config of a new run, and refuses another one for a run that has begun."""
    path, wanted = folder / CONFIG, settings.to_json(config)
    if not path.exists():
        write_whole(path, json.dumps(wanted, indent=1).encode() + b"\n")
        return
    try:
        there = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise RunError(f"{path} cannot be read: {error}: begin anew with another --out") from error
    differing = _first_difference(there, wanted)
    if differing is not None:
        raise RunError(f"{folder} holds a run with other settings ({differing}): give the same ones, or a new --out")


def _first_difference(there: Any, here: Any, path: str = "") -> str | None:
    """The first setting that differs, in words."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**here, **there}:
            found = _first_difference(there.get(name), here.get(name), f"{path}.{name}" if path else name)
            if found is not None:
                return found
        return None
    return None if there == here else f"{path} is {there!r} there and {here!r} here"


def _check_finite(losses: Mapping[str, float], iteration: int, step: int) -> None:
    for name, loss in losses.items():
        if not math.isfinite(loss):
            raise RunError(
                f"the {name} loss is {loss} in iteration {iteration}, step {step}: the last checkpoint before it is "
                f"kept; train anew with a lower learner.peak, or with learner.clip=1"
            )


@contextlib.contextmanager
def _memory(remedy: str) -> Iterator[None]:
    """Turns a device that is out of memory into an error that says which setting to lower."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if OUT_OF_MEMORY not in str(error):
            raise
        raise RunError(f"out of device memory: lower {remedy} with --set") from error


class _Clock:
    """Seconds an iteration took, compiling and checkpoints included; of one that was resumed, since then."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    def lap(self) -> float:
        before, self._begin = self._begin, time.monotonic()
        return max(self._begin - before, 1e-9)


class _Saver:
    """Writes checkpoints, as often as their cost allows."""

    def __init__(self, folder: Path, seconds: float):
        self._folder, self._seconds = folder, seconds
        self._last, self._cost = time.monotonic(), 0.0

    def due(self) -> bool:
        """Whether it is time for the next."""
        return time.monotonic() - self._last >= max(self._seconds, SHARE_OF_TIME * self._cost)

    def save(self, run: Run, progress: Progress) -> None:
        begin = time.monotonic()
        meta = {"progress": dataclasses.asdict(progress)}
        checkpoint.save(self._folder, progress.number, run, meta, checkpoint.Keep(newest=2))
        processes.wait()  # a process that ends before it is kept may take the others with it
        self._last = time.monotonic()
        self._cost = self._last - begin

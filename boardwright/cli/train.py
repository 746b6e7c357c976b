"""Train a net by self-play, from random weights or an existing net; run the same command again to resume.

The folder of a run holds its settings: without --preset and --set the run resumes with them.

All devices of the machine are used. --distributed lets several machines train together.
"""

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional, UseAppendAction, arg

from boardwright.cli.common import FOLDER, NAME, RULES, N, print_json, value
from boardwright.cli.progress import phases
from boardwright.cli.stopping import TimeLimit, stop_on_signal
from boardwright.errors import BoardwrightError
from boardwright.games.registry import game_class

if TYPE_CHECKING:
    from boardwright.learn.run.method import RunObserver
    from boardwright.learn.run.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to train, how, and where it is saved."""

    method: Positional[Literal["alphabeta", "alphazero", "dqn", "ppo", "vae"]]
    """Method: self-play with search (`alphabeta` on a CPU, `alphazero` on any device), Q-learning (`dqn`), policy
    gradient (`ppo`), or `vae`, which trains an auto-encoder of boards."""
    game: Positional[str]  # Name of the game; `boardwright games` lists them.
    out: FOLDER[Path | None] = None
    """Folder for checkpoints, nets and metrics (required); a run there is resumed, with its own settings if no others
    are given."""
    preset: NAME[str | None] = None
    """Named settings, such as `GAME-fast`. Default for a new run: GAME-laptop, for half an hour or so on two cores;
    of `dqn` and `ppo` GAME-best, of `vae` GAME-paper."""
    set: Annotated[UseAppendAction[tuple[str, ...]], arg(metavar="PATH=VALUE")] = ()
    """Change a setting, such as `search.simulations=64`; may be given several times."""
    help_settings: bool = False
    """List every setting with its value in the preset, its range or choices, and its meaning; train nothing."""
    json: bool = False  # With --help-settings: print one JSON object and nothing else.
    rules: RULES[str | None] = None  # Rule set instead of the preset's: a name, or the path of a .toml or .json file.
    seed: N[int | None] = None  # Seed of all random numbers.
    minutes: Annotated[float | None, value("M")] = None
    """Stop after this time, as Ctrl-C does: between two iterations, if the next would not end in time. The same command
    resumes."""
    distributed: bool = False
    """This is one of several processes that train together; a scheduler such as SLURM supplies --coordinator,
    --processes and --process."""
    coordinator: Annotated[str | None, value("HOST:PORT")] = None  # Address of the first process.
    processes: N[int | None] = None  # Number of processes.
    process: Annotated[int | None, value("I")] = None  # Number of this process, from 0.


def run(options: Options) -> None:
    """Trains to the end, or until Ctrl-C or its time is up; prints one line per iteration."""
    limit = TimeLimit(options.minutes)
    game_class(options.game)  # an unknown game is an error before anything is loaded
    from boardwright.learn.distributed import processes
    from boardwright.learn.methods import METHODS
    from boardwright.learn.run import config_file
    from boardwright.learn.run.method import RunObserver

    if options.help_settings:
        _list_settings(options)
        return
    if options.json:
        raise BoardwrightError("--json needs --help-settings")
    if options.out is None:
        raise BoardwrightError("--out FOLDER is required: name a folder for the run")
    config, is_recalled = _config(options, options.out)
    if options.distributed:
        if not METHODS[options.method].uses_all_devices:
            raise BoardwrightError(f"--distributed needs a method for several devices; {options.method} uses one")
        processes.join(options.coordinator, options.processes, options.process)
    elif (options.coordinator, options.processes, options.process) != (None, None, None):
        raise BoardwrightError("--coordinator, --processes and --process need --distributed")
    if options.out.exists() and not options.out.is_dir():
        raise BoardwrightError(f"--out {options.out} is not a folder: give another")
    cache_compilations(options.out)
    with stop_on_signal() as stop, phases() as show:

        def on_iteration(iteration: int, frames: int, metrics: Mapping[str, float]) -> None:
            show.line(_line(iteration, config.iterations, frames, metrics))
            limit.iteration_ended()

        def stopped() -> bool:
            return stop.is_set() or limit.is_up()

        if is_recalled and processes.is_first():
            show.line(f"using the settings in {options.out / config_file.NAME}")
        show.line(f"training on {_devices(options.method)}")
        observer = RunObserver(progress=show.phase, on_iteration=on_iteration, message=show.line, stopped=stopped)
        progress = _train(options, options.out, config, observer)
    if progress.iteration < config.iterations and (stop.is_set() or options.minutes is None):
        sys.exit(130)


def _list_settings(options: Options) -> None:
    """Prints all settings of a method, with their values in a preset."""
    from boardwright.learn.run import settings

    config, _ = _config(options, None)
    rows = settings.listing(config)
    if options.json:
        print_json({"method": options.method, "game": options.game, "settings": rows})
        return
    for row in rows:
        bounds = f"{row['low']:g} to {row['high']:g}" if row["low"] is not None else " | ".join(row["choices"] or ())
        value = "none" if row["value"] is None else str(row["value"])
        print(f"{row['name']}={value}{f' ({bounds})' if bounds else ''}: {row['description']}")


def _config(options: Options, folder: Path | None) -> tuple[Any, bool]:
    """The settings, and whether they come from the folder of a run, as without --preset and --set."""
    from boardwright.learn import methods
    from boardwright.learn.run import config_file, settings

    named = [f"rules={options.rules}"] if options.rules is not None else []
    named += [f"seed={options.seed}"] if options.seed is not None else []
    config = methods.preset(options.method, options.preset, options.game)
    there = None
    if folder is not None and options.preset is None and not options.set:
        there = config_file.load(folder, options.method, options.game, type(config))
    return settings.apply(config if there is None else there, [*named, *options.set]), there is not None


def _devices(method: str) -> str:
    """The devices that a method uses, so that users see whether their GPU is."""
    import jax

    from boardwright.learn.methods import METHODS

    count, kind = jax.device_count() if METHODS[method].uses_all_devices else 1, jax.devices()[0].device_kind
    return kind if count == 1 else f"{count} × {kind}"


def _train(options: Options, folder: Path, config: Any, observer: "RunObserver") -> "Progress":
    from boardwright.arena.positions import boards_for
    from boardwright.learn import methods
    from boardwright.learn.run import loop

    boards = functools.partial(boards_for, folder=folder, on_progress=observer.progress)
    return loop.train(methods.make_method(options.method, config, boards), folder, observer)


def _line(iteration: int, iterations: int, frames: int, scalars: Mapping[str, float]) -> str:
    parts = [f"iteration {iteration}/{iterations}", f"{frames:,} frames"]
    names = (
        ("speed/frames_per_second", "frames/s", ",.0f"),
        ("speed/seconds", "seconds", ".1f"),
        ("loss/policy", "policy", ".3f"),
        ("loss/value", "value", ".3f"),
        ("loss/error", "Q error", ".3f"),
        ("validation/loss", "validation", ".3f"),
        ("selfplay/entropy", "entropy", ".2f"),
        ("selfplay/plies", "plies", ".0f"),
        ("gating/score", "gating", ".2f"),
        ("evaluation/elo", "Elo", ".0f"),
        ("evaluation/random", "score vs random", ".3f"),
    )
    if not any(name.startswith("loss/") for name in scalars):
        parts.append("nothing learned yet")  # no game has ended, or too few
    parts += [f"{name} {scalars[key]:{digits}}" for key, name, digits in names if key in scalars]
    return ", ".join(parts)


def cache_compilations(folder: Path) -> None:
    """Makes JAX cache compilations in the run's folder, so that a resumed run does not compile again."""
    import jax

    if jax.config.jax_compilation_cache_dir is None:  # pyright: ignore[reportAttributeAccessIssue]
        jax.config.update("jax_compilation_cache_dir", str(folder.resolve() / "compiled"))

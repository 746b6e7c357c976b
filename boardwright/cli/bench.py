"""Measure the speed of a game's engines and searches on this machine."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, UseAppendAction, arg

from boardwright.cli.common import NAME, JsonOption, N, in_range, print_json, value
from boardwright.errors import BoardwrightError
from boardwright.games.registry import game_class

if TYPE_CHECKING:
    from boardwright.bench.engine import Figure


OWNERS = {  # benchmarks by the options that not all of them have
    "preset": ("selfplay", "learn"),
    **dict.fromkeys(("net", "sims", "games"), ("selfplay",)),
    **dict.fromkeys(("method", "set"), ("learn",)),
}


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """What to measure."""

    what: Positional[Literal["engine", "search", "selfplay", "learn"]]
    """`engine`: perft, random games, batched steps, import and build. `search`: alpha-beta and Monte Carlo.
    `selfplay`: AlphaZero's network, self-play and learning. `learn`: games that DQN or PPO learns from."""
    game: Positional[str]  # Name of the game; `boardwright games` lists them.
    batch: N[int | None] = None  # Concurrent batched games. Default: 16,384 on an accelerator, 1,024 on a CPU.
    # `learn`: the training method, dqn or ppo. Default: dqn.
    method: NAME[Literal["dqn", "ppo"] | None] = None
    preset: NAME[str | None] = None
    """`selfplay`, `learn`: settings of `boardwright train`. Default: those of the game's paper, else GAME-fast or
    GAME-best."""
    set: Annotated[UseAppendAction[tuple[str, ...]], arg(metavar="PATH=VALUE")] = ()
    """`learn`: a setting other than the preset's, such as `learner.merge=4`; may be given several times."""
    net: Annotated[str | None, value("SIZE")] = None
    """`selfplay`: blocks x width, such as 8x128. Default: the preset's."""
    sims: N[int | None] = None  # `selfplay`: simulations per move. Default: the preset's.
    games: N[int | None] = None  # `selfplay`: concurrent games. Default: 4,096 on an accelerator, 16 on a CPU.


def run(options: Options) -> None:
    """Prints each figure as soon as it is measured, or JSON `{game, machine, figures: {key: {value, unit, …}}}`."""
    from boardwright.bench import engine

    game_class(options.game)  # an unknown game is an error before anything is measured
    measured = _measure(options)
    figures = {}
    if not options.json:
        print(f"{options.game} on {engine.machine()}")
    for figure in measured:
        figures[figure.key] = {**dataclasses.asdict(figure), "ratio": figure.ratio}
        if not options.json:
            peer = f"   {figure.ratio:,.2f} × {figure.peer}" if figure.peer else ""
            print(f"  {figure.label:<72} {_short(figure.value):>9} {figure.unit}{peer}", flush=True)
    if options.json:
        print_json({"game": options.game, "machine": engine.machine(), "figures": figures})


def _measure(options: Options) -> "Iterator[Figure]":
    """The figures of one benchmark, each as soon as it is measured; raises BoardwrightError for a wrong option."""
    from boardwright.bench import engine, search

    if options.batch is not None and options.what != "engine":
        raise BoardwrightError("--batch belongs to 'bench engine'; 'bench selfplay' has --games")
    for name, owners in OWNERS.items():
        if getattr(options, name) and options.what not in owners:
            whose = " and ".join(f"'bench {owner}'" for owner in owners)
            raise BoardwrightError(f"--{name} belongs to {whose}")
    if options.what == "engine":
        return engine.measure(options.game, in_range("--batch", options.batch, 1, 2**20))
    if options.what == "search":
        return search.measure(options.game)
    from boardwright.bench import learn, selfplay
    from boardwright.learn.methods import preset
    from boardwright.learn.run import settings

    named = options.preset
    if options.what == "learn":
        method = options.method or "dqn"
        config = learn.default_config(method, options.game) if named is None else preset(method, named, options.game)
        return learn.measure(settings.apply(config, options.set))
    config = selfplay.default_config(options.game) if named is None else preset("alphazero", named, options.game)
    games, simulations = in_range("--games", options.games, 1, 2**20), in_range("--sims", options.sims, 1, 2**14)
    return selfplay.measure(config, games=games, simulations=simulations, net=options.net)


def _short(value: float) -> str:
    """12,700,000 -> '12.7 M', and 9,512 -> '9.51 k'."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            digits = 2 if value < 9.995 * size else 1
            return f"{value / size:.{digits}f} {unit}"
    return f"{value:.1f}"

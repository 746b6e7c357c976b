"""How fast a game's two engines are, how fast the package imports, how long the extension builds.

Speeds are the best of several repetitions, since machines are shared and noise only slows. Where a
game names a peer, its figure and the ratio are added to ours.
"""

import functools
import importlib.util
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boardwright
from boardwright.games.base import Game

REPETITIONS = 3
MIN_SECONDS = 0.5  # of each repetition, for what can be repeated at will


@dataclass(frozen=True)
class Figure:
    """One measured quantity."""

    key: str  # stable, for JSON and for finding peers
    label: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the peer's figure, or None without a peer."""
        return self.value / self.peer_value if self.peer_value else None


def measure(game_name: str, batch: int | None) -> Iterator[Figure]:
    """All figures of one game, as they come."""
    peers = {peer.key: peer for peer in boardwright.game(game_name).benchmark.peers}
    for key, label, value, unit in _measurements(game_name, batch):
        peer = peers.get(key)
        theirs = peer.measure() if peer and not (peer.gpu and on_cpu()) else None
        yield Figure(key, label, value, unit, peer.name if peer and theirs else None, theirs)


def _measurements(game_name: str, batch: int | None) -> Iterator[tuple[str, str, float, str]]:
    """(key, label, value, unit) of all figures."""
    spec = boardwright.game(game_name).benchmark
    start = boardwright.game(game_name, spec.perft_rules).start()
    nodes = start.perft(spec.perft_depth)
    label = f"scalar perft, {spec.perft_rules}, depth {spec.perft_depth}, one core"
    yield "perft", label, _rate(nodes, lambda: start.perft(spec.perft_depth)), "nodes/s"

    games = [boardwright.game(game_name, rules) for rules in spec.playout_rules]
    suffixes = ["", *(f"_{rules}" for rules in spec.playout_rules[1:])]
    for game, suffix in zip(games, suffixes, strict=True):
        core: Any = game.start().core
        actions, play = core.playouts(0, 0, 200).actions, functools.partial(core.playouts, 0, 0, 200)
        yield f"playouts{suffix}", f"scalar random games, {game.rules.name}, one core", _rate(200, play), "games/s"
        yield f"actions{suffix}", "the same in actions", _rate(actions, play), "actions/s"
    if importlib.util.find_spec("jax"):
        import jax

        device = "CPU" if on_cpu() else f"one {jax.devices()[0].device_kind}"
        batch = batch or (1024 if on_cpu() else 16384)  # for an accelerator, or what two cores can bear
        for game, suffix in zip(games, suffixes, strict=True):
            where = f"{game.rules.name}, {batch:,} games, {device}"
            yield (
                f"steps{suffix}",
                f"batched steps with legal mask, {where}",
                batched_rate(game, batch, False),
                "steps/s",
            )
            label = f"batched steps and observation, {where}"
            yield f"observed_steps{suffix}", label, batched_rate(game, batch, True), "steps/s"
    if spec.extras is not None:
        yield from spec.extras()

    yield "import_ms", "import boardwright", _start_up("import boardwright"), "ms"
    legal = (
        f"import sys; sys.argv = ['boardwright', 'legal', '{game_name}', '--json']; "
        "sys.stdout = open('/dev/null', 'w'); from boardwright.cli.main import main; main()"
    )
    yield "cli_ms", "boardwright legal", _start_up(legal), "ms"
    seconds = build_seconds()
    if seconds is not None:
        yield "build_s", f"build of the extension, {os.cpu_count()} cores", seconds, "s"


def on_cpu() -> bool:
    """Whether the batched engine has no accelerator."""
    import jax

    return jax.default_backend() == "cpu"


def machine() -> str:
    """The machine in words, for tables of results."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = names[0] if names else platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def batched_rate(game: Game, batch: int, observing: bool) -> float:
    """Steps per second over all games: random legal actions, finished games restart, and the legal
    mask (and the observation) of every state is written out as a learner would read it.
    """
    import jax
    import jax.numpy as jnp

    from boardwright.games.batched import random_action, where_games

    env, steps = game.batch(), 64

    def show(states: Any) -> tuple[Any, ...]:
        planes = jax.vmap(env.observe)(states, states.current_role) if observing else jnp.zeros(())
        return states, states.legal_action_mask, planes

    def advance(_: int, carry):
        key, states, masks, _ = carry
        key, action_key, step_key = jax.random.split(key, 3)
        actions = jax.vmap(random_action)(jax.random.split(action_key, batch), masks)
        states = jax.vmap(env.step, (0, 0, None))(states, actions, step_key)
        return key, *show(where_games(states.terminated, env.init(step_key), states))

    run = jax.jit(lambda carry: jax.lax.fori_loop(0, steps, advance, carry), donate_argnums=0)
    carry = (jax.random.key(1), *show(jax.vmap(env.init)(jax.random.split(jax.random.key(0), batch))))
    for _ in range(2):  # compiles, then spreads the games over all phases of play
        carry = run(carry)
    seconds, _ = fastest(carry, lambda carry, number: run(carry))
    return batch * steps / seconds


def fastest(run: Any, work: Callable[[Any, int], Any]) -> tuple[float, Any]:
    """Seconds of the fastest of several repetitions on the device, after one that compiles; and the run after all."""
    import jax

    run = jax.block_until_ready(work(run, 0))
    best = math.inf
    for number in range(REPETITIONS):
        begin = time.perf_counter()
        run = jax.block_until_ready(work(run, number + 1))
        best = min(best, time.perf_counter() - begin)
    return best, run


def build_seconds() -> float | None:
    """Time to build the extension from nothing, or None outside a source checkout with build tools."""
    source = Path(boardwright.__file__).parent.parent
    tools = all(importlib.util.find_spec(name) for name in ("scikit_build_core", "nanobind", "pip"))
    if not (tools and (source / "CMakeLists.txt").exists()):
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        begin = time.perf_counter()
        subprocess.run([*command, "--wheel-dir", folder, str(source)], check=True, capture_output=True)
        return time.perf_counter() - begin


def _rate(units: int, work: Callable[[], object]) -> float:
    """Units per second, the best of some repetitions of at least MIN_SECONDS each."""
    best = 0.0
    for _ in range(REPETITIONS):
        rounds, begin = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < MIN_SECONDS:
            work()
            rounds += 1
        best = max(best, rounds * units / elapsed)
    return best


def _start_up(statement: str) -> float:
    """Milliseconds a statement takes in a fresh interpreter that has just started."""
    timed = f"begin = time.perf_counter()\n{statement}\nprint(time.perf_counter() - begin, file=sys.stderr)"
    command = [sys.executable, "-c", f"import sys, time\n{timed}"]
    return 1000 * min(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stderr) for _ in range(7)
    )

"""How fast a game's two engines are, how fast the package imports, how long the extension builds.

Speeds are the best of several repetitions, since machines are shared and noise only slows. Where a
game names a peer, its figure and the ratio are added to ours.
"""

import importlib.util
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
LEAST_SECONDS = 0.5  # of each repetition, for what can be repeated at will


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
    spec = boardwright.game(game_name).benchmark
    peers = {peer.key: peer for peer in spec.peers}

    def figure(key: str, label: str, value: float, unit: str) -> Figure:
        peer = peers.get(key)
        theirs = peer.measure() if peer and not (peer.gpu and on_cpu()) else None
        return Figure(key, label, value, unit, peer.name if peer and theirs else None, theirs)

    start = boardwright.game(game_name, spec.perft_rules).start()
    nodes = start.perft(spec.perft_depth)
    label = f"scalar perft, {spec.perft_rules}, depth {spec.perft_depth}, one core"
    yield figure("perft", label, _rate(nodes, lambda: start.perft(spec.perft_depth)), "nodes/s")

    games = [boardwright.game(game_name, rules) for rules in spec.playout_rules]
    suffixes = ["", *(f"_{rules}" for rules in spec.playout_rules[1:])]
    for game, suffix in zip(games, suffixes, strict=True):
        for key, label, value, unit in _scalar_figures(game):
            yield figure(key + suffix, label, value, unit)
    if importlib.util.find_spec("jax"):
        for game, suffix in zip(games, suffixes, strict=True):
            for key, label, value, unit in _batched_figures(game, batch or default_batch()):
                yield figure(key + suffix, label, value, unit)

    if spec.extras is not None:
        for key, label, value, unit in spec.extras():
            yield figure(key, label, value, unit)

    yield figure("import_ms", "import boardwright", _start_up("import boardwright"), "ms")
    yield figure("cli_ms", "boardwright legal", _start_up(_LEGAL.format(game=game_name)), "ms")
    seconds = build_seconds()
    if seconds is not None:
        yield figure("build_s", f"build of the extension, {os.cpu_count()} cores", seconds, "s")


def _scalar_figures(game: Game) -> Iterator[tuple[str, str, float, str]]:
    """(key, label, value, unit) of random games, one at a time."""
    core: Any = game.start().core
    actions = core.playouts(0, 0, 200).actions
    label = f"scalar random games, {game.rules.name}, one core"
    yield "playouts", label, _rate(200, lambda: core.playouts(0, 0, 200)), "games/s"
    yield "actions", "the same in actions", _rate(actions, lambda: core.playouts(0, 0, 200)), "actions/s"


def _batched_figures(game: Game, batch: int) -> Iterator[tuple[str, str, float, str]]:
    """(key, label, value, unit) of many random games at once."""
    for key, observing, words in (("steps", False, "with legal mask"), ("observed_steps", True, "and observation")):
        label = f"batched steps {words}, {game.rules.name}, {batch:,} games, {_device()}"
        yield key, label, batched_rate(game, batch, observing), "steps/s"


_LEGAL = (
    "import sys; sys.argv = ['boardwright', 'legal', '{game}', '--json']; sys.stdout = open('/dev/null', 'w'); "
    "from boardwright.cli.main import main; main()"
)


def default_batch() -> int:
    """Games at once: what an accelerator wants, or what two cores can bear."""
    return 1024 if on_cpu() else 16384


def on_cpu() -> bool:
    """Whether the batched engine has no accelerator."""
    import jax

    return jax.default_backend() == "cpu"


def machine() -> str:
    """The machine in words, for tables of results."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def batched_rate(game: Game, batch: int, observing: bool) -> float:
    """Steps per second over all games: random legal actions, finished games restart, and the legal
    mask (and the observation) of every state is written out as a learner would read it.
    """
    import jax
    import jax.numpy as jnp

    from boardwright.games.batched import random_action, where_games

    env, steps = game.batch(), 64

    def advance(_: int, carry):
        key, states, masks, _ = carry
        key, action_key, step_key = jax.random.split(key, 3)
        actions = jax.vmap(random_action)(jax.random.split(action_key, batch), masks)
        states = jax.vmap(env.step, (0, 0, None))(states, actions, step_key)
        states = where_games(states.terminated, env.init(step_key), states)
        planes = jax.vmap(env.observe)(states, states.current_role) if observing else jnp.zeros(())
        return key, states, states.legal_action_mask, planes

    run = jax.jit(lambda carry: jax.lax.fori_loop(0, steps, advance, carry), donate_argnums=0)
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(0), batch))
    planes = jax.vmap(env.observe)(states, states.current_role) if observing else jnp.zeros(())
    carry = (jax.random.key(1), states, states.legal_action_mask, planes)
    for _ in range(3):  # compiles, then spreads the games over all phases of play
        carry = run(carry)
    jax.block_until_ready(carry)
    best = 0.0
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        carry = jax.block_until_ready(run(carry))
        best = max(best, batch * steps / (time.perf_counter() - begin))
    return best


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
    """Units per second, the best of some repetitions of at least LEAST_SECONDS each."""
    best = 0.0
    for _ in range(REPETITIONS):
        rounds, begin = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < LEAST_SECONDS:
            work()
            rounds += 1
        best = max(best, rounds * units / elapsed)
    return best


def _start_up(statement: str) -> float:
    """Milliseconds a statement takes in a fresh interpreter that has just started."""
    code = f"""
import sys, time
begin = time.perf_counter()
{statement}
print(time.perf_counter() - begin, file=sys.stderr)"""
    times = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        times.append(float(done.stderr))
    return 1000 * min(times)


def _device() -> str:
    import jax

    device = jax.devices()[0]
    return "CPU" if device.platform == "cpu" else f"one {device.device_kind}"

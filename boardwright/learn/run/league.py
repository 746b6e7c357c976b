"""The nets of a run: files by iteration in its folder, and which past checkpoints play against the current net."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.learn.distributed import processes
from boardwright.learn.match.matches import MatchResult
from boardwright.learn.match.policies import replace_net
from boardwright.learn.run.metrics import Match
from boardwright.learn.shared.config import EvaluationMatchesConfig
from boardwright.nets import netfile
from boardwright.nets.network import Variables, variables_of, weights_of

SUFFIX = ".net"
BEST = f"best{SUFFIX}"  # the one that plays


def path_of(folder: Path, iteration: int) -> Path:
    """The file of the net after a number of iterations."""
    return folder / f"{iteration:06d}{SUFFIX}"


def save_net(path: Path, variables: Variables, *, full_precision: bool = False, **about: Any) -> None:
    """Saves a net with `config`, `game` and `training`, in bfloat16 unless `full_precision`: enough for opponents."""
    storage = "float32" if full_precision else "bfloat16"
    netfile.write(path, weights=weights_of(variables), storage=storage, **about)


def load_net(path: Path, game: Game) -> Variables:
    """The variables of a saved net."""
    return variables_of(netfile.read(path, game=game).weights)


def iterations_in(folder: Path) -> list[int]:
    """The iterations whose nets are in a folder, in order."""
    return sorted(int(path.stem) for path in folder.glob(f"*{SUFFIX}") if re.fullmatch("[0-9]{6,9}", path.stem))


def nearest_iterations(folder: Path, targets: Sequence[int], *, before: int) -> list[int]:
    """For each target the nearest iteration, before another, whose net is in the folder; each once, in order.

    All are there unless the run was unpacked, which brings a few. Of two that are as near the earlier is taken.
    Returns fewer than the targets if there are fewer nets.
    """
    found = nearest(targets, [iteration for iteration in iterations_in(folder) if iteration < before])
    processes.check_same(f"nets {found}")
    if not found:
        raise RunError(f"{folder} has no net from before iteration {before}: restore one, or start a new run")
    return found


def nearest(targets: Iterable[int], there: Iterable[int]) -> list[int]:
    """For each target the nearest of the numbers that are there, the earlier of two; each once, in order."""
    left, found = set(there), []
    for target in sorted(targets, key=lambda target: target not in left):
        if left:
            found.append(min(left, key=lambda other: (abs(other - target), other)))
            left.discard(found[-1])
    return sorted(found)


def choose_nets(there: Sequence[int], newest: int, count: int, evaluated: Iterable[int]) -> list[int]:
    """The past nets to pack: the newest, and others spread evenly over the iterations before it.

    Not that of iteration 0, which the seed gives. Nets that played evaluation games are preferred, since ratings of
    later nets are relative to theirs.
    """
    past, rated = [net for net in there if 0 < net <= newest], {newest, *evaluated}
    left = [net for net in past if net in rated]
    left = left if len(left) >= count else past
    chosen: list[int] = []
    for place in range(count, 0, -1):
        if left:
            chosen.append(min(left, key=lambda net: (abs(net - newest * place / count), net)))
            left = [net for net in left if net != chosen[-1]]
    return sorted(chosen)


def draw_past_iteration(seed: int, iteration: int) -> int:
    """The iteration of the past checkpoint that joins the league in an iteration; all before it are equally likely."""
    return int(np.random.default_rng([seed, iteration, 1]).integers(0, max(iteration, 1)))


def with_past_net(stack: Any, nets: Path, seed: int, iteration: int, game: Game) -> Any:
    """The stacked nets of a league at the start of an iteration: one of them, each in turn, is a past checkpoint's."""
    if stack is None or iteration == 0:
        return stack
    (past,) = nearest_iterations(nets, [draw_past_iteration(seed, iteration)], before=iteration)
    return replace_net(stack, iteration % len(jax.tree.leaves(stack)[0]), load_net(path_of(nets, past), game))


def is_evaluated(config: EvaluationMatchesConfig, iteration: int) -> bool:
    """Whether the net after a number of iterations plays evaluation games."""
    return config.every > 0 and iteration >= max(config.first, 1) and (iteration - config.first) % config.every == 0


def pool(config: EvaluationMatchesConfig, iteration: int) -> list[int]:
    """Possible opponents of a net by iteration: 0, the anchor, and others `every` iterations apart.

    They are thinned evenly to the maximum of `pool`, the latest among them.
    """
    step = max(config.every, 1)
    past = list(range(iteration - step, 0, -step))
    room = config.pool - 1
    if len(past) > room:
        chosen = np.unique(np.linspace(0, len(past) - 1, room).round().astype(int)) if room else []
        past = [past[index] for index in chosen]
    return [0, *sorted(past)]


def draw_opponents(config: EvaluationMatchesConfig, seed: int, iteration: int) -> list[int]:
    """The opponents in an iteration: as many of the pool as configured, or all, each once."""
    there = pool(config, iteration)
    count = min(config.opponents, len(there))
    return sorted(np.random.default_rng([seed, iteration, 2]).choice(there, count, replace=False).tolist())


def matches_between(net: int, other: int, result: MatchResult) -> list[Match]:
    """The games that a net was evaluated by against a past one, in both roles."""
    found = []
    for role, (first, second) in enumerate(((net, other), (other, net))):
        wins = (result.wins[role], result.losses[role])
        found.append(Match(net, first, second, wins[role], result.draws[role], wins[1 - role], result.plies[role]))
    return found

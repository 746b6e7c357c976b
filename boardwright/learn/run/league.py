"""Past selves: net files by iteration in a run's folder, and who of them plays against the current net."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.learn.distributed import processes
from boardwright.learn.shared.match_config import ContestConfig
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.network import Variables, variables_of, weights_of

SUFFIX = ".net"
BEST = f"best{SUFFIX}"  # the one that plays


def path_of(folder: Path, iteration: int) -> Path:
    """Where the net after so many iterations is kept."""
    return folder / f"{iteration:06d}{SUFFIX}"


def keep(
    path: Path,
    variables: Variables,
    *,
    config: Architecture,
    game: Game,
    training: Mapping[str, Any],
    whole: bool = False,
) -> None:
    """Writes a net: half as long as it could be, unless `whole`. Opponents need no more digits."""
    netfile.write(
        path,
        config=config,
        game=game,
        weights=weights_of(variables),
        training=training,
        storage="float32" if whole else "bfloat16",
    )


def recall(path: Path, game: Game) -> Variables:
    """The variables of a net that was kept."""
    return variables_of(netfile.read(path, game=game).weights)


def kept(folder: Path) -> list[int]:
    """The iterations whose nets are in a folder, in order."""
    return sorted(int(path.stem) for path in folder.glob(f"*{SUFFIX}") if re.fullmatch("[0-9]{6,9}", path.stem))


def highest_kept(folder: Path, scores: Mapping[int, float]) -> int | None:
    """The iteration with the highest score of those whose nets are in a folder, the latest of equals; none has one."""
    return max(set(scores).intersection(kept(folder)), key=lambda net: (scores[net], net), default=None)


def nearest_kept(folder: Path, wanted: Sequence[int], *, before: int) -> list[int]:
    """For each iteration wanted the nearest one, before another, whose net is in the folder; each once, in order.

    All are there unless the run was unpacked, which brings a few. Where two are as near, the earlier; where fewer are
    there than wanted, fewer.
    """
    there = {iteration for iteration in kept(folder) if iteration < before}
    found = []
    for iteration in sorted(wanted, key=lambda iteration: iteration not in there):
        if there:
            found.append(min(there, key=lambda other: (abs(other - iteration), other)))
            there.discard(found[-1])
    processes.check_same(f"nets {found}")
    if not found:
        raise RunError(f"{folder} holds no net of an iteration before {before}: put one back, or begin anew")
    return sorted(found)


def chosen_nets(kept: Sequence[int], newest: int, count: int, measured: Iterable[int]) -> list[int]:
    """Which past nets to pack: the newest, and others spread evenly over the iterations before it.

    Not that of iteration 0, which the seed gives. Nets that played evaluation games are preferred, since ratings of
    later nets are relative to theirs.
    """
    there, rated = [net for net in kept if 0 < net <= newest], {newest, *measured}
    left = [net for net in there if net in rated]
    left = left if len(left) >= count else there
    chosen: list[int] = []
    for place in range(count, 0, -1):
        if left:
            chosen.append(min(left, key=lambda net: (abs(net - newest * place / count), net)))
            left = [net for net in left if net != chosen[-1]]
    return sorted(chosen)


def drawn_past_self(seed: int, iteration: int) -> int:
    """The iteration of the past self that joins the league in an iteration, any before it being as likely."""
    return int(np.random.default_rng([seed, iteration, 1]).integers(0, max(iteration, 1)))


def is_evaluated(config: ContestConfig, iteration: int) -> bool:
    """Whether the net after so many iterations is measured."""
    return config.every > 0 and iteration >= max(config.first, 1) and (iteration - config.first) % config.every == 0


def pool(config: ContestConfig, iteration: int) -> list[int]:
    """Past selves to be measured against, by iteration: 0, the anchor, and others `every` iterations apart,
    evenly thinned to the most there may be, the latest among them.
    """
    step = max(config.every, 1)
    past = list(range(iteration - step, 0, -step))
    room = config.pool - 1
    if len(past) > room:
        chosen = np.unique(np.linspace(0, len(past) - 1, room).round().astype(int)) if room else []
        past = [past[index] for index in chosen]
    return [0, *sorted(past)]


def drawn_opponents(config: ContestConfig, seed: int, iteration: int) -> list[int]:
    """Who of the pool is played in an iteration: as many as wanted, or all, each once."""
    there = pool(config, iteration)
    count = min(config.opponents, len(there))
    return sorted(np.random.default_rng([seed, iteration, 2]).choice(there, count, replace=False).tolist())

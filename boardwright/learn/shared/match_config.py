"""Settings of searches on the device and of evaluation matches against past checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from boardwright.setting import Setting


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """The search that chooses moves."""

    kind: Annotated[Literal["gumbel", "puct"], Setting("search of self-play: Gumbel AlphaZero or PUCT")] = "gumbel"
    simulations: Annotated[
        tuple[int, ...],
        Setting("simulations of a move; of several numbers each applies to an equal share of the iterations", 1, 2**14),
    ] = (32,)
    max_considered_actions: Annotated[
        int, Setting("gumbel: actions considered at the root", 2, 4096, was="considered")
    ] = 16
    c_visit: Annotated[
        float, Setting("gumbel: weight of values against priors, as an offset of the visits", 0, 1e6)
    ] = 50.0
    c_scale: Annotated[float, Setting("gumbel: weight of values against priors, as a factor", 0, 1e6)] = 0.1
    values: Annotated[
        Literal["relative", "absolute"],
        Setting("values scaled to [0, 1] within a position, or absolute (then gumbel needs a c_scale of about 1)"),
    ] = "relative"
    pb_c_init: Annotated[float, Setting("puct: weight of the exploration term", 0, 1e3)] = 1.25
    dirichlet_fraction: Annotated[float, Setting("puct: share of Dirichlet noise in the priors of the root", 0, 1)] = (
        0.25
    )
    dirichlet_alpha: Annotated[float, Setting("puct: concentration of the Dirichlet noise", 1e-3, 1e3)] = 0.3
    max_forced_plies: Annotated[
        int,
        Setting(
            "positions with one legal action that a simulation or a game passes through in one step", 0, 8, was="forced"
        ),
    ] = 0
    temperature_plies: Annotated[
        int,
        Setting(
            "puct: plies in which moves are drawn by visits; later the most visited is played",
            0,
            10**6,
            was="warm_plies",
        ),
    ] = 30

    def at(self, iteration: int, iterations: int) -> int:
        """The simulations of an iteration, counted from 0."""
        return self.simulations[min(iteration * len(self.simulations) // iterations, len(self.simulations) - 1)]


@dataclass(frozen=True, kw_only=True)
class ContestConfig:
    """Evaluation matches against past checkpoints, from which ratings are made."""

    first: Annotated[int, Setting("iteration of the first evaluation match", 0, 10**6)] = 20
    every: Annotated[int, Setting("iterations between evaluation matches; 0 is never", 0, 10**6)] = 5
    opponents: Annotated[int, Setting("past checkpoints played in a match, drawn from the pool", 1, 64)] = 4
    pool: Annotated[int, Setting("maximum of past checkpoints in the pool, iteration 0 included", 1, 1000)] = 10
    games: Annotated[int, Setting("games against each opponent, half in each role", 2, 2**16)] = 128
    simulations: Annotated[int, Setting("simulations of a move", 1, 2**14)] = 32
    opening_plies: Annotated[int, Setting("random actions at the start, equal in both games of a pair", 0, 1000)] = 2

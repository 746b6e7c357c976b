"""What was measured for the Tablut paper, and the figures that follow from it. Needs no JAX.

A run is given by the settings and metrics in its folder. Nets are needed only to play, so runs made elsewhere can be
reported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from boardwright.arena.balance import BalanceSettings, Line
from boardwright.errors import RunError
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.reporting.rating import net_ratings
from boardwright.learn.run import config_file, settings
from boardwright.learn.run.metrics import History, Match, read_metrics
from boardwright.learn.shared.config import EvaluationMatchesConfig
from boardwright.papers.tablutzero.claims import ROLLING, TURN, RatingMode
from boardwright.stats.score import PAIR_SHARES, Interval, Score, interval_of_counts

# Device seconds of self-play and learning since a run began, over all its sessions. Where a run did not measure them
# from its beginning, the seconds of its iterations are added up, with evaluation games and checkpoints.
DEVICE_SECONDS = "time/device_seconds"
ITERATION_SECONDS = "speed/seconds"  # the last metric of an iteration, after its evaluation

# Settings that do not make a run another one: evaluation games only measure, and are checked by `off_protocol`.
SAME_RUN = ("seed=", "evaluation.")


@dataclass(frozen=True)
class RunResult:
    """A run, and the evaluation games its ratings are made from."""

    config: AlphaZeroConfig
    history: History
    matches: tuple[Match, ...]
    played_again: bool = False  # by the protocol after the training, instead of during it


@dataclass(frozen=True)
class PairingResult:
    """The games of a pairing, from the first's side."""

    iterations: tuple[int, int]  # of the two nets
    minutes: tuple[float, float]  # of device time behind each
    wins: tuple[int, int]  # by the first's role
    draws: tuple[int, int]
    losses: tuple[int, int]
    pairs: tuple[int, ...]  # of games from one opening: how many brought 0, ½, 1, 1½ and 2 points
    simulations: int

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.wins) + sum(self.draws) + sum(self.losses)

    @property
    def score(self) -> Interval:
        """The first's share of the points; the unit that is counted is the pair."""
        return interval_of_counts(PAIR_SHARES, self.pairs)


@dataclass(frozen=True)
class BalanceResult:
    """A balance, and the run and iteration of its net."""

    run: str
    iteration: int
    settings: BalanceSettings
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Results:
    """All that was run and played."""

    runs: Mapping[str, RunResult]  # by name of a training
    pairings: Mapping[str, PairingResult]  # by name of a pairing
    balance: BalanceResult | None
    protocol: EvaluationMatchesConfig
    games_on: tuple[str, ...] = ()  # kinds of device that played what was not played while training


@dataclass(frozen=True)
class RatedNet:
    """A point of an Elo curve: how far a net is above that of iteration 0, with the interval of this difference."""

    iteration: int
    frames: float
    minutes: float
    elo: Interval


def read_run(folder: Path) -> RunResult:
    """The run in a folder, from its settings and metrics; raises RunError."""
    config = config_file.read(folder)
    method = config.pop("method", None)
    if method != "alphazero":
        raise RunError(f"{folder} is a run of {method}, not of alphazero: give another folder")
    history = read_metrics(folder)
    return RunResult(settings.from_json(AlphaZeroConfig, config), history, history.matches)


def iterations_of(history: History) -> int:
    """How many iterations a run has done."""
    return max((int(series.iterations[-1]) for series in history.scalars.values()), default=0)


def frames_at(history: History, iteration: int) -> float:
    """Positions played until the end of an iteration, or of the last before it that is known."""
    return max(
        (float(series.frames[series.iterations <= iteration].max(initial=0)) for series in history.scalars.values()),
        default=0.0,
    )


def minutes_at(history: History, iteration: int) -> float:
    """Minutes of the device until the end of an iteration; NaN where they were not measured."""
    measure = measure_of_minutes(history)
    if measure is None:
        return math.nan
    series = history.scalars[measure]
    past = series.values[series.iterations <= iteration]
    seconds = past if measure == DEVICE_SECONDS else np.cumsum(past)
    return float(seconds[-1] / 60) if len(past) else 0.0


def measure_of_minutes(history: History) -> str | None:
    """The metric that a run's minutes are taken from; None where it has none.

    A run resumed from an old checkpoint, made before device seconds were measured, has them only from there.
    """
    spent = history.scalars.get(DEVICE_SECONDS)
    if spent is not None and int(spent.iterations[0]) <= 1:
        return DEVICE_SECONDS
    return ITERATION_SECONDS if ITERATION_SECONDS in history.scalars else None


def total_minutes(history: History) -> float:
    """Minutes of the device that the run took so far."""
    return minutes_at(history, iterations_of(history))


def curve(run: RunResult, mode: RatingMode) -> list[RatedNet]:
    """Ratings by BayesElo over all evaluation games, by iteration."""
    ratings = net_ratings(run.matches, fixed_parameters=mode.fixed_parameters)
    return [
        RatedNet(net, frames_at(run.history, net), minutes_at(run.history, net), Interval(*ratings[net]))
        for net in sorted(ratings)
    ]


def first_net_above(run: RunResult, mode: RatingMode, elo: float) -> RatedNet | None:
    """The first net that was rated this high."""
    return next((point for point in curve(run, mode) if point.elo.mean >= elo), None)


def first_and_last(run: RunResult, metric: str) -> tuple[float, float] | None:
    """What a metric was in the first and in the last iteration that measured it."""
    series = run.history.scalars.get(metric)
    values = np.array([]) if series is None else series.values[np.isfinite(series.values)]
    return (float(values[0]), float(values[-1])) if len(values) else None


def selfplay_attackers(run: RunResult) -> Interval | None:
    """The share of games that role 0 won in the last iterations of self-play, as if games were independent."""
    scalars = run.history.scalars
    if "selfplay/role0_wins" not in scalars:
        return None
    wins, all_games = scalars["selfplay/role0_wins"], scalars["selfplay/games"]
    recent = wins.iterations > iterations_of(run.history) - ROLLING
    games = all_games.values[np.isin(all_games.iterations, wins.iterations[recent])]
    share = float(np.mean(wins.values[recent])) if recent.any() else float("nan")
    if not games.sum() or not np.isfinite(share):
        return None
    found = interval_of_counts((1.0, 0.0), (share * games.sum(), (1 - share) * games.sum()))
    return Interval(share, found.low, found.high)


def wins_as(run: RunResult, role: int) -> list[tuple[int, int, int]]:
    """(iteration, games won, games) of each evaluated net in a role, against past checkpoints."""
    found: dict[int, tuple[int, int]] = {}
    for match in run.matches:
        if (match.role0_net, match.role1_net)[role] == match.iteration:
            won, games = found.get(match.iteration, (0, 0))
            here = match.wins0 + match.draws + match.wins1
            found[match.iteration] = won + (match.wins0, match.wins1)[role], games + here
    return [(iteration, *found[iteration]) for iteration in sorted(found)]


def early_and_late_wins(run: RunResult, role: int) -> tuple[Interval | None, Interval | None]:
    """The share of games won in a role against past checkpoints: up to `TURN` of the training, and by the last net."""
    evaluated = wins_as(run, role)
    until = TURN * run.config.iterations
    early = [(won, games) for iteration, won, games in evaluated if iteration <= until]
    late = [(won, games) for iteration, won, games in evaluated[-1:] if iteration > until]
    return _share(early), _share(late)


def differences(config: AlphaZeroConfig, preset: AlphaZeroConfig) -> list[str]:
    """Settings of a run that are not its preset's, as `--set` would say it."""
    ours, theirs = ({row["name"]: row["value"] for row in settings.listing(one)} for one in (config, preset))
    changed = {name: value for name, value in ours.items() if value != theirs[name]}
    return [f"{name}={settings.as_text(value)}" for name, value in changed.items()]


def variant(config: AlphaZeroConfig, preset: AlphaZeroConfig) -> list[str]:
    """Those of the differences that make it another run than the preset's."""
    return [change for change in differences(config, preset) if not change.startswith(SAME_RUN)]


def off_protocol(run: RunResult, protocol: EvaluationMatchesConfig) -> list[str]:
    """How a run's evaluation games differ from the protocol, in words: in the run's own settings, unless the games were
    played again; else in nets with fewer opponents than the protocol has, because nets are missing.
    """
    ours, target = asdict(run.config.evaluation), asdict(protocol)
    differences = [f"{name} {ours[name]} instead of {target[name]}" for name in target if ours[name] != target[name]]
    if differences and not run.played_again:
        return differences
    met: dict[int, set[int]] = {}
    for match in run.matches:
        met.setdefault(match.iteration, set()).update({match.role0_net, match.role1_net} - {match.iteration})
    due = {iteration: min(protocol.opponents, protocol.pool, iteration) for iteration in met}
    return [
        f"opponents {len(others)} instead of {due[iteration]} at iteration {iteration}"
        for iteration, others in sorted(met.items())
        if len(others) < due[iteration]
    ]


def _share(counts: Sequence[tuple[int, int]]) -> Interval | None:
    won, games = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    return Score(won, 0, games - won).interval if games else None

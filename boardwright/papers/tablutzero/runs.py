"""The training runs of the Tablut paper, the games played with their nets, and the whole of its work: `run_paper`.

A run is in a folder named after its preset. One that was made elsewhere is used as it is, even if only its settings and
metrics are left; one that was stopped here is resumed. Games are evaluation by the protocol, pairings of runs, and the
balance. Their results are saved as JSON in the work folder, with the settings and nets they were played by. With other
nets they are played again; where the nets are missing, the saved results count.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from boardwright.arena.balance import BalanceSettings, Counts, Line
from boardwright.arena.balance_games import lines
from boardwright.errors import BoardwrightError, NetError, UnknownNameError
from boardwright.games.registry import current_rule_name, game_class
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.match.matches import play_nets
from boardwright.learn.run import checkpoint, league, portable_state, settings
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import NAME as METRICS
from boardwright.learn.run.metrics import History, Match
from boardwright.nets import netfile
from boardwright.papers.tablutzero import claims
from boardwright.papers.tablutzero import results as measured
from boardwright.papers.tablutzero.claims import GAME, PAIRINGS, TRAININGS, Pairing, Sizes, Training
from boardwright.papers.tablutzero.results import BalanceResult, PairingResult, Results, RunResult, read_run
from boardwright.papers.work_folder import finished_iterations, load_or_play, read_table, train_to_end

STRONGEST = ("fast", "paper", "augment", "baseline")  # the net that measures the balance: the first that exists
ALL, NONE = "all", "none"  # values of --train
RUNS = ", ".join(training.preset for training in TRAININGS.values())


@dataclass(frozen=True, kw_only=True)
class Work:
    """What to run, and where."""

    folder: Path
    runs: Path
    train: frozenset[str]  # names of runs to train or resume
    quick: bool = False
    games: int | None = None  # instead of the usual number
    minutes: float | None = None  # of device time at most at which runs are paired; else the smaller of their totals
    seed: int = 0

    @property
    def sizes(self) -> Sizes:
        """How many games are played."""
        usual = claims.QUICK if self.quick else claims.FULL
        return usual if self.games is None else dataclasses.replace(usual, games=self.games)

    @property
    def matches(self) -> Path:
        """The folder of saved games."""
        return self.folder / "matches"

    def run_folder(self, training: Training) -> Path:
        """Folder of a training run."""
        return self.runs / training.preset

    def config(self, training: Training) -> AlphaZeroConfig:
        """The settings of a run that starts here."""
        changes = [*(claims.QUICK_SETTINGS if self.quick else ()), *([f"seed={self.seed}"] if self.seed else [])]
        return settings.apply(PRESETS[training.preset], changes)


def make_work(folder: Path, options: Any) -> Work:
    """The work that the options of `boardwright paper` describe; raises BoardwrightError."""
    names = {ALL: list(TRAININGS), NONE: []}.get(options.train, options.train.split(","))
    for name in names:
        if name not in TRAININGS:
            raise UnknownNameError("run for --train", name, (*TRAININGS, ALL, NONE))
    if options.runs is not None and not options.runs.is_dir() and not names:
        raise BoardwrightError(f"--runs {options.runs}: no such folder; give the one that holds {RUNS}")
    return Work(
        folder=folder,
        runs=options.runs or folder / "runs",
        train=frozenset(names),
        quick=options.quick,
        games=options.games,
        minutes=options.minutes,
        seed=options.seed,
    )


def run_paper(work: Work, observer: RunObserver) -> Results:
    """Trains and plays what is missing; raises StoppedError when the observer stops it."""
    found = {name: train_run(work, training, observer) for name, training in TRAININGS.items()}
    runs = {name: run for name, run in found.items() if run is not None}
    if not runs:
        raise BoardwrightError(f"{work.runs} holds none of the runs {RUNS}: train them, or give another --runs")
    for name, run in runs.items():
        runs[name] = evaluate_by_protocol(work, name, run, observer)
    played = {pairing.name: play_pairing(work, pairing, runs, observer) for pairing in PAIRINGS}
    pairings = {name: result for name, result in played.items() if result is not None}
    balance = play_balance(work, observer)
    tables = (read_table(path) or {} for path in work.matches.glob("*.json"))
    games_on = {table["device"] for table in tables if table.get("device")}  # as far as they say
    return Results(runs, pairings, balance, work.sizes.protocol, games_on=tuple(sorted(games_on)))


def train_run(work: Work, training: Training, observer: RunObserver) -> RunResult | None:
    """A run, after training it to its end if it is to be trained; None: not run."""
    folder = work.run_folder(training)
    there = read_run(folder) if (folder / METRICS).exists() and (folder / CONFIG).exists() else None
    is_unpacked = portable_state.path_in(folder, portable_state.UNPACKED).exists()
    is_begun = there is not None and measured.iterations_of(there.history) > 0  # else starting again loses nothing
    can_resume = not is_begun or is_unpacked or bool(checkpoint.find_checkpoints(folder / "checkpoints"))
    is_finished = there is not None and finished_iterations(there.history) >= there.config.iterations
    if training.name not in work.train or is_finished or not can_resume:
        return there
    config = work.config(training) if there is None else there.config
    observer.message(f"{training.name}: {training.words} ({training.preset})")
    folder.mkdir(parents=True, exist_ok=True)
    train_to_end(AlphaZero(config), folder, dataclasses.replace(observer, message=lambda text: None))
    return read_run(folder)


def nets_in_folder(work: Work, name: str) -> dict[int, Path]:
    """Nets in a run's folder by iteration; `best.net` replaces a missing net of its own iteration."""
    folder = work.run_folder(TRAININGS[name]) / "nets"
    nets = {iteration: league.path_of(folder, iteration) for iteration in league.iterations_in(folder)}
    best = folder / BEST
    if best.exists():
        try:
            iteration = netfile.read(best).training.get("iteration")
        except NetError:
            iteration = None
        if isinstance(iteration, int):
            nets.setdefault(iteration, best)
    return dict(sorted(nets.items()))


def net_at(nets: dict[int, Path], history: History, minutes: float) -> int | None:
    """The latest saved net within a number of GPU-minutes; None if there is none."""
    return max((number for number in nets if measured.minutes_at(history, number) <= minutes), default=None)


def evaluate_by_protocol(work: Work, name: str, run: RunResult, observer: RunObserver) -> RunResult:
    """A run with evaluation games by the protocol: its own, if they were; else played again by the nets it kept.

    A net that is missing is not measured, and as an opponent it is replaced by the nearest past one. Without the
    untrained net there is no anchor, and the run's own evaluation games stay.
    """
    protocol = work.sizes.protocol
    if run.config.evaluation == protocol:
        return run
    nets = nets_in_folder(work, name)
    conditions = {"protocol": dataclasses.asdict(protocol), "seed": work.seed}
    matches: list[Match] = []
    for number in range(1, measured.iterations_of(run.history) + 1):
        if not league.is_evaluated(protocol, number):
            continue
        there = [net for net in nets if net < number] if 0 in nets and number in nets else []
        opponents = league.nearest(league.draw_opponents(protocol, run.config.seed, number), there)
        files = [nets[net] for net in (number, *opponents)] if opponents else []
        play = functools.partial(_evaluate_net, nets, number, opponents, work, observer)
        found = _load_or_play(work, f"protocol-{name}-{number:06d}", conditions, files, play, observer)
        matches += [Match(*row) for row in found or ()]
    has_anchor = any(0 in (match.role0_net, match.role1_net) for match in matches)
    return dataclasses.replace(run, matches=tuple(matches), played_again=True) if has_anchor else run


def play_pairing(
    work: Work, pairing: Pairing, runs: dict[str, RunResult], observer: RunObserver
) -> PairingResult | None:
    """The games of a pairing; None if a run or its nets are missing."""
    names, sizes = (pairing.first, pairing.second), work.sizes
    if not runs.keys() >= set(names):
        return None
    histories, nets = [runs[name].history for name in names], [nets_in_folder(work, name) for name in names]
    played_by = {name: getattr(sizes, name) for name in ("games", "simulations", "opening_plies")} | {"seed": work.seed}
    if pairing.at == "the end":
        conditions, iterations = played_by, [max(kept) for kept in nets] if all(nets) else []
    else:
        conditions = {**played_by, "minutes": work.minutes}
        iterations = at_equal_minutes(nets, histories, work.minutes)
    files = [kept[number] for kept, number in zip(nets, iterations, strict=False)]

    def play() -> dict[str, Any]:
        first, second = (netfile.read(file) for file in files)
        show = functools.partial(observer.show_share, " – ".join(names), sizes.games)
        (score,) = play_nets(first, [second], **played_by, on_share=show)
        minutes = [measured.minutes_at(history, number) for history, number in zip(histories, iterations, strict=True)]
        fields = {name: getattr(score, name) for name in ("wins", "draws", "losses", "pairs")}
        return {"iterations": iterations, "minutes": minutes, **fields, "simulations": sizes.simulations}

    there = _load_or_play(work, pairing.name, conditions, files, play, observer)
    if there is None:
        return None
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in there.items()}
    return PairingResult(**fields)


def at_equal_minutes(nets: Sequence[dict[int, Path]], histories: Sequence[History], most: float | None) -> list[int]:
    """The nets of two runs that play: the second's latest within both totals, and within `most` minutes if given; and
    the first's latest with no more minutes than that one. Empty where there are no such nets.

    Runs that moved kept few nets, so the two seldom have equal minutes; the first, which is claimed to be stronger,
    must not be the one with more.
    """
    totals = [measured.total_minutes(history) for history in histories]
    second = net_at(nets[1], histories[1], min(totals if most is None else (*totals, most)))
    first = None if second is None else net_at(nets[0], histories[0], measured.minutes_at(histories[1], second))
    return [] if first is None or second is None else [first, second]


def play_balance(work: Work, observer: RunObserver) -> BalanceResult | None:
    """The balance by the strongest net, or the saved one; None without either. Rule sets are saved separately."""
    sizes = work.sizes
    kept = ((name, nets_in_folder(work, name)) for name in STRONGEST)
    name, number, net = next(((name, *max(nets.items())) for name, nets in kept if nets), ("", 0, None))
    whole = BalanceSettings(
        game=GAME,
        nets=() if net is None else (net,),
        rules=sizes.balance_rules,
        openings=sizes.balance_openings,
        games=sizes.games,
        simulations=sizes.simulations,
        seed=work.seed,
    )
    found: list[Line] = []
    origin: tuple[str, int] | None = None
    for rules in sizes.balance_rules:
        balance_settings = dataclasses.replace(whole, rules=(rules,))

        def play(balance_settings: BalanceSettings = balance_settings) -> dict[str, Any]:
            rows = [_to_json(line) for line in lines(balance_settings, observer.progress)]
            return {"run": name, "iteration": number, "lines": rows}

        file = _balance_file(work.matches, rules)
        there = _load_or_play(work, file, _to_json(balance_settings), balance_settings.nets, play, observer)
        if there is not None:
            origin = there["run"], there["iteration"]
            played_by = f"{TRAININGS[there['run']].preset} {there['iteration']}"
            for row in there["lines"]:
                counts = settings.from_json(Counts, row["counts"])
                current = str(current_rule_name(GAME, row["rules"]))
                found.append(Line(current, played_by, row["is_own"], row["plies"], counts))
    return None if origin is None else BalanceResult(*origin, whole, tuple(found))


def _balance_file(folder: Path, rules: str) -> str:
    """The name of the file of the games by a rule set, which may have been written under a former name of it."""
    names = [rules, *(old for old, name in game_class(GAME).old_rule_names.items() if name == rules)]
    return next((f"balance-{name}" for name in names if (folder / f"balance-{name}.json").exists()), f"balance-{rules}")


def _to_json(part: BalanceSettings | Line) -> dict[str, Any]:
    """Settings of a balance, or a line of it, as a file has them, without the paths of nets."""
    return {field: value for field, value in dataclasses.asdict(part).items() if field not in ("net", "nets")}


def _evaluate_net(
    nets: dict[int, Path], number: int, opponents: list[int], work: Work, observer: RunObserver
) -> list[tuple[int, ...]]:
    """Rows of matches of a net against some past ones, as `Match` has them."""
    protocol = work.sizes.protocol
    what, games = f"protocol, iteration {number}", protocol.games * len(opponents)
    scores = play_nets(
        netfile.read(nets[number]),
        [netfile.read(nets[other]) for other in opponents],
        games=protocol.games,
        simulations=protocol.simulations,
        opening_plies=protocol.opening_plies,
        seed=work.seed + number,
        on_share=functools.partial(observer.show_share, what, games),
    )
    pairs = zip(opponents, scores, strict=True)
    return [astuple(match) for other, score in pairs for match in league.matches_between(number, other, score)]


def _load_or_play(
    work: Work,
    name: str,
    conditions: dict[str, Any],
    nets: Sequence[Path],
    play: Callable[[], Any],
    observer: RunObserver,
) -> Any:
    """The result saved of these nets, else that of `play`; of missing nets a saved result of any, or None."""

    def make() -> Any:
        played = play()
        observer.message(f"played: {name}")
        return played

    path = work.matches / f"{name}.json"
    return load_or_play(path, conditions, make if nets else None, observer, nets=nets, on_device=True)

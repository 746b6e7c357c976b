"""Games for the Tablut paper after the training: evaluation by the protocol, pairings of runs, and the balance.

Results are saved as JSON in the work folder, with the settings and nets they were played by. With other nets they are
played again; where the nets are missing, the saved results count.
"""

from __future__ import annotations

import dataclasses
import functools
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax

from boardwright.arena.balance import Counts, Line, Question
from boardwright.arena.balance_games import lines
from boardwright.errors import NetError
from boardwright.games.registry import current_rule_name, game_class
from boardwright.learn.match.nets import play_nets
from boardwright.learn.run import league
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import History, Match
from boardwright.nets import netfile
from boardwright.papers.tablutzero.claims import GAME, Pairing, training_of
from boardwright.papers.tablutzero.results import (
    BalanceResult,
    PairingResult,
    RunResult,
    iterations_of,
    minutes_at,
    total_minutes,
)
from boardwright.papers.work_folder import StoppedError, check_settings, read_table, write_table

if TYPE_CHECKING:
    from boardwright.papers.tablutzero.runs import Work

MATCHES = "matches"  # folder of what was played, in the work folder
STRONGEST = ("fast", "paper", "augment", "baseline")  # the net that measures the balance: the first that exists


def kept_nets(folder: Path) -> dict[int, Path]:
    """Nets in a run's folder by iteration; `best.net` replaces a missing net of its own iteration."""
    nets = {int(path.stem): path for path in (folder / "nets").glob(f"[0-9]*{league.SUFFIX}") if path.stem.isdigit()}
    best = folder / "nets" / BEST
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
    return max((number for number in nets if minutes_at(history, number) <= minutes), default=None)


def evaluate_by_protocol(work: Work, name: str, run: RunResult, observer: RunObserver) -> RunResult:
    """A run with evaluation games by the protocol: its own, if they were; else played again by the nets it kept.

    A net that is missing is not measured, and as an opponent it is replaced by the nearest past one. Without the
    untrained net there is no anchor, and the run's own evaluation games stay.
    """
    protocol = work.sizes.protocol
    if run.config.evaluation == protocol:
        return run
    nets = kept_nets(work.run_folder(training_of(name)))
    matches: list[Match] = []
    for number in range(1, iterations_of(run.history) + 1):
        if not league.is_evaluated(protocol, number):
            continue
        there = [net for net in nets if net < number] if 0 in nets and number in nets else []
        opponents = nearest(league.draw_opponents(protocol, run.config.seed, number), there)
        files = [nets[net] for net in (number, *opponents)] if opponents else None
        path = work.folder / MATCHES / f"protocol-{name}-{number:06d}.json"
        play = functools.partial(_evaluate_net, nets, number, opponents, work, observer)
        found = _load_or_play(
            path, {"protocol": dataclasses.asdict(protocol), "seed": work.seed}, files, play, observer
        )
        matches += [Match(*row) for row in found or ()]
    has_anchor = any(0 in (match.role0_net, match.role1_net) for match in matches)
    return dataclasses.replace(run, matches=tuple(matches), played_again=True) if has_anchor else run


def nearest(targets: list[int], available: list[int]) -> list[int]:
    """For each target iteration the nearest available one, the earlier of two; each once, in order."""
    left, found = set(available), []
    for number in sorted(targets, key=lambda number: number not in left):
        if left:
            found.append(min(left, key=lambda other: (abs(other - number), other)))
            left.discard(found[-1])
    return sorted(found)


def play_pairing(
    work: Work, pairing: Pairing, runs: dict[str, RunResult], observer: RunObserver
) -> PairingResult | None:
    """The games of a pairing; None if a run or its nets are missing."""
    if pairing.first not in runs or pairing.second not in runs:
        return None
    histories = [runs[name].history for name in (pairing.first, pairing.second)]
    nets = [kept_nets(work.run_folder(training_of(name))) for name in (pairing.first, pairing.second)]
    path = work.folder / MATCHES / f"{pairing.name}.json"
    if pairing.at == "the end":
        chosen = [max(kept, default=None) for kept in nets]
    else:
        chosen = at_equal_minutes(nets, histories, work.minutes)
    sizes = work.sizes
    played_by = {
        "games": sizes.games,
        "simulations": sizes.simulations,
        "opening_plies": sizes.opening_plies,
        "seed": work.seed,
    }
    conditions = played_by if pairing.at == "the end" else {**played_by, "minutes": work.minutes}
    files = None
    if None not in chosen:
        files = [kept[number] for kept, number in zip(nets, chosen, strict=True) if number is not None]

    def play() -> dict[str, Any]:
        assert files is not None
        first, second = (netfile.read(file) for file in files)
        show = functools.partial(_show, observer, f"{pairing.first} – {pairing.second}", sizes.games)
        (score,) = play_nets(first, [second], **played_by, on_share=show)
        numbers = [number or 0 for number in chosen]
        behind = [minutes_at(history, number) for history, number in zip(histories, numbers, strict=True)]
        fields = {name: getattr(score, name) for name in ("wins", "draws", "losses", "pairs")}
        return {"iterations": numbers, "minutes": behind, **fields, "simulations": sizes.simulations}

    there = _load_or_play(path, conditions, files, play, observer)
    if there is None:
        return None
    simulations = there.pop("simulations")
    return PairingResult(**{name: tuple(values) for name, values in there.items()}, simulations=simulations)


def at_equal_minutes(
    nets: Sequence[dict[int, Path]], histories: Sequence[History], most: float | None
) -> list[int | None]:
    """The nets of two runs that play: the second's latest within both totals, and within `most` minutes if given; and
    the first's latest with no more minutes than that one.

    Runs that moved kept few nets, so the two seldom have equal minutes; the first, which is claimed to be stronger,
    must not be the one with more.
    """
    totals = [total_minutes(history) for history in histories]
    second = net_at(nets[1], histories[1], min(totals if most is None else (*totals, most)))
    if second is None:
        return [None, None]
    return [net_at(nets[0], histories[0], minutes_at(histories[1], second)), second]


def play_balance(work: Work, observer: RunObserver) -> BalanceResult | None:
    """The balance by the strongest net, or the saved one; None without either. Rule sets are saved separately."""
    sizes = work.sizes
    nets = {name: kept_nets(work.run_folder(training_of(name))) for name in STRONGEST}
    name = next((name for name in STRONGEST if nets[name]), None)
    number = None if name is None else max(nets[name])
    whole = Question(
        game=GAME,
        nets=() if name is None or number is None else (nets[name][number],),
        rules=sizes.balance_rules,
        openings=sizes.balance_openings,
        games=sizes.games,
        simulations=sizes.simulations,
        seed=work.seed,
    )
    found: list[Line] = []
    origin: tuple[str, int] | None = None
    for rules in sizes.balance_rules:
        question = dataclasses.replace(whole, rules=(rules,))

        def play(question: Question = question) -> dict[str, Any]:
            rows = [_to_json(line) for line in lines(question, observer.progress)]
            return {"run": name, "iteration": number, "lines": rows}

        path = _balance_file(work.folder / MATCHES, rules)
        there = _load_or_play(path, _to_json(question), list(question.nets) or None, play, observer)
        if there is not None:
            origin = there["run"], there["iteration"]
            found += _lines(there["lines"], f"{training_of(there['run']).preset} {there['iteration']}")
    return None if origin is None else BalanceResult(*origin, whole, tuple(found))


def _balance_file(folder: Path, rules: str) -> Path:
    """The file of the games by a rule set, which may have been written under a former name of it."""
    names = [rules, *(old for old, name in game_class(GAME).old_rule_names.items() if name == rules)]
    paths = [folder / f"balance-{name}.json" for name in names]
    return next((path for path in paths if path.exists()), paths[0])


def _with_current_rules(conditions: Any) -> Any:
    """Settings from a file, with the current names of rule sets."""
    if not isinstance(conditions, dict) or "rules" not in conditions:
        return conditions
    return {**conditions, "rules": [current_rule_name(GAME, rules) for rules in conditions["rules"]]}


def _to_json(asked: Question | Line) -> dict[str, Any]:
    """A question or a line as a file has it, without the paths of nets."""
    return {field: value for field, value in dataclasses.asdict(asked).items() if field not in ("net", "nets")}


def _lines(rows: list[dict[str, Any]], net: str) -> tuple[Line, ...]:
    """Lines from a file, with the name of the net that played them."""
    found = []
    for row in rows:
        counts = {**row["counts"], "wins": tuple(row["counts"]["wins"])}
        rules = str(current_rule_name(GAME, row["rules"]))
        found.append(Line(rules, net, row["is_own"], row["plies"], Counts(**counts)))
    return tuple(found)


def _evaluate_net(
    nets: dict[int, Path], number: int, opponents: list[int], work: Work, observer: RunObserver
) -> list[list[int]]:
    """Rows of matches of a net against some past ones, as `Match` has them."""
    protocol = work.sizes.protocol
    show = functools.partial(_show, observer, f"protocol, iteration {number}", protocol.games * len(opponents))
    scores = play_nets(
        netfile.read(nets[number]),
        [netfile.read(nets[other]) for other in opponents],
        games=protocol.games,
        simulations=protocol.simulations,
        opening_plies=protocol.opening_plies,
        seed=work.seed + number,
        on_share=show,
    )
    rows = []
    for other, score in zip(opponents, scores, strict=True):
        for role, (first, second) in enumerate(((number, other), (other, number))):
            wins = (score.wins[role], score.losses[role])
            rows.append([number, first, second, wins[role], score.draws[role], wins[1 - role], score.plies[role]])
    return rows


def _show(observer: RunObserver, what: str, games: int, share: float) -> None:
    observer.progress(what, round(share * games), games)


def devices_of(folder: Path) -> tuple[str, ...]:
    """The kinds of device that games in a folder were played on, as far as they say."""
    tables = [read_table(path) or {} for path in folder.glob("*.json")]
    return tuple(sorted({table["device"] for table in tables if "device" in table}))


def _load_or_play(
    path: Path, conditions: dict[str, Any], files: list[Path] | None, play: Callable[[], Any], observer: RunObserver
) -> Any | None:
    """The result saved of these nets, else that of `play`, which is saved.

    If the nets are missing (`files` is None) the saved result counts, of any nets; None without one.
    """
    saved = read_table(path)
    sums = None if files is None else [zlib.crc32(file.read_bytes()) for file in files]
    if saved is not None and "played" in saved:
        check_settings(path, _with_current_rules(saved.get("told")), conditions)
        if sums is None or saved.get("nets") == sums:
            return saved["played"]
    if sums is None:
        return None
    if observer.stopped():
        raise StoppedError
    played = play()
    write_table(path, told=conditions, nets=sums, device=jax.devices()[0].device_kind, played=played)
    observer.message(f"played: {path.stem}")
    return played

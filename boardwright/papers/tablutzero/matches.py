"""Games for the Tablut paper beside those of training: the protocol, meetings and the balance, each played once.

What was played is kept as JSON in the work folder, with what it was played by; asked for other games or with other
nets it is played again, and where the nets are gone, what is kept counts.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax

from boardwright.arena.balance import Counts, Line, Question
from boardwright.arena.balance_games import lines
from boardwright.atomicfile import write_atomic
from boardwright.games.registry import current_rule_name, game_class
from boardwright.learn.match.nets import play_nets
from boardwright.learn.run import league
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import History, Match
from boardwright.nets import netfile
from boardwright.papers.result_cache import check_told, read_table
from boardwright.papers.stopping import StoppedError
from boardwright.papers.tablutzero.claims import GAME, MEETINGS, TRAININGS, Meeting, training_of
from boardwright.papers.tablutzero.results import (
    Balanced,
    Met,
    Results,
    RunResult,
    iterations_of,
    minutes_at,
    total_minutes,
)
from boardwright.papers.tablutzero.runs import Work, kept_nets, net_at, trained

MATCHES = "matches"  # folder of what was played, in the work folder
STRONGEST = ("fast", "paper", "augment", "baseline")  # whose net judges the balance: the first that is there


def everything(work: Work, watch: RunObserver) -> Results:
    """Trains what is to be trained, plays what is not played yet; raises StoppedError when `watch` says so."""
    runs: dict[str, RunResult] = {}
    for training in TRAININGS:
        found = trained(work, training, watch)
        if found is not None:
            config, history = found
            runs[training.name] = RunResult(config, history, history.matches)
    for name, run in runs.items():
        runs[name] = by_protocol(work, name, run, watch)
    met = {meeting.name: found for meeting in MEETINGS if (found := met_by(work, meeting, runs, watch)) is not None}
    balance = balanced(work, watch)
    return Results(runs, met, balance, work.sizes.protocol, games_on=_devices(work.folder / MATCHES))


def by_protocol(work: Work, name: str, run: RunResult, watch: RunObserver) -> RunResult:
    """A run with contests by the protocol: its own, where they were; else played again by the nets it kept.

    A run that travelled has not kept all. A net that is gone is not measured, and where one was drawn as an opponent,
    the nearest past one takes its place. Without the untrained net there is no anchor, and a run's own contests stay.
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
        play = functools.partial(_contest, nets, number, opponents, work, watch)
        found = _once(path, {"protocol": dataclasses.asdict(protocol), "seed": work.seed}, files, play, watch)
        matches += [Match(*row) for row in found or ()]
    has_anchor = any(0 in (match.role0_net, match.role1_net) for match in matches)
    return dataclasses.replace(run, contests=tuple(matches), played_again=True) if has_anchor else run


def nearest(wanted: list[int], there: list[int]) -> list[int]:
    """For each iteration wanted the nearest that is there, the earlier of two; each once, in order."""
    left, found = set(there), []
    for number in sorted(wanted, key=lambda number: number not in left):
        if left:
            found.append(min(left, key=lambda other: (abs(other - number), other)))
            left.discard(found[-1])
    return sorted(found)


def met_by(work: Work, meeting: Meeting, runs: dict[str, RunResult], watch: RunObserver) -> Met | None:
    """The games of a meeting; None where a run or its nets are missing."""
    if meeting.first not in runs or meeting.second not in runs:
        return None
    histories = [runs[name].history for name in (meeting.first, meeting.second)]
    nets = [kept_nets(work.run_folder(training_of(name))) for name in (meeting.first, meeting.second)]
    path = work.folder / MATCHES / f"{meeting.name}.json"
    if meeting.at == "the end":
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
    told = played_by if meeting.at == "the end" else {**played_by, "minutes": work.minutes}
    files = None
    if None not in chosen:
        files = [kept[number] for kept, number in zip(nets, chosen, strict=True) if number is not None]

    def play() -> dict[str, Any]:
        assert files is not None
        first, second = (netfile.read(file) for file in files)
        show = functools.partial(_show, watch, f"{meeting.first} – {meeting.second}", sizes.games)
        (score,) = play_nets(first, [second], **played_by, on_share=show)
        numbers = [number or 0 for number in chosen]
        behind = [minutes_at(history, number) for history, number in zip(histories, numbers, strict=True)]
        fields = {name: getattr(score, name) for name in ("wins", "draws", "losses", "pairs")}
        return {"iterations": numbers, "minutes": behind, **fields, "simulations": sizes.simulations}

    there = _once(path, told, files, play, watch)
    if there is None:
        return None
    simulations = there.pop("simulations")
    return Met(**{name: tuple(values) for name, values in there.items()}, simulations=simulations)


def at_equal_minutes(
    nets: Sequence[dict[int, Path]], histories: Sequence[History], most: float | None
) -> list[int | None]:
    """The nets that two runs send: the second's latest within both totals, and within `most` minutes if that is given;
    and the first's latest behind which there are no more minutes than behind that one.

    Runs keep few nets where they travelled, so the two are seldom alike; the first, of which more is claimed, must
    not be the one that gains by it.
    """
    totals = [total_minutes(history) for history in histories]
    second = net_at(nets[1], histories[1], min(totals if most is None else (*totals, most)))
    if second is None:
        return [None, None]
    return [net_at(nets[0], histories[0], minutes_at(histories[1], second)), second]


def balanced(work: Work, watch: RunObserver) -> Balanced | None:
    """The balance by the strongest net that is kept, or what was kept of one; None where there is neither.

    Rule sets are kept each by itself, so that whoever stops loses one of them.
    """
    sizes = work.sizes
    nets = {name: kept_nets(work.run_folder(training_of(name))) for name in STRONGEST}
    name = next((name for name in STRONGEST if nets[name]), None)
    number = None if name is None else max(nets[name])
    everything_asked = Question(
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
        question = dataclasses.replace(everything_asked, rules=(rules,))

        def play(question: Question = question) -> dict[str, Any]:
            rows = [_told(line) for line in lines(question, watch.progress)]
            return {"run": name, "iteration": number, "lines": rows}

        path = _balance_file(work.folder / MATCHES, rules)
        there = _once(path, _told(question), list(question.nets) or None, play, watch)
        if there is not None:
            origin = there["run"], there["iteration"]
            found += _lines(there["lines"], f"{training_of(there['run']).preset} {there['iteration']}")
    return None if origin is None else Balanced(*origin, everything_asked, tuple(found))


def _balance_file(folder: Path, rules: str) -> Path:
    """The file of the games by a rule set, which may have been written under a former name of it."""
    names = [rules, *(old for old, name in game_class(GAME).old_rule_names.items() if name == rules)]
    paths = [folder / f"balance-{name}.json" for name in names]
    return next((path for path in paths if path.exists()), paths[0])


def _told(asked: Question | Line) -> dict[str, Any]:
    """As a file holds it, which has its own words for nets: where they lay is nothing to keep."""
    return {field: value for field, value in dataclasses.asdict(asked).items() if field not in ("net", "nets")}


def _with_current_rules(told: Any) -> Any:
    """Settings as a file holds them, with the current names of rule sets."""
    if not isinstance(told, dict) or "rules" not in told:
        return told
    return {**told, "rules": [current_rule_name(GAME, rules) for rules in told["rules"]]}


def _lines(rows: list[dict[str, Any]], net: str) -> tuple[Line, ...]:
    """Lines as a file holds them, played by a net."""
    found = []
    for row in rows:
        counts = {**row["counts"], "wins": tuple(row["counts"]["wins"])}
        rules = str(current_rule_name(GAME, row["rules"]))
        found.append(Line(rules, net, row["is_own"], row["plies"], Counts(**counts)))
    return tuple(found)


def _contest(
    nets: dict[int, Path], number: int, opponents: list[int], work: Work, watch: RunObserver
) -> list[list[int]]:
    """Rows of matches of a net against some past ones, as `Match` has them."""
    protocol = work.sizes.protocol
    show = functools.partial(_show, watch, f"protocol, iteration {number}", protocol.games * len(opponents))
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


def _show(watch: RunObserver, what: str, games: int, share: float) -> None:
    watch.progress(what, round(share * games), games)


def _devices(folder: Path) -> tuple[str, ...]:
    """The kinds of device that games in a folder were played on, as far as they say."""
    found = set()
    for path in folder.glob("*.json"):
        try:
            found.add(json.loads(path.read_bytes())["device"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return tuple(sorted(found))


def _once(
    path: Path, told: dict[str, Any], files: list[Path] | None, play: Callable[[], Any], watch: RunObserver
) -> Any | None:
    """What a file keeps of games with the nets of some files; else plays them.

    Without nets, `files` being None, what is kept counts, whichever nets it was; None where nothing is.
    """
    there = read_table(path)
    sums = None if files is None else [zlib.crc32(file.read_bytes()) for file in files]
    if there is not None and "played" in there:
        check_told(path, _with_current_rules(there.get("told")), told)
        if sums is None or there.get("nets") == sums:
            return there["played"]
    if sums is None:
        return None
    if watch.stopped():
        raise StoppedError
    played = play()
    path.parent.mkdir(parents=True, exist_ok=True)
    device = jax.devices()[0].device_kind
    write_atomic(path, json.dumps({"told": told, "nets": sums, "device": device, "played": played}).encode())
    watch.message(f"played: {path.stem}")
    return played

"""Runs a scenario again and again, each time with one more fault; a process of its own, in which `shim.c` is loaded.

    LD_PRELOAD=SHIM BOARDWRIGHT_FAULTS_SHIM=SHIM python trials.py SCENARIO FOLDER EVERY

It prints how many faults of each kind were injected, as JSON. `EVERY` is 1 for a fault at every call; with 7, at each
seventh and at the first of each kind of call on each kind of file, and each with another kind of fault.
"""

import errno
import faulthandler
import importlib
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from disk import Disk, Loss, contents_of
from scenario import Attempts, Facts, GaveUpError, Scenario, facts_of
from shim import Call, Mode, Shim, read_log

FAULTS = {
    "the disk is full": (Mode.ONCE, errno.ENOSPC),
    "an error of the disk": (Mode.ONCE, errno.EIO),
    "the disk stays full": (Mode.FROM_NOW_ON, errno.ENOSPC),
    "a short write": (Mode.SHORT, 0),
}
T = TypeVar("T")
TRIAL_SECONDS = 1800  # after which a trial hangs, also on a busy machine


class Trials:
    """The trials of one scenario, in a folder that is made again for each."""

    def __init__(self, scenario: Scenario, folder: Path, every: int):
        self.scenario, self.every = scenario, every
        self.folder, self._prepared = folder / "watched" / "files", folder / "prepared"
        self._log = folder / "log"
        self.folder.mkdir(parents=True)
        self.shim = Shim(self.folder)
        self.facts = scenario.prepare(self.folder)
        shutil.copytree(self.folder, self._prepared)

    def run(self) -> Counter[str]:
        """The number of trials of each kind."""
        calls, acknowledged = self.record()
        counts: Counter[str] = Counter()
        for turn, number in enumerate(self.numbers(calls, endless=True)):
            reached = Counter(name for name in self.share(FAULTS, turn) if self.fail(name, number))
            counts += reached
            if not reached:
                break
        return counts + self.lose(calls, acknowledged)

    def share(self, kinds: Iterable[T], turn: int) -> Sequence[T]:
        """All kinds of trials, or one in turn."""
        ordered = [*kinds]
        return ordered if self.every == 1 else [ordered[turn % len(ordered)]]

    def numbers(self, calls: Sequence[Call], *, endless: bool = False) -> Iterator[int]:
        """The calls to make fail, counted from one: all, or a part with every kind; `endless` is without an end."""
        places: dict[str, list[int]] = {}
        for number, call in enumerate(calls, 1):
            places.setdefault(call.place, []).append(number)
        chosen = {numbers[0] for numbers in places.values()}
        number = 1
        while endless or number <= len(calls):
            if number % self.every == 0 or number in chosen:
                yield number
            number += 1

    def reset(self) -> None:
        """Makes the folder as it was prepared."""
        self.shim.disarm()
        shutil.rmtree(self.folder)
        shutil.copytree(self._prepared, self.folder)
        faulthandler.dump_traceback_later(TRIAL_SECONDS, exit=True)

    def record(self) -> tuple[list[Call], list[Any]]:
        """The calls of the work without faults, and what it acknowledged; checks that the log explains all files."""
        self.reset()
        disk, attempt = Disk(self.folder), Attempts(self.shim, Mode.OFF)
        with self.shim.recording(self._log):
            self.scenario.work(self.folder, attempt)
        calls = read_log(self._log)
        for call in calls:
            disk.apply(call)
        modelled, real = disk.contents(Loss.NOTHING), contents_of(self.folder)
        assert modelled == real, {name for name in modelled.keys() | real if modelled.get(name) != real.get(name)}
        self.check_whole("without faults", attempt.facts())
        return calls, attempt.acknowledged

    def fail(self, name: str, number: int) -> bool:
        """One trial; returns whether the fault was reached."""
        self.reset()
        mode, error = FAULTS[name]
        attempt = Attempts(self.shim, mode)
        self.shim.arm(number, mode, error)
        where = f"{name} at call {number}"
        try:
            with suppress(GaveUpError):
                self.scenario.work(self.folder, attempt)
            reached = self.shim.calls >= number
            self.shim.disarm()
            self.check_and_repeat(attempt.facts())
        except Exception as problem:
            raise AssertionError(f"{where}; errors before: {attempt.errors}") from problem
        return reached

    def lose(self, calls: Sequence[Call], acknowledged: Sequence[Any]) -> Counter[str]:
        """Kills the process, or cuts the power, before calls of the work without faults, and after the last."""
        counts: Counter[str] = Counter()
        self.reset()
        disk, done = Disk(self.folder), 0
        for turn, number in enumerate([*self.numbers(calls), len(calls) + 1]):
            for call in calls[done : number - 1]:
                disk.apply(call)
            done = number - 1
            for loss in self.share(Loss, turn):
                disk.write(loss)
                faulthandler.dump_traceback_later(TRIAL_SECONDS, exit=True)
                is_kept = loss is Loss.NOTHING or self.scenario.survives_power_cuts
                try:
                    self.check_and_repeat(facts_of(acknowledged, done) if is_kept else {})
                except Exception as problem:
                    raise AssertionError(f"{loss.value} after {done} calls") from problem
                counts[loss.value] += 1
        return counts

    def check_and_repeat(self, facts: Facts) -> None:
        """Checks that nothing is lost, that the work can be done again, and that it then is as without faults."""
        self.scenario.check(self.folder, self.facts | facts)
        attempt = Attempts(self.shim, Mode.OFF)
        self.scenario.work(self.folder, attempt)
        self.check_whole("repeated", {**facts, **attempt.facts()})

    def check_whole(self, when: str, facts: Facts) -> None:
        """Checks the facts after work that met no fault."""
        try:
            self.scenario.check(self.folder, self.facts | facts)
            self.scenario.check_end(self.folder)
        except Exception as problem:
            raise AssertionError(f"the work {when}") from problem


def main() -> None:
    """Runs the scenario that the command line names."""
    name, folder, every = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    counts = Trials(importlib.import_module(name).SCENARIO, folder, every).run()
    print(json.dumps(counts), flush=True)
    os._exit(0)  # without the threads of libraries


if __name__ == "__main__":
    main()

"""The processes that think: in turn, bounded, stopped at once, and replaced when they die or hang."""

import asyncio
import itertools
import os
import signal
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import boardwright
from boardwright.agents.base import Limit
from boardwright.web.engines import OWN_QUEUE, Engines
from boardwright.web.errors import BusyError
from boardwright.web.settings import Settings
from boardwright.web.worker import Answer, Failure, Preparing, Question, Thinking, Thought


def question(spec: str = "random", *, game: str = "draughts", seconds: float = 20.0, **more) -> Question:
    rules = boardwright.game(game).default_rules
    fields = {"start": None, "actions": (), "limit": Limit(), **more}
    return Question(game=game, rules=rules, spec=spec, seconds=seconds, **fields)


def on_a_loop(work: Coroutine) -> None:
    """Runs to its end in a thread of its own: that of the tests may have a loop already, a browser's."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def running(work: Callable[[Engines], Coroutine], **settings) -> None:
    """Runs a test on an event loop with engines, and sees that no process is left."""

    async def main() -> None:
        engines = Engines(Settings(db=Path("unused"), **settings))
        try:
            await asyncio.wait_for(work(engines), 60)
        finally:
            pids = engines.pids
            await engines.close()
            assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]

    on_a_loop(main())


async def until(ready: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def test_answers_are_legal_whole_moves() -> None:
    start = boardwright.game("draughts").position("B:W18,25:B15")

    async def work(engines: Engines) -> None:
        heard: list = []
        answer = await engines.choose(question(start=start.text), "a")
        assert answer.move == boardwright.game("draughts").moves(start.core)[0].actions
        engines.ask(question("alphabeta:depth=2"), "a", heard.append)
        await until(lambda: heard and isinstance(heard[-1], Answer))
        assert [type(event) for event in heard] == [Preparing, Thinking, Answer]
        heard.clear()
        engines.ask(question("alphabeta:depth=2"), "a", heard.append)  # the player is kept
        await until(lambda: heard and isinstance(heard[-1], Answer))
        assert [type(event) for event in heard] == [Thinking, Answer]

    running(work)


@pytest.mark.parametrize(
    ("game", "spec", "reports"),
    [
        ("tablut", "alphabeta", 3),
        ("draughts", "mc", 3),
        ("tablut", "heuristic-mc", 3),
        ("cathedral", "mc-improved", 3),
        ("cathedral", "alphabeta", 1),
    ],
)
def test_analysis_reports_and_stops_at_once(game: str, spec: str, reports: int) -> None:
    async def work(engines: Engines) -> None:
        heard: list = []
        wanted = question(spec, game=game, analyse=True, limit=Limit(seconds=30), seconds=30)
        ticket = engines.ask(wanted, "a", heard.append)
        await until(lambda: sum(isinstance(event, Thought) for event in heard) >= reports)
        told = time.monotonic()
        engines.stop(ticket)
        await until(lambda: isinstance(heard[-1], Answer))
        assert time.monotonic() - told < 0.25  # 0.1 s, on a machine that others use too
        thoughts = [event for event in heard if isinstance(event, Thought)]
        assert all(b.seconds - a.seconds > 0.05 for a, b in itertools.pairwise(thoughts))
        assert thoughts[-1].choice.action in boardwright.game(game).start().legal_actions()

    running(work)


def test_moves_do_not_wait_for_analyses() -> None:
    async def work(engines: Engines) -> None:
        heard: list = []
        for number in range(4):
            engines.ask(question("mc", analyse=True, limit=Limit(seconds=30)), f"page {number}", heard.append)
        await until(lambda: any(isinstance(event, Thought) for event in heard))
        began = time.monotonic()
        await engines.choose(question(), "game")
        assert time.monotonic() - began < 10  # a process had to be started
        assert len(engines.pids) == 2
        assert engines.waiting == 3

    running(work, workers=2)


def test_askers_are_served_in_turn() -> None:
    """Who asks for much does not keep others waiting."""

    async def work(engines: Engines) -> None:
        order: list[str] = []

        def hear(owner: str):
            return lambda event: order.append(owner) if isinstance(event, Answer) else None

        for _ in range(2):
            engines.ask(question("alphabeta:time=700ms"), "blocks", lambda event: None)
        await until(lambda: len(engines.pids) == 2 and engines.waiting == 0)
        for _ in range(6):
            engines.ask(question(), "greedy", hear("greedy"))
        engines.ask(question(), "modest", hear("modest"))
        await until(lambda: len(order) == 7)
        assert order.index("modest") <= 2

    running(work, workers=2)


def test_queues_are_bounded() -> None:
    async def work(engines: Engines) -> None:
        for owner in ("a", "b"):
            engines.ask(question("mc:time=20s"), owner, lambda event: None)
        await until(lambda: engines.waiting == 0)
        for _ in range(OWN_QUEUE):
            engines.ask(question(), "a", lambda event: None)
        with pytest.raises(BusyError, match="busy"):
            engines.ask(question(), "a", lambda event: None)
        for number in range(4):
            engines.ask(question(), f"c{number}", lambda event: None)
        with pytest.raises(BusyError):
            engines.ask(question(), "d", lambda event: None)

    running(work, workers=2, queue=OWN_QUEUE + 4)


def test_cancelled_questions_free_their_process() -> None:
    async def work(engines: Engines) -> None:
        heard: list = []
        tickets = [engines.ask(question("mc:time=20s"), owner, heard.append) for owner in "abc"]
        await until(lambda: sum(isinstance(event, Thinking) for event in heard) == 2)
        pids = engines.pids
        for ticket in tickets:
            engines.cancel(ticket)
        assert engines.waiting == 0
        count = len(heard)
        await engines.choose(question(), "d")
        assert engines.pids == pids
        assert len(heard) == count  # who cancelled hears no more

    running(work, workers=2)


def test_a_killed_process_is_replaced() -> None:
    async def work(engines: Engines) -> None:
        heard: list = []
        engines.ask(question("mc:time=20s"), "a", heard.append)
        await until(lambda: any(isinstance(event, Thinking) for event in heard))
        (pid,) = engines.pids
        os.kill(pid, signal.SIGKILL)
        await until(lambda: isinstance(heard[-1], Failure))
        assert heard[-1].lost
        assert "died" in heard[-1].error
        await engines.choose(question(), "a")
        assert pid not in engines.pids

    running(work)


def test_an_idle_process_that_dies_is_noticed() -> None:
    async def work(engines: Engines) -> None:
        await engines.choose(question(), "a")
        (pid,) = engines.pids
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not engines.pids)
        await engines.choose(question(), "a")
        (replaced,) = engines.pids
        assert replaced != pid

    running(work)


def test_a_process_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.engines.GRACE_SECONDS", 0.3)

    async def work(engines: Engines) -> None:
        heard: list = []
        engines.ask(question("mc:time=20s", seconds=1.0), "a", heard.append)
        await until(lambda: any(isinstance(event, Thinking) for event in heard))
        (pid,) = engines.pids
        os.kill(pid, signal.SIGSTOP)
        await until(lambda: isinstance(heard[-1], Failure), 5.0)
        assert "did not answer in time" in heard[-1].error
        assert not Path(f"/proc/{pid}").exists()
        await engines.choose(question(), "a")

    running(work)


def test_the_server_has_the_last_word_on_time() -> None:
    async def work(engines: Engines) -> None:
        answer = await engines.choose(question("mc:time=30s", seconds=0.3), "a")
        assert answer.seconds < 2

    running(work)


def test_a_player_that_wants_too_much_memory_fails_alone() -> None:
    async def work(engines: Engines) -> None:
        with pytest.raises(RuntimeError, match="memory"):
            await engines.choose(question("alphabeta:hash=30000"), "a")
        pids = engines.pids
        await engines.choose(question(), "a")
        assert engines.pids == pids

    running(work, worker_megabytes=2048)


def test_many_players_are_not_all_kept() -> None:
    async def work(engines: Engines) -> None:
        for seed in range(10):
            await engines.choose(question(f"alphabeta:depth=1,hash={200 + seed}"), "a")
        (pid,) = engines.pids
        resident = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
        assert resident < 2 << 30  # address space: ten tables of 200 MB would not fit

    running(work, worker_megabytes=2048)


def test_mistakes_are_told() -> None:
    async def work(engines: Engines) -> None:
        with pytest.raises(RuntimeError, match="leaves the board"):
            await engines.choose(question(actions=(127,)), "a")

    running(work)

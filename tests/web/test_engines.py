"""The processes that think: in turn, bounded, stopped at once, and replaced when they die or hang."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from planted_run import plant_net

import boardwright
from boardwright.agents.base import Limit
from boardwright.web.players.pool import OWN_QUEUE, Engines
from boardwright.web.players.worker import (
    REPORT_SECONDS,
    Answer,
    Failure,
    Players,
    Preparing,
    Question,
    Thinking,
    Thought,
    Waiting,
)
from boardwright.web.server.errors import BusyError
from boardwright.web.settings import Settings

LONG = Limit(seconds=120)


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
            await asyncio.wait_for(work(engines), 180)
        finally:
            pids = engines.pids
            await engines.close()
            assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]

    on_a_loop(main())


async def until(ready: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def test_a_net_that_was_written_anew_makes_a_new_player(tmp_path: Path) -> None:
    first, second = tmp_path / "nets" / "000001.net", tmp_path / "nets" / "000002.net"
    for iteration in (1, 2):
        plant_net(tmp_path, iteration)
    players, asked, game = Players(), question(f"net:net={first}"), boardwright.game("draughts")
    assert players.find(asked) is None
    made = players.make(asked, game)
    assert players.find(asked) is made
    second.replace(first)
    assert players.find(asked) is None
    other = players.make(asked, game)
    assert (other.net != made.net, other.agent is not made.agent, players.find(asked) is other) == (True,) * 3


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
def test_analysis_reports_and_stops_when_told(game: str, spec: str, reports: int) -> None:
    """Told to stop it answers and says nothing more, however slow the machine is."""

    async def work(engines: Engines) -> None:
        heard: list = []
        wanted = question(spec, game=game, analyse=True, limit=LONG, seconds=120)
        ticket = engines.ask(wanted, "a", heard.append)
        await until(lambda: sum(isinstance(event, Thought) for event in heard) >= reports)
        engines.stop(ticket)
        told = len(heard)
        await until(lambda: isinstance(heard[-1], Answer))
        assert len(heard) == told + 1
        assert heard[-1].seconds < 120  # it had not come to the end of its time
        thoughts = [event for event in heard if isinstance(event, Thought)]
        assert len(thoughts) <= heard[-1].seconds / REPORT_SECONDS
        assert thoughts[-1].choice.action in boardwright.game(game).start().legal_actions()

    running(work)


def test_moves_do_not_wait_for_analyses() -> None:
    async def work(engines: Engines) -> None:
        heard: list = []
        for number in range(4):
            engines.ask(question("mc", analyse=True, limit=LONG, seconds=120), f"page {number}", heard.append)
        await until(lambda: any(isinstance(event, Thought) for event in heard))
        await engines.choose(question(), "game")
        assert not any(isinstance(event, Answer) for event in heard)
        assert len(engines.pids) == 2
        assert engines.waiting == 3

    running(work, workers=2)


def test_askers_are_served_in_turn() -> None:
    """Who asks for much does not keep others waiting."""

    async def work(engines: Engines) -> None:
        blocks = [engines.ask(question("mc:time=60s", seconds=60.0), "blocks", lambda event: None) for _ in range(2)]
        await until(lambda: len(engines.pids) == 2 and engines.waiting == 0)
        greedy = [engines.ask(question(), "greedy", lambda event: None) for _ in range(6)]
        modest = engines.ask(question(), "modest", lambda event: None)
        for ticket in blocks:
            engines.stop(ticket)
        await until(lambda: all(ticket.ended for ticket in (*greedy, modest)))
        assert modest.number < greedy[1].number  # in the order in which they were taken up

    running(work, workers=2)


def test_queues_are_bounded() -> None:
    async def work(engines: Engines) -> None:
        for owner in ("a", "b"):
            engines.ask(question("mc:time=60s", seconds=60.0), owner, lambda event: None)
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


def test_cancelled_questions_free_their_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.players.pool.GRACE_SECONDS", 60.0)  # a slow machine: replace none

    async def work(engines: Engines) -> None:
        heard: list = []
        tickets = [engines.ask(question("mc:time=60s", seconds=60.0), owner, heard.append) for owner in "abc"]
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
        engines.ask(question("mc:time=60s", seconds=60.0), "a", heard.append)
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
    monkeypatch.setattr("boardwright.web.players.pool.GRACE_SECONDS", 0.3)

    async def work(engines: Engines) -> None:
        heard: list = []
        engines.ask(question("mc:time=60s", seconds=2.0), "a", heard.append)
        await until(lambda: any(isinstance(event, Thinking) for event in heard))
        (pid,) = engines.pids
        os.kill(pid, signal.SIGSTOP)
        await until(lambda: isinstance(heard[-1], Failure))
        assert "did not answer in time" in heard[-1].error
        assert not Path(f"/proc/{pid}").exists()
        await engines.choose(question(), "a")

    running(work)


def test_the_server_has_the_last_word_on_time() -> None:
    async def work(engines: Engines) -> None:
        answer = await engines.choose(question("mc:time=30s", seconds=0.3), "a")
        assert answer.seconds < 20

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


def test_analyses_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One has had its turn, waits while another has, and goes on."""
    monkeypatch.setattr("boardwright.web.players.pool.TURN_SECONDS", 0.2)

    async def work(engines: Engines) -> None:
        heard: dict[str, list] = {"a": [], "b": []}
        wanted = question("mc", analyse=True, limit=LONG, seconds=120)
        tickets = [engines.ask(wanted, owner, told.append) for owner, told in heard.items()]

        def turns(owner: str) -> int:
            return sum(isinstance(event, Thinking) for event in heard[owner])

        await until(lambda: turns("a") > 1 and turns("b") > 1)
        assert isinstance(heard["b"][0], Waiting)
        assert not any(isinstance(event, Answer | Failure) for told in heard.values() for event in told)
        assert all(ticket.question.seconds < 120 for ticket in tickets)  # what it has thought counts
        for ticket in tickets:
            engines.stop(ticket)
        await until(lambda: all(ticket.ended for ticket in tickets))
        assert engines.waiting == 0

    running(work, workers=2)


def test_an_analysis_that_counts_keeps_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would have to begin again, and might never come to its end."""
    monkeypatch.setattr("boardwright.web.players.pool.TURN_SECONDS", 0.05)

    async def work(engines: Engines) -> None:
        heard: list = []
        engines.ask(question("mc:sims=20000", analyse=True, seconds=120), "a", heard.append)
        engines.ask(question("random", analyse=True), "b", lambda event: None)
        await until(lambda: heard and isinstance(heard[-1], Answer))
        assert sum(isinstance(event, Thinking) for event in heard) == 1
        assert heard[-1].choice.simulations == 20_000

    running(work, workers=2)

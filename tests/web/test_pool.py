"""The pool of search workers: turns, bounds, stopping, and replacing workers that die or hang."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from planted_run import plant_net
from servers import pids_of

import boardwright
from boardwright.agents.base import Agent, Limit
from boardwright.errors import BoardwrightError, OutOfMemoryError
from boardwright.games.base import Game
from boardwright.web.players import worker
from boardwright.web.players.pool import OWNER_QUEUE, SearchPool
from boardwright.web.players.worker import (
    REPORT_SECONDS,
    Answer,
    Failure,
    Phase,
    PlayerCache,
    Progress,
    SearchRequest,
)
from boardwright.web.server.http import BusyError
from boardwright.web.settings import Settings

LONG = Limit(seconds=120)


def request(spec: str = "random", *, game: str = "draughts", seconds: float = 20.0, **more) -> SearchRequest:
    rules = boardwright.game(game).default_rules
    fields = {"start": None, "actions": (), "limit": Limit(), **more}
    return SearchRequest(game=game, rules=rules, spec=spec, seconds=seconds, **fields)


def on_a_loop(work: Coroutine) -> None:
    """Runs a coroutine in a new thread: that of the tests may have a browser's loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def running(work: Callable[[SearchPool], Coroutine], **settings) -> None:
    """Runs a test on an event loop with a pool, and checks that no process is left."""

    async def main() -> None:
        pool = SearchPool(Settings(db=Path("unused"), **settings))
        try:
            await asyncio.wait_for(work(pool), 180)
        finally:
            pids = pids_of(pool)
            await pool.close()
            assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]

    on_a_loop(main())


async def choose(pool: SearchPool, search: SearchRequest, owner: str) -> Answer:
    """The answer to a request; raises RuntimeError if it fails."""
    events: list = []
    pool.submit(search, owner, events.append)
    await until(lambda: events and isinstance(events[-1], Answer | Failure))
    if isinstance(events[-1], Failure):
        raise RuntimeError(events[-1].error)
    return events[-1]


async def until(ready: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def test_a_rewritten_net_makes_a_new_player(tmp_path: Path) -> None:
    first, second = tmp_path / "nets" / "000001.net", tmp_path / "nets" / "000002.net"
    for iteration in (1, 2):
        plant_net(tmp_path, iteration)
    players, asked, game = PlayerCache(), request(f"net:net={first}"), boardwright.game("draughts")
    assert players.find(asked) is None
    made = players.make(asked, game)
    assert players.find(asked) is made
    second.replace(first)
    assert players.find(asked) is None
    other = players.make(asked, game)
    assert (other[1] != made[1], other[0] is not made[0], players.find(asked) is other) == (True,) * 3


def test_the_cache_drops_players_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is dropped until the new one fits; without any other, and for other errors, making it fails."""
    cache, game = PlayerCache(), boardwright.game("draughts")
    old, new = request("random:seed=1"), request("random:seed=2")
    cache.make(old, game)
    errors: list[BoardwrightError] = [OutOfMemoryError("no room")]
    make_agent = worker.make_agent

    def make_or_fail(spec: str, game: Game) -> Agent:
        if errors:
            raise errors.pop()
        return make_agent(spec, game)

    monkeypatch.setattr(worker, "make_agent", make_or_fail)
    cache.make(new, game)
    assert cache.find(old) is None
    assert cache.find(new) is not None
    errors.append(BoardwrightError("no memory is mentioned"))
    with pytest.raises(BoardwrightError, match="mentioned"):
        cache.make(old, game)
    assert cache.find(new) is not None
    errors += [OutOfMemoryError("last"), OutOfMemoryError("first")]
    with pytest.raises(OutOfMemoryError, match="last"):
        cache.make(old, game)


def test_answers_are_legal_whole_moves() -> None:
    start = boardwright.game("draughts").position("B:W18,25:B15")

    async def work(pool: SearchPool) -> None:
        events: list = []
        answer = await choose(pool, request(start=start.text), "a")
        assert answer.move == boardwright.game("draughts").moves(start.core)[0].actions
        pool.submit(request("alphabeta:depth=2"), "a", events.append)
        await until(lambda: events and isinstance(events[-1], Answer))
        assert (events[:-1], type(events[-1])) == ([Phase.PREPARING, Phase.STARTED], Answer)
        events.clear()
        pool.submit(request("alphabeta:depth=2"), "a", events.append)  # the player is kept
        await until(lambda: events and isinstance(events[-1], Answer))
        assert (events[:-1], type(events[-1])) == ([Phase.STARTED], Answer)

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
def test_analysis_reports_until_it_is_stopped(game: str, spec: str, reports: int) -> None:
    """After a stop only the answer follows, however slow the machine is."""

    async def work(pool: SearchPool) -> None:
        events: list = []
        search = request(spec, game=game, analyse=True, limit=LONG, seconds=120)
        ticket = pool.submit(search, "a", events.append)
        await until(lambda: sum(isinstance(event, Progress) for event in events) >= reports)
        pool.stop(ticket)
        received = len(events)
        await until(lambda: isinstance(events[-1], Answer))
        assert len(events) == received + 1
        assert events[-1].seconds < 120  # it was stopped before its time limit
        progress = [event for event in events if isinstance(event, Progress)]
        assert len(progress) <= events[-1].seconds / REPORT_SECONDS
        assert progress[-1].choice.action in boardwright.game(game).start().legal_actions()

    running(work)


def test_moves_do_not_wait_for_analyses() -> None:
    async def work(pool: SearchPool) -> None:
        events: list = []
        for number in range(4):
            pool.submit(request("mc", analyse=True, limit=LONG, seconds=120), f"page {number}", events.append)
        await until(lambda: any(isinstance(event, Progress) for event in events))
        await choose(pool, request(), "game")
        assert not any(isinstance(event, Answer) for event in events)
        assert len(pids_of(pool)) == 2
        assert pool.waiting == 3

    running(work, workers=2)


def test_owners_are_served_in_turn() -> None:
    """An owner with many requests does not keep others waiting."""

    async def work(pool: SearchPool) -> None:
        blocks = [pool.submit(request("mc:time=60s", seconds=60.0), "blocks", lambda event: None) for _ in range(2)]
        await until(lambda: len(pids_of(pool)) == 2 and pool.waiting == 0)
        greedy = [pool.submit(request(), "greedy", lambda event: None) for _ in range(6)]
        modest = pool.submit(request(), "modest", lambda event: None)
        for ticket in blocks:
            pool.stop(ticket)
        await until(lambda: all(ticket.ended for ticket in (*greedy, modest)))
        assert modest.number < greedy[1].number  # numbers are in the order of dispatch

    running(work, workers=2)


def test_queues_are_bounded() -> None:
    async def work(pool: SearchPool) -> None:
        for owner in ("a", "b"):
            pool.submit(request("mc:time=60s", seconds=60.0), owner, lambda event: None)
        await until(lambda: pool.waiting == 0)
        for _ in range(OWNER_QUEUE):
            pool.submit(request(), "a", lambda event: None)
        with pytest.raises(BusyError, match="busy"):
            pool.submit(request(), "a", lambda event: None)
        for number in range(4):
            pool.submit(request(), f"c{number}", lambda event: None)
        with pytest.raises(BusyError):
            pool.submit(request(), "d", lambda event: None)

    running(work, workers=2, queue=OWNER_QUEUE + 4)


def test_cancelled_requests_free_their_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.players.pool.GRACE_SECONDS", 60.0)  # a slow machine: replace none

    async def work(pool: SearchPool) -> None:
        events: list = []
        tickets = [pool.submit(request("mc:time=60s", seconds=60.0), owner, events.append) for owner in "abc"]
        await until(lambda: sum(event is Phase.STARTED for event in events) == 2)
        pids = pids_of(pool)
        for ticket in tickets:
            pool.cancel(ticket)
        assert pool.waiting == 0
        count = len(events)
        await choose(pool, request(), "d")
        assert pids_of(pool) == pids
        assert len(events) == count  # a cancelled request reports nothing more

    running(work, workers=2)


async def signal_during_search(pool: SearchPool, seconds: float, number: signal.Signals) -> tuple[int, Failure]:
    """Sends a signal to the process of a running search; its id, and the failure that is reported."""
    events: list = []
    pool.submit(request("mc:time=60s", seconds=seconds), "a", events.append)
    await until(lambda: any(event is Phase.STARTED for event in events))
    (pid,) = pids_of(pool)
    os.kill(pid, number)
    await until(lambda: isinstance(events[-1], Failure))
    return pid, events[-1]


def test_a_killed_process_is_replaced() -> None:
    async def work(pool: SearchPool) -> None:
        pid, failure = await signal_during_search(pool, 60.0, signal.SIGKILL)
        assert "died" in failure.error
        await choose(pool, request(), "a")
        assert pid not in pids_of(pool)

    running(work)


def test_death_of_an_idle_process_is_noticed() -> None:
    async def work(pool: SearchPool) -> None:
        await choose(pool, request(), "a")
        (pid,) = pids_of(pool)
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not pids_of(pool))
        await choose(pool, request(), "a")
        (replaced,) = pids_of(pool)
        assert replaced != pid

    running(work)


def test_a_process_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.players.pool.GRACE_SECONDS", 0.3)

    async def work(pool: SearchPool) -> None:
        pid, failure = await signal_during_search(pool, 2.0, signal.SIGSTOP)
        assert "did not answer in time" in failure.error
        assert not Path(f"/proc/{pid}").exists()
        await choose(pool, request(), "a")

    running(work)


def test_the_server_limits_the_time() -> None:
    async def work(pool: SearchPool) -> None:
        answer = await choose(pool, request("mc:time=30s", seconds=0.3), "a")
        assert answer.seconds < 20

    running(work)


def test_a_player_out_of_memory_fails_alone() -> None:
    async def work(pool: SearchPool) -> None:
        with pytest.raises(RuntimeError, match="memory"):
            await choose(pool, request("alphabeta:hash=30000"), "a")
        pids = pids_of(pool)
        await choose(pool, request(), "a")
        assert pids_of(pool) == pids

    running(work, worker_megabytes=2048)


def test_player_cache_is_limited() -> None:
    async def work(pool: SearchPool) -> None:
        for seed in range(10):
            await choose(pool, request(f"alphabeta:depth=1,hash={200 + seed}"), "a")
        (pid,) = pids_of(pool)
        resident = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
        assert resident < 2 << 30  # address space: ten tables of 200 MB would not fit

    running(work, worker_megabytes=2048)


def test_errors_are_reported() -> None:
    async def work(pool: SearchPool) -> None:
        with pytest.raises(RuntimeError, match="leaves the board"):
            await choose(pool, request(actions=(127,)), "a")

    running(work)


def test_analyses_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """An analysis has its turn, waits during the turn of another, and continues."""
    monkeypatch.setattr("boardwright.web.players.pool.TURN_SECONDS", 0.2)

    async def work(pool: SearchPool) -> None:
        events: dict[str, list] = {"a": [], "b": []}
        search = request("mc", analyse=True, limit=LONG, seconds=120)
        tickets = [pool.submit(search, owner, received.append) for owner, received in events.items()]

        def turns(owner: str) -> int:
            return sum(event is Phase.STARTED for event in events[owner])

        await until(lambda: turns("a") > 1 and turns("b") > 1)
        assert events["b"][0] is Phase.WAITING
        assert not any(isinstance(event, Answer | Failure) for received in events.values() for event in received)
        assert all(ticket.request.seconds < 120 for ticket in tickets)  # the time used so far counts
        for ticket in tickets:
            pool.stop(ticket)
        await until(lambda: all(ticket.ended for ticket in tickets))
        assert pool.waiting == 0

    running(work, workers=2)


def test_an_analysis_limited_by_simulations_keeps_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would have to start again, and might never end."""
    monkeypatch.setattr("boardwright.web.players.pool.TURN_SECONDS", 0.05)

    async def work(pool: SearchPool) -> None:
        events: list = []
        pool.submit(request("mc:sims=20000", analyse=True, seconds=120), "a", events.append)
        pool.submit(request("random", analyse=True), "b", lambda event: None)
        await until(lambda: events and isinstance(events[-1], Answer))
        assert sum(event is Phase.STARTED for event in events) == 1
        assert events[-1].choice.simulations == 20_000

    running(work, workers=2)

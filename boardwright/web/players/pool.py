"""The pool of search workers: which request each works on, and in which order.

Moves of games come before analyses, and analyses leave one worker free for moves. Each owner (a game, a page) has a
queue of its own, and the queues take turns. An analysis that has had its turn makes room when another waits, and
continues later. A worker that dies or does not answer is replaced, and its request fails. Everything here runs on the
event loop.
"""

import asyncio
import collections
import contextlib
import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from boardwright import processes
from boardwright.agents.base import Limit
from boardwright.web.players import worker
from boardwright.web.players.specs import hide_paths
from boardwright.web.players.worker import Answer, Event, Failure, Phase, Progress, SearchRequest
from boardwright.web.server.http import BusyError
from boardwright.web.server.reports import report_once
from boardwright.web.settings import Settings

PREPARING_SECONDS = 120.0  # to read a net from a slow disk
GRACE_SECONDS = 5.0  # after the time of a request, or after a stop
TURN_SECONDS = 5.0  # shortest turn of an analysis before it makes room for another
OWNER_QUEUE = 8  # waiting requests of one owner

OnEvent = Callable[[Event], None]


@dataclass(eq=False)
class Ticket:
    """A submitted request, for `stop` and `cancel`; the other fields belong to the pool."""

    request: SearchRequest
    owner: str
    on_event: OnEvent
    cancelled: bool = False
    stopped: bool = False  # only its answer is still reported
    number: int = -1  # once a worker has it
    since: float = math.inf  # when the search began, by the loop's clock
    yields: bool = False  # asked to make room: it answers, and waits for its next turn
    ended: bool = False


@dataclass(eq=False)
class _Worker:
    worker: processes.Worker
    reader: int  # file descriptor that the event loop watches
    ticket: Ticket | None = None
    players: collections.deque = field(default_factory=lambda: collections.deque(maxlen=worker.KEPT_PLAYERS))
    timeout: asyncio.TimerHandle | None = None


class SearchPool:
    """At most `settings.workers` processes, started when they are needed."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._max_workers = max(2, settings.workers)
        self._workers: list[_Worker] = []
        self._queues: dict[bool, collections.OrderedDict[str, collections.deque[Ticket]]] = {
            analyse: collections.OrderedDict() for analyse in (False, True)
        }
        self._submitted = 0
        self._open = True

    @property
    def waiting(self) -> int:
        """Number of requests that no worker has yet."""
        return sum(len(queue) for queues in self._queues.values() for queue in queues.values())

    def start(self) -> None:
        """Starts a first worker, so that the first move does not wait for one."""
        self._spawn()

    def submit(self, request: SearchRequest, owner: str, on_event: OnEvent) -> Ticket:
        """Queues a request; `on_event` gets its events, the last of which is an `Answer` or a `Failure`.

        Raises BusyError if too many requests wait already.
        """
        queues = self._queues[request.analyse]
        if self.waiting >= self._settings.queue or len(queues.get(owner, ())) >= OWNER_QUEUE:
            raise BusyError("the server is busy: too many players are thinking; try again in a moment")
        ticket = Ticket(request, owner, on_event)
        queues.setdefault(owner, collections.deque()).append(ticket)
        loop = asyncio.get_running_loop()
        loop.call_soon(self._dispatch)
        loop.call_soon(self._report_waiting, ticket)
        return ticket

    def stop(self, ticket: Ticket) -> None:
        """Makes a player answer now, without further progress; a request that still waits fails."""
        if ticket.ended or ticket.cancelled:
            return
        ticket.stopped = True
        if ticket.number < 0:
            self._unqueue(ticket)
            self._report(ticket, Failure("stopped before a worker was free"))
            return
        for one in self._workers:
            if one.ticket is ticket:
                self._request_stop(one, ticket)

    def cancel(self, ticket: Ticket) -> None:
        """Ends a request; none of its further events are reported."""
        if ticket.ended or ticket.cancelled:
            return
        if ticket.number >= 0:
            self.stop(ticket)
        else:
            self._unqueue(ticket)
        ticket.cancelled = True

    async def close(self) -> None:
        """Ends all workers."""
        self._open = False
        workers, self._workers = self._workers, []
        for one in workers:
            self._disconnect(one)
        await asyncio.to_thread(processes.stop, [one.worker for one in workers])

    def _unqueue(self, ticket: Ticket) -> None:
        queues = self._queues[ticket.request.analyse]
        queue = queues.get(ticket.owner, collections.deque())
        with contextlib.suppress(ValueError):
            queue.remove(ticket)
        if not queue:
            queues.pop(ticket.owner, None)

    def _next(self) -> Ticket | None:
        """The request to serve next: moves first, owners in turn."""
        analysing = sum(one.ticket is not None and one.ticket.request.analyse for one in self._workers)
        for analyse, queues in self._queues.items():
            if not queues or (analyse and analysing >= self._max_workers - 1):
                continue
            owner, queue = queues.popitem(last=False)
            ticket = queue.popleft()
            if queue:
                queues[owner] = queue  # behind all other owners
            return ticket
        return None

    def _dispatch(self) -> None:
        while self._open:
            idle = [one for one in self._workers if one.ticket is None]
            ticket = self._next() if idle or len(self._workers) < self._max_workers else None
            if ticket is None:
                self._make_room()
                return
            player = ticket.request.player
            one = next((one for one in idle if player in one.players), idle[0] if idle else None) or self._spawn()
            self._submitted += 1
            one.ticket, ticket.number = ticket, self._submitted
            one.worker.send((ticket.number, ticket.request))
            self._set_timeout(one, PREPARING_SECONDS + ticket.request.seconds + GRACE_SECONDS)

    def _make_room(self) -> None:
        """Lets an analysis that has had its turn wait again if another waits. One at a time: its end dispatches.

        Only one limited by time alone: a limit of simulations would start again from zero.
        """
        running = [(one, one.ticket) for one in self._workers if one.ticket is not None and one.ticket.request.analyse]
        if not self._queues[True] or any(ticket.yields or ticket.stopped for _, ticket in running):
            return
        now = asyncio.get_running_loop().time()
        for one, ticket in running:
            if ticket.since + TURN_SECONDS <= now and ticket.request.limit.seconds is not None:
                ticket.yields = True
                self._request_stop(one, ticket)
                return

    def _requeue(self, ticket: Ticket, answer: Answer) -> None:
        """Puts an analysis that made room behind all others, with the rest of its time."""
        left = ticket.request.seconds - answer.seconds
        ticket.request = dataclasses.replace(ticket.request, limit=Limit(seconds=left), seconds=left)
        ticket.number, ticket.since, ticket.yields = -1, math.inf, False
        self._queues[True].setdefault(ticket.owner, collections.deque()).append(ticket)
        self._report(ticket, Progress(answer.choice, answer.seconds))
        self._report_waiting(ticket)

    def _report_waiting(self, ticket: Ticket) -> None:
        """Reports that an analysis waits for a worker, if it does."""
        if ticket.request.analyse and ticket.number < 0 and not ticket.ended:
            self._report(ticket, Phase.WAITING)

    def _spawn(self) -> _Worker:
        started = processes.spawn(worker.work, megabytes=self._settings.worker_megabytes)
        spawned = _Worker(started, started.connection.fileno())
        self._workers.append(spawned)
        asyncio.get_running_loop().add_reader(spawned.reader, self._receive, spawned)
        return spawned

    def _request_stop(self, one: _Worker, ticket: Ticket) -> None:
        one.worker.send((ticket.number, None))
        self._set_timeout(one, GRACE_SECONDS)

    def _receive(self, one: _Worker) -> None:
        try:
            number, event = one.worker.receive()
        except processes.WorkerDiedError:
            self._remove_dead(one, "died")
            return
        ticket = one.ticket
        if ticket is None or number != ticket.number:
            return
        if event is Phase.PREPARING:
            one.players.append(ticket.request.player)
        elif event is Phase.STARTED and not ticket.cancelled:
            self._set_timeout(one, ticket.request.seconds + GRACE_SECONDS)
            loop = asyncio.get_running_loop()
            ticket.since = loop.time()
            loop.call_later(TURN_SECONDS, self._dispatch)
        elif isinstance(event, Answer | Failure):
            if isinstance(event, Failure) and ticket.request.player in one.players:
                one.players.remove(ticket.request.player)
            one.ticket = None
            self._set_timeout(one, None)
        continues = ticket.yields and not ticket.stopped
        if continues and isinstance(event, Answer) and event.seconds < ticket.request.seconds:
            self._requeue(ticket, event)
        else:
            self._report(ticket, event)
        self._dispatch()

    def _report(self, ticket: Ticket, event: Event) -> None:
        if isinstance(event, Failure):
            event = Failure(self._without_paths(event.error))
        if not (ticket.cancelled or (ticket.stopped and isinstance(event, Progress))):
            ticket.on_event(event)
        ticket.ended = isinstance(event, Answer | Failure)

    def _without_paths(self, error: str) -> str:
        """An error for clients; the failure must be reported even if the folder of runs cannot be read."""
        try:
            return hide_paths(error, self._settings)
        except Exception as cause:
            report_once(f"an error of a player cannot be shown: {type(cause).__name__}: {cause}")
            return "the player failed; the reason cannot be shown"

    def _set_timeout(self, one: _Worker, seconds: float | None) -> None:
        """Replaces the worker if it sends nothing for this long; None ends the timeout."""
        if one.timeout is not None:
            one.timeout.cancel()
        one.timeout = None
        if seconds is not None:
            loop = asyncio.get_running_loop()
            one.timeout = loop.call_later(seconds, self._remove_dead, one, "did not answer in time")

    def _disconnect(self, one: _Worker) -> None:
        """Kills a worker; it has no state that must be saved."""
        self._set_timeout(one, None)
        asyncio.get_running_loop().remove_reader(one.reader)
        one.worker.process.kill()

    def _remove_dead(self, one: _Worker, why: str) -> None:
        if one not in self._workers:
            return
        self._workers.remove(one)
        self._disconnect(one)
        processes.stop([one.worker])
        if one.ticket is not None:
            spec = one.ticket.request.spec.partition(":")[0]
            self._report(one.ticket, Failure(f"player {spec!r}: its process {why} and was replaced"))
        self._dispatch()

"""The processes that think, and who may use them when.

Moves of games come before analyses, and analyses leave one process free for moves. Whoever asks (a game, a page) has
a queue of its own, and they are served in turn, so that nobody waits behind everything another has asked for. An
analysis that has had its turn makes room where another waits, and goes on after it. A process that dies or does not
answer is replaced, and whoever waited is told. All of this happens on the event loop.
"""

import asyncio
import collections
import contextlib
import dataclasses
import math
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from boardwright.agents.base import Limit
from boardwright.lifeline import start_deaf
from boardwright.web.players import worker
from boardwright.web.players.specs import without_paths
from boardwright.web.players.worker import Answer, Event, Failure, Preparing, Question, Thinking, Thought, Waiting
from boardwright.web.server.errors import BusyError
from boardwright.web.settings import Settings

PREPARING_SECONDS = 120.0  # to read a net, on a slow disk
GRACE_SECONDS = 5.0  # beyond its time, or once told to stop
TURN_SECONDS = 5.0  # an analysis thinks at least so long before it makes room for another
OWN_QUEUE = 8  # questions of one asker that may wait

Hear = Callable[[Event], None]


@dataclass(eq=False)
class Ticket:
    """A question that was asked; `Engines` does the rest."""

    question: Question
    owner: str
    hear: Hear
    cancelled: bool = False
    stopped: bool = False  # nothing but its answer is told any more
    number: int = -1  # once a process has it
    since: float = math.inf  # when it began to think, by the loop's clock
    yields: bool = False  # told to make room: it answers, and waits for its next turn
    ended: bool = False


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    line: Connection
    ticket: Ticket | None = None
    players: collections.deque = field(default_factory=lambda: collections.deque(maxlen=worker.KEPT_PLAYERS))
    alarm: asyncio.TimerHandle | None = None


class Engines:
    """At most `settings.workers` processes, hired when they are needed."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._most = max(2, settings.workers)
        self._crew: list[_Worker] = []
        self._queues: dict[bool, collections.OrderedDict[str, collections.deque[Ticket]]] = {
            analyse: collections.OrderedDict() for analyse in (False, True)
        }
        self._asked = 0
        self._open = True

    @property
    def waiting(self) -> int:
        """Questions that no process has taken up yet."""
        return sum(len(queue) for queues in self._queues.values() for queue in queues.values())

    @property
    def thinking(self) -> int:
        """Questions that a process is at work on."""
        return sum(one.ticket is not None for one in self._crew)

    @property
    def pids(self) -> list[int]:
        """Of the processes."""
        return [one.process.pid for one in self._crew if one.process.pid is not None]

    def start(self) -> None:
        """Hires a first process, so that the first move need not wait for one."""
        self._hire()

    def ask(self, question: Question, owner: str, hear: Hear) -> Ticket:
        """Has a question thought about. `hear` is told what comes of it, an `Answer` or a `Failure` last.

        Raises BusyError where too many wait already.
        """
        queues = self._queues[question.analyse]
        if self.waiting >= self._settings.queue or len(queues.get(owner, ())) >= OWN_QUEUE:
            raise BusyError("the server is busy: too many players are thinking; try again in a moment")
        ticket = Ticket(question, owner, hear)
        queues.setdefault(owner, collections.deque()).append(ticket)
        loop = asyncio.get_running_loop()
        loop.call_soon(self._dispatch)
        loop.call_soon(self._tell_waiting, ticket)
        return ticket

    async def choose(self, question: Question, owner: str) -> Answer:
        """The answer to a question; raises BusyError, or RuntimeError where there is none."""
        done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def hear(event: Event) -> None:
            if done.done():
                return
            if isinstance(event, Answer):
                done.set_result(event)
            elif isinstance(event, Failure):
                done.set_exception(RuntimeError(event.error))

        ticket = self.ask(question, owner, hear)
        try:
            return await done
        finally:
            self.cancel(ticket)

    def stop(self, ticket: Ticket) -> None:
        """Has a player answer now, and say nothing before that; one that has not begun fails."""
        if ticket.ended or ticket.cancelled:
            return
        ticket.stopped = True
        if ticket.number < 0:
            self._unqueue(ticket)
            self._tell(ticket, Failure("stopped while it waited"))
            return
        for one in self._crew:
            if one.ticket is ticket:
                self._send(one, (ticket.number, None))
                self._set_alarm(one, GRACE_SECONDS)

    def cancel(self, ticket: Ticket) -> None:
        """Ends a question whose answer nobody waits for any more."""
        if ticket.ended or ticket.cancelled:
            return
        if ticket.number >= 0:
            self.stop(ticket)
        else:
            self._unqueue(ticket)
        ticket.cancelled = True

    async def close(self) -> None:
        """Ends all processes."""
        self._open = False
        crew, self._crew = self._crew, []
        loop = asyncio.get_running_loop()
        for one in crew:
            loop.remove_reader(one.line.fileno())
            if one.alarm is not None:
                one.alarm.cancel()
            one.line.close()
            one.process.kill()  # it holds nothing that must be put away
        for one in crew:
            await loop.run_in_executor(None, one.process.join)
            one.process.close()

    def _unqueue(self, ticket: Ticket) -> None:
        queues = self._queues[ticket.question.analyse]
        queue = queues.get(ticket.owner, collections.deque())
        with contextlib.suppress(ValueError):
            queue.remove(ticket)
        if not queue:
            queues.pop(ticket.owner, None)

    def _next(self) -> Ticket | None:
        """Who is served next: moves first, askers in turn."""
        analysing = sum(one.ticket is not None and one.ticket.question.analyse for one in self._crew)
        for analyse, queues in self._queues.items():
            if not queues or (analyse and analysing >= self._most - 1):
                continue
            owner, queue = queues.popitem(last=False)
            ticket = queue.popleft()
            if queue:
                queues[owner] = queue  # behind everybody else
            return ticket
        return None

    def _dispatch(self) -> None:
        while self._open:
            idle = [one for one in self._crew if one.ticket is None]
            if not idle and len(self._crew) >= self._most:
                self._make_room()
                return
            ticket = self._next()
            if ticket is None:
                self._make_room()
                return
            player = ticket.question.player
            one = next((one for one in idle if player in one.players), idle[0] if idle else None) or self._hire()
            self._asked += 1
            one.ticket, ticket.number = ticket, self._asked
            self._send(one, (ticket.number, ticket.question))
            self._set_alarm(one, PREPARING_SECONDS + ticket.question.seconds + GRACE_SECONDS)

    def _make_room(self) -> None:
        """Has an analysis that has had its turn wait again, where another waits. One at a time: its end dispatches.

        Only one bounded by time alone: what counts its own simulations would begin to count again.
        """
        running = [(one, one.ticket) for one in self._crew if one.ticket is not None and one.ticket.question.analyse]
        if not self._queues[True] or any(ticket.yields or ticket.stopped for _, ticket in running):
            return
        now = asyncio.get_running_loop().time()
        for one, ticket in running:
            if ticket.since + TURN_SECONDS <= now and ticket.question.limit.seconds is not None:
                ticket.yields = True
                self._send(one, (ticket.number, None))
                self._set_alarm(one, GRACE_SECONDS)
                return

    def _wait_again(self, ticket: Ticket, answer: Answer) -> None:
        """Puts an analysis that made room behind everybody else, for what is left of its time."""
        left = ticket.question.seconds - answer.seconds
        ticket.question = dataclasses.replace(ticket.question, limit=Limit(seconds=left), seconds=left)
        ticket.number, ticket.since, ticket.yields = -1, math.inf, False
        self._queues[True].setdefault(ticket.owner, collections.deque()).append(ticket)
        self._tell(ticket, Thought(answer.choice, answer.seconds))
        self._tell_waiting(ticket)

    def _tell_waiting(self, ticket: Ticket) -> None:
        """Whoever wants to see a player think is told that no process is free for it yet."""
        if ticket.question.analyse and ticket.number < 0 and not ticket.ended:
            self._tell(ticket, Waiting())

    def _hire(self) -> _Worker:
        """Starts a process. Ctrl-C is for the server alone, which ends them."""
        spawning = multiprocessing.get_context("spawn")
        ours, theirs = spawning.Pipe()
        process = spawning.Process(target=worker.work, args=(theirs, self._settings.worker_megabytes), daemon=True)
        start_deaf(process)
        theirs.close()
        hired = _Worker(process, ours)
        self._crew.append(hired)
        asyncio.get_running_loop().add_reader(ours.fileno(), self._listen, hired)
        return hired

    def _send(self, one: _Worker, message: tuple[int, Question | None]) -> None:
        with contextlib.suppress(OSError):  # it has died: reading from it will tell
            one.line.send(message)

    def _listen(self, one: _Worker) -> None:
        try:
            number, event = one.line.recv()
        except (EOFError, OSError):
            self._bury(one, "died")
            return
        ticket = one.ticket
        if ticket is None or number != ticket.number:
            return
        if isinstance(event, Preparing):
            one.players.append(ticket.question.player)
        elif isinstance(event, Thinking) and not ticket.cancelled:
            self._set_alarm(one, ticket.question.seconds + GRACE_SECONDS)
            loop = asyncio.get_running_loop()
            ticket.since = loop.time()
            loop.call_later(TURN_SECONDS, self._dispatch)
        elif isinstance(event, Answer | Failure):
            if isinstance(event, Failure) and ticket.question.player in one.players:
                one.players.remove(ticket.question.player)
            one.ticket = None
            self._set_alarm(one, None)
        goes_on = ticket.yields and not ticket.stopped
        if goes_on and isinstance(event, Answer) and event.seconds < ticket.question.seconds:
            self._wait_again(ticket, event)
        else:
            self._tell(ticket, event)
        self._dispatch()

    def _tell(self, ticket: Ticket, event: Event) -> None:
        if isinstance(event, Failure):
            event = Failure(without_paths(event.error, self._settings), event.lost)
        if not (ticket.cancelled or (ticket.stopped and isinstance(event, Thought))):
            ticket.hear(event)
        ticket.ended = isinstance(event, Answer | Failure)

    def _set_alarm(self, one: _Worker, seconds: float | None) -> None:
        """Has a process replaced that is silent for so long; None where nothing is expected of it."""
        if one.alarm is not None:
            one.alarm.cancel()
        one.alarm = None
        if seconds is not None:
            one.alarm = asyncio.get_running_loop().call_later(seconds, self._bury, one, "did not answer in time")

    def _bury(self, one: _Worker, why: str) -> None:
        if one not in self._crew:
            return
        self._crew.remove(one)
        self._set_alarm(one, None)
        asyncio.get_running_loop().remove_reader(one.line.fileno())
        one.line.close()
        one.process.kill()
        one.process.join()
        one.process.close()
        if one.ticket is not None:
            spec = one.ticket.question.spec.partition(":")[0]
            self._tell(one.ticket, Failure(f"player {spec!r}: its process {why}; another takes its place", lost=True))
        self._dispatch()

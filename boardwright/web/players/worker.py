"""A search worker process and its messages: a request comes in on a pipe, events go out.

The search runs in a thread of its own, so the main thread can receive a stop and send progress meanwhile. The players
of the last few requests are kept.
"""

import collections
import contextlib
import dataclasses
import enum
import os
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from boardwright.agents.base import Agent, Choice, Limit, choose_move, move_actions
from boardwright.agents.netchoice import net_checksum
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError, OutOfMemoryError
from boardwright.games import registry
from boardwright.games.base import Game

KEPT_PLAYERS = 4
REPORT_SECONDS = 0.1  # between two progress events
NICENESS = 5  # added to that of the process: requests of pages come first


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A position to search, the player that searches, and its time."""

    game: str
    rules: str  # name of a shipped rule set
    start: str | None
    actions: tuple[int, ...]
    spec: str  # as `specs.resolve` returned it
    limit: Limit  # an empty one leaves the player its own
    seconds: float  # after which it must answer, even within its limit
    analyse: bool = False  # whether to send progress

    @property
    def player(self) -> tuple[str, str, str]:
        """What the player is made from."""
        return self.game, self.rules, self.spec


class Phase(enum.Enum):
    """What a search does before its first progress."""

    WAITING = "waiting"  # no worker is free for an analysis; sent by the pool, not by a worker
    PREPARING = "preparing"  # the worker makes the player: it reads a net or allocates a table
    STARTED = "started"  # the search begins


@dataclass(frozen=True)
class Progress:
    """The best choice so far."""

    choice: Choice
    seconds: float  # since the search began


@dataclass(frozen=True)
class Answer:
    """The final choice."""

    choice: Choice
    move: tuple[int, ...]  # the actions of the whole move; empty for an analysis
    seconds: float
    net: str = ""  # checksum of the player's net, if it has one


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    error: str


Event = Phase | Progress | Answer | Failure


class SearchWatch:
    """Sends the events of one search, at most one progress event every `REPORT_SECONDS`, and can stop the search.

    `report` and `stopped` are for the thread that searches, `stop_requested` and `send_progress` for the main thread.
    """

    def __init__(self, connection: Connection, number: int, request: SearchRequest):
        self.number = number
        self.request = request
        self.finished = False
        self._connection = connection
        self._lock = threading.Lock()
        self._began = time.perf_counter()
        self._unsent: Progress | None = None
        self._sent = 0.0  # when progress was sent last, in seconds of the search
        self.stop_requested = False

    def send(self, event: Event) -> None:
        """Sends an event, unless the last one was sent already."""
        with self._lock:
            if self.finished:
                return
            with contextlib.suppress(OSError):  # the server is gone
                self._connection.send((self.number, event))
            self.finished = isinstance(event, Answer | Failure)

    def start(self) -> None:
        """Starts the time of the search."""
        self.send(Phase.STARTED)
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.perf_counter() - self._began

    @property
    def stopped(self) -> bool:
        """Whether the player should answer now."""
        return self.stop_requested or self.seconds >= self.request.seconds

    def report(self, choice: Choice) -> None:
        """Notes the best choice so far; the main thread sends it."""
        if self.request.analyse:
            self._unsent = Progress(choice, self.seconds)

    def send_progress(self) -> None:
        """Sends the progress noted since the last time, if any, but not within `REPORT_SECONDS` of that."""
        if self._unsent is not None and self.seconds - self._sent >= REPORT_SECONDS:
            self._sent = self.seconds
            progress, self._unsent = self._unsent, None
            self.send(progress)


class PlayerCache:
    """The players of the last requests, by what they are made from.

    A player is an agent and the checksum of its net, empty for none: a run that continues rewrites its net.
    """

    def __init__(self) -> None:
        self._kept: collections.OrderedDict[tuple[str, str, str], tuple[Agent, str]] = collections.OrderedDict()

    def find(self, request: SearchRequest) -> tuple[Agent, str] | None:
        """The player of a request, if it is kept and its net is still the same."""
        found = self._kept.get(request.player)
        if found is None or found[1] != net_checksum(request.spec):
            return None
        self._kept.move_to_end(request.player)
        return found

    def make(self, request: SearchRequest, game: Game) -> tuple[Agent, str]:
        """Makes a player and drops others where memory is short; raises BoardwrightError."""
        self.forget(request)  # it may be kept with another net
        while len(self._kept) >= KEPT_PLAYERS:
            self._drop_oldest()
        net = net_checksum(request.spec)
        while True:
            try:
                agent = make_agent(request.spec, game)
                agent.prepare()
            except (OutOfMemoryError, MemoryError):
                if not self._kept:
                    raise
                self._drop_oldest()
                continue
            made = self._kept[request.player] = agent, net
            return made

    def forget(self, request: SearchRequest) -> None:
        """Drops a player, if it is kept: after a failure its state is unknown."""
        with contextlib.suppress(KeyError):
            self._kept.pop(request.player)[0].close()

    def _drop_oldest(self) -> None:
        self._kept.popitem(last=False)[1][0].close()


def work(connection: Connection) -> None:
    """The worker's main loop, until the connection is closed or the server is gone."""
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    players = PlayerCache()
    watch: SearchWatch | None = None  # of the current search
    while True:
        while (
            watch is not None and not watch.finished and watch.request.analyse and not connection.poll(REPORT_SECONDS)
        ):
            watch.send_progress()
        try:
            number, request = connection.recv()
        except (EOFError, OSError):
            os._exit(0)  # without waiting for a player that does not stop
        if request is not None:
            watch = SearchWatch(connection, number, request)
            threading.Thread(target=_search, args=(players, watch), daemon=True).start()
        elif watch is not None and watch.number == number:
            watch.stop_requested = True


def _search(players: PlayerCache, watch: SearchWatch) -> None:
    spec = watch.request.spec
    try:
        event: Answer | Failure = _answer(players, watch)
    except BoardwrightError as error:
        event = Failure(str(error))
    except MemoryError:
        event = Failure(f"player {spec!r} ran out of memory")
    except Exception as error:
        event = Failure(f"player {spec!r} failed, {type(error).__name__}: {error}")
    if isinstance(event, Failure):
        players.forget(watch.request)
    watch.send(event)


def _answer(players: PlayerCache, watch: SearchWatch) -> Answer:
    request = watch.request
    game = registry.game(request.game, request.rules)
    position = (game.start() if request.start is None else game.position(request.start)).play_all(request.actions)
    player = players.find(request)
    if player is None:
        watch.send(Phase.PREPARING)
        player = players.make(request, game)
    agent, net = player
    watch.start()
    if request.analyse:
        return Answer(agent.choose(position, request.limit, watch), (), watch.seconds, net)
    choice = choose_move(agent, position, request.limit, watch)
    move = move_actions(position, choice)
    small = dataclasses.replace(choice, policy={}, visits={}, values={}, prior={})  # a game needs only the value
    return Answer(small, move, watch.seconds, net)

"""A process that thinks: questions come in on a pipe, thoughts and answers go out.

It listens while it thinks, so that it can be told to stop; the thinking has a thread of its own. Its memory is
bounded, and it lives no longer than the server. Players are kept from question to question, the last few asked.
"""

import collections
import contextlib
import dataclasses
import os
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from boardwright.agents.base import Agent, Choice, Limit, choose_move, move_actions
from boardwright.agents.netchoice import net_checksum
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import Game, Position
from boardwright.lifeline import follow_the_parent

KEPT_PLAYERS = 4
REPORT_SECONDS = 0.1  # between thoughts told
POLITENESS = 5  # added to the process's niceness: whoever waits for a page comes first


@dataclass(frozen=True, kw_only=True)
class Question:
    """A position to think about, and for how long."""

    game: str
    rules: str  # name of a rule set that ships
    start: str | None
    actions: tuple[int, ...]
    spec: str  # as the server resolved it
    limit: Limit  # none leaves the player its own
    seconds: float  # after which it is told to answer, whatever its limit
    analyse: bool = False  # tell thoughts on the way

    @property
    def player(self) -> tuple[str, str, str]:
        """What the player is made from."""
        return self.game, self.rules, self.spec


@dataclass(frozen=True)
class Waiting:
    """No process is free for an analysis: others think. The server says so, not a process."""


@dataclass(frozen=True)
class Preparing:
    """The player is being made: a net is read, a table laid out."""


@dataclass(frozen=True)
class Thinking:
    """The player begins to think."""


@dataclass(frozen=True)
class Thought:
    """The best choice so far."""

    choice: Choice
    seconds: float  # since it began to think


@dataclass(frozen=True)
class Answer:
    """What came of it."""

    choice: Choice
    move: tuple[int, ...]  # the actions of the whole move, where a move was asked for
    seconds: float
    net: str = ""  # checksum of the player's net, if it has one


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    error: str
    lost: bool = False  # the process went with it: asking again may help


Event = Waiting | Preparing | Thinking | Thought | Answer | Failure


class Watching:
    """Tells thoughts, not too many, and asks the thinking to end. Both in the thread that thinks but `stop`."""

    def __init__(self, line: Connection, number: int, seconds: float, analyse: bool):
        self._line = line
        self._number = number
        self._analyse = analyse
        self._seconds = seconds
        self._began = time.perf_counter()
        self._told = 0.0
        self._untold: Thought | None = None
        self._stop = False

    def begin(self) -> None:
        """The time runs from now."""
        self._began = time.perf_counter()

    def stop(self) -> None:
        """Asks the player to answer."""
        self._stop = True

    @property
    def seconds(self) -> float:
        """Since it began to think."""
        return time.perf_counter() - self._began

    @property
    def stopped(self) -> bool:
        """Whether it should answer now."""
        seconds = self.seconds
        if self._untold is not None and seconds - self._told >= REPORT_SECONDS:
            self._told = seconds
            self._line.send((self._number, self._untold))
            self._untold = None
        return self._stop or seconds >= self._seconds

    def report(self, choice: Choice) -> None:
        """Keeps a thought until it is time to tell one."""
        if self._analyse:
            self._untold = Thought(choice, self.seconds)
            _ = self.stopped


@dataclass(frozen=True)
class Player:
    """Who thinks, and the checksum of its net, if it has one: a run that goes on writes its net anew."""

    agent: Agent
    net: str


class Players:
    """The players of the last questions, by what they are made from."""

    def __init__(self) -> None:
        self._kept: collections.OrderedDict[tuple[str, str, str], Player] = collections.OrderedDict()

    def find(self, question: Question) -> Player | None:
        """The player a question asks for, if it is there and has the net that is there now."""
        found = self._kept.get(question.player)
        if found is None or found.net != net_checksum(question.spec):
            return None
        self._kept.move_to_end(question.player)
        return found

    def make(self, question: Question, game: Game) -> Player:
        """Makes the player, at the cost of others where memory is short; raises BoardwrightError."""
        self.forget(question)  # one with another net
        while len(self._kept) >= KEPT_PLAYERS:
            self._drop()
        net = net_checksum(question.spec)
        while True:
            try:
                agent = make_agent(question.spec, game)
                agent.prepare()
            except (BoardwrightError, MemoryError) as error:
                if not self._kept or (isinstance(error, BoardwrightError) and "no memory" not in str(error)):
                    raise
                self._drop()
                continue
            self._kept[question.player] = Player(agent, net)
            return self._kept[question.player]

    def forget(self, question: Question) -> None:
        """Drops a player that failed, if it is there: nobody knows what state it is in."""
        with contextlib.suppress(KeyError):
            self._kept.pop(question.player).agent.close()

    def _drop(self) -> None:
        self._kept.popitem(last=False)[1].agent.close()


def work(line: Connection, megabytes: int) -> None:
    """A worker's life: until the line is closed, or the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    follow_the_parent()
    _bound_memory(megabytes)
    with contextlib.suppress(OSError):
        os.nice(POLITENESS)
    players = Players()
    watching: dict[int, Watching] = {}
    while True:
        try:
            number, question = line.recv()
        except (EOFError, OSError):
            os._exit(0)  # without waiting for a player that does not listen
        if question is None:
            if number in watching:
                watching[number].stop()
            continue
        watch = Watching(line, number, question.seconds, question.analyse)
        watching = {number: watch}
        threading.Thread(target=_think, args=(line, number, question, players, watch), daemon=True).start()


def _think(line: Connection, number: int, question: Question, players: Players, watch: Watching) -> None:
    try:
        event = _answer(line, number, question, players, watch)
    except BoardwrightError as error:
        event = Failure(str(error))
    except MemoryError:
        event = Failure(f"player {question.spec!r} has used up its memory")
    except Exception as error:
        event = Failure(f"player {question.spec!r} failed, {type(error).__name__}: {error}")
    if isinstance(event, Failure):
        players.forget(question)
    with contextlib.suppress(OSError):  # the server is gone
        line.send((number, event))


def _answer(line: Connection, number: int, question: Question, players: Players, watch: Watching) -> Answer:
    game = registry.game(question.game, question.rules)
    position = _position(game, question)
    player = players.find(question)
    if player is None:
        line.send((number, Preparing()))
        player = players.make(question, game)
    agent, net = player.agent, player.net
    line.send((number, Thinking()))
    watch.begin()
    if question.analyse:
        return Answer(agent.choose(position, question.limit, watch), (), watch.seconds, net)
    choice = choose_move(agent, position, question.limit, watch)
    move = move_actions(position, choice)
    # Whoever waits for a move wants no more of the search than its value.
    return Answer(dataclasses.replace(choice, policy={}, visits={}, values={}, prior={}), move, watch.seconds, net)


def _position(game: Game, question: Question) -> Position:
    position = game.start() if question.start is None else game.position(question.start)
    for action in question.actions:
        position = position.play(action)
    return position


def _bound_memory(megabytes: int) -> None:
    """Where the system can: more than this is refused, and the player fails instead of the machine."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = megabytes << 20
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))

"""Backends that play games: this process, worker processes, or a Ray cluster.

A backend takes tasks and yields each with its finished game, in the order in which the games end. Closing the
iterator stops the games in progress. A worker that dies is replaced and its game is played again from the start; a
game that has killed `MAX_ATTEMPTS` workers stops the event.
"""

import collections
import itertools
import logging
import re
import signal
import socket
import sys
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from boardwright import processes
from boardwright.arena.event import Event, PlayedGame, ScheduledGame
from boardwright.arena.game import play_game
from boardwright.errors import BoardwrightError
from boardwright.processes import Worker, WorkerDiedError

MAX_ATTEMPTS = 3  # workers that one game may kill


@dataclass(frozen=True, eq=False)
class GameTask:
    """A game to play, with the event it belongs to."""

    event: Event
    scheduled: ScheduledGame

    def play(self) -> PlayedGame:
        """Plays the game in this process."""
        return play_game(self.event.bound_game(), self.scheduled, self.event.conditions)


Finished = Generator[tuple[GameTask, PlayedGame], None, None]
Backend = Callable[[Iterable[GameTask]], Finished]


def play_here(tasks: Iterable[GameTask]) -> Finished:
    """Backend that plays in this process, one game at a time."""
    for task in tasks:
        yield task, task.play()


def local_backend(workers: int) -> Backend:
    """Backend for this machine: this process for one worker, worker processes for more."""
    return play_here if workers == 1 else WorkerPool(workers)


def play(
    event: Event, games: Iterable[ScheduledGame], backend: Backend = play_here
) -> Generator[PlayedGame, None, None]:
    """Plays games of one event without storing them, and yields each as it is finished."""
    for _, played in backend(GameTask(event, scheduled) for scheduled in games):
        yield played


@dataclass(frozen=True)
class WorkerPool:
    """Backend that plays in worker processes, one game at a time in each."""

    workers: int = 1
    stop_reader: Connection | None = None  # another thread closes the other end to stop the games in progress
    megabytes: int | None = None  # address space of each worker; a player that needs more forfeits

    def __call__(self, tasks: Iterable[GameTask]) -> Finished:
        """Plays the tasks."""
        waiting, retries = iter(tasks), collections.deque[GameTask]()

        def take() -> GameTask | None:
            return retries.popleft() if retries else next(waiting, None)

        watched = [] if self.stop_reader is None else [self.stop_reader]
        deaths: collections.Counter[GameTask] = collections.Counter()
        busy: dict[object, tuple[Worker, GameTask]] = {}  # by connection
        try:
            while True:
                while len(busy) < self.workers and (task := take()) is not None:
                    worker = processes.spawn(_work, megabytes=self.megabytes)
                    worker.send(task)
                    busy[worker.connection] = worker, task
                if not busy:
                    return
                for ready in wait([*watched, *(worker.connection for worker, _ in busy.values())]):
                    if ready is self.stop_reader:
                        return
                    worker, task = busy[ready]
                    try:
                        answer = worker.receive()
                    except WorkerDiedError as error:
                        del busy[ready]
                        deaths[task] += 1
                        if deaths[task] == MAX_ATTEMPTS:
                            raise _too_many_deaths(task, f", the last {error}") from None
                        retries.append(task)
                        continue
                    if isinstance(answer, Exception):
                        raise answer
                    following = take()
                    if following is None:
                        del busy[ready]
                        processes.stop([worker])
                    else:
                        worker.send(following)
                        busy[ready] = worker, following
                    yield task, answer
        finally:
            processes.stop(worker for worker, _ in busy.values())


@dataclass(frozen=True)
class RayCluster:
    """Backend that plays on the machines of a Ray cluster, one game per core.

    Every machine needs this package and, for players that are programs, those programs.
    """

    address: str  # or "auto"

    def __call__(self, tasks: Iterable[GameTask]) -> Finished:
        """Plays the tasks; raises BoardwrightError where Ray is not installed or cannot be reached."""
        try:
            import ray
            import ray.exceptions
        except ImportError:
            raise BoardwrightError("playing on a cluster needs Ray: pip install -e '.[cluster]'") from None
        self._check_reachable()
        must_start = not ray.is_initialized()
        try:
            if must_start:
                ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, ValueError, RuntimeError) as error:
            first_line = str(error).strip().split("\n")[0]
            raise BoardwrightError(f"cannot reach the Ray cluster {self.address!r}: {first_line}") from None
        try:
            play_task = ray.remote(num_cpus=1, max_retries=MAX_ATTEMPTS - 1)(GameTask.play)
            cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            waiting, running = iter(tasks), {}
            while True:
                for task in itertools.islice(waiting, cores - len(running)):
                    running[play_task.remote(task)] = task
                if not running:
                    return
                (ready,), _ = ray.wait(list(running))
                task = running.pop(ready)
                try:
                    played = ray.get(ready)
                except ray.exceptions.WorkerCrashedError:
                    raise _too_many_deaths(task) from None
                yield task, played
        finally:
            if must_start:
                ray.shutdown()

    def _check_reachable(self) -> None:
        """Raises BoardwrightError for an address without a listener, on which Ray would wait for minutes."""
        match = re.fullmatch(r"(?:ray://)?(.+):(\d{1,5})", self.address, flags=re.ASCII)
        if match is None:
            return
        try:
            socket.create_connection((match[1], int(match[2])), timeout=10).close()
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "no such address"
            raise BoardwrightError(f"cannot reach the Ray cluster {self.address!r}: {reason}") from None


def _too_many_deaths(task: GameTask, last: str = "") -> BoardwrightError:
    pair = " against ".join(task.scheduled.players)
    return BoardwrightError(
        f"game {task.scheduled.index}, {pair}: {MAX_ATTEMPTS} workers died playing it{last}: "
        "check whether memory runs out or a player crashes; games already finished are kept"
    )


def _work(connection: Connection) -> None:
    """Main loop of a worker process: receives tasks and sends games until the pipe is closed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # closes the players at exit
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: PlayedGame | Exception = task.play()
        except Exception as error:
            answer = error
        try:
            connection.send(answer)
        except OSError:  # the parent has closed the pipe meanwhile
            return

"""Games played at once, by worker processes.

A worker that dies, whatever killed it, is replaced, and the game it was playing is played again from its
beginning. A game that takes three workers with it stops the event: something is wrong with a player or with
the machine. Workers live no longer than the process that hired them, even if that is killed.
"""

import collections
import contextlib
import multiprocessing
import resource
import signal
import sys
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from boardwright.arena.event import Event
from boardwright.arena.game import play_game
from boardwright.arena.played import PlayedGame
from boardwright.arena.schedule import ScheduledGame
from boardwright.errors import BoardwrightError
from boardwright.lifeline import follow_the_parent, start_deaf

MOST_ATTEMPTS = 3  # workers that one game may cost
_PATIENCE = 5.0  # seconds a worker has to put its players away when it is dismissed


def play(event: Event, games: Iterable[ScheduledGame], workers: int = 1) -> Generator[PlayedGame, None, None]:
    """Plays the games and yields each as it is finished; one worker is this process itself.

    Whoever closes the iterator stops the games in progress.
    """
    if workers > 1:
        yield from play_apart(event, games, workers)
        return
    game = event.bound_game()
    for scheduled in games:
        yield play_game(game, scheduled, event.conditions)


@dataclass
class _Worker:
    """A worker process, this process's end of the line to it, and the game it plays."""

    process: BaseProcess
    line: Connection
    playing: ScheduledGame


def play_apart(
    event: Event,
    games: Iterable[ScheduledGame],
    workers: int = 1,
    *,
    bell: Connection | None = None,
    megabytes: int | None = None,
) -> Generator[PlayedGame, None, None]:
    """Plays the games in worker processes, also where one is enough, and yields each as it is finished.

    Another thread stops the games in progress by closing the other end of `bell`: the iterator then ends at once.
    A worker has so many `megabytes` of addresses: a player that wants more forfeits.
    """
    games, watched = iter(games), [] if bell is None else [bell]
    crew: dict[Connection, _Worker] = {}
    again: collections.deque[ScheduledGame] = collections.deque()
    lost: collections.Counter[int] = collections.Counter()  # workers by game
    try:
        while True:
            while len(crew) < workers and (scheduled := again.popleft() if again else next(games, None)) is not None:
                worker = _hire(event, scheduled, megabytes)
                crew[worker.line] = worker
            if not crew:
                return
            for line in wait([*watched, *crew]):
                assert isinstance(line, Connection)
                if line is bell:
                    return
                worker = crew[line]
                try:
                    answer = line.recv()
                except (EOFError, OSError):
                    del crew[line]
                    again.append(worker.playing)
                    lost[worker.playing.index] += 1
                    _bury(worker, lost[worker.playing.index])
                    continue
                if isinstance(answer, Exception):
                    raise answer
                following = again.popleft() if again else next(games, None)
                if following is None:
                    _dismiss([crew.pop(line)])
                else:
                    _give(worker, following)
                yield answer
    finally:
        _dismiss(crew.values())


def _hire(event: Event, scheduled: ScheduledGame, megabytes: int | None) -> _Worker:
    """Starts a worker on a game. Ctrl-C is for this process alone, which dismisses its workers."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=_work, args=(theirs, event, megabytes), daemon=False)
    start_deaf(process)
    theirs.close()
    worker = _Worker(process, ours, scheduled)
    _give(worker, scheduled)
    return worker


def _give(worker: _Worker, scheduled: ScheduledGame) -> None:
    worker.playing = scheduled
    with contextlib.suppress(OSError):  # it has died; reading from it will tell
        worker.line.send(scheduled)


def _bury(worker: _Worker, lost: int) -> None:
    """Puts away a worker that died; raises BoardwrightError if its game has cost too many."""
    worker.line.close()
    worker.process.join()
    if lost >= MOST_ATTEMPTS:
        pair = " against ".join(worker.playing.players)
        code = worker.process.exitcode or 0
        end = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise BoardwrightError(
            f"game {worker.playing.index}, {pair}: {lost} workers died playing it, the last {end}: "
            "see whether memory runs out or a player crashes; games already finished are kept"
        )


def _dismiss(workers: Iterable[_Worker]) -> None:
    workers = list(workers)
    for worker in workers:
        worker.line.close()
        worker.process.terminate()
    for worker in workers:
        worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.process.close()


def _work(line: Connection, event: Event, megabytes: int | None) -> None:
    """A worker's life: games come in, finished games go out, until the line is closed."""
    if megabytes is not None:
        _, most = resource.getrlimit(resource.RLIMIT_AS)  # below zero: as much as there is
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20 if most < 0 else min(megabytes << 20, most), most))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that players are closed on the way out
    follow_the_parent()
    game = event.bound_game()
    while True:
        try:
            scheduled = line.recv()
        except (EOFError, OSError):
            return
        try:
            answer: PlayedGame | Exception = play_game(game, scheduled, event.conditions)
        except Exception as error:
            answer = error
        try:
            line.send(answer)
        except OSError:  # it was dismissed just now
            return

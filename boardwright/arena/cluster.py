"""Games played on the machines of a Ray cluster, one a core.

Every machine needs this package and, for players that are programs, those programs. A game whose machine or
process dies is played again elsewhere.
"""

import itertools
import logging
import re
import socket
from collections.abc import Generator, Iterable

from boardwright.arena.event import Event
from boardwright.arena.game import play_game
from boardwright.arena.played import PlayedGame
from boardwright.arena.schedule import ScheduledGame
from boardwright.arena.workers import MOST_ATTEMPTS
from boardwright.errors import BoardwrightError


def play_on_cluster(event: Event, games: Iterable[ScheduledGame], address: str) -> Generator[PlayedGame, None, None]:
    """Plays the games and yields each as it is finished."""
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise BoardwrightError("playing on a cluster needs Ray: pip install -e '.[cluster]'") from None
    _check_somebody_listens(address)
    ours = not ray.is_initialized()
    try:
        if ours:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise BoardwrightError(f"cannot reach the Ray cluster {address!r}: {first_line}") from None
    try:
        play = ray.remote(num_cpus=1, max_retries=MOST_ATTEMPTS - 1)(_play)
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting, running = iter(games), {}
        while True:
            for scheduled in itertools.islice(waiting, cores - len(running)):
                running[play.remote(event, scheduled)] = scheduled
            if not running:
                return
            (ready,), _ = ray.wait(list(running))
            scheduled = running.pop(ready)
            try:
                played = ray.get(ready)
            except ray.exceptions.WorkerCrashedError:
                pair = " against ".join(scheduled.players)
                raise BoardwrightError(
                    f"game {scheduled.index}, {pair}: {MOST_ATTEMPTS} workers died playing it: see whether memory "
                    "runs out or a player crashes; games already finished are kept"
                ) from None
            yield played
    finally:
        if ours:
            ray.shutdown()


def _check_somebody_listens(address: str) -> None:
    """Refuses an address where nobody answers, which Ray would wait minutes for."""
    match = re.fullmatch(r"(?:ray://)?(.+):(\d{1,5})", address, flags=re.ASCII)
    if match is None:
        return
    try:
        socket.create_connection((match[1], int(match[2])), timeout=10).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "no such address"
        raise BoardwrightError(f"cannot reach the Ray cluster {address!r}: {reason}") from None


def _play(event: Event, scheduled: ScheduledGame) -> PlayedGame:
    return play_game(event.bound_game(), scheduled, event.conditions)

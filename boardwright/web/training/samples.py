"""Sample games of a training run: its newest net against itself.

A game has two random moves by a seed, then always the net's most likely move, so the same net and seed give the same
game. Games are played one at a time in a worker process, and cached.
"""

import functools
import tempfile
import threading
from itertools import islice
from multiprocessing import Pipe
from pathlib import Path

from boardwright.agents.netchoice import player_for
from boardwright.arena.backends import WorkerPool, play
from boardwright.arena.event import Conditions, Event, PlayedGame
from boardwright.errors import BoardwrightError
from boardwright.nets import netfile
from boardwright.web.players.specs import is_shipped
from boardwright.web.server.http import BusyError, ConflictError

OPENINGS = "random:2"
MAX_PLIES = 400
MAX_SECONDS = 60.0
MAX_CACHED = 64
MAX_WAITING = 4
NODES = 10_000  # per move, for an evaluation network


_playing = threading.Lock()
_seats = threading.BoundedSemaphore(MAX_WAITING)


def sample(net: Path, seed: int, megabytes: int) -> PlayedGame:
    """A net's game by a seed, in a worker of this size; raises BoardwrightError if it cannot play."""
    stamp = net.stat().st_mtime_ns
    if not _seats.acquire(blocking=False):
        raise BusyError("other sample games are being played: try again in a moment")
    try:
        with _playing:
            return _sample_game(net, stamp, seed, megabytes)
    finally:
        _seats.release()


@functools.lru_cache(maxsize=MAX_CACHED)
def _sample_game(net: Path, stamp: object, seed: int, megabytes: int) -> PlayedGame:
    """The first game of a match of the net against itself, under the rules it was trained for.

    The net plays from a link: its own path may have a comma, which specs cannot hold. `stamp` changes when the file
    does.
    """
    file = netfile.read(net)
    game, player = netfile.game_of(file), player_for(file)
    if not is_shipped(game.name, game.rules):
        raise ConflictError("this run uses custom rules, which the page cannot show")
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, net.name)
        link.symlink_to(net.resolve())
        spec = f"{'net' if player == 'alphazero' else player}:net={link}"  # policy only
        event = Event(
            game=game.name,
            rules=game.rules,
            players=(f"{spec},nodes={NODES}" if player == "alphabeta" else spec,) * 2,
            openings=OPENINGS,
            seed=seed,
            conditions=Conditions(max_plies=MAX_PLIES),
        )
        return _play(event, megabytes)


def _play(event: Event, megabytes: int) -> PlayedGame:
    """The event's first game, played in a worker process with a timeout."""
    stop_reader, stop_writer = Pipe(duplex=False)
    timeout = threading.Timer(MAX_SECONDS, stop_writer.close)
    timeout.start()
    try:
        for played in play(event, islice(event.schedule(), 1), WorkerPool(1, stop_reader, megabytes)):
            if played.forfeited_by is not None:
                raise BoardwrightError(played.record.reason)
            return played
        raise ConflictError(f"the net did not finish a game within {MAX_SECONDS:.0f} s")
    finally:
        timeout.cancel()
        timeout.join()
        stop_writer.close()
        stop_reader.close()

"""A sample of what a training run's newest net plays: a game against itself.

Two random moves by a seed, then always the move the net holds best, so the same net and seed give the same game. It
is played in a worker process, a game at a time, and kept.
"""

import tempfile
import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice
from multiprocessing import Pipe
from pathlib import Path

from boardwright.agents.netchoice import player_for
from boardwright.arena.conditions import Conditions
from boardwright.arena.event import Event
from boardwright.arena.played import PlayedGame
from boardwright.arena.workers import play_apart
from boardwright.errors import BoardwrightError
from boardwright.nets import netfile
from boardwright.nets.netfile import NetFile
from boardwright.web.arena.record_routes import ships
from boardwright.web.server.errors import BusyError, ConflictError
from boardwright.web.training.runs import Run, newest_net

OPENINGS = "random:2"
MOST_PLIES = 400
MOST_SECONDS = 60.0
MOST_KEPT = 64
MOST_WAITING = 4
NODES = 10_000  # positions a move, for a net that says nothing of moves


@dataclass(frozen=True)
class Sample:
    """A game of a net against itself."""

    iteration: int
    played: PlayedGame


class Sampler:
    """Plays sample games. May be used from any thread; who asks while another game is played waits."""

    def __init__(self, megabytes: int) -> None:
        self._megabytes = megabytes  # of a worker
        self._one = threading.Lock()
        self._seats = threading.BoundedSemaphore(MOST_WAITING)
        self._kept: OrderedDict[tuple[str, int, int, int], Sample] = OrderedDict()

    def sample(self, run: Run, seed: int) -> Sample | None:
        """The newest net's game by a seed; None while there is no net. Raises BoardwrightError if it cannot play."""
        newest = newest_net(run)
        if newest is None:
            return None
        net, iteration = newest
        key = (run.id, iteration, net.stat().st_mtime_ns, seed)
        if not self._seats.acquire(blocking=False):
            raise BusyError("other sample games are being played: try again in a moment")
        try:
            with self._one:
                if key not in self._kept:
                    self._kept[key] = Sample(iteration, _sample_game(net, seed, self._megabytes))
                    while len(self._kept) > MOST_KEPT:
                        self._kept.popitem(last=False)
                return self._kept[key]
        finally:
            self._seats.release()


def _sample_game(net: Path, seed: int, megabytes: int) -> PlayedGame:
    """The game of a net. Players find it by a link: its own path may hold a comma, which no player's spec can."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, net.name)
        link.symlink_to(net.resolve())
        return _play(_event(net, link, seed), megabytes)


def _event(net: Path, link: Path, seed: int) -> Event:
    """A match of the net against itself, under the rules it was trained for."""
    file = netfile.read(net)
    game = netfile.game_of(file)
    if not ships(game.name, game.rules):
        raise ConflictError("this run plays rules of its own, which the page cannot show")
    spec = _spec(file, link)
    conditions = Conditions(max_plies=MOST_PLIES)
    return Event(
        game=game.name, rules=game.rules, players=(spec, spec), openings=OPENINGS, seed=seed, conditions=conditions
    )


def _spec(file: NetFile, link: Path) -> str:
    """The net at first sight, or where it only evaluates positions a short search with it."""
    player = player_for(file)
    if player == "alphabeta":
        return f"{player}:net={link},nodes={NODES}"
    return f"{'net' if player == 'zero' else player}:net={link}"


def _play(event: Event, megabytes: int) -> PlayedGame:
    """The event's first game, in a worker process that has a minute."""
    bell, rope = Pipe(duplex=False)
    late = threading.Timer(MOST_SECONDS, rope.close)
    late.start()
    try:
        for played in play_apart(event, islice(event.schedule(), 1), bell=bell, megabytes=megabytes):
            if played.forfeited_by is not None:
                raise BoardwrightError(played.record.reason)
            return played
        raise ConflictError(f"the net did not finish a game within {MOST_SECONDS:.0f} s")
    finally:
        late.cancel()
        late.join()
        rope.close()
        bell.close()

"""Playing events with resume: stored games are taken from the database, missing ones are played and stored.

for game in play_events(store, [event], games=100, backend=local_backend(workers=4)): ...
"""

import itertools
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from boardwright.arena.backends import Backend, GameTask
from boardwright.arena.event import Event, PlayedGame
from boardwright.records.events import begin_event
from boardwright.records.games import Wanted, find_games, save_game
from boardwright.records.store import Store


def play_events(
    store: Store | None, events: Sequence[Event], games: int, backend: Backend, *, only_role: int | None = None
) -> Generator[PlayedGame, None, None]:
    """Yields the first `games` games of each event: stored games first, then the others as they are finished.

    Args:
        store: where games are kept, each as soon as it ends; None keeps nothing.
        events: different events; they are played in turn, a pair of games of each. A game does not depend on the
            other events.
        games: number of games of each event.
        backend: what plays the missing games; see `arena/backends.py`. One that wraps another can check games, or
            replace their players' names, before they are stored.
        only_role: of matches, only the games in which the first player has this role.

    Raises BoardwrightError for a game that was played by another net than the event's.
    """
    tasks = (task for task in _in_turn(events, games) if only_role in (None, task.scheduled.index % 2))
    if store is None:
        with closing(backend(tasks)) as finished:
            for task, played in finished:
                task.event.check_nets(played)
                yield played
        return
    ids = {event: begin_event(store, event.config()) for event in events}
    stored: set[tuple[int, int]] = set()  # event and index
    for number in ids.values():
        kept = [found.played for found in find_games(store, Wanted(event=number))]
        stored.update((number, played.index) for played in kept)
        yield from (played for played in kept if played.index < games and only_role in (None, played.index % 2))
    missing = (task for task in tasks if (ids[task.event], task.scheduled.index) not in stored)
    with closing(backend(missing)) as finished:
        for task, played in finished:
            task.event.check_nets(played)
            if save_game(store, played, ids[task.event]):
                yield played
            else:  # another process has stored this game meanwhile: that one counts
                yield next(find_games(store, Wanted(event=ids[task.event], index=played.index))).played


def _in_turn(events: Sequence[Event], games: int) -> Iterator[GameTask]:
    """The first games of several events, two of each in turn."""
    schedules = [(event, itertools.islice(event.schedule(), games)) for event in events]
    for _ in range(0, games, 2):
        for event, schedule in schedules:
            yield from (GameTask(event, scheduled) for scheduled in itertools.islice(schedule, 2))

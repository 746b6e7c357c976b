"""What match, tournament, sprt and ladder have in common: the conditions of play, and playing under them."""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import tyro

from boardwright.agents.specs import seconds
from boardwright.arena import openings
from boardwright.arena.cluster import play_on_cluster
from boardwright.arena.conditions import Conditions, parse_clock
from boardwright.arena.event import Event
from boardwright.arena.played import PlayedGame
from boardwright.arena.schedule import ScheduledGame
from boardwright.arena.workers import play
from boardwright.cli.choose import GameOptions, in_range
from boardwright.errors import BoardwrightError
from boardwright.records.events import begin_event
from boardwright.records.games import Wanted, find_games, save_game
from boardwright.records.store import open_store

MOST_WORKERS = 1024
MOST_GAMES = 10**7


@dataclass(frozen=True, kw_only=True)
class ContestOptions(GameOptions):
    """How games between players are played."""

    time: Annotated[str | None, tyro.conf.arg(metavar="2s")] = None
    """Time a move for players whose spec sets no limit of its own. Default: each player's own."""
    clock: Annotated[str | None, tyro.conf.arg(metavar="60s+1s")] = None
    """Time a game and what each move adds to it; a player whose flag falls forfeits. Default: no clock."""
    openings: Annotated[str, tyro.conf.arg(metavar="SOURCE")] = openings.DEFAULT
    """`start`, `random:K` (K random moves), `ballots[:DECK]` (the game's own list), or a file, an opening a line."""
    max_plies: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Games that go on for so many plies are drawn. Default: as the rules say."""
    adjudicate: bool = False
    """End games as soon as the game's own endgame tables prove the result."""
    workers: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Games played at once, each in a process of its own."""
    ray: Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")] = None
    """Play on a Ray cluster instead: its address, or `auto`. Needs the extra `cluster`."""
    seed: int = 0
    """Seed of openings, chance and players; the same seed gives the same games if the players' limits do."""
    db: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Keep the games in this database, and go on where the same event was stopped."""

    def event(self, players: tuple[str, ...], gauntlet: bool = False) -> Event:
        """The event these options describe; raises BoardwrightError before any game for what cannot be played."""
        in_range("--workers", self.workers, 1, MOST_WORKERS)
        if self.ray is not None and self.workers != 1:
            raise BoardwrightError(
                "--ray and --workers exclude each other: a cluster plays as many games as it has cores"
            )
        bound = self.bound_game()
        event = Event(
            game=bound.name,
            rules=bound.rules,
            players=players,
            openings=self.openings,
            seed=in_range("--seed", self.seed, 0, 2**64 - 1),
            conditions=self._conditions(),
            gauntlet=gauntlet,
        )
        event.check()
        return event.with_nets()

    def _conditions(self) -> Conditions:
        try:
            a_move = None if self.time is None else seconds(self.time)
        except ValueError as error:
            raise BoardwrightError(f"--time must be {error}, not {self.time!r}") from None
        return Conditions(
            seconds=a_move,
            clock=None if self.clock is None else parse_clock(self.clock),
            max_plies=None if self.max_plies is None else in_range("--max-plies", self.max_plies, 1, 10**6),
            adjudicate=self.adjudicate,
        )

    def play(self, event: Event, games: int, only_role: int | None = None) -> Generator[PlayedGame, None, None]:
        """Every game of the event up to a number: those kept in the database, then the others as they finish.

        With `only_role`, of a match, only those in which the first player has that role.
        """

        def wanted(index: int) -> bool:
            return index < games and (only_role is None or index % 2 == only_role)

        return self._play_wanted([event], games, wanted)

    def play_together(self, events: Sequence[Event], games: int) -> Generator[PlayedGame, None, None]:
        """Every game of several events up to a number each, as `play` does, pair after pair of each in turn.

        The events differ in their players only, and know each other's nets. Each keeps its own games: played by
        itself it would have the same.
        """
        return self._play_wanted(events, games, lambda index: index < games)

    def _play_wanted(
        self, events: Sequence[Event], games: int, wanted: Callable[[int], bool]
    ) -> Generator[PlayedGame, None, None]:
        scheduled = ((number, game) for number, game in _in_turn(events, games) if wanted(game.index))
        if self.db is None:
            yield from (game for _, game in self._play(events, scheduled))
            return
        with open_store(self.db, create=True) as store:
            ids = [begin_event(store, event.config()) for event in events]
            kept = [set[int]() for _ in events]
            for event, indices in zip(ids, kept, strict=True):
                played = [stored.played for stored in find_games(store, Wanted(event=event))]
                indices.update(game.index for game in played)
                yield from (game for game in played if wanted(game.index))
            missing = ((number, game) for number, game in scheduled if game.index not in kept[number])
            for number, game in self._play(events, missing):
                if save_game(store, game, ids[number]):
                    yield game
                else:  # somebody else has stored it meanwhile: theirs counts
                    yield next(find_games(store, Wanted(event=ids[number], index=game.index))).played

    def _play(
        self, events: Sequence[Event], games: Iterator[tuple[int, ScheduledGame]]
    ) -> Generator[tuple[int, PlayedGame], None, None]:
        """Plays games, each with the number of its event before it; while they are played their indices tell both."""
        count = len(events)
        numbered = (replace(game, index=game.index * count + number) for number, game in games)
        if self.ray is None:
            finished = play(events[0], numbered, self.workers)
        else:
            finished = play_on_cluster(events[0], numbered, self.ray)
        with closing(finished):
            for game in finished:
                events[0].check_nets(game)
                index, number = divmod(game.index, count)
                yield number, replace(game, index=index)


def _in_turn(events: Sequence[Event], games: int) -> Iterator[tuple[int, ScheduledGame]]:
    """The first games of several events, two of each in turn, with the number of the event before them."""
    schedules = [islice(event.schedule(), games) for event in events]
    for _ in range(0, games, 2):
        for number, schedule in enumerate(schedules):
            for game in islice(schedule, 2):
                yield number, game


@contextmanager
def interruptible(options: ContestOptions, done: list[PlayedGame]) -> Iterator[None]:
    """Ends on Ctrl-C with a line that says what is kept, and how to go on; `done` are the finished games."""
    try:
        yield
    except KeyboardInterrupt:
        if options.db is None:
            hint = "nothing was kept: with --db FILE a match can go on where it was stopped"
        else:
            hint = f"they are kept in {options.db}: the same command again goes on from here"
        print(f"\nboardwright: stopped after {len(done)} games; {hint}", file=sys.stderr)
        sys.exit(130)

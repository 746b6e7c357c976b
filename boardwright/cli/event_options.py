"""Options that match, tournament, sprt and ladder share: how games are played, where, and where they are stored."""

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from boardwright.agents.specs import seconds
from boardwright.arena import openings
from boardwright.arena.backends import RayCluster, local_backend
from boardwright.arena.event import Conditions, Event, PlayedGame, parse_clock
from boardwright.cli.common import FILE, GameOptions, N, in_range, value
from boardwright.cli.progress import track
from boardwright.errors import BoardwrightError
from boardwright.records.events import play_events
from boardwright.records.store import open_store

MAX_WORKERS = 1024
MAX_GAMES = 10**7


@dataclass(frozen=True, kw_only=True)
class EventOptions(GameOptions):
    """How games between players are played."""

    time: Annotated[str | None, value("2s")] = None
    """Time per move for players whose spec sets no limit. Default: each player's own."""
    clock: Annotated[str | None, value("60s+1s")] = None
    """Time per game and increment per move; a player whose flag falls forfeits. Default: no clock."""
    openings: Annotated[str, value("SOURCE")] = openings.DEFAULT
    """`start`, `random:K` (K random moves), `ballots[:DECK]` (the game's list), or a file with one opening per line."""
    max_plies: N[int | None] = None  # Games of N plies are drawn. Default: as the rules say.
    adjudicate: bool = False  # End games as soon as the game's own endgame tables prove the result.
    workers: N[int] = 1  # Concurrent games, each in its own process.
    ray: Annotated[str | None, value("ADDRESS")] = None
    """Play on a Ray cluster instead: its address, or `auto`. Needs the extra `cluster`."""
    seed: int = 0  # Seed of openings, chance and players. The same games for the same seed, unless limits are times.
    db: FILE[Path | None] = None  # Store the games in this database, and resume the same event.

    def event(self, players: tuple[str, ...], gauntlet: bool = False) -> Event:
        """The event these options describe; raises BoardwrightError if it cannot be played."""
        in_range("--workers", self.workers, 1, MAX_WORKERS)
        if self.ray is not None and self.workers != 1:
            raise BoardwrightError(
                "--ray and --workers exclude each other: a cluster plays as many games as it has cores"
            )
        bound = self.bound_game()
        try:
            per_move = None if self.time is None else seconds(self.time)
        except ValueError as error:
            raise BoardwrightError(f"--time must be {error}, not {self.time!r}") from None
        event = Event(
            game=bound.name,
            rules=bound.rules,
            players=players,
            openings=self.openings,
            seed=in_range("--seed", self.seed, 0, 2**64 - 1),
            conditions=Conditions(
                seconds=per_move,
                clock=None if self.clock is None else parse_clock(self.clock),
                max_plies=in_range("--max-plies", self.max_plies, 1, 10**6),
                adjudicate=self.adjudicate,
            ),
            gauntlet=gauntlet,
        )
        event.check()
        return event.with_nets()

    def play(
        self, events: Sequence[Event], games: int, only_role: int | None = None
    ) -> Generator[PlayedGame, None, None]:
        """Yields the first games of each event, stored ones first; see `records.events.play_events`."""
        backend = local_backend(self.workers) if self.ray is None else RayCluster(self.ray)
        with nullcontext() if self.db is None else open_store(self.db, create=True) as store:
            yield from play_events(store, events, games, backend, only_role=only_role)

    def play_all(self, events: Sequence[Event], games: int) -> list[PlayedGame]:
        """The first games of each event, with a progress bar; Ctrl-C ends the program."""
        played: list[PlayedGame] = []
        with interruptible(self, played):
            for game in track(self.play(events, games), games * len(events), "games"):
                played.append(game)
        return played


@contextmanager
def interruptible(options: EventOptions, done: list[PlayedGame]) -> Iterator[None]:
    """Ends the program on Ctrl-C and prints what is stored and how to resume; `done` are the finished games."""
    try:
        yield
    except KeyboardInterrupt:
        if options.db is None:
            hint = "none were stored: use --db FILE to make a match resumable"
        else:
            hint = f"stored in {options.db}: rerun the same command to resume"
        print(f"\nboardwright: stopped after {len(done)} games; {hint}", file=sys.stderr)
        sys.exit(130)

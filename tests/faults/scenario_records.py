"""The database of games: an event with its games, single games, and a match of the app."""

from contextlib import closing
from pathlib import Path

from played import random_played
from scenario import Attempts, Facts, Scenario

from boardwright.arena.event import Conditions, Event
from boardwright.games.registry import game
from boardwright.records import events
from boardwright.records.games import GameFilter, find_games, save_game
from boardwright.records.store import open_store

NAME = "games.db"
BEFORE, GAMES = 3, 8  # games stored before, and in all
GAME = game("draughts")
PLAYED = [random_played(GAME, index, index) for index in range(GAMES)]
CONFIG = {"test": "faults"}
MATCH = Event(
    game=GAME.name,
    rules=GAME.rules,
    players=("random", "random:seed=1"),
    openings="start",
    seed=0,
    conditions=Conditions(),
)


class Records(Scenario):
    """A finished transaction survives the end of the process, but perhaps not that of the machine."""

    survives_power_cuts = False

    def prepare(self, folder: Path) -> Facts:
        with open_store(folder / NAME, create=True) as store:
            event = events.begin_event(store, CONFIG)
            for index in range(BEFORE):
                assert save_game(store, PLAYED[index], event)
        return dict.fromkeys(range(BEFORE))

    def work(self, folder: Path, attempt: Attempts) -> None:
        with closing(attempt(lambda: open_store(folder / NAME, create=True))) as store:
            event = attempt(lambda: events.begin_event(store, CONFIG))
            for index in range(GAMES):
                attempt(lambda index=index: save_game(store, PLAYED[index], event))
                attempt.acknowledge(index)
            match = attempt(lambda: events.add_match(store, MATCH, 4))
            attempt.acknowledge(("match", match), "waiting")
            attempt(lambda: events.set_state(store, match, "done"))
            attempt.acknowledge(("match", match), "done")

    def check(self, folder: Path, facts: Facts) -> None:
        with open_store(folder / NAME, create=False) as store:
            assert store.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert store.connection.execute("PRAGMA foreign_key_check").fetchall() == []
            found = [stored.played for stored in find_games(store, GameFilter())]
            states = {match.id: match.state for match in events.matches(store, 100)}
        assert [played.index for played in found] == list(range(len(found)))
        assert found == PLAYED[: len(found)]
        assert {key for key in facts if isinstance(key, int)} <= set(range(len(found)))
        for key, state in facts.items():
            if isinstance(key, tuple):
                assert states[key[1]] == state or state == "waiting", states


class NewRecords(Records):
    """The same, in a file that is not there yet."""

    def prepare(self, folder: Path) -> Facts:
        del folder
        return {}

    def check(self, folder: Path, facts: Facts) -> None:
        if facts or (folder / NAME).exists():
            open_store(folder / NAME, create=not facts).close()
            super().check(folder, facts)


SCENARIO = Records()

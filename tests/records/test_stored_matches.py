"""Matches in the database: their number of games and their state."""

from pathlib import Path

import pytest
from played import random_played

import boardwright
from boardwright.arena.event import Clock, Conditions, Event
from boardwright.errors import BoardwrightError
from boardwright.records.events import (
    add_match,
    event_of,
    find_match,
    games_of_match,
    matches,
    set_state,
    stop_unfinished,
)
from boardwright.records.games import save_game
from boardwright.records.store import open_store


def match_of(seed: int, **conditions) -> Event:
    return Event(
        game="tablut",
        rules=boardwright.game("tablut").rules,
        players=("random", "mc:sims=2"),
        openings="random:2",
        seed=seed,
        conditions=Conditions(**conditions),
    )


def test_match_from_request_to_end(tmp_path: Path) -> None:
    game = boardwright.game("tablut")
    with open_store(tmp_path / "games.db", create=True) as store:
        first, second = (add_match(store, match_of(seed), games=2) for seed in (1, 2))
        assert [match.id for match in matches(store, limit=10)] == [second, first]
        assert [match.id for match in matches(store, limit=1)] == [second]
        set_state(store, first, "failed", "the disk is full")
        found = find_match(store, first)
        assert found is not None
        assert (found.state, found.error, found.games) == ("failed", "the disk is full", 2)
        assert games_of_match(store, found) == []
        for index in (3, 1, 0):
            save_game(store, random_played(game, seed=index, index=index), found.event)
        assert [played.index for played in games_of_match(store, found)] == [0, 1]  # two were requested
        assert find_match(store, 99) is None


def test_interrupted_matches_are_found(tmp_path: Path) -> None:
    states = ("waiting", "running", "done", "stopped", "failed")
    with open_store(tmp_path / "games.db", create=True) as store:
        for seed, state in enumerate(states):
            set_state(store, add_match(store, match_of(seed), games=2), state)
        stop_unfinished(store)
        found = [match.state for match in reversed(matches(store, limit=10))]
    assert found == ["stopped", "stopped", "done", "stopped", "failed"]


def test_an_event_from_its_configuration(tmp_path: Path) -> None:
    for event in (match_of(3), match_of(4, seconds=0.5, clock=Clock(60.0, 1.0), max_plies=80)):
        with open_store(tmp_path / "games.db", create=True) as store:
            found = find_match(store, add_match(store, event, games=2))
        assert found is not None
        assert event_of(found.config) == event
    config = {**match_of(5).config(), "openings": "e3-e2"}
    with pytest.raises(BoardwrightError):
        event_of(config)

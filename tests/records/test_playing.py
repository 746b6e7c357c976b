"""Playing events with resume: stored games are not played again, with any backend."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from stored_events import events as stored_events

import boardwright
from boardwright.arena.backends import Finished, GameTask, WorkerPool, play_here
from boardwright.arena.event import Conditions, Event
from boardwright.errors import BoardwrightError
from boardwright.records.events import play_events
from boardwright.records.store import open_store


def match(*players: str, seed: int = 1) -> Event:
    rules = boardwright.game("draughts").rules
    return Event(game="draughts", rules=rules, players=players, openings="random:2", seed=seed, conditions=Conditions())


class Counting:
    """Backend that counts what it plays."""

    def __init__(self) -> None:
        self.played: list[tuple[tuple[str, ...], int]] = []

    def __call__(self, tasks: Iterable[GameTask]) -> Finished:
        for task, game in play_here(tasks):
            self.played.append((task.event.players, game.index))
            yield task, game


def test_resume_plays_only_what_is_missing(tmp_path: Path) -> None:
    event, backend = match("random", "first-legal"), Counting()
    with open_store(tmp_path / "games.db", create=True) as store:
        begun = play_events(store, [event], 6, backend)
        first = [next(begun), next(begun)]
        begun.close()
        resumed = list(play_events(store, [event], 6, WorkerPool(2)))
        assert {game.index for game in play_events(store, [event], 4, backend)} == {0, 1, 2, 3}
    assert [game.index for game in first] == [0, 1]
    assert [index for _, index in backend.played] == [0, 1]
    assert sorted(game.index for game in resumed) == [0, 1, 2, 3, 4, 5]
    alone = {game.index: game.record for game in play_events(None, [event], 6, play_here)}
    assert {game.index: game.record for game in resumed} == alone


def test_several_events_are_played_in_turn(tmp_path: Path) -> None:
    one, other, backend = match("random", "first-legal"), match("random", "mc:sims=2"), Counting()
    with open_store(tmp_path / "games.db", create=True) as store:
        together = list(play_events(store, [one, other], 4, backend))
        assert [event.games for event in stored_events(store)] == [4, 4]
    assert backend.played == [
        (event.players, index) for pair in ((0, 1), (2, 3)) for event in (one, other) for index in pair
    ]
    alone = [game.record for event in (one, other) for game in play_events(None, [event], 4, play_here)]
    assert sorted((game.record for game in together), key=alone.index) == alone


def test_games_in_one_role_only() -> None:
    games = list(play_events(None, [match("random", "first-legal")], 6, play_here, only_role=1))
    assert [game.index for game in games] == [1, 3, 5]
    assert {game.players for game in games} == {("first-legal", "random")}


def test_game_of_another_net_is_not_stored(tmp_path: Path) -> None:
    event, backend = replace(match("random", "first-legal"), nets=(("random", "abc"),)), Counting()
    with open_store(tmp_path / "games.db", create=True) as store:
        with pytest.raises(BoardwrightError, match="its net changed"):
            list(play_events(store, [event], 2, backend))
        assert [event.games for event in stored_events(store)] == [0]

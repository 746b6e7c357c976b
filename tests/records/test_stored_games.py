"""Games are loaded from the database as they were stored: any game, rules and annotations."""

from dataclasses import replace
from pathlib import Path

import pytest
from played import finished_indices, random_played, random_position
from stored_events import events

import boardwright
from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.draughts import gamefile
from boardwright.games.record import GameRecord
from boardwright.games.registry import game, game_class, game_names
from boardwright.records.events import begin_event
from boardwright.records.files import export_games, import_games
from boardwright.records.games import (
    GameFilter,
    count_games,
    encounters,
    find_games,
    rule_set_names,
    save_game,
)
from boardwright.records.mixtures import comparability_warnings
from boardwright.records.store import Store, open_store
from boardwright.stats.pairings import Encounter

EVERY_RULE_SET = [(name, rules) for name in game_names() for rules in game_class(name).rule_sets()]
CUSTOM = sorted((Path(__file__).parent.parent / "contract" / "rules").glob("*/*"))


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "games.db", create=True) as opened:
        yield opened


def reopened(store: Store) -> list[PlayedGame]:
    with open_store(store.path, create=False) as again:
        return [stored.played for stored in find_games(again, GameFilter())]


@pytest.mark.parametrize(("name", "rules"), EVERY_RULE_SET)
def test_random_games_of_every_rule_set(store: Store, name: str, rules: str) -> None:
    games = [random_played(game(name, rules), seed, index=seed) for seed in range(4)]
    for one in games:
        assert save_game(store, one)
    assert reopened(store) == games
    for one in reopened(store):
        last = list(one.record.positions())[-1]
        assert last.outcome is not None
        assert last.outcome.reason == one.record.reason


@pytest.mark.parametrize("path", CUSTOM, ids=lambda path: path.stem)
def test_custom_rules_are_stored_in_full(store: Store, path: Path) -> None:
    one = random_played(game(path.parent.name, path), 3)
    save_game(store, one)
    assert reopened(store) == [one]


def test_an_unfinished_forfeited_and_resigned_game(store: Store) -> None:
    tablut = game("tablut")
    position = random_position(tablut, 1, most=5)
    started = GameRecord.of(position, start=tablut.start().text, tags={"event": "a ‘test’", "z": "1", "a": "2"})
    games = [
        PlayedGame(record=started, players=("a", "b")),
        PlayedGame(
            record=replace(started, result=1, reason="attackers took too long"), players=("a", "a"), forfeited_by=0
        ),
        PlayedGame(record=replace(started, result=0, reason="resigned", resigned=1), players=("b", "a")),
        PlayedGame(record=replace(started, actions=(), result=DRAW, reason="agreed"), players=("b", "b"), index=7),
    ]
    for one in games:
        save_game(store, one)
    assert reopened(store) == games
    assert list(reopened(store)[0].record.tags) == ["event", "z", "a"]
    assert encounters(store, "tablut") == [Encounter("a", "a", 1), Encounter("b", "a", 0), Encounter("b", "b", DRAW)]


def test_net_checksum_is_stored_with_the_version(store: Store) -> None:
    one = replace(random_played(game("tablut"), 1, players=("net:net=mine", "random")), nets=("0123456789ab", ""))
    save_game(store, one)
    assert reopened(store) == [one]
    (stored,) = find_games(store, GameFilter())
    assert stored.versions == (f"{boardwright.__version__} net 0123456789ab", boardwright.__version__)
    met = Encounter("net:net=mine", "random", one.record.result)
    for nets, found in (({"net:net=mine": "0123456789ab"}, [met]), ({"net:net=mine": "ba9876543210"}, [])):
        assert encounters(store, "tablut", field={"random": "", **nets}) == found
    assert encounters(store, "tablut", field={"net:net=mine": "0123456789ab"}) == []


def test_comments_and_variations(store: Store) -> None:
    text = "1. 11-15! {good} 23-19 $3 2. 8-11 22-17 {the Old Fourteenth} 3. 4-8 ( 3. 11-16? {bad} 24-20 ) 25-22 1-0"
    (record,) = gamefile.read(text)
    save_game(store, PlayedGame(record=record, players=("x", "y")))
    (back,) = reopened(store)
    assert back.record == record
    assert back.record.variations
    assert gamefile.write(back.record) == gamefile.write(record)


def test_events_are_resumed_and_no_game_is_stored_twice(store: Store) -> None:
    config = {"game": "draughts", "players": ["random", "mc"], "games": 4}
    event = begin_event(store, config)
    assert begin_event(store, dict(reversed(config.items()))) == event != begin_event(store, {**config, "games": 6})
    first, second = random_played(game("draughts"), 1, index=2), random_played(game("draughts"), 2, index=2)
    assert save_game(store, first, event)
    assert not save_game(store, second, event)
    assert save_game(store, second, event + 1)
    assert finished_indices(store, event) == {2}
    assert [stored.played for stored in find_games(store, GameFilter(event=event))] == [first]
    assert [(one.id, one.config, one.games) for one in events(store)] == [
        (event, config, 1),
        (event + 1, {**config, "games": 6}, 1),
    ]
    with pytest.raises(BoardwrightError, match="FOREIGN KEY"):
        save_game(store, first, event=99)
    with pytest.raises(BoardwrightError, match="cannot be stored"):
        begin_event(store, {"path": Path("x")})


def test_games_are_found(store: Store) -> None:
    for seed in range(6):
        save_game(store, random_played(game("draughts"), seed, players=("random:seed=1", "mc")))
    save_game(store, random_played(game("tablut"), 1, players=("mc", "mcx")))
    save_game(store, random_played(game("draughts", "paper"), 1, players=("a%", "random")), version="0.0.9")

    def ids(**conditions) -> list[int]:
        return [stored.id for stored in find_games(store, GameFilter(**conditions))]

    assert ids() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert ids(game="tablut") == ids(player="mcx") == [7]
    assert ids(player="random") == [1, 2, 3, 4, 5, 6, 8]
    assert ids(player="random", limit=2) == [6, 8]
    assert ids(rules="paper") == ids(player="a%") == [8]
    assert ids(player="%") == []
    results = [stored.played.record.result for stored in find_games(store, GameFilter())]
    for result in (0, 1, DRAW, ONGOING):
        assert len(ids(result=result)) == results.count(result)
    assert count_games(store, GameFilter()) == {"draughts": 7, "tablut": 1}
    assert rule_set_names(store, "draughts") == ["paper", "wcdf"]
    assert comparability_warnings(store, "draughts")[1].endswith(
        f"are rated together: 0.0.9, {boardwright.__version__}"
    )
    assert len(encounters(store, "draughts")) == 7
    assert [one.first for one in encounters(store, "draughts", "paper")] == ["a%"]


@pytest.mark.parametrize("name", [name for name in game_names() if game_class(name).game_files is not None])
def test_files_in_and_out(store: Store, name: str) -> None:
    for seed in range(3):
        save_game(store, random_played(game(name), seed))
    text, problems = export_games(find_games(store, GameFilter()), name)
    assert problems == []
    imported = import_games(store, name, text.encode())
    assert (imported.stored, imported.known, imported.errors) == (3, 0, ())
    assert (import_games(store, name, text.encode()).stored, import_games(store, name, text.encode()).known) == (0, 3)
    games = [stored.played for stored in find_games(store, GameFilter())]
    for original, copy in zip(games[:3], games[3:], strict=True):
        assert replace(original.record, tags=copy.record.tags) == copy.record
        assert copy.players == ("random", "mc:sims=2")
    again, _ = export_games(find_games(store, GameFilter(event=1)), name)
    assert again == text


def test_games_that_a_format_cannot_hold_are_left_out(store: Store) -> None:
    draughts = game("draughts")
    fine, cut = random_played(draughts, 1), random_played(draughts, 2)
    positions = list(cut.record.positions())
    middle = next(ply for ply, position in enumerate(positions) if position.core.continues)
    cut = replace(cut, record=replace(cut.record, actions=cut.record.actions[:middle], result=0, reason="time"))
    for one in (fine, cut):
        save_game(store, one)
    text, problems = export_games(find_games(store, GameFilter()), "draughts")
    assert problems == ["game 2: the line stops in the middle of a capture"]
    assert len(gamefile.read(text)) == 1


def test_readable_games_of_a_bad_file_are_stored(store: Store) -> None:
    imported = import_games(store, "draughts", b"1. 11-15 1-0\n\n1. 11-99 0-1\n\n1. 11-16 1/2-1/2\n")
    assert (imported.stored, len(imported.errors)) == (2, 1)
    assert [one.played.players for one in find_games(store, GameFilter())] == [("?", "?"), ("?", "?")]
    assert encounters(store, "draughts") == []  # these may be different players
    assert import_games(store, "draughts", b"").stored == 0


def test_corrected_game_is_stored_on_reimport(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the others of its file stay as they are, two that are alike among them."""
    games = ['[White "one"]\n1. 11-15 *', *['[White "two"]\n1. 11-16 *'] * 2, '[White "three"]\n1. 9-13 *']
    data, read = "\n\n".join(games).encode(), gamefile.read_all
    with monkeypatch.context() as patched:
        patched.setattr(game_class("draughts"), "read_games", lambda text: (read(text)[0][1:], []))
        assert import_games(store, "draughts", data).stored == 3
    imported = import_games(store, "draughts", data)
    assert (imported.stored, imported.known) == (1, 3)
    whites = [one.played.record.tags["white"] for one in find_games(store, GameFilter())]
    assert whites == ["two", "two", "three", "one"]
    assert import_games(store, "draughts", data).stored == 0


def test_import_interrupted_between_equal_games_is_completed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    data, read = b"\n\n".join([b"1. 11-16 *"] * 3), gamefile.read_all
    with monkeypatch.context() as patched:
        patched.setattr(game_class("draughts"), "read_games", lambda text: (read(text)[0][:1], []))
        assert import_games(store, "draughts", data).stored == 1
    imported = import_games(store, "draughts", data)
    assert (imported.stored, imported.known) == (2, 1)
    assert count_games(store, GameFilter()) == {"draughts": 3}


def test_a_game_that_cannot_be_read_is_named(store: Store) -> None:
    save_game(store, random_played(game("tablut"), 1))
    store.connection.execute("UPDATE rule_sets SET options = '{\"no_such_rule\": 1}'")
    with pytest.raises(BoardwrightError, match=r"game 1 in .*games.db cannot be read: unknown rule option"):
        list(find_games(store, GameFilter()))

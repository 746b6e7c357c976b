"""The three-move list: complete, legal, and printed as documented."""

import json
from collections import Counter
from dataclasses import asdict

import pytest

import boardwright
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games.draughts.game import DECKS

GAME = boardwright.game("draughts")


def test_the_list_is_complete() -> None:
    everything = GAME.openings(None)
    assert [opening.number for opening in everything] == list(range(1, 175))
    assert Counter(opening.deck for opening in everything) == {"crossboard": 144, "mail": 12, "barred": 18}
    assert len({opening.moves for opening in everything}) == 174
    for deck in DECKS:
        assert GAME.openings(deck) == [opening for opening in everything if opening.deck == deck]


def test_every_opening_is_three_legal_moves() -> None:
    for opening in GAME.openings(None):
        position = GAME.position(opening.position)
        assert (position.plies, position.role_to_move, position.outcome) == (3, 1, None)
        assert len(opening.moves) == 3


def test_openings_by_their_numbers() -> None:
    numbered = {opening.number: opening for opening in GAME.openings(None)}
    dreaded = numbered[5]
    assert (dreaded.moves, dreaded.deck, dreaded.name) == (("9-13", "22-18", "6-9"), "crossboard", "Dreaded Edinburgh")
    skunk = numbered[174]
    assert (skunk.moves, skunk.deck, skunk.name) == (("12-16", "24-20", "10-15"), "mail", "Skunk")
    assert numbered[1].name == ""
    start = "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,22"
    assert numbered[4].position == f"{start}:H0:F2"


def test_an_opening_under_other_rules() -> None:
    assert boardwright.game("draughts", "paper").openings(None)[4].position.endswith(":H3:F2")


def test_unknown_deck_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown deck of openings 'crosboard': did you mean 'crossboard'"):
        GAME.openings("crosboard")


def listed(capsys: pytest.CaptureFixture[str], deck: str, *, as_json: bool) -> str:
    from boardwright.cli import openings as command

    command.run(command.Options("draughts", deck=deck, json=as_json))
    return capsys.readouterr().out


@pytest.mark.parametrize(("deck", "count"), [("crossboard", 144), ("mail", 12), ("barred", 18), ("all", 174)])
def test_the_command_lists_a_deck(capsys: pytest.CaptureFixture[str], deck: str, count: int) -> None:
    (line,) = listed(capsys, deck, as_json=True).splitlines()
    rows = json.loads(line)["openings"]
    assert len(rows) == count
    for row, opening in zip(rows, GAME.openings(None if deck == "all" else deck), strict=True):
        assert row == {**asdict(opening), "moves": list(opening.moves)}


def test_command_prints_one_opening_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = listed(capsys, "mail", as_json=False).splitlines()
    assert len(lines) == 12
    assert lines[0].split(maxsplit=5) == ["6", "9-13", "22-18", "10-14", "mail", "Inferno"]


def test_the_command_refuses_a_deck_and_a_game_without_openings() -> None:
    from boardwright.cli import openings as command

    with pytest.raises(UnknownNameError, match="unknown deck of openings 'post'"):
        command.run(command.Options("draughts", deck="post"))
    with pytest.raises(BoardwrightError, match="tablut"):
        command.run(command.Options("tablut"))


def test_openings_of_a_bound_game_follow_its_rules() -> None:
    (first, *_) = boardwright.game("draughts", "paper").openings("barred")
    assert first.number == 3
    assert first.position.endswith(":H3:F2")

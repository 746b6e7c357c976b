"""The three-move list: complete, legal, and printed as documented."""

import json
from collections import Counter

import pytest

import boardwright
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games.draughts import openings
from boardwright.games.draughts.openings import Ballot


def test_the_list_is_complete() -> None:
    everything = openings.ballots()
    assert [ballot.number for ballot in everything] == list(range(1, 175))
    assert Counter(ballot.deck for ballot in everything) == {"crossboard": 144, "mail": 12, "barred": 18}
    assert len({ballot.moves for ballot in everything}) == 174
    for deck in openings.DECKS:
        assert openings.ballots(deck) == tuple(ballot for ballot in everything if ballot.deck == deck)


def test_every_opening_is_three_legal_moves() -> None:
    for ballot in openings.ballots():
        position = openings.position_after(ballot)
        assert (position.plies, position.role_to_move, position.outcome) == (3, 1, None)
        assert len(ballot.moves) == 3


def test_an_opening_by_its_number() -> None:
    assert openings.ballot(5) == Ballot(5, ("9-13", "22-18", "6-9"), "crossboard", "Dreaded Edinburgh")
    assert openings.ballot(174) == Ballot(174, ("12-16", "24-20", "10-15"), "mail", "Skunk")
    assert openings.ballot(1).name == ""
    start = "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,22"
    assert openings.position_after(openings.ballot(4)).text == f"{start}:H0:F2"


def test_an_opening_under_other_rules() -> None:
    assert openings.position_after(openings.ballot(5), "paper").text.endswith(":H3:F2")


@pytest.mark.parametrize("number", [0, -1, 175])
def test_numbers_that_are_not_in_the_list(number: int) -> None:
    with pytest.raises(BoardwrightError, match=f"opening {number}: the three-move list goes from 1 to 174"):
        openings.ballot(number)


def test_unknown_deck_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown deck of openings 'crosboard': did you mean 'crossboard'"):
        openings.ballots("crosboard")


def listed(capsys: pytest.CaptureFixture[str], deck: str, *, as_json: bool) -> str:
    from boardwright.cli import openings as command

    command.run(command.Options("draughts", deck=deck, json=as_json))
    return capsys.readouterr().out


@pytest.mark.parametrize(("deck", "count"), [("crossboard", 144), ("mail", 12), ("barred", 18), ("all", 174)])
def test_the_command_lists_a_deck(capsys: pytest.CaptureFixture[str], deck: str, count: int) -> None:
    (line,) = listed(capsys, deck, as_json=True).splitlines()
    rows = json.loads(line)["openings"]
    assert len(rows) == count
    for row in rows:
        ballot = openings.ballot(row["number"])
        assert row == {
            "number": ballot.number,
            "moves": list(ballot.moves),
            "deck": ballot.deck,
            "name": ballot.name,
            "position": openings.position_after(ballot).text,
        }


def test_the_command_prints_an_opening_a_line(capsys: pytest.CaptureFixture[str]) -> None:
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

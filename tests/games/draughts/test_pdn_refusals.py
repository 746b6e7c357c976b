"""PDN that cannot be read is refused where it stands, and hostile files soon."""

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdn_games import PAPER, comes_back, error_of, few, one, played

from boardwright.errors import GameFileError
from boardwright.games.common import tagfile
from boardwright.games.draughts.pdn import gamefile
from boardwright.games.draughts.pdn.reading import MAX_DEPTH
from boardwright.games.draughts.rules import WCDF
from boardwright.games.record import GameRecord, Line


def test_every_error_names_its_place() -> None:
    _, errors = gamefile.read_all("\n1. 11-14 * 1. 11-13 *\n\n  x")
    assert [str(error).partition(": ")[0] for error in errors] == [
        "line 2, column 4",
        "line 2, column 15",
        "line 4, column 3",
    ]


@pytest.mark.parametrize(
    ("moves", "place", "complaint"),
    [
        ("1. 11-14", "line 3, column 4", "move '11-14': the piece on 11 can only play 11-15, 11-16"),
        ("1. 11-15\n  22-18 15-19", "line 4, column 9", "the piece on 15 can only play 15x22"),
        ("1. 11-15 22-18\n2. 8-11", "line 4, column 4", "a capture is forced: 15x22"),
        ("1. 11-155", "line 3, column 4", "expected a move, a comment or a result, not '11-155'"),
        ("1. b6-a5", "line 3, column 4", "expected a move"),
        ("1. 11 15", "line 3, column 4", "expected a move, a comment or a result, not '11'"),
        ("1. 11-", "line 3, column 4", "expected a move"),
        ("1. 11-15 ]", "line 3, column 10", "expected a move, a comment or a result, not ']'"),
        ("1. 11-15 }", "line 3, column 10", "expected a move"),
        ("1. 11-15 [x]", "line 3, column 10", "expected a tag like [Event \"Club evening\"], not '[x]'"),
        ("1. 11-15 /FEN \"B:W18:B14\"/", "line 3, column 10", "positions set up in the middle of a game"),
        ("1. 11-15 {open", "line 3, column 10", "this comment is never closed"),
        ("1. 11-15 (1. 11-16", "line 3, column 10", "this variation is never closed"),
        ("1. 11-15 (1. 11-16 (1. 9-13)", "line 3, column 10", "this variation is never closed"),
        ("1. 11-15 (1. 11-16 (1. 9-13", "line 3, column 20", "this variation is never closed"),
        ("(1. 11-16) 11-15", "line 3, column 1", "a variation must follow the move that it replaces"),
        ("1. 11-15 ((11-16))", "line 3, column 11", "a variation must follow the move that it replaces"),
        ("1. 11-15 )", "line 3, column 10", "there is no variation to close here"),
        ("1. 11-15 (1. 11-14) 23-19", "line 3, column 14", "move '11-14': "),
        ("1. 11-15 (1... 23-19)", "line 3, column 16", "no piece of the side to move can leave square 23"),
        ("1. " + "11-15-" * 200 + "1", "line 3, column 4", "..."),
        ("1. 11-15\x1b[2J", "line 3, column 9", "expected a move"),
        ("1. 11-15 1/2", "line 3, column 10", "not '1/2'"),
    ],
)  # fmt: skip
def test_moves_that_cannot_be_read(moves: str, place: str, complaint: str) -> None:
    _, errors = gamefile.read_all(f'[Event "x"]\n\n{moves}\n')
    message = str(errors[0])
    assert message.startswith(f"{place}: "), message
    assert complaint in message
    assert len(message) <= tagfile.LONGEST_MESSAGE
    assert message.isprintable()


@pytest.mark.parametrize(
    ("tags", "complaint"),
    [
        ('[Result "1-0"]\n[Result "0-1"]', "line 2, column 1: the game has a second tag 'result'"),
        ('[FEN "B:W18:B14"]\n[FEN "B:W17:B14"]', "line 2, column 1: the game has a second tag 'fen'"),
        ('[Rules "papr"]', "line 1, column 1: unknown rule set of draughts 'papr': did you mean 'paper'?"),
        ('[Rules "x"]\n[RuleOptions "max_plis=3"]', "line 2, column 1: unknown rule option 'max_plis': did you mean"),
        ('[RuleOptions "max_plies=3 max_plies=4"]', "line 1, column 1: rule option 'max_plies' is given twice"),
        ('[RuleOptions "max_plies=3 max_plies=3"]', "line 1, column 1: rule option 'max_plies' is given twice"),
        ('[Rules "x"]\n[RuleOptions "name=y"]', "line 2, column 1: rule option 'name' cannot stand here: the rule set"),
        ('[RuleOptions "base=paper"]', "line 1, column 1: rule option 'base' cannot stand here: a game file lists"),
        ('[RuleOptions "max_plies=0"]', "line 1, column 1: rule set 'custom': max_plies must be from 1"),
        ('[RuleOptions "max_plies=many"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "max_plies"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "max_plies=9999999999"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "man_moves_are_quiet=1"]', "rule option 'man_moves_are_quiet': expected true or false"),
        ('[Resigned "Red"]', "line 1, column 1: [Resigned] must be one of black, white, not 'Red'"),
        ('[Resigned "White"]\n[Result "0-1"]', "line 2, column 1: result 0-1 says that white won, but black won"),
        ('[FEN "B:W18:B"]\n[Resigned "White"]', "line 2, column 1: a resignation, but the game is over: no legal move"),
        ("[Event 'x']", "line 1, column 1: expected a tag like"),
        ('[Event "x"', "line 1, column 1: expected a tag like"),
        ('[Ev ent "x"]', "line 1, column 1: expected a tag like"),
    ],
)
def test_headers_that_cannot_be_read(tags: str, complaint: str) -> None:
    message = error_of(f"{tags}\n\n*\n")
    assert complaint in message, message


def test_the_same_tag_twice_is_no_harm() -> None:
    assert one('[Result "1-0"]\n[Result "1-0"]\n[Event "a"]\n[Event "a"]\n[Event "b"]\n*').tags == {"event": "a; b"}


# Hostile files


@few
@given(st.data())
def test_nothing_a_file_holds_gets_past_as_another_error(data: st.DataObject) -> None:
    remarks = {2: "so"}
    text = gamefile.write_all(
        replace(GameRecord.of(played(WCDF, seed, 12), comments=remarks), variations={3: (Line(marks={0: ("!",)}),)})
        if seed
        else GameRecord.of(played(PAPER, seed, 12, "W:W21-32:B1-12"), start="W:W21-32:B1-12")
        for seed in range(2)
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at, cut = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(st.text('[]{}()"\\;%$!?*.-x:/01259 \n\x00é', max_size=6)) + text[at + cut :]
    records, errors = gamefile.read_all(text)
    for error in errors:
        assert re.match(r"line [1-9]\d*, column [1-9]\d*: ", str(error))
        assert str(error).isprintable()
    for record in records:
        comes_back(record)


LARGE = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * LARGE,
        "1. 11-15 " + "(11-15 " * LARGE,
        ")" * LARGE,
        "{" * LARGE,
        "{ " * LARGE + "}",
        '{\n[A "x"]\n' * (LARGE // 20),
        '{\n[A "x"]\n' * (LARGE // 20) + "}*",
        "{" + '\n[A "x"]' * LARGE + "}*",
        '{\n[A "{"]' + '\n[A "x"]' * LARGE + "}*",
        ('{\n[A "x"]}' + " " * 100) * (LARGE // 20) + "*",
        "[" * LARGE,
        '[A "' * LARGE,
        '[A "\n' * LARGE,
        '[A "x"] ' * LARGE,
        '[A "' + '\\"' * LARGE,
        '[A "' + '" ' * LARGE,
        '[A "x"]\n\n' * (LARGE // 20),
        "1" * LARGE,
        "1-" * LARGE,
        "1 " * LARGE,
        "1" + " " * LARGE + "-",
        "1\n" * LARGE,
        "1." * LARGE,
        "." * LARGE,
        "!" * LARGE,
        "(!" * LARGE,
        "$1 " * LARGE,
        "* " * LARGE,
        "*{}" * LARGE,
        "{" + " " * LARGE + "\n" + " " * LARGE + "x}*",
        "{" + " \t" * LARGE + "x}*",
        "{%" + "%25" * LARGE + "}*",
        "\x00" * LARGE,
        "\n" * LARGE + "x",
        "x\n" * (LARGE // 20),
        "* x " * (LARGE // 20),
        "1. 11-15 " + "(11-16) " * (LARGE // 40),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_hostile_files_take_no_longer_than_their_length(text: str) -> None:
    began = time.process_time()
    records, errors = gamefile.read_all(text)
    assert time.process_time() - began < 8
    assert all(len(str(error)) <= tagfile.LONGEST_MESSAGE for error in errors)
    assert records or errors or text[-1] == "}"  # a lone comment is no game


def test_a_file_too_large_is_not_looked_at() -> None:
    with pytest.raises(GameFileError, match="more than 16777216 characters"):
        gamefile.read_all(" " * (tagfile.MAX_CHARACTERS + 1))


def test_the_depth_of_variations_is_bounded() -> None:
    nested = "1. 11-15 " + "(11-15 " * MAX_DEPTH + ")" * MAX_DEPTH
    assert len(one(nested).variations) == 1
    deeper = "1. 11-15 " + "(11-15 " * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1)
    assert error_of(deeper) == f"line 1, column {10 + 7 * MAX_DEPTH}: variations are nested more than {MAX_DEPTH} deep"

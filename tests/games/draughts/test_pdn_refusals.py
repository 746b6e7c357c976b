"""PDN that cannot be read: refused with the place of the fault, in time proportional to the file."""

from dataclasses import replace

import pytest
from game_files import few
from hypothesis import given
from hypothesis import strategies as st
from pdn_games import PAPER, checks, error_of, one, played
from sizes import size

from boardwright.games.draughts import gamefile
from boardwright.games.draughts.rules import WCDF
from boardwright.games.record import GameRecord, Line
from boardwright.games.tagfile import MAX_DEPTH


def test_errors_name_their_place() -> None:
    _, errors = gamefile.read_all("\n1. 11-14 * 1. 11-13 *\n\n  x")
    assert [str(error).partition(": ")[0] for error in errors] == [
        "line 2, column 4",
        "line 2, column 15",
        "line 4, column 3",
    ]


def test_identical_tags_are_accepted_twice() -> None:
    assert one('[Result "1-0"]\n[Result "1-0"]\n[Event "a"]\n[Event "a"]\n[Event "b"]\n*').tags == {"event": "a; b"}


# Hostile files


@few
@given(st.data())
def test_damaged_files_raise_only_game_file_errors(data: st.DataObject) -> None:
    remarks = {2: "so"}
    text = gamefile.write_all(
        replace(GameRecord.of(played(WCDF, seed, 12), comments=remarks), variations={3: (Line(marks={0: ("!",)}),)})
        if seed
        else GameRecord.of(played(PAPER, seed, 12, "W:W21-32:B1-12"), start="W:W21-32:B1-12")
        for seed in range(2)
    )
    checks.survives_damage(data, text, '[]{}()"\\;%$!?*.-x:/01259 \n\x00é')


LARGE = size(20_000, full=100_000)


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
def test_hostile_files_are_read_in_linear_time(text: str) -> None:
    checks.is_read_in_time(text)


def test_the_depth_of_variations_is_bounded() -> None:
    nested = "1. 11-15 " + "(11-15 " * MAX_DEPTH + ")" * MAX_DEPTH
    assert len(one(nested).variations) == 1
    deeper = "1. 11-15 " + "(11-15 " * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1)
    assert error_of(deeper) == f"line 1, column {10 + 7 * MAX_DEPTH}: variations are nested more than {MAX_DEPTH} deep"

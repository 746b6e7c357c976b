"""Where games begin: random moves, lists, files, and what is wrong with a file."""

from itertools import islice
from pathlib import Path

import pytest

import boardwright
from boardwright.arena.openings import Beginning, beginnings, identity
from boardwright.errors import BoardwrightError

DRAUGHTS = boardwright.game("draughts")


@pytest.mark.parametrize("name", boardwright.game_names())
@pytest.mark.parametrize("moves", [1, 3])
def test_random_openings_are_whole_moves_of_unfinished_games(name: str, moves: int) -> None:
    for rules in boardwright.game(name).rule_sets():
        game = boardwright.game(name, rules)
        drawn = list(islice(beginnings(game, f"random:{moves}", seed=5), 30))
        for beginning in drawn:
            position = beginning.position(game)
            assert position.outcome is None
            assert not position.core.continues
            assert moves <= position.plies <= moves + 1  # chance may have moved before
        assert drawn == list(islice(beginnings(game, f"random:{moves}", seed=5), 30))
        assert drawn != list(islice(beginnings(game, f"random:{moves}", seed=6), 30))
        if moves == 3:
            assert len(set(drawn)) == 30


def test_random_openings_repeat_once_there_are_no_more() -> None:
    drawn = list(islice(beginnings(DRAUGHTS, "random:1", seed=0), 20))
    assert len(set(drawn[:7])) == 7 == len(set(drawn))


def test_seed_determines_the_order_of_ballots() -> None:
    crossboard = DRAUGHTS.openings("crossboard")
    drawn = list(islice(beginnings(DRAUGHTS, "ballots:crossboard", seed=1), len(crossboard)))
    texts = [beginning.position(DRAUGHTS).text for beginning in drawn]
    assert texts != [opening.position for opening in crossboard]
    assert sorted(texts) == sorted(opening.position for opening in crossboard)
    assert all(len(beginning.actions) == 3 for beginning in drawn)


def test_a_file_holds_positions_and_moves(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two openings\n11-15 23-19\n\nB:W21,22:B1,K5   # an endgame\n")
    taken = list(islice(beginnings(DRAUGHTS, str(path), seed=0), 3))
    assert [beginning.position(DRAUGHTS).plies for beginning in taken] == [2, 0, 2]
    assert taken[1] == Beginning("B:W21,22:B1,K5")
    assert identity(DRAUGHTS, str(path)) == "11-15 23-19\nB:W21,22:B1,K5"
    cathedral = boardwright.game("cathedral", "official")
    moves = []
    position = cathedral.start()
    for _ in range(4):
        moves.append(position.moves()[3])
        position = position.play(moves[-1])
    path.write_text(" ".join(moves))
    (opening,) = islice(beginnings(cathedral, str(path), seed=0), 1)
    assert opening.position(cathedral).text == position.text


BAD_FILES = {
    "": "is empty",
    "11-15\n11-15 11-15": "line 2: ply 2: move '11-15'",
    "B:W21:B99": "line 1: position 'B:W21:B99'",
    "B:W21:B": "line 1: the game is over",
}


@pytest.mark.parametrize(("text", "complaint"), BAD_FILES.items())
def test_wrong_openings_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(BoardwrightError, match=complaint):
        identity(DRAUGHTS, str(path))


@pytest.mark.parametrize(
    "source",
    [
        "random:",
        "random:0",
        "random:x",
        "random:101",
        f"random:000000001{'9' * 5000}",
        "no/such/file",
        "",
        "ballots:none",
    ],
)
def test_bad_sources(source: str) -> None:
    with pytest.raises(BoardwrightError):
        identity(DRAUGHTS, source)


def test_game_without_an_opening_list_is_refused() -> None:
    with pytest.raises(BoardwrightError, match="no list of openings"):
        identity(boardwright.game("tablut"), "ballots")

import itertools
import random
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardwright
from boardwright.games.tablut import board as b
from boardwright.games.tablut import notation
from boardwright.games.tablut.rules import RULE_SETS

ZERO = boardwright.game("tablut", rules="tablutzero")


def random_line(game, seed, plies):
    """Positions of a random game, the start first."""
    choose = random.Random(seed)
    line = [game.start()]
    while len(line) <= plies and line[-1].outcome is None:
        line.append(line[-1].play(choose.choice(line[-1].legal_actions())))
    return line


def board_in(text):
    """[81] board read off the terminal picture: rank names in front, a letter in the middle of three."""
    board = np.zeros(b.SQUARES, np.int8)
    for line in text.splitlines():
        if line[:1] in tuple("123456789"):
            for column in range(b.SIZE):
                letter = line.ljust(29)[3 + 3 * column]
                piece = b.LETTERS.find(letter)
                board[b.square_number("abcdefghi"[column] + line[0])] = max(piece, 0)
    return board


def marks(position, kind):
    return [b.square_name(r * b.SIZE + c) for r, c in (m.cell for m in ZERO.scene(position).marks if m.kind == kind)]


@given(st.sampled_from(sorted(RULE_SETS)), st.integers(0, 2**32), st.integers(0, 60))
def test_terminal_picture_reads_back_to_the_board(rules, seed, plies):
    position = random_line(boardwright.game("tablut", rules=rules), seed, plies)[-1]
    assert b.board_text(board_in(str(position))) == position.text.split()[0]


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_svg_shows_every_piece(seed, plies):
    position = random_line(ZERO, seed, plies)[-1]
    pieces = Counter(
        (element.get("data-piece"), element.get("data-role"))
        for element in ET.fromstring(position._repr_svg_()).iter()
        if element.get("data-piece")
    )
    board = board_in(str(position))
    expected = {("man", "0"): b.ATTACKER, ("man", "1"): b.DEFENDER, ("king", "1"): b.KING}
    assert pieces == Counter({kind: int((board == piece).sum()) for kind, piece in expected.items()})


@given(st.integers(0, 2**32))
def test_last_move_is_marked_with_its_captures(seed):
    line = random_line(ZERO, seed, 60)
    for before, after in itertools.pairwise(line):
        text = before.action_text(after.actions()[-1])
        action, captures = notation.parse_move(text)
        squares = b.decode_action(action)
        assert squares is not None
        assert marks(after, "from") + marks(after, "to") == [b.square_name(square) for square in squares]
        assert marks(after, "captured") == sorted(
            (b.square_name(square) for square in captures or ()), key=b.square_number
        )


def test_a_position_without_a_past_has_no_last_move():
    later = ZERO.start().play("d9-b9")
    assert ZERO.scene(ZERO.start()).marks == ()
    assert ZERO.scene(ZERO.position(later.text)).marks == ()


def test_captures_after_a_position_from_text_are_marked():
    position = ZERO.position("/9/9/9/4K4/9/9/2t6/2T6/1t7/ a").play("b9-c9")
    assert marks(position, "captured") == ["c8"]
    assert "8  .  . {.}" in str(position)


@pytest.mark.parametrize(
    ("text", "caption", "to_move"),
    [
        ("/9/9/9/4K4/9/9/9/9/1t7/ a", "Attackers to move", 0),
        ("/9/9/9/4K4/9/9/9/9/1t7/ d", "Defenders to move", 1),
    ],
)
def test_caption_says_who_is_to_move(text, caption, to_move):
    scene = ZERO.scene(ZERO.position(text))
    assert (scene.caption, scene.to_move) == (caption, to_move)


def test_caption_says_how_the_game_ended():
    won = ZERO.position("/1K7/9/9/9/9/9/9/9/1t7/ d").play("b1-a1")
    scene = ZERO.scene(won)
    assert (scene.caption, scene.to_move) == ("Defenders win: king escaped", None)


def test_caption_says_draw():
    start = boardwright.game("tablut", rules={"base": "tablutzero", "max_plies": 1}).start()
    drawn = start.play("d9-b9")
    assert drawn.game.scene(drawn).caption == "Draw: ply limit"


def test_only_squares_with_their_own_rules_are_tinted():
    def tinted(rules, tint):
        game = boardwright.game("tablut", rules=rules)
        tints = game.scene(game.start()).tints
        return {b.square_name(r * b.SIZE + c) for (r, c), name in tints.items() if name == tint}

    assert tinted("tablutzero", "special") == {"e5", "a1", "a9", "i1", "i9"}
    assert tinted("saami", "special") == {"e5"}
    assert tinted("tablutzero", "camp") == set()
    camps = {"base": "saami", "camps": [["d9", "e9", "f9", "e8"], ["d1", "e1", "f1", "e2"]]}
    assert tinted(camps, "camp") == {"d9", "e9", "f9", "e8", "d1", "e1", "f1", "e2"}

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardwright.views import terminal
from boardwright.views.scene import Arrow, Mark, Piece, Polyomino, Scene, Tray


def board_lines(scene):
    return terminal.render(scene).splitlines()[: scene.rows]


@st.composite
def boards(draw):
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    cells = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    letters = draw(st.dictionaries(cells, st.sampled_from("tTKbBwW")))
    kinds = st.sampled_from(["from", "to", "captured", "highlight"])
    tints = st.sampled_from(["plain", "dark", "special", "camp", "territory-0", "territory-1"])
    return Scene(
        rows=rows,
        columns=columns,
        tints=draw(st.dictionaries(cells, tints)),
        pieces=tuple(Piece(cell, draw(st.sampled_from([0, 1, None])), letter) for cell, letter in letters.items()),
        marks=tuple(draw(st.lists(st.builds(Mark, cells, kinds), max_size=4))),
        cell_labels=draw(st.dictionaries(cells, st.integers(1, 50).map(str), max_size=10)),
    )


@given(boards())
def test_every_letter_is_in_its_column(scene):
    width = 2 + max((len(label) for label in scene.cell_labels.values()), default=1)
    lines = board_lines(scene)
    pieces = {piece.cell: piece.letter for piece in scene.pieces}
    for row, column in scene.cells():
        cell = lines[row].ljust(width * scene.columns)[width * column :][1 : width - 1].strip()
        if (row, column) in pieces:
            assert cell == pieces[row, column]
        elif (row, column) in scene.cell_labels:
            assert cell == scene.cell_labels[row, column]
        else:
            assert cell in set(".:+^-=")


@given(boards())
def test_colour_only_adds_escapes(scene):
    plain, coloured = terminal.render(scene), terminal.render(scene, colour=True)
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "\x1b" not in plain + stripped
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()
    assert coloured.count("\x1b[0m") == scene.rows * scene.columns


@given(st.text(min_size=1), st.text(min_size=1))
def test_control_characters_in_texts_are_removed(title, caption):
    text = terminal.render(Scene(rows=1, columns=1, title=title, caption=caption))
    assert text.count("\n") == 4
    assert text.replace("\n", "").isprintable()


@pytest.mark.parametrize(("kind", "shown"), [("from", "(.)"), ("to", "[.]"), ("captured", "{.}"), ("highlight", "<.>")])
def test_marks_are_brackets(kind, shown):
    assert terminal.render(Scene(rows=1, columns=3, marks=(Mark((0, 1), kind),))) == f" . {shown} ."


def test_last_move_has_priority_over_other_marks():
    marks = (Mark((0, 0), "to"), Mark((0, 0), "highlight"), Mark((0, 0), "from"))
    assert terminal.render(Scene(rows=1, columns=1, marks=marks)) == "[.]"


def test_coordinates_line_up_with_the_cells():
    piece = Piece((0, 2), 0, "t")
    scene = Scene(rows=2, columns=3, row_names=("10", "9"), column_names=("a", "bb", "c"), pieces=(piece,))
    upper, lower, names = terminal.render(scene).splitlines()
    assert upper.startswith("10 ")
    assert lower.startswith(" 9 ")
    assert names.index("c") == upper.index("t")


def test_polyominoes_and_hands_are_letters():
    corner = frozenset({(0, 0), (1, 0), (1, 1)})
    scene = Scene(
        rows=2,
        columns=2,
        polyominoes=(Polyomino(corner, 0, "L"),),
        trays=(Tray(0, "Dark", (Polyomino(corner, 0, "L"), Polyomino(corner, 0, "M"))), Tray(1, "Light", ())),
    )
    assert terminal.render(scene).split("\n") == [" L  .", " L  L", "", "Dark: L M", "", "Light: nothing"]


def test_arrows_are_listed_strongest_first():
    scene = Scene(
        rows=1,
        columns=3,
        row_names=("1",),
        column_names=("a", "b", "c"),
        arrows=(Arrow((0, 0), (0, 1), 0.25), Arrow((0, 2), (0, 1), 0.75)),
    )
    assert terminal.render(scene).splitlines()[-1] == "c1-b1 0.75  a1-b1 0.25"

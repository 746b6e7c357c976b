import math
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardwright.errors import UnknownNameError
from boardwright.views import svg
from boardwright.views.scene import Arrow, Mark, Piece, Polyomino, Scene, Tray, one_line

SVG = "{http://www.w3.org/2000/svg}"
L_SHAPE = frozenset({(0, 0), (1, 0), (1, 1)})


def parse(scene):
    return ET.fromstring(svg.render(scene))


def view_box(root):
    return [float(number) for number in root.get("viewBox").split()]


def elements(element, origin=(0.0, 0.0)):
    """Every element with the origin of its coordinates in the document, following translations."""
    shift = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    if shift:
        origin = (origin[0] + float(shift[1]), origin[1] + float(shift[2]))
    yield element, origin
    for child in element:
        yield from elements(child, origin)


def shown(root, attribute):
    return [(element, origin) for element, origin in elements(root) if element.get(attribute) is not None]


@st.composite
def scenes(draw):
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    cells = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    tints = st.sampled_from(["plain", "dark", "special", "camp", "territory-0", "territory-1"])
    kinds = st.sampled_from(["man", "king"])
    marks = st.builds(Mark, cells, st.sampled_from(["from", "to", "captured", "highlight"]))
    roles = st.sampled_from([0, 1, None])
    occupied = draw(st.dictionaries(cells, st.tuples(roles, kinds), max_size=20))
    hand = st.lists(st.builds(Polyomino, st.just(L_SHAPE), roles, st.just("L")), max_size=30).map(tuple)
    return Scene(
        rows=rows,
        columns=columns,
        title=draw(st.sampled_from(["", "Title"])),
        caption=draw(st.sampled_from(["", "Caption"])),
        to_move=draw(roles),
        row_names=draw(st.sampled_from([(), ("1",) * rows])),
        column_names=draw(st.sampled_from([(), ("a",) * columns])),
        tints=draw(st.dictionaries(cells, tints)),
        cell_labels=draw(st.dictionaries(cells, st.just("12"))),
        pieces=tuple(Piece(cell, role, "x", kind) for cell, (role, kind) in occupied.items()),
        marks=tuple(draw(st.lists(marks, max_size=5))),
        trays=tuple(draw(st.lists(st.builds(Tray, roles, st.just("Hand"), hand), max_size=2))),
    )


@given(scenes())
def test_cells_are_drawn_once_inside_the_view_box(scene):
    root = parse(scene)
    _, _, width, height = view_box(root)
    drawn = Counter()
    for rect, (x, y) in shown(root, "data-cell"):
        left, top = x + float(rect.get("x")), y + float(rect.get("y"))
        assert 0 <= left < left + float(rect.get("width")) <= width
        assert 0 <= top < top + float(rect.get("height")) <= height
        drawn[tuple(int(number) for number in rect.get("data-cell").split(","))] += 1
    assert drawn == Counter(scene.cells())


@given(scenes())
def test_every_piece_is_drawn_in_the_middle_of_its_cell(scene):
    root = parse(scene)
    middles = {}
    for rect, (x, y) in shown(root, "data-cell"):
        row, column = (int(number) for number in rect.get("data-cell").split(","))
        half = float(rect.get("width")) / 2
        middles[row, column] = (x + float(rect.get("x")) + half, y + float(rect.get("y")) + half)
    drawn = {(origin, g.get("data-piece"), g.get("data-role")) for g, origin in shown(root, "data-piece")}
    roles = {0: "0", 1: "1", None: "none"}
    assert drawn == {(middles[piece.cell], piece.kind, roles[piece.role]) for piece in scene.pieces}


@given(scenes())
def test_hands_are_inside_the_view_box(scene):
    root = parse(scene)
    _, _, width, height = view_box(root)
    blocks = shown(root, "data-polyomino")
    assert len(blocks) == sum(len(tray.polyominoes) for tray in scene.trays)
    assert len({origin for _, origin in blocks}) == len(blocks)
    for _, (x, y) in blocks:
        assert 0 <= x < width - 30
        assert 0 <= y < height - 30


@given(st.text(), st.text())
def test_texts_are_escaped(title, caption):
    root = parse(Scene(rows=2, columns=2, title=title, caption=caption))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts == [one_line(text) for text in (title, caption) if text]


def test_markup_in_a_caption_stays_text():
    root = parse(Scene(rows=1, columns=1, caption="</text><script>&amp;'\""))
    assert not list(root.iter(f"{SVG}script"))
    assert [element.text for element in root.iter(f"{SVG}text")] == ["</text><script>&amp;'\""]


@given(scenes())
def test_document_is_self_contained_and_deterministic(scene):
    text = svg.render(scene)
    root = ET.fromstring(text)
    assert text == svg.render(scene)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert [float(root.get(side, "")) for side in ("width", "height")] == view_box(root)[2:]
    assert root[0].tag == f"{SVG}title"
    assert root[0].text
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {"svg", "title", "g", "rect", "circle", "path", "text"}
        assert not {"id", "href", "class", "style"} & set(element.keys())
        assert not any("url(" in value for value in element.attrib.values())


@pytest.mark.parametrize(("target", "angle"), [((2, 4), 0), ((4, 2), 90), ((2, 0), 180), ((0, 2), -90), ((3, 3), 45)])
def test_arrows_point_at_their_target(target, angle):
    root = parse(Scene(rows=5, columns=5, arrows=(Arrow((2, 2), target, 0.5),)))
    [(arrow, _)] = shown(root, "data-arrow")
    turned = re.search(r"rotate\((\S+)\)", arrow.get("transform", ""))
    assert turned is not None
    assert float(turned[1]) == angle
    reach = max(float(number) for number in re.findall(r"[ML](\S+) ", arrow.get("d", "")))
    assert 0.5 < reach / (48 * math.dist((2, 2), target)) <= 1


def test_stronger_arrows_are_more_visible():
    arrows = tuple(Arrow((0, 0), (0, column), column / 3) for column in (3, 1, 2))
    opacities = [
        float(a.get("opacity", "")) for a, _ in shown(parse(Scene(rows=1, columns=4, arrows=arrows)), "data-arrow")
    ]
    assert opacities == sorted(opacities)
    assert len(set(opacities)) == 3


def test_a_polyomino_is_one_element_of_its_role():
    scene = Scene(
        rows=3, columns=3, polyominoes=(Polyomino(L_SHAPE, 1, "L"), Polyomino(frozenset({(2, 2)}), None, "o"))
    )
    drawn = [(g.get("data-polyomino"), g.get("data-role")) for g, _ in shown(parse(scene), "data-polyomino")]
    assert drawn == [("L", "1"), ("o", "none")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"pieces": (Piece((0, 0), 0, "x", "queen"),)}, "piece kind 'queen'"),  # pyright: ignore[reportArgumentType]
        ({"tints": {(0, 0): "campp"}}, "did you mean 'camp'"),
        ({"marks": (Mark((0, 0), "gone"),)}, "mark 'gone'"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_unknown_styles_are_refused(content, message):
    with pytest.raises(UnknownNameError, match=message):
        Scene(rows=2, columns=2, **content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"pieces": (Piece((2, 0), 0, "x"),)}, r"cell \(2, 0\) is not on a board"),
        ({"marks": (Mark((0, -1), "to"),)}, r"cell \(0, -1\) is not on a board"),
        ({"pieces": (Piece((0, 0), 0, "x"),), "polyominoes": (Polyomino(L_SHAPE, 0, "L"),)}, "two pieces"),
        ({"pieces": (Piece((0, 0), 2, "x"),)}, "role 2"),
        ({"pieces": (Piece((0, 0), 0, "xy"),)}, "cannot stand for a piece"),
        ({"polyominoes": (Polyomino(frozenset(), 0, "L"),)}, "at least one cell"),
        ({"trays": (Tray(0, "Hand", (Polyomino(frozenset({(0, -1)}), 0, "L"),)),)}, "own corner"),
        ({"row_names": ("1",)}, "1 row names for 2 rows"),
        ({"cell_labels": {(0, 0): "\t"}}, "cannot label a board"),
        ({"arrows": (Arrow((0, 0), (0, 0)),)}, "another cell"),
        ({"arrows": (Arrow((0, 0), (0, 1), 1.5),)}, "strength"),
        ({"to_move": -1}, "to_move -1"),
    ],
)
def test_scenes_that_cannot_be_drawn_are_refused(content, message):
    with pytest.raises(ValueError, match=message):
        Scene(rows=2, columns=2, **content)

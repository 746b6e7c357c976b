"""Scenes as SVG: one standalone document for a notebook, a report or a web page.

The document refers to nothing, not even to parts of itself (no ids, no styles, no gradients), so any
number of pictures can share a page without affecting each other; depth comes from layered shapes.
The same scene always gives the same text. Elements carry `data-` attributes that say what they show.
"""

import math
import tomllib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from boardwright.views.scene import Arrow, Cell, Piece, Polyomino, Role, Scene, Tint, one_line

CELL = 48  # pixels, as all lengths
_BORDER, _TITLE, _CAPTION, _TRAYS = 28, 40, 28, 220  # around the board; above, below and to the right
_TRAY_CELL = 15

_WALNUT, _WALNUT_EDGE, _GROOVE = "#4b3021", "#34200f", "#2a190d"
_CREAM, _CREAM_FAINT = "#f3e3c3", "#cdb48c"
_FELT = "#8d6e4d"
_GRID, _INLAY = "#7c4f26", "#8f5a2a"
_FLOOR: dict[Tint, str] = {
    "plain": "#e6c592",
    "dark": "#a9713f",
    "special": "#d6a767",
    "camp": "#cfae8d",
    "territory-0": "#a98763",
    "territory-1": "#f5e7c8",
}
# Of a piece: its side wall, its body and its lit middle.
_WOOD: dict[Role, tuple[str, str, str]] = {
    0: ("#170d07", "#33231a", "#4a362a"),
    1: ("#a07c48", "#f1e2c2", "#fdf5e2"),
    None: ("#55504a", "#948b80", "#aba297"),
}
_FILE = Path(__file__).with_name("drawings.toml")
_DRAWINGS = {name: text.replace("\n", "") for name, text in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}


def render(scene: Scene, board: Iterable[str] | None = None) -> str:
    """The scene as a complete SVG document; `board` replaces the elements of its board, from the upper left corner."""
    left, top = _BORDER, _TITLE if scene.title else _BORDER
    right, bottom = left + scene.columns * CELL, top + scene.rows * CELL
    trays, trays_bottom = _trays(scene, right + _BORDER, top)
    width = right + _BORDER + (_TRAYS + _BORDER if scene.trays else 0)
    height = max(bottom, trays_bottom) + _BORDER + (_CAPTION if scene.caption else 0)
    parts = [
        _tag("title", escape(one_line(scene.title or scene.caption or "board"))),
        _tag("rect", width=width, height=height, rx=12, fill=_WALNUT_EDGE),
        _tag("rect", x=1.5, y=1.5, width=width - 3, height=height - 3, rx=10.5, fill=_WALNUT),
        _text(scene.title, width / 2, 26, 18, _CREAM, width - 32),
        *(
            _text(name, left / 2 - 1, top + (row + 0.5) * CELL + 4.5, 13, _CREAM_FAINT, left - 8)
            for row, name in enumerate(scene.row_names)
        ),
        *(
            _text(name, left + (column + 0.5) * CELL, bottom + 19, 13, _CREAM_FAINT, CELL - 4)
            for column, name in enumerate(scene.column_names)
        ),
        _tag(
            "g",
            *(chain.from_iterable(board_layers(scene)) if board is None else board),
            transform=f"translate({_number(left)} {_number(top)})",
        ),
        *trays,
    ]
    x = 28 if scene.to_move is None else 42
    if scene.caption and scene.to_move is not None:  # a disc in the colour of the role to move
        fill = _WOOD[scene.to_move][1]
        parts.append(_tag("circle", cx=28, cy=height - 22, r=7, fill=fill, stroke=_CREAM_FAINT, stroke_width=1.5))
    parts.append(_text(scene.caption, x, height - 17, 15, _CREAM, width - x - 16, anchor="start"))
    return _tag(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=one_line(". ".join(filter(None, (scene.title, scene.caption))) or "board"),
        width=width,
        height=height,
        viewBox=f"0 0 {_number(width)} {_number(height)}",
    )


def board_layers(scene: Scene) -> Iterator[list[str]]:
    """Everything on the board, bottom layer first; the origin is its upper left corner."""
    width, height = scene.columns * CELL, scene.rows * CELL
    yield [_tag("rect", x=-4, y=-4, width=width + 8, height=height + 8, rx=3, fill=_GROOVE)]
    yield [part for cell in scene.cells() for part in _floor(scene, cell)]
    lines = [f"M{CELL * column} 0V{height}" for column in range(scene.columns + 1)]
    lines += [f"M0 {CELL * row}H{width}" for row in range(scene.rows + 1)]
    grid = {"stroke": _GRID, "stroke_width": 1, "stroke_opacity": 0.55, "stroke_linecap": "square"}
    yield [*_grain(scene), _tag("path", d="".join(lines), **grid)]
    yield [_tag("g", _DRAWINGS[mark.kind], **_at(mark.cell), data_mark=mark.kind) for mark in scene.marks]
    yield [_polyomino(polyomino, CELL, 0, 0) for polyomino in scene.polyominoes]
    yield [
        _tag("g", *_piece(piece), **_at(piece.cell), data_piece=piece.kind, data_role=piece.role)
        for piece in scene.pieces
    ]
    yield [_arrow(arrow) for arrow in sorted(scene.arrows, key=lambda arrow: arrow.strength)]


def _floor(scene: Scene, cell: Cell) -> Iterator[str]:
    """One cell of the bare board."""
    tint = scene.tints.get(cell, "plain")
    x, y = cell[1] * CELL, cell[0] * CELL
    place = {"x": x, "y": y, "width": CELL, "height": CELL}
    yield _tag("rect", **place, fill=_FLOOR[tint], data_cell=f"{cell[0]},{cell[1]}", data_tint=tint)
    if tint == "special":
        yield _tag("g", _DRAWINGS["emblem"], **_at(cell))
    if tint == "camp":
        hatch = "".join(f"M{x + start} {y + CELL}L{x + CELL} {y + start}" for start in (8, 24, 40))
        hatch += "".join(f"M{x} {y + end}L{x + end} {y}" for end in (8, 24, 40))
        yield _tag("path", d=hatch, stroke="#6b4a35", stroke_opacity=0.28, stroke_width=1.5)
    if cell in scene.cell_labels:
        ink = _CREAM if tint == "dark" else _INLAY
        yield _text(scene.cell_labels[cell], x + 2.5, y + 9, 9, ink, CELL - 8, anchor="start")


def _grain(scene: Scene) -> Iterator[str]:
    """Fibres and shades of wood, so that no two neighbouring cells look quite the same."""
    fibres, shades = "", [""] * 4
    for row, column in scene.cells():
        x, y, seed = column * CELL, row * CELL, (row * 7 + column * 11) % 13
        shades[seed % 4] += f"M{x} {y}h{CELL}v{CELL}h-{CELL}z"
        for line in range(3):
            start, bend = 7 + (seed * 5 + line * 15) % 34, (seed + line * 5) % 7 - 3
            fibres += f"M{x} {y + start}q12 {bend} 24 {_number(bend / 2)}t24 {_number(-bend / 2)}"
    for depth, shade in enumerate(shades):
        yield _tag("path", d=shade, fill="#6b3a10", fill_opacity=depth * 0.03)
    yield _tag("path", d=fibres, fill="none", stroke="#6b3a10", stroke_opacity=0.1)


def _piece(piece: Piece) -> Iterator[str]:
    """A turned wooden disc, lit from the upper left; a king is larger and wears a crown."""
    wall, body, lit = _WOOD[piece.role]
    radius = 19.5 if piece.kind == "king" else 17.5
    for spread, opacity in ((3, 0.09), (1.5, 0.13), (0, 0.2)):
        yield _tag("circle", cx=1, cy=2.5, r=radius + spread, fill="#000000", fill_opacity=opacity)
    yield _tag("circle", r=radius, fill=wall)
    yield _tag("circle", cy=-0.8, r=radius - 1.2, fill=body)
    for shrink, shift in ((3.2, 0.4), (7, 1.6)):
        yield _tag("circle", cx=-shift, cy=-0.8 - shift, r=radius - shrink, fill=lit, fill_opacity=0.55)
    yield _tag("circle", cy=-0.8, r=radius - 4.6, fill="none", stroke=wall, stroke_width=1, stroke_opacity=0.45)
    if piece.kind == "king":
        yield _DRAWINGS["crown"]


def _polyomino(polyomino: Polyomino, cell: float, x: float, y: float) -> str:
    """One solid block with its corner at (x, y), seamed where its cells meet."""
    wall, body, lit = _WOOD[polyomino.role]
    shape, seams = _strokes(polyomino.cells, cell)
    lowered = f"translate(0 {_number(cell * 0.05)})"
    layers = (
        _tag("path", d=shape, stroke="#000000", stroke_opacity=0.35, stroke_width=cell * 0.9, transform=lowered),
        _tag("path", d=shape, stroke=wall, stroke_width=cell * 0.87),
        _tag("path", d=shape, stroke=body, stroke_width=cell * 0.79),
        _tag("path", d=shape, stroke=lit, stroke_width=cell * 0.67),
        _tag("path", d=seams, stroke=wall, stroke_width=cell / 48, stroke_opacity=0.5),
    )
    where = f"translate({_number(x)} {_number(y)})"
    look = {"fill": "none", "stroke_linecap": "square", "data_polyomino": polyomino.letter}
    return _tag("g", *layers, transform=where, data_role=polyomino.role, **look)


def _strokes(cells: frozenset[Cell], size: float) -> tuple[str, str]:
    """Paths of a block's body, to be stroked nearly as wide as a cell, and of the seams in it.

    Strokes from the middle of each cell to its neighbours' cover the block and leave the same margin all
    around it, for any shape; where four cells meet, one more covers the spot between them.
    """
    shape = seams = ""

    def stroke(x: float, y: float, direction: str, length: float) -> str:
        return f"M{_number(x)} {_number(y)}{direction}{_number(length)}"

    for row, column in sorted(cells):
        x, y, half = (column + 0.5) * size, (row + 0.5) * size, size / 2
        right, below = (row, column + 1) in cells, (row + 1, column) in cells
        shape += stroke(x, y, "h", 0.05)  # a dot of no length is not drawn everywhere
        if right:
            shape += stroke(x, y, "h", size)
            seams += stroke(x + half, y - half / 2, "v", half)
        if below:
            shape += stroke(x, y, "v", size)
            seams += stroke(x - half / 2, y + half, "h", half)
        if right and below and (row + 1, column + 1) in cells:
            shape += stroke(x, y + half, "h", size)
    return shape, seams


def _arrow(arrow: Arrow) -> str:
    """A shaft with a head, from the rim of a piece to just short of the middle of another cell."""
    down, across = arrow.target[0] - arrow.origin[0], arrow.target[1] - arrow.origin[1]
    tip, head, half = CELL * math.hypot(down, across) - 4, 9 + 6 * arrow.strength, 1.5 + 2.5 * arrow.strength
    above = [(15, half), (tip - head, half), (tip - head, 2.4 * half), (tip, 0)]
    outline = above + [(x, -y) for x, y in reversed(above[:-1])]
    where = f"{_at(arrow.origin)['transform']} rotate({_number(math.degrees(math.atan2(down, across)))})"
    look = {"fill": "#17667a", "stroke": _CREAM, "stroke_width": 0.8, "stroke_linejoin": "round"}
    d = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in outline) + "Z"
    return _tag("path", d=d, transform=where, opacity=0.35 + 0.6 * arrow.strength, data_arrow="", **look)


def _trays(scene: Scene, x: float, top: float) -> tuple[list[str], float]:
    """The hands, one below the other on felt, and where they end."""
    parts: list[str] = []
    y = top
    for tray in scene.trays:
        parts.append(_text(tray.name, x, y + 12, 14, _CREAM, _TRAYS, anchor="start"))
        felt = y = y + 20
        blocks: list[str] = []
        across, shelf = 10.0, y + 26
        y += 10
        for polyomino in tray.polyominoes:
            rows, columns = zip(*polyomino.cells, strict=True)
            wide, high = ((max(axis) + 1) * _TRAY_CELL for axis in (columns, rows))
            if across > 10 and across + wide > _TRAYS - 10:
                y, across = shelf, 10.0
            blocks.append(_polyomino(polyomino, _TRAY_CELL, x + across, y))
            across += wide + 10
            shelf = max(shelf, y + high + 10)
        parts += [_tag("rect", x=x, y=felt, width=_TRAYS, height=shelf - felt, rx=4, fill=_FELT), *blocks]
        y = shelf + 16
    return parts, y - 16


def _text(text: str, x: float, y: float, size: float, fill: str, room: float, anchor: str = "middle") -> str:
    """A line of text, set smaller where it might not fit the room."""
    text = one_line(text)
    if not text:
        return ""
    ems = sum(0.6 if letter.isascii() else 1 for letter in text)
    font = {"font_family": "Georgia, 'DejaVu Serif', serif", "font_size": min(size, room / ems)}
    return _tag("text", escape(text), x=x, y=y, fill=fill, text_anchor=anchor, **font)


def _at(cell: Cell) -> dict[str, str]:
    """Attributes that move the origin to the middle of a cell."""
    return {"transform": f"translate({_number((cell[1] + 0.5) * CELL)} {_number((cell[0] + 0.5) * CELL)})"}


def _tag(name: str, *content: str, **attributes: str | float | None) -> str:
    """An element around markup; attribute names are written with _ for -."""
    written = "".join(f" {key.replace('_', '-')}={quoteattr(_number(value))}" for key, value in attributes.items())
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _number(value: str | float | None) -> str:
    """Numbers rounded to a hundredth; text unchanged."""
    if isinstance(value, str):
        return value
    return "none" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")

"""Scenes as text for a terminal, a log or a bug report.

The board itself is plain ASCII, so that it is aligned in every monospace font. A piece is its letter;
an empty cell shows its label or a faint sign for its tint. Brackets show the last move: `(.)` a
piece left, `[t]` it arrived here, `{.}` one was captured, `<.>` look here. Colour adds nothing that is
not in the characters; without its escapes the text is the same.
"""

from boardwright.views.scene import Cell, MarkKind, Role, Scene, Tint, one_line

# The sign of an empty cell, or the brackets of a mark, and the background, as a number of the 256-colour palette.
_TINTS: dict[Tint, tuple[str, int]] = {
    "plain": (".", 137),
    "dark": (":", 94),
    "special": ("+", 95),
    "camp": ("^", 101),
    "territory-0": ("-", 240),
    "territory-1": ("=", 67),
}
# Where a cell has several marks, the first of these is shown.
_MARKS: dict[MarkKind, tuple[str, int]] = {
    "to": ("[]", 172),
    "captured": ("{}", 131),
    "from": ("()", 136),
    "highlight": ("<>", 66),
}
_INK: dict[Role, int] = {0: 16, 1: 231, None: 252}
_FAINT = 235


def render(scene: Scene, colour: bool = False) -> str:
    """The scene as lines of text, without a final line break; `colour` adds ANSI escapes."""
    lines = []
    if scene.title:
        lines += [_style(one_line(scene.title), "1", colour), ""]
    lines += _board(scene, colour)
    for tray in scene.trays:
        hand = " ".join(polyomino.letter for polyomino in tray.polyominoes)
        lines += ["", f"{one_line(tray.name)}: {hand or 'nothing'}"]
    if scene.arrows:
        names = [
            f"{scene.cell_name(arrow.origin)}-{scene.cell_name(arrow.target)} {arrow.strength:.2f}"
            for arrow in sorted(scene.arrows, key=lambda arrow: -arrow.strength)
        ]
        lines += ["", "  ".join(names)]
    if scene.caption:
        lines += ["", one_line(scene.caption)]
    return "\n".join(lines)


def _board(scene: Scene, colour: bool) -> list[str]:
    """The rows of the board, with coordinates to the left and below as in game files."""
    letters = {piece.cell: (piece.letter, piece.role) for piece in scene.pieces}
    for polyomino in scene.polyominoes:
        letters |= dict.fromkeys(polyomino.cells, (polyomino.letter, polyomino.role))
    marks: dict[Cell, MarkKind] = {}
    for kind in reversed(_MARKS):
        marks |= {mark.cell: kind for mark in scene.marks if mark.kind == kind}
    width = max(1, *(len(name) for name in (*scene.cell_labels.values(), *scene.column_names, "")))
    margin = max((len(name) + 1 for name in scene.row_names), default=0)

    lines = []
    for row in range(scene.rows):
        name = f"{scene.row_names[row]:>{margin - 1}} " if scene.row_names else ""
        for cell in ((row, column) for column in range(scene.columns)):
            ground, background = _TINTS[scene.tints.get(cell, "plain")]
            brackets, background = _MARKS[marks[cell]] if cell in marks else ("  ", background)
            text, ink = scene.cell_labels.get(cell, ground), f"38;5;{_FAINT}"
            if cell in letters:
                text, ink = letters[cell][0], f"1;38;5;{_INK[letters[cell][1]]}"
            name += _style(f"{brackets[0]}{text:^{width}}{brackets[1]}", f"48;5;{background};{ink}", colour)
        lines.append(name.rstrip())
    if scene.column_names:
        lines.append((" " * margin + "".join(f" {name:^{width}} " for name in scene.column_names)).rstrip())
    return lines


def _style(text: str, codes: str, colour: bool) -> str:
    return f"\x1b[{codes}m{text}\x1b[0m" if colour else text

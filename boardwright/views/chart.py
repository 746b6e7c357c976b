"""Charts of lines and points as SVG: from numbers to one standalone document, for a report or a web page.

Like pictures of boards (`svg.py`) a chart refers to nothing, not even to parts of itself, and the same data
always gives the same text. Lines carry `data-` attributes that say what they show.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

_INK, _FAINT_INK, _GRID, _PAPER = "#22303a", "#5b6770", "#e3e6e8", "#ffffff"
COLOURS = ("#0b6fa4", "#c8541b", "#2f7d4f", "#8a4fa3", "#b08900", "#3f4a52", "#c0396b", "#2aa198")
DASHES = ("", "7 4", "2 3", "10 3 2 3")
_WIDTH, _HEIGHT = 760, 420  # pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 20, 40, 48  # pixels around the plot; the legend comes on top of it
_LEGEND_LINE, _LETTER = 18, 6.4  # pixels: height of a line of the legend, width of its letters as a rule
_MAX_VALUE = 1e100  # larger numbers are not drawn


@dataclass(frozen=True)
class Line:
    """One line; where y is not finite it has a gap."""

    name: str  # in the legend; lines of one name share an entry
    xs: Sequence[float]  # ascending
    ys: Sequence[float]
    low: Sequence[float] = ()  # with `high`: a band around the line, such as an interval
    high: Sequence[float] = ()
    colour: int = 0  # which of COLOURS, counted round
    dash: int = 0  # which of DASHES, counted round
    faint: bool = False  # behind the others, and not in the legend


@dataclass(frozen=True)
class Points:
    """Points without lines between them."""

    name: str  # in the legend
    xs: Sequence[float]
    ys: Sequence[float]
    colour: str  # as SVG writes it


@dataclass(frozen=True)
class Chart:
    """What to draw."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...] = ()
    points: tuple[Points, ...] = ()
    x_includes: tuple[float, ...] = ()  # values the axes show in any case
    y_includes: tuple[float, ...] = ()


def render(chart: Chart) -> str:
    """The chart as a complete SVG document."""
    shown = (*chart.lines, *chart.points)
    legend, top = _legend(shown)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    xs = [x for part in shown for x, y in zip(part.xs, part.ys, strict=True) if _is_drawn(x, y)]
    ys = [y for part in shown for y in part.ys if _is_drawn(y)]
    ys += [y for line in chart.lines for y in (*line.low, *line.high) if _is_drawn(y)]
    x_axis = _Axis(*_span(xs, chart.x_includes, 0.03 if chart.points else 0.0), _LEFT, right, 8)
    y_axis = _Axis(*_span(ys, chart.y_includes, 0.03), bottom, top, 7)
    middle = 'text-anchor="middle"'
    parts = [
        f"<title>{escape(chart.title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="{_PAPER}"/>',
        f'<text x="{_LEFT}" y="24" font-size="15" font-weight="bold">{escape(chart.title)}</text>',
        *legend,
        *_axes(x_axis, y_axis),
        f'<text x="{(_LEFT + right) / 2:g}" y="{_HEIGHT - 10}" {middle}>{escape(chart.x_label)}</text>',
        f'<text transform="translate(14 {(top + bottom) / 2:g}) rotate(-90)" {middle}>{escape(chart.y_label)}</text>',
        *(part for points in chart.points for part in _points(points, x_axis, y_axis)),
        *(part for line in chart.lines for part in _band(line, x_axis, y_axis)),
        *(
            part
            for line in sorted(chart.lines, key=lambda line: not line.faint)
            for part in _line(line, x_axis, y_axis)
        ),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" font-family="sans-serif" font-size="12" fill="{_INK}">'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def ticks(low: float, high: float, most: int) -> list[float]:
    """A limited number of round values from `low` to `high`, evenly spaced by 1, 2 or 5 times a power of ten."""
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((factor * power for factor in (1, 2, 5) if factor * power >= rough * (1 - 1e-9)), 10 * power)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def short(value: float) -> str:
    """A number as an axis shows it: 0.25, 1,500, 12k, 3.5M, 2G."""
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e-4 or size >= 1e15:
        return f"{value:.3g}"
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit * (1 - 1e-9):
            return f"{value / (1e3 if letter == 'k' else limit):.6g}{letter}"
    return f"{value:,.6g}"


@dataclass(frozen=True)
class _Axis:
    """Values from `low` to `high` on pixels from `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float
    most_ticks: int

    def place(self, value: float) -> float:
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[tuple[float, str]]:
        return [(self.place(value), short(value)) for value in ticks(self.low, self.high, self.most_ticks)]


def _span(values: Iterable[float], includes: Iterable[float], air: float) -> tuple[float, float]:
    """The range of the values plus a margin; never empty."""
    values = [*values, *includes]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        air, low, high = 1.0, low - (abs(low) / 20 or 0.5), high + (abs(high) / 20 or 0.5)
    return low - air * (high - low), high + air * (high - low)


def _is_drawn(*values: float) -> bool:
    """Whether numbers have a place on paper: a loss that ran off to 1e200 does not flatten all others."""
    return all(abs(value) < _MAX_VALUE for value in values)


def _stretches(*columns: Sequence[float]) -> Iterator[list[tuple[float, ...]]]:
    """Points without gaps between them: the rows of the columns whose numbers can all be drawn."""
    rows = zip(*columns, strict=True)
    for drawn, stretch in itertools.groupby(rows, key=lambda row: _is_drawn(*row)):
        if drawn:
            yield list(stretch)


def _thin(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of the points, in pixels, of each half pixel's column the first, lowest, highest and last: it looks the same."""
    kept = []
    for _, column in itertools.groupby(points, key=lambda point: math.floor(2 * point[0])):
        group = list(enumerate(column))
        low, high = min(group, key=lambda item: item[1][1]), max(group, key=lambda item: item[1][1])
        kept += [point for _, point in sorted({group[0], low, high, group[-1]})]
    return kept


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _line(line: Line, x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    colour = COLOURS[line.colour % len(COLOURS)]
    dash = DASHES[line.dash % len(DASHES)]
    style = 'stroke-width="1" stroke-opacity="0.3"' if line.faint else 'stroke-width="1.8" stroke-linejoin="round"'
    style += f' stroke-dasharray="{dash}"' if dash and not line.faint else ""
    paths = []
    for stretch in _stretches(line.xs, line.ys):
        points = _thin([(x_axis.place(x), y_axis.place(y)) for x, y in stretch])
        if len(points) == 1:
            ((x, y),) = points
            opacity = 0.3 if line.faint else 1
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}" fill-opacity="{opacity}"/>'
        else:
            paths.append(_path(points))
    if paths:
        kind = "raw" if line.faint else "line"
        name = f"data-{kind}={quoteattr(line.name)}"
        yield f'<path {name} d="{" ".join(paths)}" fill="none" stroke="{colour}" {style}/>'


def _points(points: Points, x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    """One path of dots, each a line of no length with round ends."""
    places = [(x_axis.place(x), y_axis.place(y)) for x, y in zip(points.xs, points.ys, strict=True) if _is_drawn(x, y)]
    if places:
        dots = " ".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
        style = f'stroke="{points.colour}" stroke-width="4" stroke-linecap="round" stroke-opacity="0.6"'
        yield f'<path data-points={quoteattr(points.name)} d="{dots}" fill="none" {style}/>'


def _band(line: Line, x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    if not line.low:
        return
    colour = COLOURS[line.colour % len(COLOURS)]
    for stretch in _stretches(line.xs, line.low, line.high):
        lower = _thin([(x_axis.place(x), y_axis.place(low)) for x, low, _ in stretch])
        upper = _thin([(x_axis.place(x), y_axis.place(high)) for x, _, high in stretch])
        outline = _path([*lower, *reversed(upper)])
        yield f'<path data-band={quoteattr(line.name)} d="{outline} Z" fill="{colour}" fill-opacity="0.16"/>'


def _axes(x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    left, right, bottom, top = x_axis.begin, x_axis.end, y_axis.begin, y_axis.end
    for y, text in y_axis.ticks():
        yield f'<path d="M{left} {y:.1f} H{right}" stroke="{_GRID}"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{_FAINT_INK}">{text}</text>'
    for x, text in x_axis.ticks():
        yield f'<path d="M{x:.1f} {bottom} v5" stroke="{_FAINT_INK}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="{_FAINT_INK}">{text}</text>'
    yield f'<path d="M{left} {top} V{bottom} H{right}" fill="none" stroke="{_FAINT_INK}"/>'


def _legend(shown: Iterable[Line | Points]) -> tuple[list[str], int]:
    """The entries of the lines and points that are named, and where they end."""
    named = {part.name: part for part in shown if part.name and not (isinstance(part, Line) and part.faint)}
    parts, x, y = [], float(_LEFT), _TOP
    for name, part in named.items():
        needed = 34 + _LETTER * len(name) + 18
        if x + needed > _WIDTH and x > _LEFT:
            x, y = float(_LEFT), y + _LEGEND_LINE
        if isinstance(part, Points):
            d, style = f"M{x + 13:g} {y}h0", f'stroke="{part.colour}" stroke-width="8" stroke-linecap="round"'
        else:
            dash = DASHES[part.dash % len(DASHES)]
            d, style = f"M{x:g} {y} h26", f'stroke="{COLOURS[part.colour % len(COLOURS)]}" stroke-width="2.5"'
            style += f' stroke-dasharray="{dash}"' if dash else ""
        parts += [f'<path d="{d}" {style}/>', f'<text x="{x + 34:g}" y="{y + 4}">{escape(name)}</text>']
        x += needed
    return parts, y + _LEGEND_LINE if named else _TOP

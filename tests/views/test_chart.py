"""Charts are well-formed, show what they are given, and survive any numbers."""

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardwright.views.chart import COLOURS, Chart, Line, Points, render, short, ticks

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*lines: Line, x_includes: tuple[float, ...] = (), y_includes: tuple[float, ...] = ()) -> ET.Element:
    chart = Chart("Loss & <gain>", "frames", "nats", lines, x_includes=x_includes, y_includes=y_includes)
    assert render(chart) == render(chart)
    return ET.fromstring(render(chart))


def marked(picture: ET.Element, mark: str) -> list[ET.Element]:
    return [element for element in picture.iter() if mark in element.attrib]


def points(path: ET.Element) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path.attrib["d"])]


def texts(picture: ET.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}text")]


def test_lines_are_placed_by_their_axes() -> None:
    picture = drawn(Line("policy", [0, 50, 100], [0, 10, 5]))
    (line,) = marked(picture, "data-line")
    (x0, y0), (x1, y1), (x2, y2) = points(line)
    assert x1 - x0 == x2 - x1 > 100
    assert y0 - y1 == pytest.approx(2 * (y0 - y2), abs=0.2)
    assert y0 > y2 > y1  # larger values are higher up
    for value, x in ((0, x0), (100, x2)):
        (label,) = [text for text in picture.iter(f"{SVG}text") if text.text == str(value) and text.get("y") == "390"]
        assert float(label.attrib["x"]) == x
    assert {"Loss & <gain>", "frames", "nats", "policy"} <= set(texts(picture))


def test_axes_include_required_values() -> None:
    assert "0" not in texts(drawn(Line("", [50, 100], [3, 4])))
    assert texts(drawn(Line("", [50, 100], [3, 4]), x_includes=(0,), y_includes=(0,))).count("0") == 2


def test_gaps_and_single_points() -> None:
    picture = drawn(Line("a", range(7), [1, 2, math.nan, 3, math.inf, 4, 5]))
    (line,) = marked(picture, "data-line")
    assert line.attrib["d"].count("M") == 2
    assert len(points(line)) == 4
    assert len(list(picture.iter(f"{SVG}circle"))) == 1


def test_bands_surround_their_lines() -> None:
    picture = drawn(Line("a", [0, 1, 2, 3], [5, 6, 7, 8], [4, 5, math.nan, 7], [7, 8, 9, 10], colour=2))
    bands = marked(picture, "data-band")
    assert len(points(bands[0])) == 4
    assert len(bands) == 2
    assert all(band.attrib["fill"] == COLOURS[2] for band in bands)
    heights = [y for _, y in points(bands[0])]
    assert min(heights) < points(marked(picture, "data-line")[0])[1][1] < max(heights)


def test_the_legend_names_each_line_once_and_wraps() -> None:
    lines = [Line(f"a run with a long name {number}", [0, 1], [number, 1], colour=number) for number in range(9)]
    faint = [Line("a run with a long name 0", [0, 1], [9, 9], faint=True), Line("", [0, 1], [5, 5])]
    picture = drawn(*lines, *faint)
    named = [text for text in picture.iter(f"{SVG}text") if (text.text or "").startswith("a run")]
    assert len(named) == 9
    assert len({text.attrib["y"] for text in named}) > 1
    assert len(marked(picture, "data-raw")) == 1
    assert len(marked(picture, "data-line")) == 10
    assert len({line.attrib["stroke"] for line in marked(picture, "data-line")[:9]}) == len(COLOURS)


def test_long_lines_are_thinned_but_keep_their_peaks() -> None:
    ys = [math.sin(x / 50) for x in range(100_000)]
    ys[77_777] = 9.0
    (line,) = marked(drawn(Line("a", range(100_000), ys)), "data-line")
    kept = points(line)
    assert 500 < len(kept) < 8000
    assert [x for x, _ in kept] == sorted(x for x, _ in kept)
    peak = min(y for _, y in kept)
    assert sum(y < peak + 50 for _, y in kept) == 1


NUMBERS = st.floats() | st.integers(-5, 5).map(float)


@given(rows=st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=12), name=st.text("a<&\"'é ", max_size=5))
def test_any_numbers_can_be_drawn(rows: list[tuple[float, float, float, float]], name: str) -> None:
    xs, ys, low, high = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    picture = drawn(Line(name, xs, ys, low, high), Line(name, xs, low, faint=True))
    for element in picture.iter():
        assert "nan" not in element.get("d", "")
        assert "inf" not in element.get("d", "")


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 10, 6, [0, 2, 4, 6, 8, 10]),
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-3, 4, 7, [-2, 0, 2, 4]),
        (-7, 7, 4, [-5, 0, 5]),
        (0.9, 3.1, 6, [1, 1.5, 2, 2.5, 3]),
        (1_000_000, 5_000_000, 5, [1e6, 2e6, 3e6, 4e6, 5e6]),
    ],
)
def test_ticks_are_round(low: float, high: float, most: int, expected: list[float]) -> None:
    assert ticks(low, high, most) == pytest.approx(expected)


@given(low=st.floats(-1e9, 1e9), width=st.floats(1e-3, 1e9), most=st.integers(2, 12))
def test_ticks_are_few_and_inside(low: float, width: float, most: int) -> None:
    found = ticks(low, low + width, most)
    assert len(found) <= most
    assert all(low - 1e-6 * width <= tick <= low + width * (1 + 1e-6) for tick in found)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.25, "0.25"),
        (-1500, "-1,500"),
        (12_000, "12k"),
        (3_500_000, "3.5M"),
        (-2e9, "-2G"),
        (1e-5, "1e-05"),
        (0.30000000000000004, "0.3"),
        (10_000, "10k"),
        (1e20, "1e+20"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text


def test_points_are_placed_by_their_axes() -> None:
    early = Points("early", [0, 10, math.nan], [0, 5, 1], "#123456")
    late = Points("late & last", [5], [10], "#abcdef")
    picture = ET.fromstring(render(Chart("Codes", "first", "second", points=(early, late))))
    one, other = marked(picture, "data-points")
    (x0, y0), (x1, y1) = points(one)
    ((x2, y2),) = points(other)
    assert (one.attrib["stroke"], other.attrib["stroke"]) == ("#123456", "#abcdef")
    assert x2 - x0 == pytest.approx(x1 - x2, abs=0.2)
    assert y0 - y2 == pytest.approx(2 * (y0 - y1), abs=0.3)
    assert {"early", "late & last"} <= set(texts(picture))
    assert x0 > 64  # not on the axis itself

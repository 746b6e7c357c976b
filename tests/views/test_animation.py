import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import boardwright
from boardwright.views import animation, svg
from boardwright.views.scene import Piece, Scene

PICTURES = Path(__file__).parent.parent.parent / "docs" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"


def one_piece(column: int) -> Scene:
    return Scene(rows=1, columns=3, title="Row", pieces=(Piece((0, column), 0, "x"), Piece((0, 2), 1, "o")))


def visible_groups(text: str, second: float) -> list[ET.Element]:
    """Timed elements that are visible at a time."""
    shown = []
    for group in ET.fromstring(text).iter(f"{SVG}g"):
        timing = group.find(f"{SVG}animate")
        if timing is None:
            continue
        share = second / float(timing.attrib["dur"].rstrip("s"))
        times = [float(time) for time in timing.attrib["keyTimes"].split(";")]
        values = timing.attrib["values"].split(";")
        if next(value for time, value in reversed([*zip(times, values, strict=True)]) if time <= share) == "visible":
            shown.append(group)
    return shown


@pytest.mark.parametrize("frame", [0, 1, 2])
def test_each_frame_shows_its_own_pieces(frame: int) -> None:
    columns = [0, 1, 0]
    text = animation.render([one_piece(column) for column in columns])
    (group,) = visible_groups(text, animation.SECONDS * (frame + 0.5))
    assert f"translate({(columns[frame] + 0.5) * svg.CELL:g} " in ET.tostring(group, encoding="unicode")


def test_shared_elements_are_written_once() -> None:
    text = animation.render([one_piece(0), one_piece(1)])
    assert len(re.findall('data-role="1"', text)) == 1
    assert len(re.findall("data-cell", text)) == 3


def test_a_single_frame_equals_the_still_picture() -> None:
    assert animation.render([one_piece(0)]) == svg.render(one_piece(0))


def test_boards_of_different_sizes_are_rejected() -> None:
    with pytest.raises(ValueError, match="one size"):
        animation.render([one_piece(0), Scene(rows=2, columns=3)])


@pytest.mark.parametrize("name", boardwright.game_names())
def test_pictures_of_the_games_are_up_to_date(name: str) -> None:
    """As drawn by `boardwright show NAME --record docs/pictures/NAME-game.* --svg docs/pictures/NAME.svg`."""
    (path,) = PICTURES.glob(f"{name}-game.*")
    (record,), _ = boardwright.game(name).read_games(path.read_text())
    frames = [position for position in record.positions() if not position.core.continues]
    text = animation.render([position.game.scene(position) for position in frames])
    assert (PICTURES / f"{name}.svg").read_text() == text

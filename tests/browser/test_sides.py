"""Whose side of the board is below: that of the person, by where the game itself begins, wherever the pieces stand."""

import re
from urllib.parse import quote

import pytest
from hands import OpenPage, cell
from playwright.sync_api import Page, expect

ENDING = "W:W6,7,10:B25,26,28"  # each side where the other begins
SURROUNDED = "/9/4K4/9/9/9/9/9/t7t/4t4/ d 0 0"  # attackers above, though they begin all around


def expect_flipped(page: Page, flipped: bool) -> None:
    corner = expect(cell(page, [0, 0]))
    if flipped:
        corner.not_to_have_attribute("y", "0")
    else:
        corner.to_have_attribute("y", "0")


@pytest.mark.parametrize(
    ("game", "rules", "position", "side", "flipped"),
    [
        ("draughts", "wcdf", ENDING, "White", False),
        ("draughts", "wcdf", ENDING, "Black", True),
        ("draughts", "wcdf", "B:W10:B6", "Black", True),
        ("tablut", "tablutzero", SURROUNDED, "Attackers", False),
    ],
)
def test_board_is_oriented_as_in_a_game_from_the_start(
    open_page: OpenPage, game: str, rules: str, position: str, side: str, flipped: bool
) -> None:
    page = open_page(f"/?game={game}&rules={rules}&position={quote(position)}")
    page.get_by_role("radio", name=side).check(force=True)
    page.get_by_label("Against").select_option("random")
    expect_flipped(page, flipped)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    page.wait_for_selector("[data-status]")
    expect_flipped(page, flipped)


def test_value_bar_grows_from_the_side_of_its_role(open_page: OpenPage) -> None:
    page = open_page(f"/a/draughts/wcdf/{ENDING}")
    expect(page.get_by_role("meter")).not_to_have_class(re.compile("first-below"))  # that of black
    page.keyboard.press("f")
    expect(page.get_by_role("meter")).to_have_class(re.compile("first-below"))


def test_study_keeps_the_orientation_of_the_game(open_page: OpenPage) -> None:
    page = open_page("/")
    begun = page.request.post("/api/play", data={"game": "draughts", "role": 0, "opponent": "random"}).json()
    page.goto(f"/play/{begun['id']}")
    expect_flipped(page, True)
    page.get_by_role("button", name="Study").click()
    page.wait_for_url("**/a/draughts/*")
    expect(page.get_by_role("meter")).to_have_class(re.compile("first-below"))
    expect_flipped(page, True)
    page.get_by_label("Type a move").fill("11-15")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"m=\d+"))
    page.reload()
    expect_flipped(page, True)
    page.keyboard.press("f")
    expect_flipped(page, False)
    page.wait_for_url(re.compile(r"\?m=\d+$"))
    page.request.post(f"/api/play/{begun['id']}/resign", data={})

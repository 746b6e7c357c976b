"""How the pages look: narrow and dark; BOARDWRIGHT_PICTURES=docs/pictures makes the pictures of the documentation."""

import os
from pathlib import Path

import pytest
from hands import READY, OpenPage, cell, good_move, live, make_move, new_game, wait_for_turn
from playwright.sync_api import Page, expect

import boardwright
from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.players import make_agent

SHOWN = {  # of each page, by what one knows that it is all there
    "/": ".board",
    "/a/tablut/zero": ".board.takes",
    "/a/cathedral/official": ".board.takes",
    "/a/draughts/wcdf": ".board.takes",
    "/arena": "#ratings-title",
    "/training": "main.training",
}
NARROW = {"width": 360, "height": 740}


def test_narrow_pages_scroll_only_downwards(open_page: OpenPage) -> None:
    page = open_page("/", viewport=NARROW, has_touch=True, is_mobile=True)
    for path, shown in SHOWN.items():
        page.goto(path)
        expect(page.locator(shown).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], path


def luminance(page: Page, selector: str, what: str) -> float:
    """From 0 for black to 1 for white."""
    text = page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")
    red, green, blue = (float(part) / 255 for part in text[text.index("(") + 1 : text.index(")")].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_dark_mode_by_the_system_and_by_choice(open_page: OpenPage) -> None:
    page = open_page("/", color_scheme="dark")
    assert luminance(page, "body", "backgroundColor") < 0.1 < 0.7 < luminance(page, "body", "color")
    dark, light = (luminance(page, f".side-dot.colour-{colour}", "backgroundColor") for colour in (0, 1))
    assert luminance(page, ".panel", "backgroundColor") + 0.1 < dark < light - 0.4  # neither looks like a hole
    page.get_by_role("button", name="Colours").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert luminance(page, "body", "backgroundColor") > 0.7
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert luminance(page, "body", "backgroundColor") > 0.7


def test_everything_that_can_be_pressed_has_a_name(open_page: OpenPage) -> None:
    page = open_page("/")
    for path, shown in SHOWN.items():
        page.goto(path)
        expect(page.locator(shown).first).to_be_visible()
        nameless = page.evaluate(
            "[...document.querySelectorAll('button, a, select, input, [role=gridcell]')]"
            ".filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length || e.title))"
            ".map((e) => e.outerHTML)"
        )
        assert nameless == [], path


def test_the_help_lists_the_keys(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/zero")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("flip the board")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_a_building_is_placed_by_touch(open_page: OpenPage) -> None:
    """The first tap shows where it would lie, the second lets it go."""
    page = open_page("/a/cathedral/official", viewport=NARROW, has_touch=True, is_mobile=True)
    page.wait_for_selector(READY)
    page.locator('[data-cell="5,5"]').tap()
    expect(page.locator("[data-ghost=legal]")).to_be_visible()
    page.locator('[data-cell="5,5"]').tap()
    expect(page.locator(".move-row button.move")).to_have_count(1)


# Lines of play for the pictures, as their links have them.
A_CATHEDRAL = "2829.2093.2564.170.2457.428.2007.2628.2192.1473.1450.2234.1808"


@pytest.mark.skipif("BOARDWRIGHT_PICTURES" not in os.environ, reason="pictures are made when asked for")
def test_pictures(open_page: OpenPage) -> None:
    folder = Path(os.environ["BOARDWRIGHT_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    play = open_page("/")
    new_game(play, "Tablut", "Defenders", "alphabeta:depth=2")
    for _ in range(4):
        state = live(play)
        make_move(play, good_move(state))
        wait_for_turn(play, len(state["view"]["line"]))
    cell(play, live(play)["view"]["legal"][-1]["gesture"][0]["from"]).click()
    play.wait_for_timeout(600)
    play.screenshot(path=folder / "play.png")

    position = boardwright.game("draughts").start()
    agent = make_agent("alphabeta:depth=3", position.game)
    random = make_agent("random:seed=5", position.game)
    for ply in range(24):
        mover = random if ply in (9, 14, 19) else agent
        for action in move_actions(position, choose_move(mover, position, Limit())):
            position = position.play(action)
    study = open_page(f"/a/draughts/wcdf?m={'.'.join(map(str, position.actions()))}")
    study.get_by_role("button", name="Review the game").click()
    expect(study.locator(".graph")).to_have_attribute("data-known", "25")
    study.keyboard.press("ArrowLeft")
    study.keyboard.press("l")
    study.wait_for_timeout(4000)
    study.get_by_role("alert").locator("button").click()
    study.screenshot(path=folder / "study.png")

    dark = open_page(f"/a/cathedral/official?m={A_CATHEDRAL}", color_scheme="dark")
    dark.locator('button[data-piece="square"]').click()
    cell(dark, [7, 2]).hover()
    dark.screenshot(path=folder / "cathedral.png")

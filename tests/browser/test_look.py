"""How the pages look: narrow, dark, and as pictures. BOARDWRIGHT_PICTURES=docs/pictures writes those of the documentation."""

import os
from pathlib import Path

import pytest
from conftest import OpenPage
from hands import make_move, new_game
from playwright.sync_api import Page, expect

PAGES = ("/", "/a/tablut/zero", "/a/cathedral/official", "/a/draughts/wcdf", "/arena", "/training")
NARROW = {"width": 360, "height": 740}


@pytest.mark.parametrize("path", PAGES)
def test_narrow_pages_scroll_only_downwards(open_page: OpenPage, path: str) -> None:
    page = open_page(path, viewport=NARROW, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def luminance(page: Page, selector: str, what: str) -> float:
    """From 0 for black to 1 for white."""
    text = page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")
    red, green, blue = (float(part) / 255 for part in text[text.index("(") + 1 : text.index(")")].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_dark_mode_by_the_system_and_by_choice(open_page: OpenPage) -> None:
    page = open_page("/", color_scheme="dark")
    assert luminance(page, "body", "backgroundColor") < 0.1 < 0.7 < luminance(page, "body", "color")
    toggle = page.get_by_role("button", name="Colours")
    toggle.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert luminance(page, "body", "backgroundColor") > 0.7
    page.reload()
    page.wait_for_selector("main:not([aria-busy])")
    assert luminance(page, "body", "backgroundColor") > 0.7


def test_everything_that_can_be_pressed_has_a_name(open_page: OpenPage) -> None:
    for path in PAGES:
        page = open_page(path)
        nameless = page.evaluate(
            "[...document.querySelectorAll('button, a, select, input, [role=gridcell]')]"
            ".filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length || e.title)).map((e) => e.outerHTML)"
        )
        assert nameless == []


def test_the_help_lists_the_keys(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/zero")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("flip the board")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


def test_a_building_is_placed_by_touch(open_page: OpenPage) -> None:
    """The first tap shows where it would lie, the second lets it go."""
    page = open_page("/a/cathedral/official", viewport=NARROW, has_touch=True, is_mobile=True)
    page.locator('[data-cell="5,5"]').tap()
    expect(page.locator("[data-ghost=legal]")).to_be_visible()
    page.locator('[data-cell="5,5"]').tap()
    expect(page.locator(".move-row button.move")).to_have_count(1)


@pytest.mark.skipif("BOARDWRIGHT_PICTURES" not in os.environ, reason="pictures are made when asked for")
def test_pictures(open_page: OpenPage) -> None:
    folder = Path(os.environ["BOARDWRIGHT_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    page = open_page("/", device_scale_factor=1.5)
    new_game(page, "Tablut", "Attackers", "greedy")
    for number in (5, 31, 12):
        state = page.request.get(f"/api/play/{page.url.rsplit('/', 1)[1]}").json()
        make_move(page, state["view"]["legal"][number])
        page.wait_for_function(
            "n => document.querySelectorAll('.moves button.move').length > n", arg=len(state["view"]["line"]) + 1
        )
    page.screenshot(path=folder / "play.png")
    page.goto("/a/draughts/wcdf")
    page.keyboard.press("l")
    page.wait_for_timeout(2500)
    page.screenshot(path=folder / "study.png")
    dark = open_page("/a/cathedral/official", color_scheme="dark", device_scale_factor=1.5)
    for at in ("4,4", "1,1"):
        dark.locator(f'[data-cell="{at}"]').click()
    dark.screenshot(path=folder / "cathedral.png")

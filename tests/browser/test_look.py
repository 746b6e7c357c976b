"""How the pages look: narrow and dark; BOARDWRIGHT_PICTURES=docs/pictures makes the pictures of the documentation."""

import base64
import os
from pathlib import Path

import pytest
from hands import READY, OpenPage, cell, good_move, live, make_move, new_game, wait_for_turn
from playwright.sync_api import FloatRect, Page, expect

import boardwright
from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.players import make_agent

SHOWN = {  # of each page, by what one knows that it is all there
    "/": ".board",
    "/a/tablut/tablutzero": ".board.takes",
    "/a/cathedral/official": ".board.takes",
    "/a/draughts/wcdf": ".board.takes",
    "/arena": "#ratings-title",
    "/training": "main.training",
}
NARROW = {"width": 360, "height": 740}


@pytest.mark.parametrize("width", [NARROW["width"], 320])
def test_narrow_pages_scroll_only_downwards(open_page: OpenPage, width: int) -> None:
    page = open_page("/", viewport={**NARROW, "width": width}, has_touch=True, is_mobile=True)
    for path, shown in SHOWN.items():
        page.goto(path)
        expect(page.locator(shown).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


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


A_PIXEL_EACH = """async (png) => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  pen.drawImage(picture, 0, 0);
  return [...pen.getImageData(0, 0, picture.width, picture.height).data];
}"""


def brightness(page: Page, box: FloatRect) -> list[float]:
    """Relative luminance, as WCAG 2 defines it, of every pixel of a part of the page, in order."""
    picture = base64.b64encode(page.screenshot(clip=box)).decode()
    empty = page.context.new_page()  # where no policy forbids to read a picture
    data = empty.evaluate(A_PIXEL_EACH, picture)
    empty.close()
    linear = [value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in data]
    return sorted(
        0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in zip(*(linear[i::4] for i in range(3)), strict=True)
    )


def contrast_of_number(page: Page, number: str) -> float:
    """Of the number of a square to what is right around it, as they are drawn; it may be darker or lighter."""
    box = page.locator(".cell-label").and_(page.get_by_text(number, exact=True)).bounding_box()
    assert box is not None
    found = brightness(page, box)
    quantile = [found[int(share * len(found))] + 0.05 for share in (0.02, 0.25, 0.75, 0.98)]
    return max(quantile[2] / quantile[0], quantile[3] / quantile[1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_square_numbers_are_legible(open_page: OpenPage, scheme: str) -> None:
    position = boardwright.game("draughts").start().play("11-15").play("22-18").play("15x22")
    path = f"/a/draughts/wcdf?m={'.'.join(map(str, position.actions()))}"
    page = open_page(path, color_scheme=scheme, device_scale_factor=4)
    expect(page.locator(".mark")).to_have_count(3)
    page.wait_for_function("document.getAnimations().length === 0")
    squares = {"from": "15", "to": "22", "captured": "18", "empty": "11", "man's": "1"}
    contrasts = {what: contrast_of_number(page, number) for what, number in squares.items()}
    assert min(contrasts.values()) > 4.5, contrasts


@pytest.mark.parametrize("size", [(1280, 800), (1366, 650), (1280, 720)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("clock", [None, {"base": 300, "increment": 5}], ids=["no clock", "clock"])
def test_play_page_fits_the_window(open_page: OpenPage, size: tuple[int, int], clock: dict | None) -> None:
    page = open_page("/", viewport={"width": size[0], "height": size[1]})
    game = {"game": "tablut", "role": 0, "opponent": "random", "clock": clock}
    page.goto(f"/play/{page.request.post('/api/play', data=game).json()['id']}")
    page.wait_for_selector(READY)
    assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
    bottom = page.locator(".stage-board").bounding_box()
    assert bottom is not None
    assert bottom["y"] + bottom["height"] > size[1] - 30  # and the board is as large as it can be


def test_long_words_wrap_in_notices(open_page: OpenPage) -> None:
    page = open_page("/", viewport={"width": 390, "height": 800})
    page.route("**/api/play", lambda route: route.fulfill(status=400, json={"error": f"net file {'x' * 90}: missing"}))
    page.get_by_role("button", name="Play", exact=True).click()
    notice = page.locator(".notice")
    expect(notice).to_contain_text("missing")
    assert notice.evaluate("(notice) => notice.scrollWidth <= notice.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_every_control_has_an_accessible_name(open_page: OpenPage) -> None:
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
    page = open_page("/a/tablut/tablutzero")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("flip the board")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()


def test_the_help_lists_only_what_works_on_a_page(open_page: OpenPage) -> None:
    page = open_page("/arena")
    said = page.get_by_role("dialog", name="Keyboard shortcuts").get_by_role("definition")
    page.keyboard.press("?")
    expect(said).to_have_text(
        ["the next game", "the previous game", "the next match", "the previous match", "a new match", "this help"]
    )
    page.goto("/a/tablut/tablutzero")
    page.wait_for_selector(READY)
    page.keyboard.press("?")
    expect(said.filter(has_text="on the board: pick up, step or place")).to_be_visible()
    page.goto("/")
    page.wait_for_selector(".board")
    page.keyboard.press("?")  # a board to look at
    expect(said).to_have_text(["to the board and its pieces", "on the board: from cell to cell", "this help"])


def test_help_opens_unless_text_is_being_typed(open_page: OpenPage) -> None:
    page = open_page("/arena")
    page.get_by_role("form", name="New match").get_by_role("spinbutton", name="Games").press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    page.get_by_role("radio", name="Tablut").press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_a_building_is_placed_by_touch(open_page: OpenPage) -> None:
    """The first tap shows where it would lie, the second lets it go."""
    page = open_page("/a/cathedral/official", viewport=NARROW, has_touch=True, is_mobile=True)
    page.wait_for_selector(READY)
    page.locator('[data-cell="5,5"]').tap()
    expect(page.locator("[data-ghost=legal]")).to_be_visible()
    page.locator('[data-cell="5,5"]').tap()
    expect(page.locator(".move-row button.move")).to_have_count(1)


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

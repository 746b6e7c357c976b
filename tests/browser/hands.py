"""What a person does at the board, done by Playwright: legal moves come from the server, clicks go to the page."""

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

import boardwright
from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.players import make_agent

Json = dict[str, Any]
OpenPage = Callable[..., Page]  # the fixture `open_page`: path, and options of a browser context
MY_TURN = "[data-status=mine], [data-status=over]"
FITS_OR_NOT = re.compile(r"(fits|does not fit) here$")
READY = ".stage-board .board.takes"  # a board that takes a move


def wait_until(page: Page, is_so: Callable[[], bool], within: float = 30.0) -> None:
    """For what the page does not show; `within` is in seconds."""
    deadline = time.monotonic() + within
    while not is_so():
        assert time.monotonic() < deadline
        page.wait_for_timeout(10)


def cell(page: Page, at: list[int]) -> Locator:
    return page.locator(f'.stage-board [data-cell="{at[0]},{at[1]}"]')


def new_game(page: Page, title: str, side: str, opponent: str = "random", rules: str | None = None) -> None:
    """Fills in the form and begins."""
    page.get_by_role("radio", name=title).check(force=True)
    if rules is not None:
        page.get_by_label("Rules").select_option(rules)
    page.get_by_role("radio", name=side).check(force=True)
    page.get_by_label("Against").select_option(opponent)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    page.wait_for_selector(MY_TURN)


def live(page: Page) -> Json:
    """The game as the server has it."""
    answer = page.request.get(f"/api/play/{page.url.rsplit('/', 1)[1]}")
    assert answer.ok, answer.text()
    return answer.json()


def good_move(state: Json) -> Json:
    """A legal move that soon ends the game: random games may be long."""
    view = state["view"]
    game = boardwright.game(view["game"], rules=view["rules"])
    position = game.play_all(view["actions"])
    agent = make_agent("alphabeta:depth=4" if view["game"] != "cathedral" else "largest-first", game)
    expected = list(move_actions(position, choose_move(agent, position, Limit())))
    return next(move for move in view["legal"] if move["actions"] == expected)


def make_move(page: Page, move: Json) -> None:
    """Makes a legal move by mouse, gesture by gesture, as soon as the board takes one."""
    page.wait_for_selector(READY)
    for gesture in move["gesture"]:
        if gesture["kind"] == "place":
            place(page, gesture)
    steps = [gesture for gesture in move["gesture"] if gesture["kind"] == "step"]
    for at in [steps[0]["from"], *(step["to"] for step in steps)] if steps else []:
        cell(page, at).click()


def place(page: Page, gesture: Json) -> None:
    """Takes a building from the tray, turns it to its orientation, and drops it on its cells."""
    chosen = page.locator(f'button[data-piece="{gesture["piece"]}"]')
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expected = " ".join(sorted(f"{row},{column}" for row, column in gesture["cells"]))
    for _ in range(4):
        for at in gesture["cells"]:
            cell(page, at).hover()
            expect(cell(page, at)).to_have_attribute("aria-label", FITS_OR_NOT)  # the ghost is over it
            ghost = page.locator("[data-ghost]")
            if ghost.get_attribute("data-cells") == expected:
                expect(ghost).to_have_attribute("data-ghost", "legal")
                cell(page, at).click()
                return
        page.keyboard.press("r")
    raise AssertionError(f"no turn of the {gesture['piece']} covers {expected}")


def wait_for_turn(page: Page, moves: int) -> None:
    """Waits until more than `moves` moves are listed, and it is our turn or the game is over."""
    page.wait_for_function(
        "moves => document.querySelectorAll('.moves .move[aria-current], .moves button.move').length > moves"
        " && document.querySelector('[data-status=mine], [data-status=over]')",
        arg=moves,
    )


def expect_result(page: Page) -> None:
    expect(page.get_by_role("dialog", name="Result")).to_be_visible()
    expect(page.locator("[data-status=over]")).to_be_visible()

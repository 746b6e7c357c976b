"""Links of all kinds, good and bad, and pages that come back when the server does."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hands import OpenPage
from planted_run import plant_run
from playwright.sync_api import Browser, Locator, Page, Route, expect

TABLUT = {"game": "tablut", "rules": "tablutzero"}
CATHEDRAL = {"game": "cathedral", "rules": "official-6"}
SETTLED = """fetch("/api/play").then( // what was answered before this is has been drawn
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"""


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """A page whose console may report failed requests."""
    with browser.new_context(base_url=server) as context:
        yield context.new_page()


def notice(page: Page) -> Locator:
    return page.get_by_role("alert")


def position_after(page: Page, game: dict[str, str], moves: int) -> str:
    """The text of the position after playing the first legal move a number of times."""
    actions: list[int] = []
    for _ in range(moves):
        view = page.request.post("/api/position", data={**game, "actions": actions}).json()
        actions += view["legal"][0]["actions"]
    return page.request.post("/api/position", data={**game, "actions": actions}).json()["text"]


@pytest.mark.parametrize("way", ["stays", "goes elsewhere"])
def test_page_loads_when_the_server_is_back(page: Page, way: str) -> None:
    page.goto("/arena")
    expect(page.get_by_role("heading", name="Arena")).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("link", name="Training").click()
    expect(page.get_by_role("heading", name="This page could not be loaded")).to_be_visible()
    if way == "goes elsewhere":
        page.get_by_role("link", name="Arena").click()
        expect(page.get_by_role("heading", name="Arena")).to_be_visible()
    page.context.set_offline(False)
    if way == "goes elsewhere":
        page.get_by_role("link", name="Training").click()
    expect(page.get_by_role("heading", name="Training", exact=True)).to_be_visible()


def test_broken_page_is_not_retried_forever(page: Page) -> None:
    documents: list[str] = []
    page.on("request", lambda request: documents.append(request.url) if request.resource_type == "document" else None)
    page.route("**/pages/training.js", lambda route: route.fulfill(status=404))
    page.goto("/training")
    page.wait_for_function("() => history.state === 'reloaded'")
    expect(page.get_by_role("heading", name="This page could not be loaded")).to_be_visible()
    page.evaluate(SETTLED)
    assert len(documents) == 2


@pytest.mark.parametrize("path", ["/", "/arena", "/training"])
def test_pages_load_when_the_server_answers_again(page: Page, path: str) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.goto(path)
    expect(notice(page)).to_contain_text("the server does not answer")
    page.unroute("**/api/**")
    expect(page.locator("main:not([aria-busy]) h1")).to_be_attached()


def test_list_recovers_after_the_server_was_busy(page: Page, runs: Path) -> None:
    def busy(route: Route) -> None:
        route.fulfill(status=429, json={"error": "too much at once"})

    page.goto("/training")
    expect(page.locator("main:not([aria-busy]) h1")).to_be_visible()
    page.route("**/api/runs", busy)
    expect(notice(page)).to_contain_text("too much at once")
    page.unroute("**/api/runs")
    plant_run(runs / "after-the-rush")
    expect(page.locator('[data-run="after-the-rush"]')).to_be_visible()


@pytest.mark.parametrize("path", ["/play/%", "/a/tablut/%E0%A4%A", "/a/tablut/tablutzero/%"])
def test_malformed_link_shows_page_not_found(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_unreadable_position_falls_back_to_the_first(open_page: OpenPage) -> None:
    page = open_page("/?game=tablut&rules=tablutzero&position=garbage")
    expect(notice(page)).to_contain_text("Showing the initial position")
    expect(page.get_by_role("heading", name="New game", exact=True)).to_be_visible()
    expect(page.locator('[data-cell="4,4"]')).to_have_attribute("aria-label", re.compile("king"))


def test_link_without_rules_uses_the_default(open_page: OpenPage) -> None:
    page = open_page("/")
    moved = position_after(page, TABLUT, 1)
    page.goto(f"/?game=tablut&position={quote(moved)}")
    expect(page.get_by_role("heading", name="New game from this position")).to_be_visible()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    live = page.request.get(f"/api/play/{page.url.rsplit('/', 1)[1]}").json()
    assert live["view"]["start"] == moved
    page.request.post(f"/api/play/{live['id']}/resign", data={})


def test_roles_have_the_same_names_on_all_pages(open_page: OpenPage) -> None:
    page = open_page("/")
    text = position_after(page, CATHEDRAL, 3)
    page.goto(f"/a/cathedral/official-6/{text.replace(' ', '_')}")
    expect(page.locator(".board [data-cell]")).to_have_count(36)
    words = "cells => cells.map((cell) => cell.ariaLabel).filter((label) => label.includes('block'))"
    studied = page.locator(".board [data-cell]").evaluate_all(words)
    page.goto(f"/?game=cathedral&rules=official-6&position={quote(text)}")
    expect(page.get_by_role("heading", name="New game from this position")).to_be_visible()
    assert page.locator(".board [data-cell]").evaluate_all(words) == studied
    assert any("light block" in label or "dark block" in label for label in studied)


def test_board_follows_the_last_choice_of_rules(open_page: OpenPage) -> None:
    """However late the answer about those chosen before comes."""
    page = open_page("/?game=cathedral&rules=official")
    held: list[Route] = []

    def hold(route: Route) -> None:
        if '"official-6"' in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/position", hold)
    with page.expect_request("**/api/position"):
        page.get_by_label("Rules").select_option("official-6")
    with page.expect_response("**/api/position"):
        page.get_by_label("Rules").select_option("paper")
    expect(page.locator(".board [data-cell]")).to_have_count(64)
    with page.expect_response("**/api/position"):
        held[0].continue_()
    page.evaluate(SETTLED)
    assert page.locator(".board [data-cell]").count() == 64


def test_every_unfinished_game_is_listed(open_page: OpenPage) -> None:
    page = open_page("/")
    settings = {**TABLUT, "role": 0, "opponent": "random"}
    begun = [page.request.post("/api/play", data=settings).json() for _ in range(10)]
    first = {"actions": begun[0]["view"]["legal"][0]["actions"], "version": begun[0]["version"]}
    assert page.request.post(f"/api/play/{begun[0]['id']}/move", data=first).ok
    page.reload()
    links = page.locator(".open-games a")
    expect(links).to_have_count(8)
    expect(links.first).to_have_attribute("href", f"/play/{begun[0]['id']}")
    page.get_by_role("button", name="Show all").click()
    for game in begun:
        expect(page.locator(f'.open-games a[href="/play/{game["id"]}"]')).to_be_visible()
        page.request.post(f"/api/play/{game['id']}/resign", data={})

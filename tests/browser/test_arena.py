"""The arena's page: a match is started, followed, stopped, resumed and replayed; lists fill."""

import itertools
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hands import OpenPage
from playwright.sync_api import Page, Route, expect

A_MATCH_MS = 180_000
FURTHER = "before => (document.querySelector('.match progress')?.value ?? 0) > before"
A_RECORD = {
    "game": "tablut",
    "rules": "tablutzero",
    "players": ["random", "greedy"],
    "result": 0,
    "reason": "king captured",
    "stored": "2025-01-31T18:00:00Z",
    "replayable": True,
}
LONG = {"game": "tablut", "first": "mc:sims=30", "second": "random", "games": 1000}


def start_by_form(page: Page, games: int) -> None:
    """Two weak players."""
    form = page.get_by_role("form", name="New match")
    form.get_by_label("First player").select_option("random")
    form.get_by_label("Second player").select_option("alphabeta:depth=1")
    form.get_by_role("spinbutton", name="Games").fill(str(games))
    form.get_by_role("button", name="Start the match").click()


def start_by_request(page: Page, body: dict[str, Any]) -> int:
    answer = page.request.post("/api/matches", data=body)
    assert answer.ok, answer.text()
    return answer.json()["id"]


def test_a_match_from_the_form_to_the_replay(open_page: OpenPage) -> None:
    page = open_page("/arena?game=draughts&rules=paper")  # rules of its own: other games do not count here
    start_by_form(page, games=6)
    match = page.locator(".match")
    expect(match).to_have_attribute("data-state", "done", timeout=A_MATCH_MS)
    total = match.get_by_role("row", name=re.compile("^Total"))
    expect(total.get_by_role("cell").first).to_have_text("6")
    won, drawn, lost = (int(total.get_by_role("cell").nth(place).inner_text()) for place in (1, 2, 3))
    assert won + drawn + lost == 6
    expect(match.get_by_role("row", name=re.compile("^As black")).get_by_role("cell").first).to_have_text("3")
    ratings = page.locator("table.ratings tbody tr")
    expect(ratings).to_have_count(2)
    for player in ("random", "alphabeta:depth=1"):
        expect(page.locator(f'table.ratings [data-player="{player}"]')).to_be_visible()
    page.get_by_role("button", name="As white").click()
    expect(ratings).to_have_count(2)
    expect(page.locator(".crosstable tbody td small").first).to_have_text("/6")

    games = match.locator("[data-record]")
    expect(games).to_have_count(6)
    record = page.request.get(f"/api/records/{games.first.get_attribute('data-record')}").json()
    games.first.click()
    page.wait_for_url(re.compile(r"/a/draughts"))
    expect(page.locator(".board")).to_be_visible()
    view = page.request.post(
        "/api/position", data={"game": "draughts", "rules": record["rules"], "actions": record["record"]["actions"]}
    ).json()
    expect(page.get_by_text(view["line"][-1]["text"], exact=True).first).to_be_visible()


def test_a_match_survives_a_reload_and_a_stop(open_page: OpenPage) -> None:
    page = open_page("/arena")
    number = start_by_request(page, LONG)
    page.goto(f"/arena?game=tablut&match={number}")
    match, bar = page.locator(".match"), page.locator(".match progress")
    expect(match).to_have_attribute("data-state", "running")
    expect(match.locator("[data-record]").first).to_be_visible()
    before = int(bar.get_attribute("value") or 0)
    page.wait_for_function(FURTHER, arg=before)
    page.reload()
    expect(match).to_have_attribute("data-state", "running")
    match.get_by_role("button", name="Stop").click()
    expect(match).to_have_attribute("data-state", "stopped")
    expect(page.locator("#spoken")).to_contain_text("The match is stopped")
    stopped = int(bar.get_attribute("value") or 0)
    assert stopped > before
    match.get_by_role("button", name="Resume").click()
    expect(match).to_have_attribute("data-state", "running")
    page.wait_for_function(FURTHER, arg=stopped)
    match.get_by_role("button", name="Stop").click()
    expect(match).to_have_attribute("data-state", "stopped")


def test_the_list_of_games_follows_a_match_that_runs(open_page: OpenPage) -> None:
    """By the clock of the page, which runs faster here; it asks no more often than the rating list does."""
    page = open_page("/training")
    played, asked = list(range(1, 26)), []

    known = page.request.get("/api/ratings?game=tablut").json()

    def ratings(route: Route) -> None:
        route.fulfill(json={**known, "games": len(played)})

    def records(route: Route) -> None:
        query = {name: int(text) for name, text in re.findall(r"(before|limit)=(\d+)", route.request.url)}
        found = [number for number in reversed(played) if number < query.get("before", 1000)][: query["limit"]]
        asked.append(query)
        route.fulfill(json=[{**A_RECORD, "id": number} for number in found])

    page.clock.install()
    page.route("**/api/ratings*", ratings)
    page.route("**/api/records*", records)
    page.goto("/arena?game=tablut")
    shown = page.locator(".record-list [data-record]")
    expect(shown).to_have_count(10)
    page.get_by_role("button", name="Older games").click()
    expect(shown).to_have_count(20)
    asked.clear()
    played.extend([26, 27])
    page.clock.run_for(16_000)
    expect(shown.first).to_have_attribute("data-record", "27")
    expect(shown).to_have_count(20)  # those that were asked for stay
    page.get_by_role("button", name="Older games").click()
    expect(shown).to_have_count(27)
    expect(shown.last).to_have_attribute("data-record", "1")
    page.clock.run_for(60_000)  # nothing new, nothing to ask
    assert asked == [{"limit": 20}, {"limit": 10, "before": 8}]


def test_games_are_found_by_a_players_name_too(open_page: OpenPage) -> None:
    page = open_page("/arena?game=tablut")
    field = page.get_by_label("Player", exact=True)
    offered = page.locator(f"datalist[id='{field.get_attribute('list')}'] option")
    labels = dict(offered.evaluate_all("(all) => all.map((one) => [one.value, one.label])"))
    assert labels["random"] == "Random moves"
    assert "person" in labels
    for typed in ("random", "Random moves", "random moves "):
        with page.expect_request("**/api/records?*player=random&*"):
            field.fill(typed)
            field.blur()
        expect(field).to_have_value("random")
        with page.expect_request(lambda request: "/api/records" in request.url and "player" not in request.url):
            field.fill("")
            field.blur()


def test_large_numbers_of_games_are_shown_in_full(open_page: OpenPage) -> None:
    page = open_page("/arena", viewport={"width": 390, "height": 800})
    number = start_by_request(page, {"game": "draughts", "first": "random", "second": "random", "games": 2})
    page.goto(f"/arena?game=draughts&match={number}")
    expect(page.locator(".match")).to_have_attribute("data-state", "done", timeout=A_MATCH_MS)
    match = page.request.get(f"/api/matches/{number}").json()
    many = {**match, "games": [{**match["games"][0], "id": count} for count in range(1000)]}
    page.route(f"**/api/matches/{number}", lambda route: route.fulfill(json=many))
    page.reload()
    expect(page.locator(".game-list")).to_have_attribute("start", "1000")
    room, expected = page.locator(".game-list").evaluate(
        """(list) => {
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = getComputedStyle(list).font;
          return [parseFloat(getComputedStyle(list).paddingLeft), pen.measureText("1000. ").width];
        }"""
    )
    assert room >= expected


def test_unplayable_match_is_reported(open_page: OpenPage) -> None:
    page = open_page("/arena")
    page.get_by_role("radio", name="Tablut").check(force=True)
    form = page.get_by_role("form", name="New match")
    form.get_by_label("First player").select_option("other")
    form.locator("select[name=player]").select_option("mc")
    form.get_by_text("Options").click()
    form.get_by_label("sims").fill("many")
    form.get_by_role("button", name="Start the match").click()
    expect(page.get_by_role("alert")).to_contain_text("sims must be a whole number")


def test_typed_text_survives_polling(open_page: OpenPage) -> None:
    page = open_page("/arena?game=tablut")
    form = page.get_by_role("form", name="New match")
    form.get_by_label("First player").select_option("other")
    form.locator("select[name=player]").select_option("mc")
    form.get_by_text("Options").click()
    sims = form.get_by_label("sims")
    sims.press_sequentially("12")
    games = form.get_by_role("spinbutton", name="Games")
    games.evaluate("field => { field.value = 8; field.dispatchEvent(new Event('input', { bubbles: true })); }")
    page.evaluate("() => new Promise(requestAnimationFrame)")  # everything is drawn again
    sims.press_sequentially("3")
    expect(sims).to_have_value("123")
    sims.blur()
    expect(form.locator(".spec")).to_have_text("mc:sims=123")


def test_arena_works_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/arena?game=cathedral")
    expect(page.get_by_role("heading", name="Rating list")).to_be_visible()
    expect(page.get_by_role("radio", name="Cathedral")).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="English draughts")).to_be_checked()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("radio", name="Cathedral")).to_be_checked()
    expect(page).to_have_url(re.compile("game=cathedral"))
    page.keyboard.press("n")
    expect(page.get_by_role("form", name="New match").get_by_label("First player")).to_be_focused()


def test_arrows_scroll_a_focused_table(open_page: OpenPage) -> None:
    page = open_page("/arena?game=draughts")
    start_by_request(page, {"game": "draughts", "first": "random", "second": "alphabeta:depth=1", "games": 2})
    table = page.get_by_label("Crosstable").and_(page.locator("[tabindex]"))
    expect(table).to_be_visible(timeout=A_MATCH_MS)
    table.press("ArrowRight")
    page.keyboard.press("n")  # this one does come through
    expect(page.get_by_role("form", name="New match").get_by_label("First player")).to_be_focused()
    expect(page.get_by_role("radio", name="English draughts")).to_be_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_arena_fits_a_small_screen(open_page: OpenPage, scheme: str) -> None:
    page = open_page("/arena?game=draughts", viewport={"width": 360, "height": 740}, color_scheme=scheme)
    expect(page.get_by_role("heading", name="Rating list")).to_be_visible()
    expect(page.get_by_role("heading", name="New match")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    red, *_ = map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor")))
    assert (red < 80) == (scheme == "dark")


@pytest.mark.skipif("BOARDWRIGHT_PICTURES" not in os.environ, reason="pictures are made when asked for")
def test_picture(open_page: OpenPage) -> None:
    page = open_page("/arena?game=tablut", device_scale_factor=1.5)
    players = ("random", "greedy", "mc:sims=10000", "alphabeta:depth=1", "alphabeta:depth=2")
    for first, second in itertools.combinations(players, 2):
        number = start_by_request(page, {"game": "tablut", "first": first, "second": second, "games": 10, "time": 0.1})
        page.goto(f"/arena?game=tablut&match={number}")
        expect(page.locator(".match")).to_have_attribute("data-state", "done", timeout=A_MATCH_MS)
    expect(page.get_by_text("over 100 games")).to_be_visible()
    page.screenshot(path=Path(os.environ["BOARDWRIGHT_PICTURES"]) / "arena.png")

"""The study page when something is in its way: refused texts, a server that is away, others who think."""

import json
import re
from itertools import pairwise
from pathlib import Path

from hands import READY, Json, OpenPage, wait_until
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from boardwright.web.sockets import MESSAGES_PER_SECOND

DRAUGHTS = "/a/draughts/wcdf"
FOUR_MOVES = f"{DRAUGHTS}?m=42.89.30.84"
ENDING = "W:W21,22,K32:B1,2,3"
CAPTURES = f"{DRAUGHTS}/W:WK32:B27,26,18,17,19,10,11,15"
PDN = '[White "Weiss"]\n[Black "Schwarz"]\n[Result "0-1"]\n\n1. 11-15 23-19 2. 8-11 22-17 0-1\n'
NAMELESS = '[Result "*"]\n\n1. 11-15 23-19 *\n\n[Result "*"]\n\n1. 11-16 23-19 *\n'

NOTE_ANALYSES = """
window.asked = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  if (JSON.parse(text).type === "analyse") window.asked.push(performance.now());
  return send.call(this, text);
};
"""  # when the page asks for each, ms


def moves(page: Page) -> Locator:
    return page.locator(".moves .move-row button.move")


def type_move(page: Page, text: str) -> Locator:
    page.wait_for_selector(READY)
    field = page.get_by_label("Type a move")
    field.fill(text)
    field.press("Enter")
    return field


def set_position(page: Page, text: str) -> None:
    page.locator("#position-text").fill(text)
    page.get_by_role("button", name="Set", exact=True).click()


def analysis(page: Page) -> Locator:
    return page.locator("[data-analysis]")


def load_text(page: Page, text: str) -> None:
    page.get_by_role("button", name="Load…").click()
    page.get_by_label("Or paste the text").fill(text)
    page.get_by_role("button", name="Read", exact=True).click()


def saved(page: Page) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    return Path(download.value.path()).read_text()


def lost_on_time(page: Page) -> Json:
    """A game of the record that black, a person, lost by the clock after a move."""
    query = {"game": "draughts", "role": 0, "opponent": "random", "clock": {"base": 2.0}}
    newest = "/api/records?game=draughts&player=person&limit=1"
    before = page.request.get(newest).json()  # other tests play here, too
    live = page.request.post("/api/play", data=query).json()
    move = {"text": "11-15", "version": live["version"]}
    assert page.request.post(f"/api/play/{live['id']}/move", data=move).ok
    wait_until(page, lambda: page.request.get(f"/api/play/{live['id']}").json()["result"] is not None)
    wait_until(page, lambda: page.request.get(newest).json() != before)
    return page.request.get(newest).json()[0]


def test_typed_move_is_read_after_other_moves(open_page: OpenPage) -> None:
    """Though it is no listed one letter for letter: of captures people leave out what is taken."""
    page = open_page("/a/tablut/tablutzero?m=1704.1595")
    type_move(page, "a4-e4")
    expect(moves(page)).to_have_count(3)
    expect(moves(page).last).to_have_text("a4-e4xe3")


def test_refused_move_stays_in_the_field(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    field = type_move(page, "11-15")
    expect(field).to_have_value("")
    type_move(page, "23-14")
    expect(page.get_by_role("alert")).to_contain_text("move '23-14'")
    expect(field).to_have_value("23-14")


def test_refused_position_stays_in_the_field(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    set_position(page, "W:W21,99:B1")
    expect(page.get_by_role("alert")).to_contain_text("99")
    expect(page.locator("#position-text")).to_have_value("W:W21,99:B1")


def test_the_text_of_a_position_follows_the_board(open_page: OpenPage) -> None:
    page = open_page(FOUR_MOVES)
    field, button = page.locator("#position-text"), page.get_by_role("button", name="Set", exact=True)
    before = field.input_value()
    field.press("End")
    page.keyboard.type("x")
    expect(button).to_be_enabled()
    page.keyboard.press("Backspace")
    expect(field).to_have_value(before)
    expect(button).to_be_disabled()
    page.keyboard.type("x")
    page.get_by_role("button", name="Initial position").click()
    expect(page.locator(".move[aria-current]")).to_have_count(0)
    expect(field).to_have_value(re.compile(r"^B:W21,22,.*[^x]$"))
    expect(button).to_be_disabled()


def test_a_review_pauses_the_analysis_of_its_page(open_page: OpenPage) -> None:
    page = open_page(FOUR_MOVES)
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(analysis(page)).to_have_attribute("data-analysis", "running")
    page.get_by_label("Seconds per position").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    expect(analysis(page)).to_have_text("Paused while the game is reviewed.")
    expect(page.locator(".graph")).to_have_attribute("data-known", "5")
    expect(analysis(page)).to_have_attribute("data-analysis", "running")


def test_review_respects_the_server_rate_limit(open_page: OpenPage) -> None:
    """Though the engine answers at once: a settings too many would be left unanswered."""
    page = open_page(DRAUGHTS)
    page.evaluate("localStorage.setItem('boardwright:engine:draughts', '\"random\"')")
    page.add_init_script(NOTE_ANALYSES)
    page.goto(FOUR_MOVES)
    page.get_by_role("button", name="Review the game").click()
    expect(page.locator(".notice")).to_have_text("The review is complete.")
    times = page.evaluate("window.asked")
    assert len(times) == 5
    assert min(after - before for before, after in pairwise(times)) >= 1000 / MESSAGES_PER_SECOND


def test_stopped_review_shows_the_reason(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)

    def refuse(socket: WebSocketRoute, message: Json) -> None:
        answer = {"type": "error", "id": message["id"], "error": "too many messages: slow down"}
        socket.send(json.dumps(answer))

    page.route_web_socket("**/ws", lambda socket: socket.on_message(lambda text: refuse(socket, json.loads(text))))
    page.goto(FOUR_MOVES)
    page.get_by_role("button", name="Review the game").click()
    expect(page.locator(".notice")).to_have_text("The review has stopped: too many messages: slow down")
    expect(page.get_by_role("button", name="Review the game")).to_be_visible()


def test_two_pages_analyse_in_turn(open_page: OpenPage) -> None:
    first, second = open_page(DRAUGHTS), open_page("/a/tablut/tablutzero")
    first.get_by_role("button", name="Analyse", exact=True).click()
    expect(analysis(first)).to_have_attribute("data-analysis", "running")
    second.get_by_role("button", name="Analyse", exact=True).click()
    expect(analysis(second)).to_have_text("Waiting: another analysis is running.")
    expect(analysis(second)).to_have_attribute("data-analysis", "running")
    expect(analysis(first)).to_have_text("Waiting: another analysis is running.")
    expect(first.locator(".candidates tbody tr").first).to_be_visible()  # what it has found so far
    expect(analysis(first)).to_have_attribute("data-analysis", "running")


def test_waiting_analysis_can_be_stopped(open_page: OpenPage) -> None:
    states = "[true, false].map((on) => m.stateText({on, paused: false, preparing: false, info: {waiting: true}}))"
    said = open_page(DRAUGHTS).evaluate(f"import('/static/js/panels/analysis.js').then((m) => {states})")
    assert said == ["Waiting: another analysis is running.", "Stopped."]


def test_the_page_recovers_when_the_server_is_back(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    page.wait_for_selector(READY)
    page.evaluate("() => { window.away = fetch; window.fetch = async () => { throw new TypeError('away'); }; }")
    type_move(page, "11-15")
    expect(page.get_by_role("alert")).to_contain_text("the server does not answer")
    expect(page.get_by_label("Type a move")).to_be_disabled()
    page.evaluate("() => { window.fetch = window.away; }")
    expect(page.locator(".status")).to_have_text("White to move")
    type_move(page, "23-19")
    expect(moves(page)).to_have_text(["11-15", "23-19"])


def test_the_same_position_can_be_set_again(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    set_position(page, ENDING)
    page.wait_for_url(re.compile(r"/W:W21,22,K32:B1,2,3$"))
    type_move(page, "21-17")
    page.wait_for_url(re.compile(r"\?m=\d+$"))
    set_position(page, ENDING)
    expect(moves(page)).to_have_count(0)
    expect(page.locator(".status")).to_have_text("White to move")
    page.wait_for_url(re.compile(r"/W:W21,22,K32:B1,2,3$"))


def test_the_same_game_can_be_loaded_again(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    load_text(page, PDN)
    expect(moves(page)).to_have_count(4)
    page.wait_for_url("**ply=0")
    page.keyboard.press("End")
    type_move(page, "9-13")
    expect(moves(page)).to_have_count(5)
    load_text(page, PDN)
    expect(moves(page)).to_have_count(4)


def test_text_without_a_game_is_reported(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    load_text(page, "\n;nothing\n")
    expect(page.get_by_role("dialog").locator(".problem")).to_contain_text("No English draughts game")


def test_errors_of_an_earlier_text_are_cleared(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    problem = page.get_by_role("dialog").locator(".problem")
    load_text(page, "\n;nothing\n")
    expect(problem).to_have_count(1)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Load…").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(problem).to_have_count(0)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(problem).to_have_count(1)
    page.route("**/api/files/read", lambda route: route.fulfill(status=400, json={"error": "too large"}))
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator(".notice")).to_have_text("too large")
    expect(problem).to_have_count(0)


def test_players_without_names_are_shown_as_unknown(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    load_text(page, NAMELESS)
    expect(page.locator(".found li")).to_have_text(["1. ? – ?", "2. ? – ?"])


def test_stored_game_keeps_players_and_result(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    record = lost_on_time(page)
    page.goto(f"/a/draughts?record={record['id']}")
    expect(page.locator(".status")).to_have_text(f"White wins: {record['reason']}")
    text = saved(page)
    for tag in ('[Black "person"]', '[White "random"]', '[Result "0-1"]', record["reason"]):
        assert tag in text
    page.wait_for_url("**/a/draughts/wcdf?m=*")
    page.reload()
    expect(page.locator(".status")).to_have_text(f"White wins: {record['reason']}")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".status")).to_have_text("White to move")


def test_a_loaded_game_is_saved_with_its_names(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    load_text(page, PDN)
    expect(moves(page)).to_have_count(4)
    assert '[White "Weiss"]' in saved(page)
    assert '[Result "0-1"]' in saved(page)
    page.keyboard.press("End")
    type_move(page, "9-13")
    expect(moves(page)).to_have_count(5)
    assert "Weiss" not in saved(page)  # who never played this


def test_space_plays_the_best_move_after_a_click_on_analyse(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.wait_for_selector(".pv button.move")
    page.keyboard.press(" ")
    expect(moves(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()


def test_space_presses_a_button_reached_by_keyboard(open_page: OpenPage) -> None:
    page = open_page(DRAUGHTS)
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Analyse", exact=True)).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()


def test_a_candidate_is_a_whole_move(open_page: OpenPage) -> None:
    """One hop begins all captures here: the engine's is that of its line."""
    page = open_page(CAPTURES)
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.wait_for_selector(".pv button.move")
    candidate = page.locator(".candidates button.move")
    expect(candidate).to_have_text(page.locator(".pv button.move").first.inner_text())
    expect(analysis(page)).to_have_attribute("data-analysis", "stopped")  # there is nothing to choose
    text = candidate.inner_text()
    candidate.click()
    expect(moves(page)).to_have_text([text])
    assert text in saved(page)

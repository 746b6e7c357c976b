"""The study page: analysis that starts and stops, a review, variations, files and links."""

import json
import re
from pathlib import Path

from hands import READY, Json, OpenPage, cell, live, make_move, wait_until
from playwright.sync_api import Locator, Page, expect

import boardwright

PDN = '[Event "A lesson"]\n[White "Weiss"]\n[Black "Schwarz"]\n[Result "*"]\n\n1. 11-15 23-19 2. 8-11 22-17 *\n'
CAPTURE = "B:W19,26,27:B1,10,11,15"
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SCROLLED = "document.querySelector('.moves').scrollTop"
CIRCLE = "W:WK10:B14,15,22,23,24"  # 10x10 takes four of them, 10x19x28 two


def legal(page: Page, **position: object) -> list[Json]:
    answer = page.request.post("/api/position", data=position)
    assert answer.ok, answer.text()
    return answer.json()["legal"]


def moves(page: Page) -> Locator:
    return page.locator(".moves .move-row button.move")


def messages_of(page: Page) -> list[Json]:
    """The messages that the page receives on its socket so far."""
    received: list[Json] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(json.loads(frame))))
    return received


def test_analysis_starts_streams_and_stops(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/tablutzero")
    received = messages_of(page)
    state = page.locator("[data-analysis]")
    page.get_by_role("button", name="Analyse").click()
    expect(state).to_have_attribute("data-analysis", "running")
    expect(page.locator(".candidates tbody tr").first).to_be_visible()
    expect(page.locator(".arrow").first).to_be_visible()
    assert -1 <= float(page.get_by_role("meter").get_attribute("aria-valuenow") or "nan") <= 1
    page.keyboard.press("l")
    expect(state).to_have_attribute("data-analysis", "stopped")
    figures = state.inner_text()
    wait_until(page, lambda: received[-1]["type"] == "done")
    stopped = received[-1]["id"]
    assert state.inner_text() == figures
    page.keyboard.press("l")
    expect(state).to_have_attribute("data-analysis", "running")
    done = received.index({"type": "done", "id": stopped})
    assert not [message for message in received[done + 1 :] if message["id"] == stopped]
    page.keyboard.press("l")


def test_space_plays_the_best_move_and_hover_previews_the_line(open_page: OpenPage) -> None:
    page = open_page("/a/draughts/wcdf")
    page.keyboard.press("l")
    page.wait_for_selector(".pv button.move >> nth=1")
    page.keyboard.press("l")
    expect(page.locator("[data-analysis]")).to_have_attribute("data-analysis", "stopped")
    line = page.locator(".pv button.move").all_inner_texts()
    page.locator(".pv button.move >> nth=1").hover()
    expect(page.locator(".status")).to_have_text("Principal variation")
    page.mouse.move(5, 5)
    expect(page.locator(".status")).to_have_text("Black to move")
    page.keyboard.press(" ")
    expect(moves(page)).to_have_text([line[0]])


def test_best_net_of_the_ladder_is_the_default_engine(open_page: OpenPage) -> None:
    page = open_page("/a/cathedral/official")
    page.get_by_role("button", name="Policy map").click()
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator(".heat-policy rect").first).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.goto("/a/draughts/wcdf")
    expect(page.locator(".engine > summary")).to_have_text("Engine: alphabeta:net=draughts-evaluation,time=1s")
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.wait_for_selector(".pv button.move")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.goto("/a/tablut/saami")  # for which no net ships
    expect(page.locator(".engine > summary")).to_have_text("Engine: alphabeta")


def test_engine_that_does_not_fit_is_refused_with_a_message(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/tablutzero")
    page.locator(".engine > summary").click()
    page.get_by_label("Analyse with").select_option("other")
    page.locator(".engine select[name=player]").select_option("alphazero")
    page.locator(".engine details > summary").click()
    page.locator(".engine .options label", has_text="the name of one that ships").locator("input").fill("tablut-mcgill")
    page.keyboard.press("Tab")
    expect(page.locator(".engine > summary")).to_contain_text("alphazero:net=tablut-mcgill")
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("made for rules 'mcgill'")


def test_two_clicks_on_a_king_play_no_circular_capture(open_page: OpenPage) -> None:
    """Though a capture ends where it begins: the first click takes the king, the second puts it down."""
    page = open_page(f"/a/draughts/wcdf/{CIRCLE}")
    by_text = {move["text"]: move for move in legal(page, game="draughts", rules="wcdf", start=CIRCLE)}
    start = by_text["10x10"]["gesture"][0]["from"]
    page.wait_for_selector(READY)
    cell(page, start).click()
    cell(page, start).click()
    make_move(page, by_text["10x19x28"])
    expect(moves(page)).to_have_text(["10x19x28"])
    page.keyboard.press("ArrowLeft")
    make_move(page, by_text["10x10"])
    expect(page.locator(".moves")).to_contain_text("10x10")


def test_visit_and_policy_maps_are_separate(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/tablutzero")
    page.locator(".engine > summary").click()
    page.get_by_label("Analyse with").select_option("mc:sims=10000")
    page.get_by_role("button", name="Visit map").click()
    page.get_by_role("button", name="Analyse", exact=True).click()
    expect(page.locator(".heat-visits rect").first).to_be_visible()
    page.get_by_role("button", name="Policy map").click()
    expect(page.locator(".heat-visits")).to_have_count(0)
    expect(page.get_by_role("button", name="Visit map")).to_have_attribute("aria-pressed", "false")


def open_with_variation(open_page: OpenPage) -> tuple[Page, Json, Json]:
    """A study with a first move and a variation in its place: the page and the two moves."""
    page = open_page("/a/tablut/tablutzero")
    first, other = legal(page, game="tablut", rules="tablutzero")[:2]
    make_move(page, first)
    expect(moves(page)).to_have_text([first["text"]])
    page.keyboard.press("ArrowLeft")
    make_move(page, other)
    return page, first, other


def test_variations_and_steps(open_page: OpenPage) -> None:
    page, first, other = open_with_variation(open_page)
    expect(page.locator(".variations button.move")).to_have_text([other["text"]])
    page.get_by_role("button", name="Make main line").click()
    expect(page.locator(".variations button.move")).to_have_text([first["text"]])
    page.get_by_role("button", name="Delete from here").click()
    expect(moves(page)).to_have_text([first["text"]])
    page.keyboard.press("End")
    page.wait_for_url(f"**/a/tablut/tablutzero?m={first['actions'][0]}")
    page.reload()
    expect(moves(page)).to_have_text([first["text"]])


def test_variation_does_not_renumber_the_moves(open_page: OpenPage) -> None:
    page = open_page("/a/draughts/wcdf?m=42.89.30.84.43.93")
    rows = page.locator(".moves .move-row")
    expect(rows).to_have_text([re.compile(f"^{number}") for number in (1, 2, 3)])
    before = rows.all_inner_texts()
    page.keyboard.press("Home")
    page.wait_for_selector(READY)
    page.get_by_label("Type a move").fill("9-14")
    page.keyboard.press("Enter")
    expect(page.locator(".variations button.move")).to_have_text(["9-14"])
    expect(rows.locator(".move-number")).to_have_text(["1", "1", "2", "3"])
    expect(rows.nth(1)).to_contain_text("…23-19")
    assert rows.all_inner_texts()[2:] == before[1:]


def test_skip_link_keeps_the_variations(open_page: OpenPage) -> None:
    page, _, other = open_with_variation(open_page)
    variation = page.locator(".variations button.move")
    expect(variation).to_have_text([other["text"]])
    page.wait_for_url(f"**/a/tablut/tablutzero?m={other['actions'][0]}")
    address = page.url
    page.get_by_role("link", name="Skip to content").press("Enter")
    expect(page.locator("#content")).to_be_focused()
    page.evaluate(TWO_FRAMES)
    assert page.url == address
    expect(variation).to_have_text([other["text"]])
    page.evaluate("new Promise((done) => { addEventListener('hashchange', done); location.hash = 'board'; })")
    page.evaluate(TWO_FRAMES)
    expect(variation).to_have_text([other["text"]])
    page.go_back()
    page.evaluate(TWO_FRAMES)
    expect(variation).to_have_text([other["text"]])


def test_keys_scroll_the_focused_move_list(open_page: OpenPage) -> None:
    position = boardwright.game("draughts", rules="wcdf").start()
    while position.plies < 40:
        position = position.play(position.legal_actions()[0])
    page = open_page(f"/a/draughts/wcdf?m={'.'.join(map(str, position.actions()))}")
    region = page.get_by_role("region", name="Moves and variations")
    expect(moves(page).last).to_have_attribute("aria-current", "true")
    page.wait_for_function(f"() => {SCROLLED} > 0")
    region.press("Home")
    page.wait_for_function(f"() => {SCROLLED} === 0")
    expect(moves(page).last).to_have_attribute("aria-current", "true")
    region.locator(".move-number").first.click()  # the mouse scrolls by its wheel: the keys stay the page's
    page.keyboard.press("Home")
    expect(page.locator(".move[aria-current]")).to_have_count(0)


def test_several_jumps_are_clicked_square_by_square(open_page: OpenPage) -> None:
    page = open_page("/a/draughts/wcdf/W:W32,K31:B10,18,27")
    jumps = next(move for move in legal(page, game="draughts", start="W:W32,K31:B10,18,27") if len(move["gesture"]) > 1)
    path = [jumps["gesture"][0]["from"], *(hop["to"] for hop in jumps["gesture"])]
    page.wait_for_selector(READY)
    for at in path[:-1]:
        cell(page, at).click()
    expect(page.locator(".piece.taken")).to_have_count(len(path) - 2)
    expect(moves(page)).to_have_count(0)
    cell(page, path[-1]).click()
    expect(moves(page)).to_have_text([jumps["text"]])


def test_a_review_judges_the_moves(open_page: OpenPage) -> None:
    """Black walks into a capture, which any engine notices."""
    page = open_page("/a/draughts/wcdf")
    game = boardwright.game("draughts", rules="wcdf")
    position = game.start()
    for text in ("11-15", "22-18", "15x22", "25x18", "12-16", "18-15", "10x19", "24x15"):
        position = position.play(text)
    page.goto(f"/a/draughts/wcdf?m={'.'.join(map(str, position.actions()))}")
    page.get_by_label("Seconds per position").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    expect(page.locator(".graph")).to_have_attribute("data-known", "9")
    expect(page.get_by_role("table", name="Mistakes by side")).to_be_visible()
    page.locator(".graph .u-over").click(position={"x": 2, "y": 40})
    expect(page.locator(".move[aria-current]")).to_have_count(0)


def test_files_are_loaded_and_saved(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/a/draughts/wcdf")
    path = tmp_path / "lesson.pdn"
    path.write_text(PDN)
    page.get_by_role("button", name="Load…").click()
    page.locator("input[type=file]").set_input_files(path)
    expect(moves(page)).to_have_text(["11-15", "23-19", "8-11", "22-17"])
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    assert "11-15 23-19" in Path(download.value.path()).read_text()


def test_games_of_a_file_are_listed_by_event(open_page: OpenPage) -> None:
    page = open_page("/a/draughts/wcdf")
    page.get_by_role("button", name="Load…").click()
    page.get_by_label("Or paste the text").fill(
        '[Event "One"]\n\n1. 11-15 *\n\n[Event "Two"]\n[Black "B"]\n\n1. 11-16 *\n'
    )
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator(".found li")).to_have_text(["1. ? – ?, One", "2. B – ?, Two"])


def test_a_link_opens_its_position(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/tablutzero", permissions=["clipboard-read", "clipboard-write"])
    make_move(page, legal(page, game="tablut", rules="tablutzero")[0])
    expect(moves(page)).to_have_count(1)
    expect(page.locator(".status")).to_contain_text("Defenders to move")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("alert")).to_contain_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    text = page.locator("#position-text").input_value()
    elsewhere = open_page(link)
    expect(elsewhere.locator("#position-text")).to_have_value(text)
    expect(elsewhere.locator(".status")).to_contain_text("Defenders to move")
    expect(moves(elsewhere)).to_have_count(0)


def test_game_opens_in_study(open_page: OpenPage) -> None:
    page = open_page("/")
    answer = page.request.post("/api/play", data={"game": "tablut", "role": 0, "opponent": "random"})
    page.goto(f"/play/{answer.json()['id']}")
    page.wait_for_selector("[data-status=mine]")
    page.get_by_role("button", name="Study").click()
    page.wait_for_url("**/a/tablut/tablutzero*")
    expect(page.locator("[data-cell]")).to_have_count(81)


def test_escapes_of_the_king_are_shown(open_page: OpenPage) -> None:
    page = open_page("/a/tablut/tablutzero//4t4/9/9/9/K7t/9/9/9/4t4/_d_0_0")
    cell(page, [4, 0]).hover()
    expect(page.locator(".hint-escape")).to_have_count(2)


def test_game_starts_from_the_studied_position(open_page: OpenPage) -> None:
    page = open_page(f"/a/draughts/wcdf/{CAPTURE}")
    text = page.locator("#position-text").input_value()
    page.get_by_role("button", name="Play from here").click()
    page.get_by_role("radio", name="Black").check(force=True)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector("[data-status=mine]")
    assert live(page)["view"]["start"] == text


def test_buttons_of_a_piece_are_shown_once(open_page: OpenPage) -> None:
    """At the first move of Cathedral two trays are active, and only the neutral one has a piece to place."""
    page = open_page("/a/cathedral/official-6")
    page.wait_for_selector(READY)
    rotate = page.get_by_role("button", name="Rotate the piece")
    expect(rotate).to_have_count(1)
    make_move(page, legal(page, game="cathedral", rules="official-6")[0])
    expect(moves(page)).to_have_count(1)
    page.wait_for_selector(READY)
    expect(rotate).to_have_count(1)

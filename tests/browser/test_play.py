"""Whole games at the page: by mouse, by keyboard, with undo, a reload and a resignation."""

import pytest
from hands import MY_TURN, READY, OpenPage, cell, expect_result, good_move, live, make_move, new_game, wait_for_turn
from playwright.sync_api import Page, Route, expect

MAX_MOVES = 150  # moves of ours


def play_to_the_end(page: Page) -> dict:
    """Plays by mouse until the game is over."""
    for _ in range(MAX_MOVES):
        page.wait_for_selector(MY_TURN)
        state = live(page)
        if state["result"]:
            return state
        make_move(page, good_move(state))
        wait_for_turn(page, len(state["view"]["line"]))
    raise AssertionError("the game does not end")


@pytest.mark.parametrize(
    ("title", "side", "rules"),
    [
        ("Tablut", "Defenders", "tablutzero"),
        ("English draughts", "Black", "wcdf"),
        ("Cathedral", "Light", "official-6"),
    ],
)
def test_whole_game_by_mouse(open_page: OpenPage, title: str, side: str, rules: str) -> None:
    page = open_page("/")
    new_game(page, title, side, rules=rules)
    state = play_to_the_end(page)
    expect_result(page)
    assert state["rules"] == rules
    winner = "draw" if state["result"]["winner"] is None else str(state["result"]["winner"])
    expect(page.locator("[data-result]")).to_have_attribute("data-result", winner)
    expect(page.locator(".moves button.move")).to_have_count(len(state["view"]["line"]))


def with_a_rated_net(route: Route) -> None:
    """The games, as if ratings of Tablut's default rules shipped, of no others, and a net that is above all there."""
    games = route.fetch().json()
    (tablut,) = [game for game in games if game["name"] == "tablut"]
    (zero,) = [rules for rules in tablut["rule_sets"] if rules["name"] == "tablutzero"]
    for rules in tablut["rule_sets"]:
        rules["rated_on"] = None
        rules["opponents"] = [{**opponent, "rating": None} for opponent in rules["opponents"]]
    zero["rated_on"] = "a machine"
    for opponent in zero["opponents"]:
        opponent["rating"] = {"elo": 250.4 * (opponent["level"] - 1), "plus": 60.2, "minus": 40}
    level = len(zero["opponents"]) + 1
    zero["opponents"].append({"spec": "net:net=made-up", "label": "A net", "level": level, "rating": None})
    route.fulfill(json=games)


def test_opponents_and_their_ratings_follow_the_rules(open_page: OpenPage) -> None:
    page = open_page("/")
    page.route("**/api/games", with_a_rated_net)
    page.reload()
    page.get_by_role("radio", name="Tablut").check(force=True)
    against = page.get_by_label("Against")
    rungs = against.locator("option")
    expect(rungs.first).to_have_text("1. Random moves · 0")
    expect(rungs.nth(5)).to_contain_text("· 1,252 ± 60")
    measured = page.locator(".opponent small")
    against.select_option(index=1)
    expect(measured).to_have_text("250 ± 60 Elo above random moves (95 %), measured on a machine")
    against.select_option("net:net=made-up")
    expect(measured).to_have_text("Ratings: Elo above random moves (95 %), measured on a machine")
    page.get_by_label("Rules").select_option("saami")
    expect(measured).to_have_count(0)
    expect(rungs.first).to_have_text("1. Random moves")
    expect(against).to_have_value("alphabeta:time=1s")  # the net does not play by these; this is the highest rung


def focus_cell(page: Page, at: list[int]) -> None:
    """Walks the focus over the board, from the cell that has it, with the arrow keys."""
    row, column = page.evaluate("document.activeElement.dataset.cell.split(',').map(Number)")
    for key, count in (("ArrowDown", at[0] - row), ("ArrowRight", at[1] - column)):
        opposite = {"ArrowDown": "ArrowUp", "ArrowRight": "ArrowLeft"}[key]
        for _ in range(abs(count)):
            page.keyboard.press(key if count > 0 else opposite)
    expect(cell(page, at)).to_be_focused()


def test_whole_game_by_keyboard(open_page: OpenPage) -> None:
    """Tab to the board, arrows over it, Enter takes and puts down; every other move is typed."""
    page = open_page("/")
    new_game(page, "Tablut", "Defenders")
    spoken = page.locator("#spoken")
    while not page.evaluate("document.activeElement.matches('[role=gridcell]')"):
        page.keyboard.press("Tab")
    for number in range(MAX_MOVES):
        state = live(page)
        if state["result"]:
            break
        move = good_move(state)
        page.wait_for_selector(READY)
        if number % 2:
            page.locator("#typed-move").focus()
            page.keyboard.type(move["text"])
            page.keyboard.press("Enter")
        else:
            page.locator("[role=gridcell][tabindex='0']").focus()
            page.wait_for_function("() => document.activeElement.matches('[role=gridcell]')")
            for at in (move["gesture"][0]["from"], move["gesture"][0]["to"]):
                focus_cell(page, at)
                page.keyboard.press("Enter")
        wait_for_turn(page, len(state["view"]["line"]))
        expect(spoken).to_contain_text(live(page)["view"]["line"][-1]["text"])
    expect_result(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Result")).to_be_hidden()


def test_dragging_a_piece(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "Tablut", "Attackers")
    move = live(page)["view"]["legal"][0]
    page.wait_for_selector(READY)
    cell(page, move["gesture"][0]["from"]).drag_to(cell(page, move["gesture"][0]["to"]))
    wait_for_turn(page, 1)
    assert live(page)["view"]["line"][0]["text"] == move["text"]


def test_undo_and_reload(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "English draughts", "Black")
    first = live(page)["view"]
    make_move(page, first["legal"][0])
    wait_for_turn(page, 1)
    before = live(page)["view"]
    page.reload()
    page.wait_for_selector(MY_TURN)
    expect(page.locator(".moves button.move")).to_have_text([move["text"] for move in before["line"]])
    make_move(page, before["legal"][0])
    wait_for_turn(page, 3)
    undo = page.get_by_role("button", name="Undo")
    undo.click()
    expect(page.locator(".moves button.move")).to_have_count(2)
    expect(undo).to_be_enabled()
    page.keyboard.press("u")
    expect(page.locator(".moves button.move")).to_have_count(0)
    assert live(page)["view"]["text"] == first["text"]


def test_looking_back_and_flipping(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "Tablut", "Attackers")
    make_move(page, live(page)["view"]["legal"][0])
    wait_for_turn(page, 1)
    page.keyboard.press("Home")
    expect(page.locator(".status")).to_contain_text("Looking back")
    page.keyboard.press("End")
    expect(page.locator(".status")).to_have_text("Your move")
    corner = cell(page, [0, 0])
    left = corner.get_attribute("x") or ""
    page.keyboard.press("f")
    expect(corner).not_to_have_attribute("x", left)


def test_resigning_by_the_clock(open_page: OpenPage) -> None:
    page = open_page("/")
    page.get_by_label("Clock").select_option("300+5")
    new_game(page, "Tablut", "Attackers")
    expect(page.get_by_role("timer")).to_have_count(2)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog", name="Resign").get_by_role("button", name="Resign").click()
    expect_result(page)
    expect(page.get_by_role("heading", name="You lose")).to_be_visible()
    before = page.url
    page.get_by_role("dialog").get_by_role("button", name="Rematch, sides swapped").click()
    page.wait_for_url(lambda url: url != before)
    assert live(page)["human"] == 1


def test_rematch_keeps_the_clock(open_page: OpenPage) -> None:
    """Not that of the game begun last."""
    page = open_page("/")
    page.get_by_label("Clock").select_option("60+1")
    new_game(page, "Tablut", "Attackers")
    first = page.url
    page.goto("/")
    page.get_by_label("Clock").select_option("900+10")
    new_game(page, "Tablut", "Attackers")
    page.goto(first)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog", name="Resign").get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Rematch, sides swapped").click()
    page.wait_for_url(lambda url: "/play/" in url and url != first)
    assert 30 < min(live(page)["clock"]["remaining"]) <= max(live(page)["clock"]["remaining"]) <= 61


def test_moves_can_be_typed_one_after_another(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "English draughts", "Black")
    field = page.get_by_label("Type a move")
    field.fill("11-15")
    field.press("Enter")
    wait_for_turn(page, 1)
    page.wait_for_selector(READY)
    page.keyboard.type("fu")  # which would flip the board and undo
    expect(field).to_have_value("fu")
    expect(page.locator(".moves button.move")).to_have_count(2)


def test_typing_during_a_search_triggers_no_keys(open_page: OpenPage) -> None:
    page = open_page("/")
    game = {"game": "draughts", "role": 0, "opponent": "alphabeta:time=50s"}
    begun = page.request.post("/api/play", data=game).json()
    page.goto(f"/play/{begun['id']}")
    field = page.get_by_label("Type a move")
    field.fill("11-15")
    field.press("Enter")
    expect(page.locator(".thinking")).to_be_visible()
    expect(field).to_be_disabled()
    expect(field).to_be_focused()
    page.keyboard.type("ul")
    page.keyboard.press("Enter")
    expect(field).to_have_value("")
    assert len(live(page)["view"]["line"]) == 1
    page.request.post(f"/api/play/{begun['id']}/resign", data={})
    expect_result(page)


def test_rematch_works_after_closing_the_result(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "Tablut", "Attackers")
    before = page.url
    page.request.post(f"/api/play/{live(page)['id']}/resign", data={})
    expect_result(page)
    page.get_by_role("button", name="Close").click()
    page.reload()
    page.get_by_role("button", name="Rematch, sides swapped").click()
    page.wait_for_url(lambda url: "/play/" in url and url != before)
    assert live(page)["human"] == 1


def test_review_starts_from_the_finished_game(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "English draughts", "Black")
    make_move(page, live(page)["view"]["legal"][0])
    wait_for_turn(page, 1)
    page.request.post(f"/api/play/{live(page)['id']}/resign", data={})
    page.get_by_role("dialog", name="Result").get_by_role("button", name="Review the game").click()
    expect(page.locator(".graph")).to_have_attribute("data-known", "3")
    page.wait_for_url(lambda url: "review" not in url)  # it does not begin again


def test_an_illegal_move_is_explained(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "Tablut", "Attackers")
    page.locator("#typed-move").fill("e5-e6")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("e5")
    assert live(page)["view"]["line"] == []


def test_forced_captures_are_shown(open_page: OpenPage) -> None:
    page = open_page("/a/draughts/wcdf/B:W15,18,26:B1,10,11")
    expect(page.locator(".hint-forced")).to_have_count(1)

"""What goes wrong while one plays: players that fail, a lost connection, clicks that mean nothing, narrow screens."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import READY, OpenPage, cell, live, new_game, wait_for_turn, wait_until
from planted_run import log, plant_net, plant_run
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

NARROW = {"width": 360, "height": 740}
SLOW = "alphabeta:time=50s"
STUCK_OR_THINKING = "() => document.querySelector('.problem, .thinking')"


def play(page: Page, **settings: object) -> dict:
    """Begins a game by a request, and goes to it."""
    answer = page.request.post("/api/play", data={"game": "tablut", "role": 0, "opponent": "random", **settings})
    assert answer.ok, answer.text()
    page.goto(f"/play/{answer.json()['id']}")
    expect(page.locator(".stage-board .board")).to_be_visible()
    return answer.json()


def notice(page: Page) -> Locator:
    return page.locator(".notice")


@pytest.fixture(scope="module")
def zero_run(runs: Path) -> str:
    """The name of a run that learns Tablut's default rules, with a net that plays."""
    folder = plant_run(runs / "learns-zero", game="tablut")
    plant_net(folder, 1, game="tablut")
    (folder / "nets" / "000001.net").rename(folder / "nets" / "best.net")
    return folder.name


def workers() -> Iterator[int]:
    """The processes that think for the server, which is a child of this process."""
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    for pid, parent in parents.items():
        if parents.get(parent) == os.getpid() and b"spawn_main" in _words(pid) and b"serve" in _words(parent):
            yield pid


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has just ended
        return 0


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_player_without_its_net_is_refused(open_page: OpenPage) -> None:
    page = open_page("/")
    page.get_by_role("radio", name="Tablut").check(force=True)
    page.get_by_label("Against").select_option("other")
    page.locator("select[name=player]").select_option("alphazero")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(notice(page)).to_contain_text("player 'alphazero' needs a net")
    assert page.evaluate("location.pathname") == "/"
    page.locator(".other-player summary").click()
    expect(page.get_by_title("the net:")).not_to_contain_text("file")


def test_the_net_of_a_run_is_offered_under_its_rules_only(open_page: OpenPage, zero_run: str) -> None:
    page = open_page("/")
    page.get_by_role("radio", name="Tablut").check(force=True)
    page.get_by_label("Rules").select_option("tablutzero")
    against, net = page.get_by_label("Against"), f"Net of {zero_run}"
    against.select_option(label=net)
    page.get_by_label("Rules").select_option("saami")
    expect(against).not_to_have_value(re.compile("run/|other"))
    expect(against.locator("option", has_text=net)).to_have_count(0)
    page.get_by_label("Rules").select_option("tablutzero")
    expect(against.locator("option", has_text=net)).to_have_count(1)


def test_dead_player_is_reported_and_retried(open_page: OpenPage) -> None:
    page = open_page("/")
    play(page, role=1, opponent=SLOW)
    problem = page.locator(".problem")
    while not problem.is_visible():  # the page retries a few times
        page.wait_for_function(STUCK_OR_THINKING)
        for pid in list(workers()):
            os.kill(pid, signal.SIGKILL)
        expect(notice(page)).to_contain_text("its process died")
    expect(problem).to_contain_text("its process died")
    expect(page.locator(".thinking")).to_have_count(0)
    problem.get_by_role("button", name="Retry").click()
    expect(problem).to_have_count(0)
    expect(page.locator(".thinking")).to_be_visible()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog", name="Resign").get_by_role("button", name="Resign").click()
    expect(page.locator("[data-status=over]")).to_be_visible()


def test_a_lost_connection_is_shown(open_page: OpenPage) -> None:
    """Both clocks are paused."""
    page = open_page("/")
    page.clock.install()
    there, sockets = [True], []

    def connect(socket: WebSocketRoute) -> None:
        if not there[0]:
            socket.close()
            return
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/ws", connect)
    begun = play(page, role=1, opponent=SLOW, clock={"base": 900})
    expect(page.locator(".thinking")).to_be_visible()
    there[0] = False
    sockets[-1].close()
    problem = page.locator(".problem")
    expect(problem).to_contain_text("connection to the server is lost")
    expect(page.locator(".thinking")).to_have_count(0)
    clock = page.get_by_role("timer", name="Clock of attackers")
    before = clock.inner_text()
    page.clock.run_for(10_000)
    assert clock.inner_text() == before
    there[0] = True
    expect(notice(page)).to_have_text("Reconnected")
    expect(problem).to_have_count(0)
    expect(page.locator(".thinking")).to_be_visible()
    page.request.post(f"/api/play/{begun['id']}/resign", data={})
    expect(page.locator("[data-status=over]")).to_be_visible()


def test_game_continues_after_a_restart_with_lower_version(open_page: OpenPage) -> None:
    """A player's failures count in a game's version and are not stored."""
    page = open_page("/")
    sockets: list[WebSocketRoute] = []
    messages: list[dict] = []

    def connect(socket: WebSocketRoute) -> None:
        more = 0 if sockets else 100  # than what is stored, by the first server

        def tell(text: str | bytes) -> None:
            messages.append(json.loads(text))
            if messages[-1]["type"] == "game":
                messages[-1]["game"]["version"] += more
            socket.send(json.dumps(messages[-1]))

        sockets.append(socket)
        socket.connect_to_server().on_message(tell)

    page.route_web_socket("**/ws", connect)
    begun = play(page, game="draughts")
    wait_until(page, lambda: bool(messages))
    sockets[0].close()
    expect(notice(page)).to_have_text("Reconnected")
    assert page.request.post(
        f"/api/play/{begun['id']}/move", data={"text": "11-15", "version": begun["version"]}
    ).ok  # in another window
    wait_for_turn(page, 1)
    older = {"type": "game", "game": begun}
    sockets[1].send(json.dumps(older))  # by the same connection
    sockets[1].send(json.dumps({"type": "error", "id": begun["id"], "error": "and then this"}))
    expect(notice(page)).to_have_text("and then this")
    wait_for_turn(page, 1)


def test_only_a_click_on_the_board_places_a_building(open_page: OpenPage) -> None:
    page = open_page("/")
    new_game(page, "Cathedral", "Light")
    page.wait_for_selector(READY)
    moves: list[str] = []
    page.on("request", lambda request: moves.append(request.url) if request.url.endswith("/move") else None)
    middle = cell(page, [5, 5])
    for button in ("right", "middle"):
        middle.click(button=button)
        expect(page.locator("[data-ghost=legal]")).to_be_visible()
    page.locator(".status").hover()
    page.mouse.down()
    middle.hover()
    page.mouse.up()
    expect(page.locator("[data-ghost=legal]")).to_be_visible()
    page.mouse.down()  # on the board, and released outside it
    page.locator(".status").hover()
    page.mouse.up()
    page.mouse.down()
    middle.hover()
    page.mouse.up()
    assert moves == []
    middle.click()
    wait_for_turn(page, 1)
    assert len(moves) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"opponent": "alphabeta:depth=2", "clock": {"base": 900, "increment": 10}},
        {"opponent": "alphabeta:depth=2,threads=1,nodes=100000000000,time=3599.999999s"},
    ],
)
def test_game_fits_a_small_screen(open_page: OpenPage, settings: dict) -> None:
    page = open_page("/", viewport=NARROW)
    play(page, **settings)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    expect(page.locator(".player-name", has_text="You")).to_be_visible()


def test_long_run_name_fits_a_small_screen(open_page: OpenPage, runs: Path) -> None:
    name = "x" * 110
    log(plant_run(runs / name, game="tablut"), range(1, 2))
    page = open_page("/training", viewport=NARROW)
    page.locator(f'[data-run="{name}"]').click()
    expect(page.locator("#run-title")).to_have_text(name)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_rematch_starts_from_the_same_position(open_page: OpenPage) -> None:
    page = open_page("/")
    start = "B:W21,22,23:B1,2,3"
    begun = play(page, game="draughts", position=start)
    page.request.post(f"/api/play/{begun['id']}/resign", data={})
    page.get_by_role("dialog").get_by_role("button", name="Rematch, sides swapped").click()
    page.wait_for_url(lambda url: begun["id"] not in url)
    again = live(page)
    assert again["human"] == 1
    assert again["view"]["start"] == begun["view"]["start"] == start


def test_end_of_the_game_closes_the_resign_dialog(open_page: OpenPage) -> None:
    page = open_page("/")
    begun = play(page)
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("dialog", name="Resign")).to_be_visible()
    page.request.post(f"/api/play/{begun['id']}/resign", data={})  # or its flag falls
    expect(page.get_by_role("dialog", name="Result")).to_be_visible()
    expect(page.get_by_role("dialog", name="Resign")).to_be_hidden()


def test_notices_are_above_dialogs(open_page: OpenPage) -> None:
    page = open_page("/")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.evaluate("import('/static/js/lib/announce.js').then((m) => m.notify('Something happened'))")
    expect(notice(page)).to_be_visible()
    assert page.locator(".notices").evaluate("box => box.matches(':popover-open')")  # in the top layer, so the last


def test_net_of_a_run_is_shown_by_its_name(open_page: OpenPage, zero_run: str) -> None:
    page = open_page("/")
    (run,) = [run for run in page.request.get("/api/runs").json() if run["name"] == zero_run]
    play(page, rules="tablutzero", opponent=run["player"])
    expect(page.locator(".player-name").first).to_have_text(f"alphazero:net=run/{zero_run}")


def test_refused_move_stays_in_the_field(open_page: OpenPage) -> None:
    page = open_page("/")
    play(page, game="draughts")
    field = page.get_by_label("Type a move")
    field.fill("23-14")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("move '23-14'")
    expect(field).to_have_value("23-14")


def test_study_of_a_finished_game_shows_players_and_result(open_page: OpenPage) -> None:
    page = open_page("/")
    game = play(page, game="draughts")
    field = page.get_by_label("Type a move")
    field.fill("11-15")
    field.press("Enter")
    expect(field).to_have_value("")
    assert page.request.post(f"/api/play/{game['id']}/resign", data={}).ok
    page.locator("dialog[open]").get_by_role("button", name="Review the game").click()
    expect(page.locator(".status")).to_contain_text("White wins: ")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    text = Path(download.value.path()).read_text()
    assert '[Black "person"]' in text
    assert '[White "random"]' in text
    assert '[Result "0-1"]' in text

"""The parts of the pages that only compute, called where they run: in the browser."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hands import wait_until
from playwright.sync_api import Browser, Page, WebSocketRoute


@pytest.fixture(scope="module")
def page(browser: Browser, server: str) -> Iterator[Page]:
    """One for all of them: nothing here changes it."""
    page = browser.new_page(base_url=server)
    page.goto("/")
    yield page
    page.close()


def call(page: Page, module: str, expression: str) -> Any:
    """The value of an expression in which `m` is a module of the pages."""
    return page.evaluate(f"import('/static/js/{module}').then((m) => {expression})")


@pytest.mark.parametrize(
    ("start", "actions"),
    [
        ("/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/ a 0 0", []),
        ("B:W21,K22:B1,2:H3:F9", [5, 120]),
        ("6/6/1+4/+++3/1+4/1+4 d 0,0 l 1", [7]),
        (None, [1, 2, 3]),
    ],
)
def test_links_reproduce_their_positions(page: Page, start: str | None, actions: list[int]) -> None:
    found = page.evaluate(
        "async (line) => { const m = await import('/static/js/lib/router.js');"
        " return m.route(new URL(m.studyPath(line), location.origin)); }",
        {"game": "tablut", "rules": "tablutzero", "start": start, "actions": actions},
    )
    assert found["page"] == "study"
    assert (found["params"]["start"], found["params"]["actions"]) == (start, actions)
    assert (found["params"]["game"], found["params"]["rules"]) == ("tablut", "tablutzero")


def test_moves_are_in_the_columns_of_their_roles(page: Page) -> None:
    """Role 1 moves twice running and chance moves in between."""
    moves = "[[0, 'a'], [1, 'b'], [1, 'c'], [null, 'x'], [0, 'd'], [1, 'e']].map(([role, text]) => ({role, text}))"
    rows = call(page, "panels/moves.js", f"m.rowsOf({moves})")
    written = [[cell and cell["text"] for cell in row["cells"]] for row in rows]
    assert written == [["a", "b"], [None, "c"], [None, None], ["d", "e"]]
    assert rows[2]["chance"]["text"] == "x"


def test_rotated_shapes_stay_on_the_board(page: Page) -> None:
    tavern, square = "[[0, 0]]", "[[0, 0], [0, 1], [1, 0], [1, 1]]"
    castle, academy = "[[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]]", "[[0, 1], [1, 0], [1, 1], [1, 2], [2, 2]]"
    shapes = f"[{tavern}, {square}, {castle}, {academy}]"
    assert call(page, "board/geometry.js", f"{shapes}.map((s) => m.orientations(s).length)") == [1, 1, 4, 4]
    corner = call(page, "board/geometry.js", f"m.shapeAt({castle}, [9, 9], {{rows: 10, columns: 10}})")
    assert max(map(max, corner)) == 9


@pytest.mark.parametrize(
    ("role", "before", "after", "name"),
    [
        (0, 0.5, -0.2, "blunder"),
        (1, 0.0, 0.45, "mistake"),
        (1, -0.1, 0.1, "inaccuracy"),
        (0, 0.1, 0.9, None),
        (1, 0.9, 0.2, None),
    ],
)
def test_moves_are_judged_by_the_loss_of_value(
    page: Page, role: int, before: float, after: float, name: str | None
) -> None:
    assert call(page, "lib/judgement.js", f"m.judge(m.loss({role}, {before}, {after}))?.name ?? null") == name


def test_variations_are_added_and_deleted(page: Page) -> None:
    move = "(text, n) => ({text, role: 0, actions: [n]})"
    texts = call(
        page,
        "lib/tree.js",
        f"{{ const move = {move}; let [tree, a] = m.addMove(m.newTree(), 'n0', move('a', 1));"
        " let b; [tree, b] = m.addMove(tree, 'n0', move('b', 2)); [tree] = m.addMove(tree, 'n0', move('a', 1));"
        " const promoted = m.promote(tree, b); const [smaller] = m.remove(promoted, b);"
        " return [tree, promoted, smaller].map((t) => m.mainLine(t).slice(1).map((node) => node.move.text)"
        ".concat(t.nodes.n0.children.length)); }",
    )
    assert texts == [["a", 2], ["b", 2], ["a", 1]]


def test_specs_survive_a_round_trip(page: Page) -> None:
    specs = ["random", "alphabeta:time=2s,threads=2", "alphazero:net=a=b"]
    assert [call(page, "panels/opponent.js", f"m.writeSpec(m.parseSpec('{spec}'))") for spec in specs] == specs


LADDERS = """
const rung = (spec, level) => ({ spec, label: spec, level, rating: null });
const ladder = (...specs) => specs.map((spec, place) => rung(spec, place + 1));
const game = { default_rules: "old", rule_sets: [
  { name: "old", opponents: ladder("random", "greedy", "net:net=a", "alphazero:net=a,sims=100", "alphabeta:net=e") },
  { name: "new", opponents: ladder("random", "greedy", "alphabeta", "net:net=b") } ] };
"""


@pytest.mark.parametrize(
    ("spec", "after"),
    [
        ("greedy", "greedy"),
        ("mc:sims=7", "mc:sims=7"),  # not on the ladder, but knows all rules
        ("net:net=a", "alphabeta"),  # the third rung here as there
        ("alphazero:net=a,sims=100", "net:net=b"),
        ("alphazero:time=5s,net=a", "greedy"),  # on no rung
        ("alphazero:net=b,sims=3", "alphazero:net=b,sims=3"),
        ("alphabeta:net=e", "alphabeta:net=e"),  # which says nothing of moves, so that any rules will do
        ("alphabeta:net=gone", "greedy"),
        ("alphazero:net=run/0123,sims=3", "alphazero:net=run/0123,sims=3"),  # a run that was not seen yet
    ],
)
def test_opponents_follow_the_rules(page: Page, spec: str, after: str) -> None:
    found = call(
        page, "lib/ladder.js", f"{{ {LADDERS} return m.opponentAfterRulesChange(game, '{spec}', 'old', 'new'); }}"
    )
    assert found == after
    assert call(page, "lib/ladder.js", f"{{ {LADDERS} return m.plays(game, 'new', '{spec}'); }}") == (spec == after)


@pytest.mark.parametrize(("learned", "after"), [("new", "alphazero:net=run/0456"), ("old", "greedy")])
def test_net_of_a_run_is_offered_under_its_own_rules(page: Page, learned: str, after: str) -> None:
    runs = f"[{{ id: '0456', name: 'mine', rules: '{learned}' }}]"
    found = page.evaluate(
        "async () => { const [sides, m] = await Promise.all(['sides', 'ladder'].map((name) =>"
        f" import(`/static/js/lib/${{name}}.js`))); sides.nameRuns({runs}); {LADDERS}"
        " return m.opponentAfterRulesChange(game, 'alphazero:net=run/0456', 'old', 'new'); }"
    )
    assert found == after


def test_custom_rules_have_the_default_ladder(page: Page) -> None:
    assert call(page, "lib/ladder.js", f"{{ {LADDERS} return m.ladderOf(game, 'mine').length; }}") == 5
    assert call(page, "lib/ladder.js", f"{{ {LADDERS} return m.easyOpponent(game, null); }}") == "greedy"


def test_one_click_plays_several_jumps_if_unambiguous(page: Page) -> None:
    hop = "(from, to) => ({kind: 'step', from, to, captured: [[0, 0]]})"
    legal = (
        "[{actions: [1, 2], gesture: [hop([0, 0], [2, 2]), hop([2, 2], [4, 4])]},"
        " {actions: [1, 3], gesture: [hop([0, 0], [2, 2]), hop([2, 2], [4, 0])]}]"
    )
    found = call(
        page,
        "board/moves.js",
        f"{{ const hop = {hop}; const legal = {legal};"
        " return [[...m.forcedCells(legal)], [...m.nextCells(legal, [[0, 0], [2, 2]])],"
        " [...m.shortcuts(legal, [[0, 0]]).keys()],"
        " m.capturedAlong(legal, [[0, 0], [2, 2]]).length]; }",
    )
    assert found == [["0,0"], ["4,4", "4,0"], ["4,4", "4,0"], 1]


def test_games_and_matches_are_watched_again_after_a_reconnection(browser: Browser, server: str) -> None:
    """All that are still watched, and nothing else."""
    page = browser.new_page(base_url=server)
    sockets: list[WebSocketRoute] = []
    received: list[list[dict[str, Any]]] = []

    def connect(socket: WebSocketRoute) -> None:
        messages: list[dict[str, Any]] = []
        sockets.append(socket)
        received.append(messages)
        socket.on_message(lambda text: messages.append(json.loads(text)))

    page.route_web_socket("**/of-a-test", connect)
    page.goto("/")
    page.evaluate(
        "import('/static/js/lib/socket.js').then((m) => { const s = m.makeSocket(`ws://${location.host}/of-a-test`);"
        " s.watch('g', { state() {} }); s.watchMatch(7, () => {}); s.watchMatch(8, () => {})(); })"
    )
    wait_until(page, lambda: len(received) == 1 and len(received[0]) == 4)
    sockets[0].close()
    wait_until(page, lambda: len(received) == 2 and len(received[1]) >= 2)
    assert received[1] == [{"type": "watch", "game": "g"}, {"type": "watch-match", "match": 7}]
    page.close()

"""The same commands on draughts, where a move may be several actions."""

from commands import as_json, boardwright

from boardwright.games.base import Position
from boardwright.games.registry import game

MANY = "B:W6,7,8,14,15,16,22,23,24:BK2"
BEFORE_MANY = "W:W6,7,8,14,15,16,22,23,28:BK2"  # 28-24 leads there


def test_perft_counts_routes_or_moves() -> None:
    assert as_json("perft", "draughts", "--depth", "8") == {
        "game": "draughts",
        "rules": "wcdf",
        "depth": 8,
        "nodes": 845931,
    }
    assert as_json("perft", "draughts", "--depth", "1", "--position", MANY)["nodes"] == 14
    assert as_json("perft", "draughts", "--depth", "1", "--position", MANY, "--count", "moves")["nodes"] == 10
    divided = as_json("perft", "draughts", "--depth", "1", "--position", MANY, "--divide")["divide"]
    assert len(divided) == sum(divided.values()) == 14
    assert boardwright("perft", "draughts", "--depth", "1", "--count", "hops").returncode == 2


def after_every_route(position: Position) -> list[Position]:
    reached: list[Position] = []
    for action in position.legal_actions():
        after = position.play(action)
        reached += after_every_route(after) if after.core.continues else [after]
    return reached


def test_perft_counts_routes_or_moves_of_replies() -> None:
    """The same as playing all of them: moves are counted by the positions that they lead to."""
    replies = [after_every_route(first) for first in after_every_route(game("draughts").position(BEFORE_MANY))]
    expected = {
        "routes": sum(map(len, replies)),
        "moves": sum(len({position.text for position in reached}) for reached in replies),
    }
    assert expected["moves"] < expected["routes"]
    for count, nodes in expected.items():
        shown = as_json("perft", "draughts", "--depth", "2", "--position", BEFORE_MANY, "--count", count, "--divide")
        assert shown["nodes"] == sum(shown["divide"].values()) == nodes


def test_legal_lists_whole_moves_and_the_actions_they_begin_with() -> None:
    listing = as_json("legal", "draughts", "--position", MANY)
    assert len(listing["moves"]) == 10
    assert listing["actions"] == [6, 7]
    assert as_json("legal", "draughts", "--position", "B:W26,27:B22") == {"moves": ["22x31"], "actions": [87]}


def test_actions_are_hops_and_plies_are_moves() -> None:
    shown = as_json("show", "draughts", "--actions", "42,85,58")  # 11-15 22-18 15x22
    assert (shown["position"], shown["to_move"], shown["plies"]) == (
        "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22:H0:F2",
        "white",
        3,
    )


def test_bad_positions_and_moves() -> None:
    for text, complaint in (
        ("B:W33:B1", "square 33 is not from 1 to 32"),
        ("B:W5:B5", "square 5 is given twice"),
        ("B:W5:B30", "a black man on 30 would have been crowned"),
        ("X:W5:B1", "beginning with B or W"),
    ):
        done = boardwright("legal", "draughts", "--position", text)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert complaint in done.stderr
    done = boardwright("show", "draughts", "--actions", "0")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_play_takes_whole_captures() -> None:
    done = boardwright("play", "draughts", "--position", "B:W14,23,32:B9", stdin="9x18\n9x27\nresign\n")
    assert "must be completed: 9x18x27" in done.stdout
    assert done.returncode == 0, done.stderr


def test_hints_and_answers_are_whole_moves() -> None:
    position = "W:W22,32:B18,11,3"
    done = boardwright("play", "draughts", "--agent", "mc:sims=50", "--position", position, stdin="hint\n22x8\nquit\n")
    assert "hint: 22x8" in done.stdout
    assert "black: 3x12" in done.stdout

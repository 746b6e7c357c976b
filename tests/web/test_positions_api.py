"""Positions over HTTP against the scalar engine: every legal move, its gesture, and what it does to the board."""

import random
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import boardwright
from boardwright.games.base import CHANCE, Position
from boardwright.views.scene import Step
from boardwright.web.players.catalogue import GameInfo
from boardwright.web.settings import Settings
from boardwright.web.study.schemas import PositionView

EVERY = [(name, rules) for name in boardwright.game_names() for rules in boardwright.game(name).rule_sets()]


def random_line(game, seed: int, plies: int) -> list[Position]:
    chance, line = random.Random(seed), [game.start()]
    while line[-1].outcome is None and len(line) <= plies:
        line.append(line[-1].play(chance.choice(line[-1].legal_actions())))
    return line


def asked(client: TestClient, name: str, rules: str, position: Position) -> dict:
    answer = client.post("/api/position", json={"game": name, "rules": rules, "actions": position.actions()})
    assert answer.status_code == 200, answer.text
    PositionView.model_validate(answer.json())
    return answer.json()


@pytest.mark.parametrize(("name", "rules"), EVERY)
def test_views_agree_with_the_engine(client: TestClient, name: str, rules: str) -> None:
    game = boardwright.game(name, rules)
    for position in random_line(game, 1, 60)[::7]:
        view = asked(client, name, rules, position)
        assert view["text"] == position.text
        assert [move["text"] for move in view["legal"]] == ([] if position.outcome else position.moves())
        assert view["ply"] == position.plies
        assert view["to_move"] == (None if position.outcome else position.role_to_move)
        again = game.start()
        for move in view["line"]:
            assert move["role"] == again.role_to_move
            again = again.play(move["text"])
        if not position.core.continues:
            assert again.text == position.text


def pieces_of(view: dict) -> dict[tuple, tuple]:
    return {tuple(piece["cell"]): (piece["role"], piece["kind"]) for piece in view["scene"]["pieces"]}


@pytest.mark.parametrize("name", ["tablut", "draughts"])
def test_steps_describe_changes_of_the_board(client: TestClient, name: str) -> None:
    """A gesture, made on the pieces of the scene, gives the pieces of the next scene but for crowned men."""
    game = boardwright.game(name)
    captures = hops = 0
    for seed in range(3):
        line = [p for p in random_line(game, seed, 120) if p.outcome is None and not p.core.continues]
        for position in line[::9]:
            view = asked(client, name, game.rules.name, position)
            for move in view["legal"]:
                board = {cell: role for cell, (role, _) in pieces_of(view).items()}
                for step in move["gesture"]:
                    board[tuple(step["to"])] = board.pop(tuple(step["from"]))
                    for cell in step["captured"]:
                        del board[tuple(cell)]
                        captures += 1
                hops += len(move["gesture"]) > 1
                after = position
                for action in move["actions"]:
                    after = after.play(action)
                scene = game.scene(after)
                assert board == {piece.cell: piece.role for piece in scene.pieces}
    assert captures > 5
    assert name == "tablut" or hops


def test_placements_describe_changes_of_the_board(client: TestClient) -> None:
    game = boardwright.game("cathedral", "official-8")
    for position in random_line(game, 4, 12)[:-1]:
        if position.outcome is not None or position.role_to_move == CHANCE:
            continue
        view = asked(client, "cathedral", "official-8", position)
        trays = {held["letter"] for tray in view["scene"]["trays"] for held in tray["polyominoes"]}
        for move in view["legal"][::17]:
            (place,) = move["gesture"]
            new = [p for p in game.scene(position.play(move["actions"][0])).polyominoes if p.letter == place["letter"]]
            assert [(sorted(p.cells), p.role) for p in new] == [(sorted(map(tuple, place["cells"])), place["owner"])]
            assert place["letter"] == "+" or place["letter"] in trays
            assert move["text"].split()[0] == place["piece"]
            assert move["text"].endswith(f" r{90 * place['turns']}") or place["turns"] == 0


@pytest.mark.parametrize("rules", ["tablutzero", "saami", "mcgill"])
def test_escape_hints_are_the_winning_moves(client: TestClient, rules: str) -> None:
    game = boardwright.game("tablut", rules)
    found = 0
    for seed in range(12):
        for position in random_line(game, seed, 150):
            if position.outcome is not None or position.role_to_move != 1:
                continue
            hints = game.hints(position.core)["escapes"]
            winning = {
                gesture.target
                for action in position.legal_actions()
                for after in [position.play(action)]
                if after.outcome is not None and after.outcome.reason == "king escaped"
                for gesture in game.gestures(position.core, (action,))
                if isinstance(gesture, Step)
            }
            assert set(hints) == winning
            found += len(winning)
    assert found


def test_moves_as_text_from_a_position(client: TestClient) -> None:
    answer = client.post("/api/position", json={"game": "draughts", "moves": ["11-15", "23-19"]}).json()
    start = boardwright.game("draughts").start()
    assert answer["text"] == start.play("11-15").play("23-19").text
    again = client.post("/api/position", json={"game": "draughts", "start": answer["text"], "moves": ["8-11"]}).json()
    assert again["line"][0]["text"] == "8-11"
    assert again["start"] == answer["text"]


def test_moves_as_text_follow_actions(client: TestClient) -> None:
    line = boardwright.game("tablut").play_all([1704, 1595])
    query = {"game": "tablut", "actions": line.actions(), "moves": ["a4-e4"]}
    answer = client.post("/api/position", json=query).json()
    assert answer["text"] == line.play("a4-e4xe3").text
    assert answer["line"][-1]["text"] == "a4-e4xe3"


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"game": "chess"}, 400, "unknown game"),
        ({"game": "tablut", "rules": "/etc/passwd.toml"}, 400, "unknown rule set"),
        ({"game": "tablut", "rules": "rules.toml"}, 400, "unknown rule set"),
        ({"game": "tablut", "actions": [7]}, 400, "action 1"),
        ({"game": "tablut", "actions": [-1]}, 422, "actions.0"),
        ({"game": "tablut", "moves": ["e9-e5"]}, 400, "move e9-e5: "),  # which one is plain
        ({"game": "tablut", "moves": ["d9-d6", "e9-e5"]}, 400, "move 2: move e9-e5: "),
        ({"game": "tablut", "start": "nonsense"}, 400, "nonsense"),
        ({"game": "tablut", "more": 1}, 422, "more"),
        ({"game": "draughts", "actions": [42], "moves": ["23-14"]}, 400, "move '23-14'"),
    ],
)
def test_errors_are_one_line(client: TestClient, body: dict, status: int, word: str) -> None:
    answer = client.post("/api/position", json=body)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert word in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_the_catalogue_can_be_played(client: TestClient) -> None:
    from boardwright.agents.players import make_agent
    from boardwright.web.players.specs import resolve

    games = client.get("/api/games").json()
    assert [game["name"] for game in games] == list(boardwright.game_names())
    for info in games:
        GameInfo.model_validate(info)
        bound = boardwright.game(info["name"])
        assert "external" not in {player["name"] for player in info["players"]}
        assert [rule_set["name"] for rule_set in info["rule_sets"]] == list(bound.rule_sets())
        for rule_set in info["rule_sets"]:
            assert rule_set["opponents"][0]["spec"] == "random"
            bound = boardwright.game(info["name"], rule_set["name"])
            for level, opponent in enumerate(rule_set["opponents"], start=1):
                assert opponent["level"] == level
                make_agent(resolve(opponent["spec"], bound, Settings(db=Path("unused"))), bound).close()

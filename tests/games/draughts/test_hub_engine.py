"""The Hub protocol: its words against another library's, and the engine's side of a conversation."""

import random
import time

import pytest

import boardwright
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.draughts.hub import words
from boardwright.games.draughts.hub.engine import HubProtocol

GAME = boardwright.game("draughts")


def test_lines_and_positions_are_parsed_as_hub_says() -> None:
    assert words.parse_line('info depth=3 pv="32-28 17-22" infinite x = 5') == (
        "info",
        {"depth": "3", "pv": "32-28 17-22", "infinite": "", "x": "5"},
    )
    assert words.parse_line("") == ("", {})
    assert words.position_text(GAME.start()) == "B" + "b" * 12 + "e" * 8 + "w" * 12
    assert GAME.position(words.parse_position("W" + "e" * 31 + "B")).text == "W:W:BK32"
    for bad in ("", "B", "B" + "e" * 33, "X" + "e" * 32, "B" + "z" * 32):
        with pytest.raises(PositionError):
            words.parse_position(bad)
    for bad in ("", "11", "11-30", "11x15", "a-b", "11-15-19"):
        with pytest.raises(IllegalMoveError):
            words.parse_move(GAME.start(), bad)


def test_positions_and_moves_survive_a_round_trip() -> None:
    chance = random.Random(3)
    for _ in range(15):
        position = GAME.start()
        while position.outcome is None:
            again = GAME.position(words.parse_position(words.position_text(position)))
            assert (again.core.black, again.core.white, again.core.kings) == (  # type: ignore[attr-defined]
                position.core.black, position.core.white, position.core.kings)  # type: ignore[attr-defined]  # fmt: skip
            moves = GAME.moves(position.core)
            for move in moves:
                actions = words.parse_move(position, words.move_text(position, move.actions))
                after = position
                for action in actions:
                    after = after.play(action)
                assert after.hash == position.play(move.text).hash
            position = position.play(chance.choice(moves).text)


def test_moves_are_written_as_pydraughts_writes_them() -> None:
    draughts = pytest.importorskip("draughts")
    chance = random.Random(4)
    for _ in range(3):
        position, board = GAME.start(), draughts.Board(variant="english")
        for _ in range(40):
            if position.outcome is not None:
                break
            ours = {words.move_text(position, move.actions): move.text for move in GAME.moves(position.core)}
            theirs = {move.hub_move: move for move in board.legal_moves()}
            assert set(ours) == set(theirs)
            chosen = chance.choice(sorted(ours))
            position = position.play(ours[chosen])
            board.push(theirs[chosen])


def test_conversation() -> None:
    said: list[str] = []
    engine = HubProtocol(GAME, "mc:sims=30,seed=1", said.append)

    def ask(*lines: str) -> list[str]:
        begin = len(said)
        for line in lines:
            assert engine.handle(line)
        engine.session.wait()
        time.sleep(0.01)
        return said[begin:]

    introduction = ask("hub")
    assert introduction[0].startswith("id name=Boardwright ")
    assert introduction[1] == 'param name=variant value=english type=enum values="english"'
    assert introduction[-1] == "wait"
    assert ask("set-param name=variant value=english", "init") == ["ready"]
    assert 'error message="' in ask("set-param name=variant value=frisian")[0]
    assert ask("ping", "what=ever", "new-game") == ["pong"]
    *_, info, done = ask(f'pos pos={words.position_text(GAME.start())} moves="11-15 23-19"', "go think")
    assert info.startswith("info score=")
    command, arguments = words.parse_line(done)
    assert command == "done"
    position = GAME.start().play("11-15").play("23-19")
    for move in (arguments["move"], arguments["ponder"]):
        for action in words.parse_move(position, move):
            position = position.play(action)
    for level in ("move-time=0.05", "depth=2", "nodes=50", "time=1", "time=1 inc=0.1", "moves=10 time=1", "infinite"):
        engine.handle(f"level {level}")
        if level != "infinite":
            assert ask("go analyze")[-1].startswith("done move="), level
    assert engine._limit.seconds == 3600
    assert "message=" in ask("level")[0]
    assert "message=" in ask("level time=x")[0]
    assert "message=" in ask("pos pos=nonsense")[0]
    assert "over" in ask("pos pos=B" + "e" * 31 + "w", "go think")[-1]
    assert not engine.handle("quit")


@pytest.mark.parametrize(
    ("level", "least", "most"),
    [
        ("time=60 inc=0", 1.0, 3.0),
        ("time=0 inc=2", 0.001, 2.0),
        ("time=-1", 0.001, 0.001),
        ("moves=5 time=0", 0.001, 0.001),
        ("move-time=99999999", 3600, 3600),
    ],
)
def test_clocks_nearly_out_or_unlimited(level: str, least: float, most: float) -> None:
    said: list[str] = []
    engine = HubProtocol(GAME, "random", said.append)
    engine.handle(f"level {level}")
    assert said == []
    assert engine._limit.seconds is not None
    assert least <= engine._limit.seconds <= most


def test_excessive_depth_is_accepted() -> None:
    said: list[str] = []
    engine = HubProtocol(GAME, "alphabeta:hash=1", said.append)
    for line in ("level depth=100000000000", f"pos pos=W{'e' * 30}Bw", "go think"):
        engine.handle(line)
    engine.close()
    assert said[-1].startswith("done move=")


def test_the_first_position_has_a_name() -> None:
    engine = HubProtocol(GAME, "random", lambda line: None)
    engine.handle('pos start moves="11-15"')
    assert engine.session.position.text == GAME.start().play("11-15").text

"""The line protocol, spoken to in this process: answers, complaints, and stopping at once."""

import threading
import time

import pytest

import boardwright
from boardwright.agents import players
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import Player
from boardwright.games.base import CHANCE, Position
from boardwright.protocols.line import LineProtocol


class Ponderer(Agent):
    """Reports every move in turn until it is stopped, however long that takes."""

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        assert watch is not None
        deadline = time.monotonic() + 20
        for depth, action in enumerate(position.legal_actions(), start=1):
            watch.report(Choice(action, value=0.5, nodes=1000 * depth, depth=depth))
        while not watch.stopped and time.monotonic() < deadline:
            time.sleep(0.001)
        return Choice(position.legal_actions()[-1], value=0.25, nodes=5, depth=9)


class Broken(Agent):
    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        raise RuntimeError("no idea")


@pytest.fixture(autouse=True)
def scripted_players(monkeypatch: pytest.MonkeyPatch) -> None:
    more = (
        Player("ponderer", "", lambda game, chosen: Ponderer()),
        Player("broken", "", lambda game, chosen: Broken()),
    )
    monkeypatch.setattr(players, "PLAYERS", (*players.PLAYERS, *more))


class Conversation:
    """The engine, and what it has said so far."""

    def __init__(self, spec: str, game: str = "draughts", rules: str | dict | None = None):
        self.said: list[str] = []
        self._more = threading.Condition()
        self.engine = LineProtocol(boardwright.game(game, rules), spec, self._write)

    def _write(self, line: str) -> None:
        with self._more:
            self.said.append(line)
            self._more.notify_all()

    def ask(self, *lines: str, until: str) -> list[str]:
        """What the engine says to some lines, up to one that begins with a word."""
        begin = len(self.said)
        for line in lines:
            assert self.engine.handle(line)
        with self._more:
            found = self._more.wait_for(lambda: any(said.startswith(until) for said in self.said[begin:]), timeout=20)
        assert found, self.said
        return self.said[begin:]


def test_conversation() -> None:
    talk = Conversation("mc:sims=40,seed=1")
    assert talk.ask("hello", until="hello")[0].startswith("hello boardwright 0.")
    assert talk.ask("isready", until="readyok") == ["readyok"]
    *_, info, best = talk.ask("position start moves 11-15 23-19", "go", until="bestmove")
    assert "simulations 40" in info
    assert " pv " in info
    assert " nps " in info
    move = best.removeprefix("bestmove ")
    boardwright.game("draughts").start().play("11-15").play("23-19").play(move)
    assert info.partition(" pv ")[2].split()[0] == move
    *_, info, _ = talk.ask("go simulations 7", until="bestmove")
    assert "simulations 7 " in info
    assert talk.engine.handle("")
    assert not talk.engine.handle("quit\n")


def test_captures_in_several_hops_are_one_move() -> None:
    talk = Conversation("first-legal")
    assert talk.ask("position W:W22,32:B18,11", "go", until="bestmove")[-1] == "bestmove 22x8"
    talk.ask("position W:W22,32:B18,11 moves 22x8", "isready", until="readyok")
    assert talk.engine.session.position.outcome is not None


@pytest.mark.parametrize("game", boardwright.game_names())
def test_every_game_is_supported(game: str) -> None:
    talk = Conversation("random:seed=3", game)
    position, moves = boardwright.game(game).start(), []
    while position.outcome is None and len(moves) < 12:
        words = ["moves", *moves] if moves else []
        best = talk.ask(" ".join(["position", "start", *words]), "go", until="bestmove")[-1]
        moves.append(best.removeprefix("bestmove "))
        position = position.play(moves[-1])
    talk.ask(f"position {position.text}", "isready", until="readyok")
    assert talk.engine.session.position.text == position.text


def test_stop_is_answered_at_once_and_so_is_isready() -> None:
    talk = Conversation("ponderer", "tablut")
    talk.ask("go time 1000s", until="info")
    assert "readyok" in talk.ask("isready", until="readyok")
    assert "error still thinking" in talk.ask("position start", until="error")[-1]
    assert "error still thinking" in talk.ask("go", until="error")[-1]
    assert "error still thinking" in talk.ask("rules saami", until="error")[-1]
    begin = time.perf_counter()
    said = talk.ask("stop", until="bestmove")
    assert time.perf_counter() - begin < 0.5
    assert said[-2].startswith("info depth 9 score 0.2500 nodes 5 nps ")
    talk.ask("go", until="info")
    talk.ask("stop", until="bestmove")
    infos = [line for line in talk.said if line.startswith("info depth 3 ")]
    assert len(infos) == 2  # one a search
    assert all("nodes 3000" in line for line in infos)
    talk.ask("go", until="info")
    talk.engine.session.close()
    assert talk.said[-1].startswith("bestmove ")


def test_rules_can_be_changed() -> None:
    talk = Conversation("first-legal", "tablut")
    talk.ask("rules saami", "hello", until="hello")
    assert " tablut saami " in talk.said[-1]
    assert "unknown rule set" in talk.ask("rules chess", until="error")[-1]
    talk.ask("newgame", "hello", until="hello")
    assert " tablut saami " in talk.said[-1]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["fly"], "unknown command 'fly'"),
        (["position"], "expected start or a position"),
        (["position nowhere"], "position 'nowhere'"),
        (["position start moves 11-15 11-15"], "ply 2: move '11-15'"),
        (["go fast"], "give pairs"),
        (["go speed 3"], "unknown limit 'speed'"),
        (["go time x"], "time must be like 2s"),
        (["go nodes 0"], "nodes must be a whole number"),
        (["position W:W22,32:B18,11 moves 22x8", "go"], "the game is over"),
    ],
)
def test_invalid_commands_get_errors(lines: list[str], complaint: str) -> None:
    talk = Conversation("first-legal")
    assert any(complaint in said for said in talk.ask(*lines, until="error"))
    if lines[-1].startswith("go"):
        assert talk.said[-1] == "bestmove none"
    assert talk.ask("isready", until="readyok")[-1] == "readyok"


def test_failing_player_gives_an_error() -> None:
    talk = Conversation("broken")
    said = talk.ask("go", until="bestmove")
    assert said == ["error the player failed, RuntimeError: no idea", "bestmove none"]


def test_chance_to_move_is_an_error() -> None:
    talk = Conversation("random", "cathedral", {"name": "coin", "first": "coin"})
    assert talk.engine.session.position.role_to_move == CHANCE
    said = talk.ask("go", until="bestmove")
    assert said[0].startswith("error chance is to move")
    assert said[1:] == ["bestmove none"]


@pytest.mark.parametrize("spec", ["alphabeta:depth=4", "alphabeta:nodes=2000,net=draughts-evaluation"])
def test_capture_into_the_endgame_tables_is_a_whole_move(spec: str) -> None:
    """The search stops at the first hop, whose position the tables know, and is asked again for the second."""
    talk = Conversation(spec)
    said = talk.ask("position B:W15,23,32:B11,1", "go", until="bestmove")
    assert said[-1] == "bestmove 11x27"
    assert not [line for line in said if line.startswith("error")]

"""OpenTafl's engine protocol: the engine's side, as OpenTafl and as its text order the lines."""

import time

import boardwright
from boardwright.games.tablut.opentafl.engine import OpenTaflProtocol
from boardwright.games.tablut.opentafl.rulerecord import rules_record

GAME = boardwright.game("tablut", "saami")


class Conversation:
    def __init__(self, spec: str = "mc:sims=20,seed=1", rules: str = "saami"):
        self.said: list[str] = []
        self.engine = OpenTaflProtocol(boardwright.game("tablut", rules), spec, self.said.append)

    def ask(self, *lines: str, until: str) -> str:
        begin = len(self.said)
        for line in lines:
            assert self.engine.handle(line + "\n")
        deadline = time.monotonic() + 20
        while not any(said.startswith(until) for said in self.said[begin:]) and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.said[-1]


def test_both_orders_of_commands_are_understood() -> None:
    talk = Conversation()
    assert talk.said == ["hello"]
    record = rules_record(GAME.rules)
    position = GAME.start()
    first = talk.ask(
        f"rules {record}", "side attackers", "start", "play attackers", "clock 2500 2500 0 0 0 ", until="move"
    )
    position = position.play(first.removeprefix("move "))
    assert talk.engine.session.game.rules == GAME.rules  # with all our options, since the record is ours
    for _ in range(4):
        talk.engine.handle(f"move {position.text.split()[0]}")
        reply = position.moves()[7]
        position = position.play(reply)
        board = position.text.split()[0]
        best = talk.ask(f"opponent-move {reply} {board}", "clock 100* 100* 1 3 3", "play attackers", until="move")
        position = position.play(best.removeprefix("move "))
        assert talk.engine.session.position.text.split()[0] == position.text.split()[0]
        assert talk.engine.session.position.plies == position.plies  # the past is kept, for repetitions
    talk.engine.handle("finish 2")
    assert not talk.engine.handle("goodbye")


def test_without_a_clock_it_plays_with_its_own_limit() -> None:
    assert Conversation().ask("play attackers", until="move").startswith("move ")


def test_engine_follows_the_board_after_a_refused_move() -> None:
    """After a move that was refused the board is sent again, with the opponent's last move."""
    talk = Conversation()
    talk.ask("clock 1000 1000 0 0 0", "play attackers", until="move")
    reply = GAME.start().moves()[0]
    board = GAME.start().play(reply).text.split()[0]
    best = talk.ask("error 2", f"opponent-move {reply} {board}", "play defenders", until="move")
    position = GAME.start().play(reply).play(best.removeprefix("move "))
    assert talk.engine.session.position.text.split()[0] == position.text.split()[0]


def test_analysis() -> None:
    talk = Conversation()
    board = GAME.start().text.split()[0]
    answer = talk.ask(f"position {board}", "side defenders", "analyze 5 1", until="analysis").split()
    assert answer[:2] == ["analysis", "1"]
    assert len(answer) == 4
    GAME.position(f"{board} d").play(answer[2].split("|")[0])
    float(answer[3])


def test_a_record_without_default_entries_is_recognised() -> None:
    """As OpenTafl sends it: entries with their default value are left out, in any order."""
    game = boardwright.game("tablut", "mcgill")
    talk = Conversation(rules="mcgill")
    entries = rules_record(game.rules).split()
    defaults = {"esc:c", "atkf:y", "ka:y", "cors:K", "corh:tcnkTCNK", "cens:K", "cenhe:tcnkTCNK"}
    assert defaults <= set(entries)
    first, *others = [entry for entry in entries if entry not in defaults and not entry.startswith("name:")]
    talk.ask(
        f"rules {first} name:Tablut_9x9 {' '.join(reversed(others))}",
        "play attackers",
        "clock 2500 2500 0 0 0",
        until="move",
    )
    assert talk.engine.session.game.rules == game.rules
    changed = " ".join("ks:w" if entry.startswith("ks:") else entry for entry in entries)
    talk.ask(f"rules {changed}", "play attackers", "clock 2500 2500 0 0 0", until="move")
    assert talk.engine.session.game.rules != game.rules
    for refused in ("linc:y", "cenhe:K"):
        kept = [entry for entry in entries if entry.split(":")[0] != refused.split(":")[0]]
        assert refused in talk.ask(f"rules {' '.join([*kept, refused])}", until="error")


def test_unplayable_rules_and_nonsense_are_refused() -> None:
    talk = Conversation()
    assert talk.ask("rules dim:11 start:/11/", until="error").startswith("error -1 ")
    assert talk.ask("play nobody", until="error").startswith("error -1 side 'nobody'")
    assert talk.ask("analyze x", until="error").startswith("error -1 ")
    talk.engine.handle("clock nonsense")
    talk.engine.handle("dance")
    assert talk.ask(
        "rules " + rules_record(boardwright.game("tablut", "tablutzero").rules), "play attackers", until="move"
    )


def test_overlong_number_is_refused() -> None:
    assert Conversation().ask(f"analyze {'9' * 5000} 1", until="error").startswith("error -1 analyze '999")


def test_pending_search_is_answered_before_exit() -> None:
    talk = Conversation()
    talk.engine.handle("play attackers")  # and waits for a clock that does not come
    talk.engine.close()
    assert talk.said[-1].startswith("move ")

"""Programs as players: our own engine over the pipe in every protocol, and programs that misbehave."""

import os
import shlex
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from stub_nets import StoppableWatch

import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.pipe import Pipe, ProgramError
from boardwright.agents.players import make_agent
from boardwright.agents.specs import split
from boardwright.arena.backends import play
from boardwright.arena.event import Clock, Conditions, Event
from boardwright.errors import BoardwrightError, IllegalMoveError

DRAUGHTS = boardwright.game("draughts")
SCRIPT = Path(__file__).parent / "misbehaving_engine.py"
PROGRAM = str(Path(sys.executable).parent / "boardwright")


def misbehaving(behaviour: str, *, wait: str = "700ms", log: Path | None = None) -> str:
    words = [sys.executable, "-SE", str(SCRIPT), behaviour, *([str(log)] if log else [])]
    return f"external:wait={wait},cmd={shlex.join(words)}"


def engine(game: str, agent: str, protocol: str = "line", rules: str | None = None) -> str:
    words = [PROGRAM, "engine", game, "--agent", agent, "--protocol", protocol, *(["--rules", rules] if rules else [])]
    return f"external:protocol={protocol},cmd={shlex.join(words)}"


def match(*players: str, game: str = "draughts", rules: str | None = None, games: int = 2, **conditions) -> list:
    event = Event(
        game=game,
        rules=boardwright.game(game, rules).rules,
        players=players,
        openings="random:3",
        seed=4,
        conditions=Conditions(**conditions),
    )
    event.check()
    return list(play(event, islice(event.schedule(), games)))


@pytest.mark.parametrize(
    ("game", "rules", "protocol"),
    [
        ("draughts", None, "line"),
        ("draughts", None, "hub"),
        ("tablut", "saami", "line"),
        ("tablut", "saami", "opentafl"),
        ("tablut", "tablutzero", "opentafl"),
        ("cathedral", "paper", "line"),
    ],
)
def test_own_engine_as_external_program_finishes_a_match(game: str, rules: str | None, protocol: str) -> None:
    outside = engine(game, "mc:sims=5,seed=2", protocol, rules)
    played = match(outside, "random", game=game, rules=rules, seconds=0.003, max_plies=60)
    for one in played:
        assert one.forfeited_by is None, one.record.reason
        list(one.record.positions())
        assert len(one.record.actions) > 3


REASONS = {
    "silent": "hangs: no answer in time",
    "hang": "hangs: no answer in time",
    "stubborn": "hangs: no answer in time",
    "floods": "hangs: no answer in time",
    "half": "hangs: no answer in time",
    "crash": "ended with exit code 3",
    "killed": "was killed by signal 9",
    "garbage": "illegal move '\\x00\\x01 nonsense'",
    "illegal": "illegal move '1-32'",
    "complains": "I do not know this position",
    "mute": "closed its output",
}


@pytest.mark.parametrize("behaviour", REASONS)
def test_misbehaving_program_forfeits_and_is_killed(behaviour: str, tmp_path: Path) -> None:
    log = tmp_path / "pids"
    begin = time.monotonic()
    played = match(misbehaving(behaviour, log=log), "first-legal", seconds=0.05)
    assert time.monotonic() - begin < 12
    assert [game.forfeited_by for game in played] == [0, 1]
    assert [game.record.result for game in played] == [1, 0]
    for game in played:
        assert REASONS[behaviour] in game.record.reason
        assert game.record.reason.isprintable()
    for pid in map(int, log.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


WRITES_STDERR = r"""
import sys, time
for line in sys.stdin:
    if line.startswith("isready"): print("readyok", flush=True)
    if line.startswith("go"):
        sys.stderr.write("first line\n" + 9 * "loading\n")
        sys.stderr.buffer.write(b"\x1b[31mno weights in \xff net.bin\n")
        sys.stderr.write(100_000 * ".")  # more than a pipe holds
        sys.stderr.write("\n\nout of ideas\n")
        sys.stderr.flush()
        time.sleep(1)
        END
"""


@pytest.mark.parametrize(
    ("end", "error"),
    [
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("print('bestmove 1-32', flush=True)", "illegal move '1-32'"),
        ("print('error no', flush=True)", ": no"),
    ],
)
def test_error_has_the_last_lines_of_stderr(end: str, error: str, tmp_path: Path) -> None:
    script = tmp_path / "writes_stderr.py"
    script.write_text(WRITES_STDERR.replace("END", end))
    for game in match(f"external:cmd={sys.executable} -SE {script}", "first-legal"):
        reason = game.record.reason
        assert error in reason
        assert "; last lines of its stderr: …" in reason
        assert reason.endswith(". | out of ideas")
        assert "loading" not in reason


def test_stderr_is_one_printable_line(tmp_path: Path) -> None:
    script = tmp_path / "writes_stderr.py"
    script.write_text(WRITES_STDERR.replace("END", "raise SystemExit(3)").replace("100_000", "3"))
    agent = make_agent(f"external:cmd={sys.executable} -SE {script}", DRAUGHTS)
    with pytest.raises(ProgramError) as caught:
        agent.choose(DRAUGHTS.start(), Limit(nodes=5))
    agent.close()
    lines = "loading | ?[31mno weights in � net.bin | ... | out of ideas"
    assert str(caught.value).endswith(f"; last lines of its stderr: {lines}")


def test_tournament_continues_after_a_failure() -> None:
    played = match("random", misbehaving("crash"), "first-legal", games=6)
    assert sorted(game.index for game in played) == list(range(6))
    assert sum(game.forfeited_by is not None for game in played) == 4


def test_command_takes_the_rest_of_the_spec() -> None:
    assert split("external:wait=1s,cmd=prog --weights a=1,b=2") == (
        "external",
        {"wait": "1s", "cmd": "prog --weights a=1,b=2"},
    )
    assert split("external:cmd=") == ("external", {"cmd": ""})


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("external", "needs the program to run"),
        ("external:cmd=", "whose program is installed"),
        ("external:cmd=/no/such/program", "whose program is installed"),
        ("external:cmd='open", "without an unclosed quote"),
        ("external:protocol=uci,cmd=true", "unknown protocol 'uci'"),
        ("external:protocol=opentafl,cmd=true", "is for tablut, not draughts"),
        ("external:wiat=1s,cmd=true", "did you mean 'wait'"),
    ],
)
def test_wrong_spec_is_refused_and_says_what_is_expected(spec: str, complaint: str) -> None:
    with pytest.raises(BoardwrightError, match=complaint):
        make_agent(spec, DRAUGHTS)


PATIENT = """
import sys
for line in sys.stdin:
    if line.startswith("isready"): print("readyok", flush=True)
    if line.startswith("go"): print("info depth 4 score 0.5 nodes 77 pv 11-15 22-18 15x22", flush=True)
    if line.startswith("stop"): print("bestmove 11-15", flush=True)
"""


def test_program_reports_and_can_be_stopped(tmp_path: Path) -> None:
    script = tmp_path / "patient.py"
    script.write_text(PATIENT)
    agent = make_agent(f"external:cmd={sys.executable} -SE {script}", DRAUGHTS)
    watch = StoppableWatch(seconds=0.3)
    begin = time.monotonic()
    choice = agent.choose(DRAUGHTS.start(), Limit(seconds=60.0), watch)
    assert time.monotonic() - begin < 5
    assert (choice.depth, choice.value, choice.nodes) == (4, 0.5, 77)
    assert watch.reports == [choice]
    assert len(choice.line) == 3
    agent.close()


def test_program_receives_all_moves_since_the_start(tmp_path: Path) -> None:
    script, log = tmp_path / "recorder.py", tmp_path / "log"
    script.write_text(f"import sys\nfor line in sys.stdin:\n    open({str(log)!r}, 'a').write(line)\n"
                      "    if line.startswith('isready'): print('readyok', flush=True)\n"
                      "    if line.startswith('go'): print('bestmove none', flush=True)\n")  # fmt: skip
    agent = make_agent(f"external:cmd={sys.executable} -SE {script}", DRAUGHTS)
    positions = [DRAUGHTS.start(), DRAUGHTS.start().play("11-15").play("22-18"), DRAUGHTS.position("B:W21,22:B1,K5")]
    positions.append(positions[-1].play("1-6").play("22-18"))
    for position in positions:
        with pytest.raises(IllegalMoveError):
            agent.choose(position, Limit(nodes=5, depth=2))
    agent.close()
    sent = [line.strip() for line in log.read_text().splitlines()]
    assert [line for line in sent if line.startswith("position")] == [
        "position start",
        "position start moves 11-15 22-18",
        "position B:W21,22:B1,K5",
        "position B:W21,22:B1,K5 moves 1-6 22-18",
    ]
    assert "go nodes 5 depth 2" in sent
    assert sent[0] == "rules wcdf"
    assert sent[-1] == "quit"


def test_program_that_does_not_read_times_out() -> None:
    pipe = Pipe(f"{sys.executable} -SE -c 'import time; time.sleep(1000)'")
    begin = time.monotonic()
    with pytest.raises(ProgramError, match="does not read"):
        pipe.send("position start moves " + 100_000 * "11-15 ", patience=0.2)
    pipe.close("quit")
    assert time.monotonic() - begin < 5


SLOW = """
import sys, time
time.sleep(0.7)
for line in sys.stdin:
    if line.startswith("isready"): print("readyok", flush=True)
    if line.startswith("go"): print("bestmove 1-32", flush=True)
"""


def test_start_of_a_program_is_not_on_its_clock(tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    played = match(f"external:cmd={sys.executable} -SE {script}", "first-legal", clock=Clock(0.5))
    assert all("illegal move '1-32'" in game.record.reason for game in played)

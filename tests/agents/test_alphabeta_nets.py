"""Alpha-beta in draughts with a net that says how positions stand."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stub_nets import SMALL, net_file, walk

import boardwright
from boardwright.agents.base import Agent, Limit, choose_move, move_actions
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError, NetError
from boardwright.games.base import Game, Position
from boardwright.nets import netfile
from boardwright.nets.config import EvaluationConfig, NetConfig, PlainConfig
from boardwright.nets.layout import interface_of, weight_shapes

GAME = boardwright.game("draughts")
OBSERVED = boardwright.game("draughts", observation="paper")
TINY = EvaluationConfig(width=8, hidden=4, phases=2)
KING = 3 / 2  # men


def material_net(folder: Path, sign: float = 1.0) -> Path:
    """Nothing but counted pieces: its output is half the difference in men, a king being one and a half."""
    config = EvaluationConfig(width=4, hidden=2, phases=1)
    weights = {
        name: np.zeros(shape, np.float32)
        for name, shape in weight_shapes(config, interface_of(config, OBSERVED)).items()
    }
    own, enemy = np.tile([1, KING, 0, 0], 64) / 32, np.tile([0, 0, 1, KING], 64) / 32  # never cut off
    weights["params/features/kernel"][:, :2] = np.stack([own, enemy], 1)
    weights["params/hidden/kernel"][0, :2] = np.eye(2)
    weights["params/output/kernel"][0] = [sign * 16, -sign * 16]
    path = folder / f"material{sign:g}.net"
    netfile.write(path, config=config, game=OBSERVED, weights=weights, training={})
    return path


def play(agents: tuple[Agent, Agent], position: Position) -> Position:
    while position.outcome is None:
        for action in move_actions(position, choose_move(agents[position.role_to_move], position, Limit())):
            position = position.play(action)  # raises if illegal
    return position


def test_net_that_values_material_wins_material(tmp_path: Path) -> None:
    """Against the same search that would rather lose its men, from both sides of every opening."""
    paths = (material_net(tmp_path), material_net(tmp_path, -1.0))
    for seed in range(4):
        for role in (0, 1):
            one, other = (make_agent(f"alphabeta:net={path},nodes=500,hash=1", GAME) for path in paths)
            end = play((one, other) if role == 0 else (other, one), walk(GAME, seed, 4)).outcome
            assert end is not None
            assert end.winner == role


@pytest.mark.parametrize("threads", [1, 2])
def test_net_decides_whether_a_man_is_won_or_given_away(threads: int, tmp_path: Path) -> None:
    """After 10-14 18x9 5x14 White must give a man for nothing; 10-15 gives one away at once."""
    position = GAME.position("B:W18,21,22:B5,10,13")
    options = f"depth=3,threads={threads},hash=1,tables=off"
    for sign, move, ahead in ((1.0, "10-14", 1), (-1.0, "10-15", 2)):
        agent = make_agent(f"alphabeta:net={material_net(tmp_path, sign)},{options}", GAME)
        choice = agent.choose(position, Limit())
        assert position.action_text(choice.action) == move
        assert choice.value == pytest.approx(np.tanh(ahead / 2), abs=0.01)


@pytest.mark.parametrize("rules", list(GAME.rule_sets()))
def test_whole_games_under_all_rules(rules: str, tmp_path: Path) -> None:
    """Under any rules and with any observation of the player."""
    game, path = boardwright.game("draughts", rules), net_file(tmp_path, OBSERVED, TINY)
    agents = (make_agent(f"alphabeta:net={path},nodes=200,hash=1", game), make_agent("random:seed=1", game))
    assert play(agents, game.start()).outcome is not None


def test_threads_share_a_net(tmp_path: Path) -> None:
    agent = make_agent(f"alphabeta:net={net_file(tmp_path, OBSERVED, TINY)},nodes=20000,hash=1,threads=2", GAME)
    choice = agent.choose(GAME.start(), Limit())
    assert choice.action in GAME.start().legal_actions()
    assert 10_000 <= choice.nodes <= 20_000  # the one that answers has looked at its half


def test_moves_change_with_a_net_only(tmp_path: Path) -> None:
    position = walk(GAME, 3, 12)
    path = net_file(tmp_path, OBSERVED, TINY)
    agents = (make_agent(f"alphabeta:{net}depth=5,hash=1", GAME) for net in ("", f"net={path},"))
    plain, asked = (agent.choose(position, Limit()) for agent in agents)
    found = GAME.alphabeta(1, 1).search(position.core, 5, 0, 0.0)
    assert (plain.line, plain.value) == (tuple(found.principal_variation), np.tanh(found.score / 250))
    assert asked.value != plain.value


def test_net_is_reloaded_after_its_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read, whole = material_net(tmp_path), [], netfile.read
    monkeypatch.setattr(netfile, "read", lambda path: read.append(path) or whole(path))

    def value() -> float | None:
        position = GAME.position("B:W30,31:B1,2,3")
        return make_agent(f"alphabeta:net={path},depth=1,hash=1,tables=off", GAME).choose(position, Limit()).value

    assert value() == value() == pytest.approx(np.tanh(0.5), abs=0.01)
    assert len(read) == 1
    material_net(tmp_path, -1.0).replace(path)
    assert value() == pytest.approx(-np.tanh(0.5), abs=0.01)
    assert len(read) == 2


def refusal(spec: str, game: Game = GAME) -> str:
    with pytest.raises(BoardwrightError) as caught:
        make_agent(spec, game)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("player", ["alphazero", "net", "dqn", "ppo"])
@pytest.mark.parametrize("rules", ["wcdf", "paper"])
def test_players_of_policies_refuse_evaluation_nets(player: str, rules: str, tmp_path: Path) -> None:
    path = net_file(tmp_path, OBSERVED, TINY)
    error = refusal(f"{player}:net={path}", boardwright.game("draughts", rules))
    says = "an evaluation network has no policy"
    assert error == f"net file {path}: {says}: play it with alphabeta:net={path}"


@pytest.mark.parametrize(
    ("config", "method", "right"),
    [
        (SMALL, "alphazero", "alphazero"),
        (SMALL, "dqn", "dqn"),
        (SMALL, "ppo", "ppo"),
        (NetConfig(blocks=1, width=8, value="linear"), None, "net"),
        (PlainConfig(convolutions=(4,), policy_hidden=(8,)), "dqn", "dqn"),
    ],
)
def test_alphabeta_refuses_nets_with_a_policy(
    config: NetConfig | PlainConfig, method: str | None, right: str, tmp_path: Path
) -> None:
    path = net_file(tmp_path, OBSERVED, config, method)
    error = refusal(f"alphabeta:net={path}")
    assert error == f"net file {path}: no evaluation network, which alpha-beta needs: use {right}:net={path}"


def test_unusable_nets_are_refused(tmp_path: Path) -> None:
    full = net_file(tmp_path, GAME, TINY)
    assert "observation 'full', but alpha-beta in draughts needs 'paper'" in refusal(f"alphabeta:net={full}")
    tablut = net_file(tmp_path, boardwright.game("tablut"), TINY)
    assert refusal(f"alphabeta:net={tablut}").endswith("made for tablut, not draughts: choose a net of draughts")
    assert refusal(f"alphazero:net={tablut}").endswith("made for tablut, not draughts: choose a net of draughts")
    assert "no such file, and no net of that name ships" in refusal("alphabeta:net=nobody")
    assert "unknown option of player 'alphabeta' 'net'" in refusal("alphabeta:net=x", boardwright.game("tablut"))
    full.write_bytes(b"no net")
    assert "not a net, or only part of one" in refusal(f"alphabeta:net={full}")


def test_planes_of_another_version_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as then:
        then.setattr(OBSERVED, "planes", ("men", "kings", "others", "more"))
        path = net_file(tmp_path, OBSERVED, TINY)
    with pytest.raises(NetError, match="than draughts wcdf has in this version: train it again"):
        make_agent(f"alphabeta:net={path}", GAME)


PLAY = """
import sys
for name in ("jax", "jaxlib", "flax", "optax", "onnxruntime"):
    sys.modules[name] = None  # importing it fails
import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.players import make_agent
game = boardwright.game("draughts")
assert "safetensors" not in sys.modules
make_agent("alphabeta", game)
assert "safetensors" not in sys.modules
print(make_agent(f"alphabeta:net={sys.argv[1]},nodes=100", game).choose(game.start(), Limit()).action)
"""


def test_play_with_a_net_imports_no_jax(tmp_path: Path) -> None:
    path = net_file(tmp_path, OBSERVED, TINY)
    done = subprocess.run([sys.executable, "-c", PLAY, str(path)], capture_output=True, check=True, timeout=120)
    assert done.stdout.split()

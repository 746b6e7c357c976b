"""Players that use a net without search, by the method that trained it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from stub_nets import SMALL, net_file, walk

import boardwright
from boardwright.agents import netplayers
from boardwright.agents.base import Limit, choose_move, move_actions
from boardwright.agents.players import make_agent
from boardwright.errors import NetError
from boardwright.nets.config import Architecture, NetConfig, PlainConfig
from boardwright.nets.evaluator import Evaluator

BARE = PlainConfig(convolutions=(4,), policy_hidden=(8,))
CRITIC = PlainConfig(convolutions=(4,), policy_hidden=(8,), value_hidden=(8,))
LINEAR = NetConfig(blocks=1, width=8, value="linear")
MAX_PLIES = 100  # plies


@pytest.mark.parametrize(("name", "rules"), [("tablut", "saami"), ("draughts", "wcdf"), ("cathedral", "official-6")])
def test_whole_games_are_legal(name: str, rules: str, tmp_path: Path) -> None:
    game = boardwright.game(name, rules)
    specs = (
        f"dqn:net={net_file(tmp_path, game, BARE, 'dqn')},temperature=1,seed=1",
        f"ppo:net={net_file(tmp_path, game, CRITIC, 'ppo')},temperature=1,seed=2,threads=2",
    )
    agents, position = [make_agent(spec, game) for spec in specs], game.start()
    while position.outcome is None and position.plies < MAX_PLIES:
        choice = choose_move(agents[position.role_to_move], position, Limit())
        assert choice.value is None
        assert sum(choice.policy.values()) == pytest.approx(1)
        assert choice.policy.keys() == set(position.legal_actions())
        for action in move_actions(position, choice):
            position = position.play(action)  # raises if illegal
    assert position.plies > 10


@pytest.mark.parametrize(("method", "config"), [("dqn", BARE), ("dqn", LINEAR), ("ppo", CRITIC)])
def test_temperature_zero_plays_the_best_move(method: str, config: Architecture, tmp_path: Path) -> None:
    """Of Q-values, of advantages with a value, and of a policy."""
    game = boardwright.game("draughts")
    path = net_file(tmp_path, game, config, method)
    position = walk(game, seed=4, plies=9)
    legal = position.legal_actions()
    scores = Evaluator(path, game=game).evaluate_positions([position])[0][0, legal].astype(float)
    best = make_agent(f"{method}:net={path}", game).choose(position, Limit())
    assert best.action == legal[int(scores.argmax())]
    weights = np.exp((scores - scores.max()) / 2.5)
    agent = make_agent(f"{method}:net={path},temperature=2.5,seed=7", game)
    counts = Counter(agent.choose(position, Limit()).action for _ in range(2000))
    for action, share in zip(legal, weights / weights.sum(), strict=True):
        assert counts[action] / 2000 == pytest.approx(share, abs=0.05)
    assert len(counts) > 2
    again = make_agent(f"{method}:net={path},temperature=2.5,seed=7", game)
    assert counts == Counter(again.choose(position, Limit()).action for _ in range(2000))


def test_chance_is_drawn(tmp_path: Path) -> None:
    game = boardwright.game("cathedral", {"name": "coin", "first": "coin", "size": 6})
    agent = make_agent(f"dqn:net={net_file(tmp_path, game, BARE, 'dqn')},seed=1", game)
    assert {agent.choose(game.start(), Limit()).action for _ in range(20)} == set(game.start().legal_actions())


@pytest.mark.parametrize(
    ("player", "method", "config", "right"),
    [
        ("dqn", "ppo", CRITIC, "trained by ppo, not for 'dqn': use ppo:net="),
        ("ppo", "dqn", BARE, "trained by dqn, not for 'ppo': use dqn:net="),
        ("ppo", "alphazero", SMALL, "trained by alphazero, not for 'ppo': use alphazero:net="),
        ("dqn", None, SMALL, "trained by an unknown method, not for 'dqn': use alphazero:net="),
        ("ppo", "imitation", CRITIC, "trained by imitation, not for 'ppo': use net:net="),
        ("net", "dqn", BARE, "trained by dqn, not for 'net': use dqn:net="),
        ("alphazero", "dqn", BARE, "its value is not a game result.*use dqn:net="),
        ("alphazero", "dqn", SMALL, "its value is not a game result.*use dqn:net="),
        ("alphazero", "ppo", LINEAR, "its value is not a game result.*use ppo:net="),
        ("alphazero", "ppo", CRITIC, "its value is not a game result.*use ppo:net="),
        ("alphazero", None, LINEAR, "its value is not a game result.*use net:net="),
    ],
)
def test_a_net_of_another_method_is_refused(
    player: str, method: str | None, config: Architecture, right: str, tmp_path: Path
) -> None:
    game = boardwright.game("draughts")
    path = net_file(tmp_path, game, config, method)
    with pytest.raises(NetError, match=right) as caught:
        make_agent(f"{player}:net={path}", game)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(str(path))


def test_policies_of_all_methods_play_as_nets(tmp_path: Path) -> None:
    """And searches take those that say who is ahead."""
    game = boardwright.game("draughts")
    ahead, linear = net_file(tmp_path, game, SMALL, "ppo"), net_file(tmp_path, game, CRITIC, "ppo-linear")
    for player, path, knows in (("net", ahead, True), ("ppo", ahead, True), ("net", linear, False)):
        value = make_agent(f"{player}:net={path}", game).choose(game.start(), Limit()).value
        assert (value is not None) == knows
    assert make_agent(f"alphazero:net={ahead},sims=4", game).choose(game.start(), Limit()).simulations == 4


PLAY = """
import sys
for name in ("jax", "jaxlib", "flax", "optax"):
    sys.modules[name] = None  # importing it fails
import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.players import make_agent
game = boardwright.game("tablut")
print(make_agent(f"dqn:net={sys.argv[1]}", game).choose(game.start(), Limit()).action)
"""


def test_play_needs_no_jax(tmp_path: Path) -> None:
    path = net_file(tmp_path, boardwright.game("tablut"), BARE, "dqn")
    done = subprocess.run([sys.executable, "-c", PLAY, str(path)], capture_output=True, check=True, timeout=120)
    assert done.stdout.split()


def test_net_is_reloaded_after_its_file_changes(tmp_path: Path) -> None:
    game = boardwright.game("draughts")
    (tmp_path / "other").mkdir()
    path, rival = net_file(tmp_path, game, BARE, "dqn"), net_file(tmp_path / "other", game, LINEAR, "dqn")
    position = walk(game, seed=4, plies=9)

    def policy() -> dict[int, float]:
        return dict(make_agent(f"dqn:net={path}", game).choose(position, Limit()).policy)

    before, read = policy(), netplayers._load_net.cache_info().misses
    assert policy() == before
    assert netplayers._load_net.cache_info().misses == read
    expected = make_agent(f"dqn:net={rival}", game).choose(position, Limit()).policy
    rival.replace(path)
    assert policy() == expected != before

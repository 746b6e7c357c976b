"""PettingZoo's own tests on every game, and what they do not look at: turns, chance and rewards."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from race import FOG, WALK

import boardwright
from boardwright.adapters import pettingzoo
from boardwright.errors import BoardwrightError, IllegalMoveError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position

REGISTERED = [(name, rules) for name in registry.game_names() for rules in registry.game_class(name).rule_sets()]
every_game = pytest.mark.parametrize(("game", "rules"), [*REGISTERED, ("race", "plain")])
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # PettingZoo's advice on names and spaces


@pytest.fixture(autouse=True)
def _race_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "race", "race:Race")


@every_game
def test_pettingzoo_api(game: str, rules: str) -> None:
    api_test(pettingzoo.env(game, rules), num_cycles=1000)
    api_test(pettingzoo.raw_env(game, rules), num_cycles=1000)


@every_game
def test_pettingzoo_seed(game: str, rules: str) -> None:
    seed_test(lambda: pettingzoo.env(game, rules), num_cycles=1000)


@every_game
def test_pettingzoo_render(game: str, rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: pettingzoo.env(game, rules, render_mode))  # type: ignore[arg-type]
    assert registry.game(game, rules).title in capsys.readouterr().out


@every_game
def test_games_agree_with_the_scalar_engine(game: str, rules: str) -> None:
    env, rng = pettingzoo.raw_env(game, rules), np.random.default_rng(1)
    for seed in range(5):
        env.reset(seed=seed)
        position = past_chance(env.game.start(), env)
        while position.outcome is None:
            assert env.agent_selection == env.game.roles[position.role_to_move]
            assert_seen(env, position)
            action = int(rng.choice(position.legal_actions()))
            env.step(action)
            position = past_chance(position.play(action), env)
        assert_seen(env, position)
        winner = position.outcome.winner
        expected = {role: 0 if winner is None else 1 if i == winner else -1 for i, role in enumerate(env.game.roles)}
        assert env.rewards == env._cumulative_rewards == expected
        assert env.terminations == dict.fromkeys(env.game.roles, True)
        assert env.truncations == dict.fromkeys(env.game.roles, False)


def past_chance(position: Position, env: pettingzoo.BoardEnv) -> Position:
    """Where a line leads on with what chance did in the environment's own game."""
    for action in env._position.actions()[len(position.actions()) :]:
        assert position.role_to_move == CHANCE
        position = position.play(action)
    return position


def assert_seen(env: pettingzoo.BoardEnv, position: Position) -> None:
    """Both agents see what the engine shows their roles, and only the one to move may do anything."""
    for role, agent in enumerate(env.game.roles):
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert np.array_equal(seen["observation"], position.observation(role))
        assert np.array_equal(seen["action_mask"], position.legal_mask() & (role == position.role_to_move))


def lines_of_play(env: Any, seeds: range) -> list[list[int]]:
    """Games in which the agents always take their first legal action, so that only chance differs."""
    lines = []
    for seed in seeds:
        env.reset(seed=seed)
        for _ in env.agent_iter():
            seen, _, termination, _, _ = env.last()
            env.step(None if termination else int(seen["action_mask"].argmax()))
        lines.append(env.unwrapped._position.actions())
    return lines


def test_the_seed_determines_chance_moves() -> None:
    lines = lines_of_play(pettingzoo.env("race"), range(100))
    assert lines == lines_of_play(pettingzoo.env("race"), range(100))
    assert len({tuple(line) for line in lines}) > 50
    assert {line[0] for line in lines} == {0, 1, FOG}
    assert any(line[-1] == FOG for line in lines)  # chance itself ended a game
    assert any(line[i : i + 2] == [WALK, WALK] for line in lines for i in range(len(line)))


def test_reset_without_seed_continues_the_random_stream() -> None:
    env = pettingzoo.raw_env("race")
    env.reset(seed=1)
    starts = []
    for _ in range(20):
        env.reset()
        starts.append(tuple(env._position.actions()))
    assert len(set(starts)) > 1


def test_an_illegal_action_raises_in_the_raw_environment() -> None:
    env = pettingzoo.raw_env("tablut")
    env.reset()
    before = env.observe("attackers")
    start = env.game.start()
    illegal = int(np.flatnonzero(~start.legal_mask())[-1])
    with pytest.raises(IllegalMoveError) as ours:
        start.play(illegal)
    with pytest.raises(IllegalMoveError) as theirs:
        env.step(illegal)
    assert str(theirs.value) == str(ours.value)
    assert np.array_equal(env.observe("attackers")["action_mask"], before["action_mask"])
    with pytest.raises(TypeError, match="whose game is not over"):
        env.step(None)


@every_game
def test_an_illegal_action_loses_in_the_wrapped_environment(game: str, rules: str) -> None:
    env: Any = pettingzoo.env(game, rules)
    env.reset(seed=0)
    while env.last()[0]["action_mask"].all():  # in a small game all actions may be legal at first
        env.step(0)
    offender = env.agent_selection
    env.step(int(env.last()[0]["action_mask"].argmin()))
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.rewards == {agent: -1 if agent == offender else 0 for agent in env.possible_agents}
    for agent in env.agent_iter():
        assert not env.observe(agent)["action_mask"].any()
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("game", ["tablut", "race"])
def test_copy_continues_the_same_game(duplicate: Any, game: str) -> None:
    fresh = duplicate(pettingzoo.env(game))
    fresh.reset(seed=0)
    env: Any = pettingzoo.env(game)
    env.reset(seed=0)
    for _ in range(2):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    twin = duplicate(env)
    while env.agents:
        for one in (env, twin):
            seen, _, termination, _, _ = one.last()
            one.step(None if termination else int(seen["action_mask"].argmax()))
        assert twin.agents == env.agents
        assert twin.rewards == env.rewards
        assert twin.unwrapped._position.actions() == env.unwrapped._position.actions()


def test_ansi_returns_the_board_and_human_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    env = pettingzoo.env("tablut", render_mode="ansi")
    env.reset()
    assert env.render() == str(boardwright.game("tablut").start())
    assert capsys.readouterr().out == ""
    env = pettingzoo.env("tablut", render_mode="human")
    env.reset()
    env.step(boardwright.game("tablut").start().legal_actions()[0])
    assert capsys.readouterr().out.count("to move") == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"game": "tabult"}, "unknown game 'tabult': did you mean 'tablut'"),
        ({"rules": "zorro"}, "unknown rule set of tablut 'zorro'"),
        ({"render_mode": "rgb_array"}, "unknown render mode 'rgb_array': known: ansi, human"),
    ],
)
def test_unknown_names_give_one_line_errors(wrong: dict[str, str], message: str) -> None:
    for make in (pettingzoo.env, pettingzoo.raw_env):
        with pytest.raises(BoardwrightError, match=message) as caught:
            make(**wrong)
        assert "\n" not in str(caught.value)


def test_jax_is_not_imported() -> None:
    code = "import sys, boardwright.adapters.pettingzoo as p; p.env().reset(); assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

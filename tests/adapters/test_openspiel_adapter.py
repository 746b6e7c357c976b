"""OpenSpiel's own tests on every game, and what they do not look at: turns, chance, copies and returns."""

import copy
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, mcts
from open_spiel.python.observation import make_observation
from race import CALL_0, CALL_1, FOG, JUMP, WALK

import boardwright
from boardwright.adapters import openspiel
from boardwright.errors import BoardwrightError, IllegalMoveError
from boardwright.games import registry
from boardwright.games.base import CHANCE

CHEAPER = {"cathedral": "paper-6"}
GAMES = [(name, CHEAPER.get(name, registry.game_class(name).default_rules)) for name in registry.game_names()]
RULE_SETS = [(name, rules) for name in registry.game_names() for rules in registry.game_class(name).rule_sets()]
every_game = pytest.mark.parametrize(("game", "rules"), [*GAMES, ("race", "plain")])


@pytest.fixture(autouse=True)
def _games_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "race", "race:Race")
    openspiel.register()


def load(game: str, rules: str) -> Any:
    return pyspiel.load_game(f"boardwright_{game}(rules={rules})")


def walk(state: Any, rng: np.random.Generator, most: int = 10**6) -> None:
    """Plays at random, up to a number of actions."""
    for _ in range(most):
        if state.is_terminal():
            return
        state.apply_action(int(rng.choice(state.legal_actions())))


@every_game
def test_openspiel_random_simulation(game: str, rules: str) -> None:
    loaded = load(game, rules)
    observer = loaded.make_observer(pyspiel.IIGObservationType(perfect_recall=False), {})
    pyspiel.random_sim_test(loaded, num_sims=3, serialize=True, verbose=False, observer=observer)
    pyspiel.random_sim_test(loaded, num_sims=3, serialize=False, verbose=False)


@every_game
def test_openspiel_playthrough(game: str, rules: str) -> None:
    name = f"boardwright_{game}(rules={rules})"
    text = generate_playthrough.playthrough(name, None, seed=20)
    assert generate_playthrough.playthrough(name, None, seed=20) == text
    assert "IsTerminal() = True" in text
    assert f'long_name = "Boardwright {registry.game(game).title}"' in text
    line = registry.game(game, rules).play_all([int(action) for action in re.findall(r"^action: (\d+)$", text, re.M)])
    assert line.outcome is not None
    assert f"# {line.text}" in text


@every_game
def test_games_agree_with_the_scalar_engine(game: str, rules: str) -> None:
    loaded, rng = load(game, rules), np.random.default_rng(0)
    ours = registry.game(game, rules)
    observation: Any = make_observation(loaded)
    winners = set()
    for _ in range(8):
        state, position = loaded.new_initial_state(), ours.start()
        while position.outcome is None:
            assert not state.is_terminal()
            assert state.current_player() == position.role_to_move
            assert state.is_chance_node() == (position.role_to_move == CHANCE)
            assert str(state) == position.text
            assert state.returns() == state.rewards() == [0, 0]
            actions = position.legal_actions()
            assert state.legal_actions() == actions
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                assert list(outcomes) == actions
                assert chances == (1 / len(actions),) * len(actions)
            else:
                assert state.legal_actions(1 - position.role_to_move) == []
            action = int(rng.choice(actions))
            text = state.action_to_string(action)
            assert text == position.action_text(action)
            assert state.string_to_action(text) == action
            if len(position.actions()) % 8 == 0:
                for role in (0, 1):
                    observation.set_from(state, role)
                    planes = np.moveaxis(position.observation(role), -1, 0)
                    assert np.array_equal(observation.dict["observation"], planes)
                    assert np.array_equal(state.observation_tensor(role), planes.reshape(-1))
                    assert observation.string_from(state, role) == state.observation_string(role) == position.text
                    assert state.information_state_string(role) == state.history_str()
            state.apply_action(action)
            position = position.play(action)
            assert state.history() == state.position.actions() == position.actions()
        assert state.is_terminal()
        assert state.current_player() == pyspiel.PlayerId.TERMINAL
        assert state.legal_actions() == []
        winner = position.outcome.winner
        assert state.returns() == state.rewards() == [(winner == role) - (winner == 1 - role) for role in (0, 1)]
        winners.add(winner)
    assert len(winners) > 1


@every_game
def test_game_type_and_parameters(game: str, rules: str) -> None:
    loaded, ours = load(game, rules), registry.game(game, rules)
    rows, columns, planes = ours.observation_shape
    assert str(loaded) == f"boardwright_{game}(observation={ours.observation},rules={rules})"
    assert str(pickle.loads(pickle.dumps(loaded))) == str(loaded)
    assert loaded.num_distinct_actions() == ours.num_actions
    assert loaded.observation_tensor_shape() == [planes, rows, columns]
    assert loaded.observation_tensor_layout() == pyspiel.TensorLayout.CHW
    assert (loaded.num_players(), loaded.min_utility(), loaded.max_utility(), loaded.utility_sum()) == (2, -1, 1, 0)
    modes = pyspiel.GameType.ChanceMode
    chance = game == "race"
    assert loaded.get_type().chance_mode == (modes.EXPLICIT_STOCHASTIC if chance else modes.DETERMINISTIC)
    assert loaded.max_chance_outcomes() == (ours.num_actions if chance else 0)
    assert f"boardwright_{game}" in pyspiel.registered_names()


@pytest.mark.parametrize(
    "duplicate",
    [
        lambda state: state.clone(),
        copy.deepcopy,
        lambda state: pickle.loads(pickle.dumps(state)),
        lambda state: pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))[1],
    ],
    ids=["clone", "deepcopy", "pickle", "serialize"],
)
@every_game
def test_copy_is_independent_of_the_original(duplicate: Any, game: str, rules: str) -> None:
    rng = np.random.default_rng(1)
    state = load(game, rules).new_initial_state()
    walk(state, rng, 3)
    before = str(state), state.history(), state.move_number()
    twin = duplicate(state)
    assert (str(twin), twin.history(), twin.move_number()) == before
    walk(twin, rng)
    assert twin.is_terminal()
    assert (str(state), state.history(), state.move_number()) == before
    line = twin.history()
    for action in line[len(state.history()) :]:
        state.apply_action(action)
    assert (str(state), state.returns()) == (str(twin), twin.returns())


def test_a_copy_remembers_repetitions() -> None:
    state = load("tablut", "tablutzero").new_initial_state()
    for move in ["a4-b4", "e3-d3", "b4-a4", "d3-e3"] * 2:
        assert not state.is_terminal()
        state = pickle.loads(pickle.dumps(state)).clone()
        state.apply_action(state.string_to_action(move))
    assert state.position.outcome.reason == "repetition"
    assert state.clone().position is state.position  # which is why copies are cheap


def test_race_turns_and_chance() -> None:
    game, rng = load("race", "plain"), np.random.default_rng(2)
    assert game.new_initial_state().chance_outcomes() == [(CALL_0, 1 / 3), (CALL_1, 1 / 3), (FOG, 1 / 3)]
    ended_by_chance = again = 0
    for _ in range(100):
        state = game.new_initial_state()
        walk(state, rng)
        line = state.history()
        assert line[0] in (CALL_0, CALL_1, FOG)
        ended_by_chance += line[-1] == FOG
        again += any(line[i : i + 2] in ([WALK, WALK], [WALK, JUMP]) for i in range(len(line)))
        if line[-1] == FOG:
            assert state.returns() == [0, 0]
    assert ended_by_chance > 5
    assert again > 5


@pytest.mark.parametrize("first", ["coin", "chance"])
def test_rule_file_may_add_chance(first: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"base": "paper-6", "first": first, "rewards": "shaped"}))
    game = pyspiel.load_game("boardwright_cathedral", {"rules": str(path), "observation": "paper"})
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert game.observation_tensor_shape() == [5, 6, 6]
    assert game.new_initial_state().is_chance_node()
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)  # which also bounds the returns


def test_an_illegal_action_changes_nothing() -> None:
    state = load("tablut", "tablutzero").new_initial_state()
    start = boardwright.game("tablut").start()
    illegal = int(np.flatnonzero(~start.legal_mask())[-1])
    for action in (illegal, start.game.num_actions):
        with pytest.raises(IllegalMoveError) as ours:
            start.play(action)
        with pytest.raises(IllegalMoveError) as theirs:
            state.apply_action(action)
        assert str(theirs.value) == str(ours.value)
    assert (str(state), state.history(), state.move_number()) == (start.text, [], 0)
    assert state.action_to_string(illegal) == f"action {illegal}"


@pytest.mark.parametrize(("game", "rules"), [*RULE_SETS, ("race", "plain")])
def test_no_game_exceeds_the_maximum_length(game: str, rules: str) -> None:
    ours, rng = registry.game(game, rules), np.random.default_rng(3)
    most = openspiel.most_actions(ours)
    for _ in range(3):
        position = ours.start()
        while position.outcome is None:
            position = position.play(int(rng.choice(position.legal_actions())))
        assert len(position.actions()) <= most


def test_the_longest_game_follows_from_the_rules() -> None:
    def most(game: str, **rules: Any) -> int:
        return openspiel.most_actions(boardwright.game(game, rules))

    assert most("tablut", max_plies=300) == 300 + 81
    assert most("draughts", max_plies=300) == 300 + 64
    assert most("draughts", max_plies=4096, max_quiet_plies=1) == 513 + 64
    # 24 men make at most 6 moves forward each, and 23 pieces are captured: the count of 80 restarts so often.
    assert most("draughts") > 80 * (24 * 6 + 23 + 1) + 23
    assert most("cathedral", size=10) == 4096


@every_game
def test_openspiel_environment(game: str, rules: str) -> None:
    env: Any = rl_environment.Environment(load(game, rules))
    rng = np.random.default_rng(5)
    env.seed(6)
    for _ in range(3):
        step, returns = env.reset(), np.zeros(2)
        while not step.last():
            player = step.observations["current_player"]
            assert player in (0, 1)  # what chance does happens inside
            assert len(step.observations["info_state"][player]) == np.prod(registry.game(game, rules).observation_shape)
            step = env.step([int(rng.choice(step.observations["legal_actions"][player]))])
            returns += step.rewards
        assert returns.tolist() == env.get_state.returns()
        winner = env.get_state.position.outcome.winner
        assert returns.tolist() == [(winner == role) - (winner == 1 - role) for role in (0, 1)]


@pytest.mark.parametrize(("game", "rules"), [("race", "plain"), ("draughts", "paper")])
def test_openspiel_search(game: str, rules: str) -> None:
    """A search of OpenSpiel's finds the winning move, where chance and repeated turns are in the tree."""
    loaded = load(game, rules)
    rng = np.random.RandomState(7)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(loaded, uct_c=2, max_simulations=60, evaluator=evaluator, random_state=rng)
    state = loaded.new_initial_state()
    if game == "race":
        for action in (CALL_0, JUMP, CALL_0, JUMP, CALL_0):  # two cells to go: a jump wins at once
            state.apply_action(action)
        assert bot.step(state) == JUMP
    else:
        assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "boardwright_tablut(rules=tablutzerro)",
            "unknown rule set of tablut 'tablutzerro': did you mean 'tablutzero'",
        ),
        ("boardwright_tablut(observation=some)", "unknown observation of tablut 'some'"),
    ],
)
def test_unknown_names_give_one_line_errors(wrong: str, message: str) -> None:
    with pytest.raises(BoardwrightError, match=message) as caught:
        pyspiel.load_game(wrong)
    assert "\n" not in str(caught.value)


def test_observers_refuse_parameters_and_hide_nothing() -> None:
    game = load("draughts", "wcdf")
    with pytest.raises(ValueError, match="observation parameters not supported"):
        make_observation(game, params={"planes": 3})
    private: Any = make_observation(game, pyspiel.IIGObservationType(public_info=False, perfect_recall=False))
    assert private.string_from(game.new_initial_state(), 0) == ""  # nothing is secret
    assert private.tensor is None
    assert game.make_observer({}) is not None


def test_process_exits_cleanly_without_jax() -> None:
    code = """
import sys, pyspiel
from boardwright.adapters import openspiel
for _ in range(2):
    names = openspiel.register()
for name in names:
    game = pyspiel.load_game(name)
    state = game.new_initial_state().clone()
    state.observation_tensor(0)
assert 'jax' not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)

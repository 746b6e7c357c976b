"""What `games/base.py` promises of every game, tried on arbitrary reachable positions."""

import copy
import dataclasses
import pickle
import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from images import image_of, image_of_action
from reachable import reachable_positions

import boardwright
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.base import CHANCE, Game, Position

relaxed = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@relaxed
@given(data=st.data())
def test_text_of_a_position_reads_back(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game))
    assert "_" not in position.text  # in the app's addresses it replaces a space
    again = game.position(position.text)
    assert again.text == position.text
    assert again.hash == position.hash
    assert again.role_to_move == position.role_to_move
    if position.outcome is None:
        assert again.legal_actions() == position.legal_actions()


@relaxed
@given(data=st.data())
def test_pickled_position_keeps_its_history(game: Game, data: st.DataObject) -> None:
    """Also one that began from a text."""
    position = data.draw(reachable_positions(game))
    began = game.position(position.text)
    if began.outcome is None:
        began = began.play(data.draw(st.sampled_from(began.legal_actions())))
    for one in (position, began):
        again = pickle.loads(pickle.dumps(one))
        assert again.game is game
        assert (again.text, again.hash, again.actions()) == (one.text, one.hash, one.actions())
        assert again.outcome == one.outcome
        np.testing.assert_array_equal(again.observation(0), one.observation(0))
        assert copy.deepcopy(one).text == one.text


@relaxed
@given(data=st.data())
def test_move_texts_are_unambiguous_and_read_back(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game, ongoing=True))
    moves = game.moves(position.core)
    assert len({move.text for move in moves}) == len(moves) == len(position.moves())
    for move in moves:
        after = position
        for action in move.actions:
            assert after.role_to_move == position.role_to_move
            after = after.play(action)
        assert position.play(move.text).text == after.text
        assert game.parse_move(position.core, move.text) == move.actions
    assert len(moves) == position.perft(1, distinct=True) <= position.perft(1) == len(position.core.routes())


@relaxed
@given(data=st.data())
def test_actions_are_listed_counted_and_read_back(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game, ongoing=True))
    actions = position.legal_actions()
    assert actions == np.flatnonzero(position.legal_mask()).tolist() == sorted(set(actions))
    assert len(actions) == position.count_actions()
    assert {route[0] for route in position.core.routes()} == set(actions)
    assert [game.parse_action(position.core, position.action_text(action)) for action in actions] == actions


@relaxed
@given(data=st.data())
def test_illegal_actions_are_refused_with_a_reason(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game, ongoing=True))
    illegal = np.flatnonzero(~position.legal_mask()).tolist()
    if illegal:  # of a small game every action may be legal
        with pytest.raises(IllegalMoveError, match=r"\S") as caught:
            position.play(data.draw(st.sampled_from(illegal)))
        assert "\n" not in str(caught.value)
    for beyond in (-1, game.num_actions):
        with pytest.raises(IllegalMoveError, match=str(beyond)):
            position.play(beyond)


@relaxed
@given(data=st.data())
def test_play_does_not_change_the_position(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game, ongoing=True))
    before = (position.text, position.hash, position.actions())
    after = position.play(position.legal_actions()[0])
    assert (position.text, position.hash, position.actions()) == before
    assert after.actions() == [*position.actions(), position.legal_actions()[0]]
    assert after.plies - position.plies in (0, 1)  # 0 in the middle of a move
    assert game.play_all(after.actions()).text == after.text


@relaxed
@given(data=st.data())
def test_play_all_equals_playing_one_by_one(game: Game, data: st.DataObject) -> None:
    actions = data.draw(reachable_positions(game)).actions()
    one_by_one = game.start()
    for action in actions:
        one_by_one = one_by_one.play(action)
    at_once = game.start().play_all(actions)
    assert at_once.actions() == one_by_one.actions() == actions
    assert (at_once.text, at_once.hash, at_once.outcome) == (one_by_one.text, one_by_one.hash, one_by_one.outcome)
    assert at_once.legal_actions() == one_by_one.legal_actions()
    np.testing.assert_array_equal(at_once.observation(0), one_by_one.observation(0))


@relaxed
@given(data=st.data())
def test_play_all_names_the_first_illegal_action(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game))
    legal = set(position.legal_actions())
    illegal = data.draw(st.integers(-2, game.num_actions + 1).filter(lambda action: action not in legal))
    with pytest.raises(IllegalMoveError) as expected:
        position.play(illegal)
    line = [*position.actions(), illegal, 0]
    with pytest.raises(IllegalMoveError) as plain:
        game.start().play_all(line)
    with pytest.raises(IllegalMoveError) as named:
        game.play_all(line)
    assert str(plain.value) == str(expected.value)
    assert str(named.value) == f"ply {len(line) - 1}: {expected.value}"


@relaxed
@given(data=st.data())
def test_symmetries_commute_with_play(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game))
    for symmetry in game.symmetries():
        image_game = boardwright.game(game.name, symmetry.rules or game.rules, game.observation)
        image, replayed = image_game.start(), game.start()
        for action in position.actions():
            image = image.play(image_of_action(symmetry, replayed, action))
            replayed = replayed.play(action)
        assert image.outcome == position.outcome
        legal = [image_of_action(symmetry, position, action) for action in position.legal_actions()]
        assert sorted(legal) == image.legal_actions()
        for role in (0, 1):
            assert np.array_equal(image.observation(role), image_of(symmetry, position.observation(role)))


def test_symmetries_are_permutations_and_form_a_group(game: Game) -> None:
    symmetries = game.symmetries()
    assert np.array_equal(symmetries[0].actions, np.arange(game.num_actions))
    tables = {symmetry.actions.tobytes() for symmetry in symmetries}
    assert len(tables) == len(symmetries)
    for first in symmetries:
        assert sorted(first.entries) == list(range(int(np.prod(game.observation_shape))))
        for second in symmetries:
            assert second.actions[first.actions].tobytes() in tables


@relaxed
@given(data=st.data())
def test_observation_has_the_promised_shape(game: Game, data: st.DataObject) -> None:
    position = data.draw(reachable_positions(game))
    for role in (0, 1):
        planes = position.observation(role)
        assert planes.shape == game.observation_shape
        assert len(game.planes) == game.observation_shape[2]
        assert planes.dtype == np.float32
        assert planes.min() >= 0
        assert planes.max() <= 1


@relaxed
@given(text=st.text(max_size=120))
def test_garbage_is_refused_as_position_and_move(game: Game, text: str) -> None:
    start = game.start()
    with pytest.raises(PositionError):
        game.position(text)
    if text.strip().lower() not in {move.text.lower() for move in game.moves(start.core)}:  # a letter may be a move
        with pytest.raises(IllegalMoveError):
            start.play(text)


@relaxed
@given(data=st.data())
def test_mutated_positions_are_refused_or_read_back(game: Game, data: st.DataObject) -> None:
    text = data.draw(reachable_positions(game)).text
    place = data.draw(st.integers(0, len(text) - 1))
    mutated = text[:place] + data.draw(st.sampled_from("/tTKad 0123456789xBWHFX:,-.")) + text[place + 1 :]
    try:
        position = game.position(mutated)
    except PositionError:
        return
    assert game.position(position.text).text == position.text


def test_finished_position_refuses_further_moves(game: Game) -> None:
    position = game.start()
    rng = np.random.default_rng(0)
    while position.outcome is None:
        position = position.play(int(rng.choice(position.legal_actions())))
    assert position.legal_actions() == []
    assert position.perft(1) == 0
    with pytest.raises(IllegalMoveError, match="the game is over"):
        position.play(0)


def test_a_terminated_batch_state_stays_as_it_is(game: Game) -> None:
    env, key = game.batch(), jax.random.key(3)
    step = jax.jit(env.step)
    before, position, rng, action = game.start(), game.start(), random.Random(3), 0
    while position.outcome is None:
        action = rng.choice(position.legal_actions())
        before, position = position, position.play(action)
    state = step(env.from_position(before), jnp.int32(action), key)
    assert state.terminated
    assert not state.legal_action_mask.any()
    after = step(state, jnp.int32(0), key)
    assert np.array_equal(after.rewards, [0, 0])
    for field in dataclasses.fields(state):
        if field.name != "rewards":
            assert np.array_equal(getattr(after, field.name), getattr(state, field.name)), field.name


def test_roles_and_rules_are_named(game: Game) -> None:
    assert len(set(game.roles)) == 2
    assert game.default_rules in game.rule_sets()
    assert game.start().role_to_move in (0, 1, CHANCE)
    assert isinstance(game.start(), Position)

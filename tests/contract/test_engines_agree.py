"""The safety net: scalar and batched engine say the same at every ply of thousands of games."""

import random

import jax
import pytest
from batched_perft import perft
from duel import ending_policy, play_both, random_policy, repeating_policy
from sizes import size

from boardwright.games.base import Game, Position

GAMES = size(300, full=2000)
END_IN_EVERY_WAY = ("cathedral", "draughts", "tablut")  # by random play; a game need not have draws, or seldom has them
pytestmark = pytest.mark.usefixtures("careful_compiler")  # worth it for this many games


def test_random_games_of_shipped_rules(shipped_game: Game) -> None:
    finals = play_both(shipped_game, [shipped_game.start()] * GAMES, random_policy(1))
    assert all(position.outcome is not None for position in finals)
    winners = {position.outcome.winner for position in finals if position.outcome}
    assert len(winners) > 1
    if shipped_game.name in END_IN_EVERY_WAY:
        assert winners == {0, 1, None}


def test_random_games_of_other_rules(option_game: Game) -> None:
    play_both(option_game, [option_game.start()] * size(100, full=500), random_policy(2), observe_every=5)


def test_games_with_repetitions(game: Game) -> None:
    play_both(game, [game.start()] * 40, repeating_policy(3), observe_every=3)


def test_games_that_end_quickly(game: Game) -> None:
    finals = play_both(game, [game.start()] * 60, ending_policy(4))
    assert len({position.outcome for position in finals}) > 1


def test_positions_from_text_continue_identically(game: Game) -> None:
    rng = random.Random(5)
    starts = [game.position(_somewhere(game, rng).text) for _ in range(size(60, full=300))]
    play_both(game, starts, random_policy(6), observe_every=5)


def test_perft_is_the_same_in_both_engines(game: Game) -> None:
    """To depth 3, but no further than the batched engine has 25,000 positions to look at, usually 5,000."""
    env, start = game.batch(), game.start()
    state = env.init(jax.random.key(0))
    depths = [depth for depth in (1, 2, 3) if start.perft(depth - 1) <= size(5_000, full=25_000)]
    assert len(depths) >= 2
    for depth in depths:
        assert perft(env, state, depth) == start.perft(depth)


def _somewhere(game: Game, rng: random.Random) -> Position:
    """A position some random plies from the start, seldom a final one."""
    position = game.start()
    for _ in range(rng.randrange(80)):
        if position.outcome is not None:
            break
        position = position.play(rng.choice(position.legal_actions()))
    return position

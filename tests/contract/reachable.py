"""Hypothesis strategies for the contract: any position a game can reach."""

from hypothesis import strategies as st

from boardwright.games.base import Game, Position


@st.composite
def reachable_positions(draw: st.DrawFn, game: Game, ongoing: bool = False) -> Position:
    """A position reached by drawn choices; with `ongoing`, the last one that is not over."""
    position = game.start()
    for choice in draw(st.lists(st.integers(0, 2**16 - 1), max_size=120)):
        actions = position.legal_actions()
        if not actions:
            break
        following = position.play(actions[choice % len(actions)])
        if ongoing and following.outcome is not None:
            break
        position = following
    return position

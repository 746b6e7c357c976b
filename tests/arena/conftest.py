"""Events for the tests of the arena."""

from collections.abc import Callable

import pytest

import boardwright
from boardwright.arena.event import Conditions, Event


@pytest.fixture
def event() -> Callable[..., Event]:
    def make(
        *players: str,
        game: str = "draughts",
        rules: str | None = None,
        openings: str = "random:2",
        seed: int = 1,
        **more,
    ) -> Event:
        conditions = Conditions(**{key: more.pop(key) for key in tuple(more) if key in Conditions.__dataclass_fields__})
        bound = boardwright.game(game, rules)
        return Event(
            game=game, rules=bound.rules, players=players, openings=openings, seed=seed, conditions=conditions, **more
        )

    return make

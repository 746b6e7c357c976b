"""The contract's cases: every registered game under every shipped rule set (`shipped_game`), under the rule sets in
`rules/GAME/`, which try the options no shipped set uses (`option_game`), and under both (`game`).
"""

from pathlib import Path

import pytest

import boardwright
from boardwright.games.base import Game
from boardwright.games.registry import game_class, game_names

FILES = Path(__file__).parent / "rules"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    shipped = [(name, rules) for name in game_names() for rules in game_class(name).rule_sets()]
    made = [(path.parent.name, str(path)) for path in sorted(FILES.glob("*/*.*"))]
    for fixture, cases in (("game", shipped + made), ("shipped_game", shipped), ("option_game", made)):
        if fixture in metafunc.fixturenames:
            ids = [f"{name}-{Path(rules).stem}" for name, rules in cases]
            metafunc.parametrize(fixture, cases, ids=ids, indirect=True)


@pytest.fixture
def game(request: pytest.FixtureRequest) -> Game:
    return boardwright.game(*request.param)


@pytest.fixture
def shipped_game(request: pytest.FixtureRequest) -> Game:
    return boardwright.game(*request.param)


@pytest.fixture
def option_game(request: pytest.FixtureRequest) -> Game:
    return boardwright.game(*request.param)

"""Ratings of a run's nets: the original program's figures for the published games, and the interval to iteration 0."""

from pathlib import Path

import pytest

from boardwright.learn.reporting.rating import net_ratings, update_ratings
from boardwright.learn.run.metrics import Match, Metrics, read_metrics
from boardwright.papers import archive

ARCHIVE = Path(__file__).parent.parent.parent / "docs" / "results" / "data" / "tablutzero.tar.xz"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the published runs."""
    folder = tmp_path_factory.mktemp("tablutzero")
    archive.unpack(ARCHIVE, folder)
    return folder / "runs"


@pytest.mark.parametrize(
    ("run", "fixed_parameters", "elo"),
    [
        ("tablut-fast", False, 1611),
        ("tablut-fast", True, 1174),
        ("tablut-paper", False, 1232),
        ("tablut-paper", True, 968),
    ],
)
def test_published_games_agree_with_the_original_program(
    published: Path, run: str, fixed_parameters: bool, elo: int
) -> None:
    """The original was given these games as PGN: `mm 1 1` and `mm`, last net above iteration 0 as it prints them."""
    ratings = net_ratings(read_metrics(published / run).matches, fixed_parameters=fixed_parameters)
    assert ratings[0] == (0.0, 0.0, 0.0)
    assert ratings[max(ratings)][0] == pytest.approx(elo, abs=1.0)


def test_interval_is_of_the_difference_to_iteration_0(published: Path) -> None:
    """The untrained net lost all its games, so its own rating is the most uncertain part of the difference."""
    ratings = net_ratings(read_metrics(published / "tablut-fast").matches)
    assert ratings[50][1:] == pytest.approx((1349, 1873), abs=1.0)


def test_nets_not_connected_with_iteration_0_have_no_rating(tmp_path: Path) -> None:
    played = [Match(20, 20, 0, 9, 1, 2, 500), Match(30, 30, 25, 5, 0, 5, 500)]
    assert set(net_ratings(played)) == {0, 20}
    links = [Match(35, 35, 30, 5, 0, 5, 500), Match(35, 20, 35, 5, 0, 5, 500)]
    assert set(net_ratings([*played, *links])) == {0, 20, 25, 30, 35}
    with Metrics(tmp_path) as metrics:
        metrics.log(30, 3000, {"selfplay/moves": 3000})
        for match in played:
            metrics.log_match(match)
        assert update_ratings(metrics, 30) == {}
        assert metrics.read().scalars["evaluation/elo_low"].iterations.tolist() == [0, 20]


def test_without_iteration_0_the_weakest_net_is_0_elo() -> None:
    ratings = net_ratings([Match(20, 20, 10, 9, 1, 2, 500), Match(20, 10, 20, 3, 0, 9, 500)])
    assert ratings[10] == (0.0, 0.0, 0.0)
    elo, low, high = ratings[20]
    assert low < elo < high
    assert high - elo == pytest.approx(elo - low)

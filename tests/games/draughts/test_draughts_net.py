"""What alpha-beta gets from an evaluation net, against the formula in numpy."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import boardwright
from boardwright.games.base import Game, Position, SearchResources
from boardwright.games.draughts.endgames.tablebase import SHIPPED
from boardwright.nets.config import EvaluationConfig
from boardwright.nets.layout import interface_of, weight_shapes

GAME = boardwright.game("draughts", observation="paper")
ROUNDING = 0.5 + 0.02  # of the score, and of sums in float32
MAX_SCORE = 19_999  # of a score that is no win
SIZES = [(128, 16, 8), (5, 3, 1), (4, 1, 24), (33, 17, 3), (1024, 256, 2)]


def random_weights(width: int, hidden: int, phases: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Such that units are about as often cut off as not."""
    rng, config = np.random.default_rng(seed), EvaluationConfig(width=width, hidden=hidden, phases=phases)
    drawn = {}
    for name, shape in weight_shapes(config, interface_of(config, GAME)).items():
        inputs = {"params/features/kernel": 12, "params/hidden/kernel": width, "params/output/kernel": hidden}
        drawn[name] = (rng.normal(size=shape) / np.sqrt(inputs.get(name, 1))).astype(np.float32)
    return drawn


def by_formula(weights: dict[str, np.ndarray], observation: np.ndarray) -> tuple[float, int]:
    """The net's output and the phase, for [8, 8, 4] planes; in float64."""
    w = {name.removeprefix("params/"): weight.astype(np.float64) for name, weight in weights.items()}
    x = observation.reshape(-1).astype(np.float64)
    phases = len(w["output/bias"])
    phase = min((max(int(x.sum()), 1) - 1) * phases // 24, phases - 1)
    first = np.clip(x @ w["features/kernel"] + w["features/bias"], 0, 1)
    second = np.clip(first @ w["hidden/kernel"][phase] + w["hidden/bias"][phase], 0, 1)
    return float(second @ w["output/kernel"][phase] + w["output/bias"][phase]), phase


def setup(game: Game, black: int, white: int, kings: int, role: int) -> Position:
    engine: Any = game.engine
    return Position(game, engine.setup(black, white, kings, role, 0, 0, 0))


def positions(game: Game, games: int = 3, placed: int = 300) -> Iterator[Position]:
    """All of some random games, and boards with any number of pieces anywhere, most of them kings."""
    chance = random.Random(5)
    for _ in range(games):
        position = game.start()
        while position.outcome is None:
            yield position
            position = position.play(chance.choice(position.legal_actions()))
    for _ in range(placed):
        squares = chance.sample(range(32), chance.randint(1, 24))
        black = {square for square in squares if chance.random() < 0.5}
        kings = sum(1 << square for square in squares if chance.random() < 0.7)
        one, other = (sum(1 << square for square in side) for side in (black, set(squares) - black))
        # Men that should have been crowned are no position; the net does not mind.
        yield setup(game, one, other, kings, chance.randrange(2))


@pytest.mark.parametrize(("width", "hidden", "phases"), SIZES)
def test_engine_agrees_with_the_formula(width: int, hidden: int, phases: int) -> None:
    weights = random_weights(width, hidden, phases)
    search = GAME.alphabeta(1, 1, SearchResources(SHIPPED, weights))
    seen, met, roles, scores = set(), set(), set(), set()
    for position in positions(GAME):
        output, phase = by_formula(weights, position.observation())
        score = search.value(position.core)
        assert score == pytest.approx(output * search.SCALE, abs=ROUNDING)
        core: Any = position.core
        seen.add(phase)
        roles.add(position.role_to_move)
        met |= {bool(core.kings & side) for side in (core.black, core.white)}
        scores.add(score)
    assert (seen, roles, met) == (set(range(phases)), {0, 1}, {True, False})
    assert len(scores) > 30


def test_net_value_is_independent_of_observation_and_rules() -> None:
    weights = random_weights(16, 4, 2)
    other = boardwright.game("draughts", "paper", "full-2")
    search, others = (
        GAME.alphabeta(1, 1, SearchResources(SHIPPED, weights)),
        other.alphabeta(1, 1, SearchResources(SHIPPED, weights)),
    )
    for position in positions(GAME, games=1, placed=0):
        assert others.value(other.play_all(position.actions()).core) == search.value(position.core)


def test_net_is_the_same_for_both_colours() -> None:
    search = GAME.alphabeta(1, 1, SearchResources(SHIPPED, random_weights(24, 5, 4)))

    def turned(bits: int) -> int:
        return int(f"{bits:032b}"[::-1], 2)

    for position in positions(GAME):
        core: Any = position.core
        image = setup(GAME, turned(core.white), turned(core.black), turned(core.kings), 1 - core.role_to_move)
        assert search.value(image.core) == search.value(core)


@pytest.mark.parametrize("sign", [1, -1])
def test_net_scores_stay_below_a_win(sign: int) -> None:
    weights = random_weights(8, 4, 1)
    weights["params/output/bias"][:] = sign * 1e30
    score = GAME.alphabeta(1, 1, SearchResources(SHIPPED, weights)).value(GAME.start().core)
    assert score == sign * MAX_SCORE


# What the features said before there were nets.
KNOWN = {
    "W:WK1,5,9,K11,K16:BK26:H5:F52": 716,
    "W:W7,K8,10,16,26,29:B25:H0:F25": 814,
    "W:W19,26,28,29,30,31,32:B3,4,7,8,11,16,17:H0:F11": 57,
    "W:W8,K13,21,23,28,29:B24:H0:F24": 782,
    "B:WK3,18,21,24,29,30,31,32:B1,2,4,9,10,14:H0:F12": -300,
    "B:WK10,13,21,22,32:B4,5,14:H0:F19": -324,
    "B:W19:B1,2,3,4,5,6,8,11,K16,K31:H0:F16": 1278,
    "W:WK3,K9,24,30:B21:H0:F26": 618,
}


def test_hand_made_evaluation_is_used_without_a_net() -> None:
    search, with_net = GAME.alphabeta(1, 1), GAME.alphabeta(1, 1, SearchResources(SHIPPED, random_weights(8, 4, 1)))
    for text, value in KNOWN.items():
        core = GAME.position(text).core
        assert search.value(core) == value
        assert with_net.value(core) != value


def test_depth_one_is_minimax_of_the_net() -> None:
    """The searches of all threads use the net, not only the evaluation of a single position."""
    weights = random_weights(32, 8, 8)
    for threads in (1, 2):
        compared = 0
        for position in list(positions(GAME, games=4, placed=0))[::9]:
            search = GAME.alphabeta(1, threads, SearchResources(net=weights))
            after = [position.play(action) for action in position.legal_actions()]
            if len(after) == 1 or any("x" in (p.moves() or ["x"])[0] or p.outcome for p in (position, *after)):
                continue  # captures and ends have nothing to do with the net
            best = max(-by_formula(weights, following.observation())[0] for following in after)
            assert search.search(position.core, 1, 0, 0.0).score == pytest.approx(best * search.SCALE, abs=ROUNDING)
            compared += 1
        assert compared > 3


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"params/features/kernel": np.zeros((64 * 8, 8), np.float32)},
            r"features/kernel .* \[512, 8\], expected \[256, 8",
        ),
        (
            {"params/features/bias": np.zeros(9, np.float32)},
            r"features/bias of an evaluation net has shape \[9\], expected \[8\]",
        ),
        ({"params/hidden/kernel": np.zeros((2, 8), np.float32)}, "hidden/kernel of an .* net must have three axes"),
        (
            {"params/hidden/kernel": np.zeros((2, 8, 999), np.float32)},
            r"must not be empty or larger than \[24, 1024, 256\]",
        ),
        (
            {"params/hidden/kernel": np.zeros((0, 8, 4), np.float32)},
            r"must not be empty or larger than \[24, 1024, 256\]",
        ),
        (
            {"params/hidden/bias": np.zeros(8, np.float32)},
            r"hidden/bias of an evaluation net has shape \[8\], expected \[2, 4\]",
        ),
        ({"params/output/kernel": np.zeros((4, 2), np.float32)}, r"output/kernel .* shape \[4, 2\], expected \[2, 4\]"),
        (
            {"params/output/bias": np.zeros((), np.float32)},
            r"output/bias of an evaluation net has shape \[\], expected \[2\]",
        ),
        ({"params/output/bias": "none"}, "output/bias of an evaluation net is missing or not an array of float32"),
    ],
)
def test_weights_of_wrong_shape_are_refused(change: dict[str, Any], complaint: str) -> None:
    weights = random_weights(8, 4, 2)
    with pytest.raises(ValueError, match=complaint):
        GAME.alphabeta(1, 1, SearchResources(SHIPPED, {**weights, **change}))


def test_missing_weight_is_refused() -> None:
    weights = random_weights(8, 4, 2)
    for name in weights:
        with pytest.raises(ValueError, match=f"weight {name} of an evaluation net is missing"):
            GAME.alphabeta(
                1, 1, SearchResources(SHIPPED, {key: weight for key, weight in weights.items() if key != name})
            )

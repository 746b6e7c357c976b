"""The built-in players: legal, seeded, and the search is stronger than chance."""

import pytest

import boardwright
from boardwright.agents.base import Agent, Limit
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError
from boardwright.games.base import Position

TABLUT = boardwright.game("tablut")


def play(first: Agent, second: Agent, rules: str) -> Position:
    position = boardwright.game("tablut", rules).start()
    while position.outcome is None:
        agent = (first, second)[position.role_to_move]
        position = position.play(agent.choose(position, Limit()).action)
    return position


@pytest.mark.parametrize("role", [0, 1])
def test_monte_carlo_beats_random_in_both_roles(role: int) -> None:
    wins = 0
    for seed in range(6):
        search, chance = make_agent(f"mc:sims=400,seed={seed}", TABLUT), make_agent(f"random:seed={seed}", TABLUT)
        pair = (search, chance) if role == 0 else (chance, search)
        outcome = play(*pair, rules="saami").outcome
        assert outcome is not None
        wins += outcome.winner == role
    assert wins >= 5


def test_monte_carlo_takes_a_win_and_knows_it() -> None:
    position = boardwright.game("tablut").position("/9/9/9/4t4/K8/9/9/4t4/4T4/ d 0 0")
    choice = make_agent("mc:sims=2000,seed=1", TABLUT).choose(position, Limit())
    assert position.action_text(choice.action) in ("a5-a1", "a5-a9")
    assert choice.value is not None
    assert choice.value > 0.9
    assert choice.line[0] == choice.action
    assert choice.simulations == 2000
    assert sum(choice.policy.values()) == pytest.approx(1)


def test_monte_carlo_value_is_from_the_mover_side() -> None:
    """The attackers must see that they are lost: every move leaves the king a free corner."""
    position = boardwright.game("tablut").position("/9/9/9/9/K8/9/9/4t4/4T4/ a 0 0")
    choice = make_agent("mc:sims=3000,seed=2", TABLUT).choose(position, Limit())
    assert choice.value is not None
    assert choice.value < -0.5


def test_limits() -> None:
    position = boardwright.game("tablut").start()
    assert make_agent("mc:sims=50", TABLUT).choose(position, Limit()).simulations == 50
    assert make_agent("mc:time=1s", TABLUT).choose(position, Limit(simulations=10)).simulations == 10
    assert 0 < make_agent("mc:time=20ms", TABLUT).choose(position, Limit()).simulations < 100_000


@pytest.mark.parametrize("spec", ["random:seed=3", "mc:sims=30,seed=3"])
def test_a_seed_fixes_the_choice(spec: str) -> None:
    position = boardwright.game("tablut").start()
    assert (
        make_agent(spec, TABLUT).choose(position, Limit()).action
        == make_agent(spec, TABLUT).choose(position, Limit()).action
    )


BAD_TIMES = ["mc:time=-1s", "mc:time=nan", "mc:time=2m", "mc:time=1_0s", "mc:time=0s"]
BAD_SPECS = ["", "mc:sims=0", "mc:sims=x", "mc:seed", "random:time=2s", "mc:x=1", *BAD_TIMES]


@pytest.mark.parametrize("spec", BAD_SPECS)
def test_bad_specs(spec: str) -> None:
    with pytest.raises(BoardwrightError):
        make_agent(spec, TABLUT)


@pytest.mark.parametrize("bounds", [{"seconds": 0.0}, {"simulations": 0}, {"seconds": -1.0}])
def test_a_limit_must_leave_time_to_think(bounds: dict) -> None:
    with pytest.raises(BoardwrightError, match="leaves no time to think"):
        Limit(**bounds)

"""The built-in players: legal, seeded, and the search is stronger than chance."""

import pytest
from tictactoe import TicTacToe
from toy_game import ToyRules

import boardwright
from boardwright.agents.base import Agent, Limit
from boardwright.agents.players import make_agent, players_of
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
        search, chance = (
            make_agent(f"mc-improved:sims=400,horizon=0,seed={seed}", TABLUT),
            make_agent(f"random:seed={seed}", TABLUT),
        )
        pair = (search, chance) if role == 0 else (chance, search)
        outcome = play(*pair, rules="saami").outcome
        assert outcome is not None
        wins += outcome.winner == role
    assert wins >= 5


def test_own_limit_applies_unless_the_call_sets_one() -> None:
    position = boardwright.game("tablut").start()
    assert make_agent("mc:sims=50", TABLUT).choose(position, Limit()).simulations == 50
    assert make_agent("mc:time=1s", TABLUT).choose(position, Limit(simulations=10)).simulations == 10
    assert 0 < make_agent("mc:time=20ms", TABLUT).choose(position, Limit()).simulations < 100_000


@pytest.mark.parametrize("spec", ["random:seed=3", "mc:sims=30,seed=3"])
def test_seed_fixes_the_choice(spec: str) -> None:
    position = boardwright.game("tablut").start()
    assert (
        make_agent(spec, TABLUT).choose(position, Limit()).action
        == make_agent(spec, TABLUT).choose(position, Limit()).action
    )


BAD_TIMES = ["mc:time=-1s", "mc:time=nan", "mc:time=2m", "mc:time=1_0s", "mc:time=0s"]
BAD_SPECS = ["", "mc:sims=0", "mc:sims=x", "mc:seed", "random:time=2s", "mc:x=1", *BAD_TIMES]


@pytest.mark.parametrize("spec", BAD_SPECS)
def test_wrong_spec_is_refused(spec: str) -> None:
    with pytest.raises(BoardwrightError):
        make_agent(spec, TABLUT)


@pytest.mark.parametrize("bounds", [{"seconds": 0.0}, {"simulations": 0}, {"seconds": -1.0}])
def test_a_limit_must_be_positive(bounds: dict) -> None:
    with pytest.raises(BoardwrightError, match="must be positive"):
        Limit(**bounds)


def test_general_players_play_games_without_own_players() -> None:
    names = [player.name for player in players_of(TicTacToe(ToyRules(), "full"))]
    assert {"random", "mc", "alphabeta", "alphazero", "net"} <= set(names)
    assert "greedy-mobility" not in names


@pytest.mark.parametrize("name", ["alphabeta", "alphazero"])
def test_each_player_is_listed_once_with_its_options(name: str) -> None:
    (player,) = [player for player in players_of(boardwright.game("draughts")) if player.name == name]
    assert "tables" in {option.name for option in player.options}
    (player,) = [player for player in players_of(TABLUT) if player.name == name]
    assert "tables" not in {option.name for option in player.options}

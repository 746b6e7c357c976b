"""The Monte Carlo search: limits, horizon, threads, proofs, and who may watch it."""

import time
from dataclasses import dataclass, field

import pytest

import boardwright
from boardwright.agents.base import Choice, Limit
from boardwright.agents.players import make_agent
from boardwright.games.registry import game_names

TABLUT = boardwright.game("tablut", "mcgill")
# The attackers can close only one of two ways to a corner; each variant must see that all is lost or won.
WON = "/9/9/9/4t4/K8/9/9/4t4/4T4/ d 0 0"
LOST = "/9/9/9/9/K8/9/9/4t4/4T4/ a 0 0"


@dataclass
class Spectator:
    """An observer that stops the search after a number of reports."""

    patience: int
    reports: list[Choice] = field(default_factory=list)

    @property
    def stopped(self) -> bool:
        return len(self.reports) >= self.patience

    def report(self, choice: Choice) -> None:
        self.reports.append(choice)


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("spec", ["mc", "mc-improved"])
@pytest.mark.parametrize("threads", [1, 3])
def test_simulations_are_counted_and_repeatable(name: str, spec: str, threads: int) -> None:
    game = boardwright.game(name)
    choices = [
        make_agent(f"{spec}:sims=100,threads={threads},seed=7", game).choose(game.start(), Limit()) for _ in range(2)
    ]
    assert choices[0] == choices[1]
    assert choices[0].simulations == 100
    assert choices[0].action in game.start().legal_actions()
    assert choices[0].line[0] == choices[0].action
    assert sum(choices[0].policy.values()) == pytest.approx(1)


@pytest.mark.parametrize("spec", ["mc", "mc-improved", "mc-expanded"])
def test_immediate_wins_are_played_and_losses_proven(spec: str) -> None:
    agent = make_agent(f"{spec}:sims=3000,seed=1", TABLUT)
    won, lost = TABLUT.position(WON), TABLUT.position(LOST)
    choice = agent.choose(won, Limit())
    assert choice.value is not None
    assert choice.value > 0.9
    if spec != "mc-expanded":  # to which a path is as good as the escape
        assert won.play(choice.action).outcome is not None
    value = agent.choose(lost, Limit()).value
    assert value is not None
    assert value < (-0.1 if spec == "mc" else -0.9)  # to which an undecided game is no better than a loss


def test_proven_root_ends_an_improved_search() -> None:
    agent = make_agent("mc-improved:sims=1000000,seed=1", TABLUT)
    choice = agent.choose(TABLUT.position(WON), Limit())
    assert choice.simulations < 1_000_000
    assert TABLUT.position(WON).play(choice.action).outcome is not None


def test_the_capture_of_the_king_is_found() -> None:
    position = TABLUT.position("/9/9/tK1t5/9/9/9/9/9/9/ a 0 0")
    wins = [action for action in position.legal_actions() if position.play(action).outcome is not None]
    assert [position.action_text(action).split("x")[0] for action in wins] == ["d3-c3"]
    for spec in ("mc-improved:sims=2000,seed=3", "heuristic-mc:sims=2000,seed=3"):
        assert make_agent(spec, TABLUT).choose(position, Limit()).action in wins


def test_horizon_hides_distant_wins() -> None:
    """At the start nothing is decided within two moves, and every full game is decided or long."""
    near = make_agent("mc:sims=300,horizon=2,seed=1", TABLUT).choose(TABLUT.start(), Limit())
    far = make_agent("mc-improved:sims=300,horizon=0,seed=1", TABLUT).choose(TABLUT.start(), Limit())
    assert near.value == 0.0
    assert far.value != 0.0


def test_watch_stops_the_search_and_receives_reports() -> None:
    watch = Spectator(patience=2)
    begin = time.perf_counter()
    choice = make_agent("mc:time=60s,threads=2", TABLUT).choose(TABLUT.start(), Limit(), watch)
    assert time.perf_counter() - begin < 20
    assert len(watch.reports) == 2
    assert 0 < watch.reports[0].simulations <= watch.reports[1].simulations <= choice.simulations
    assert all(report.action in TABLUT.start().legal_actions() for report in watch.reports)


def test_errors_of_a_watch_are_raised() -> None:
    class Impatient(Spectator):
        def report(self, choice: Choice) -> None:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        make_agent("mc:time=60s,threads=2", TABLUT).choose(TABLUT.start(), Limit(), Impatient(1))


def test_root_actions_must_be_legal() -> None:
    core = TABLUT.start().core
    legal = core.legal_actions()
    found = core.monte_carlo(1, 50, 0.0, root_actions=legal[3:6])
    assert found.actions == legal[3:6]
    assert found.principal_variation[0] in found.actions
    with pytest.raises(ValueError, match="illegal action"):
        core.monte_carlo(1, 50, 0.0, root_actions=[0])
    with pytest.raises(ValueError, match="threads"):
        core.monte_carlo(1, 50, 0.0, threads=0)

"""The PUCT search of the scalar engine, with stand-ins for nets: limits, and the tree from move to move."""

import time

import numpy as np
import pytest
from stub_nets import StoppableWatch, opinionated, play_line, player, role_0_is_ahead, unsure, walk

import boardwright
from boardwright.agents.base import Limit

GAMES = [("tablut", "tablutzero"), ("draughts", "wcdf"), ("cathedral", "paper")]
by_game = pytest.mark.parametrize(("name", "rules"), GAMES)
TABLUT = boardwright.game("tablut", "mcgill")
DRAUGHTS = boardwright.game("draughts")


# Limits


@by_game
def test_simulation_limit_is_kept_and_repeatable(name: str, rules: str) -> None:
    game = boardwright.game(name, rules)
    position = walk(game, 3, 6)
    first, second = (player(game, opinionated(game), batch=8).choose(position, Limit(simulations=90)) for _ in range(2))
    assert first == second
    assert first.simulations == sum(first.visits.values()) == 90
    assert sum(first.policy.values()) == pytest.approx(1)
    assert set(first.visits) == set(first.policy) == set(position.legal_actions())
    assert first.visits[first.action] == max(first.visits.values())
    assert first.line[0] == first.action
    assert len(first.line) > 1
    play_line(position, first.line)


@by_game
def test_batches_are_bounded_and_without_duplicates(name: str, rules: str) -> None:
    game, sizes = boardwright.game(name, rules), []
    evaluate = opinionated(game)

    def check(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sizes.append(len(planes))
        if name == "tablut":  # whose observations distinguish lines
            assert len({position.tobytes() for position in planes}) == len(planes)
        return evaluate(planes, roles)

    choice = player(game, check, batch=16).choose(walk(game, 1, 2), Limit(simulations=600))
    assert sizes[:5] == [1] * 5  # while little is known one after the other
    assert 8 < max(sizes) <= 16
    assert sum(sizes) == choice.nodes


def test_time_limit_is_kept() -> None:
    evaluate = unsure(TABLUT)

    def slowly(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        time.sleep(0.02)
        return evaluate(planes, roles)

    agent = player(TABLUT, slowly, batch=8)
    begin = time.monotonic()
    choice = agent.choose(TABLUT.start(), Limit(seconds=0.4))
    assert 0.2 < time.monotonic() - begin < 0.45
    assert choice.simulations > 1
    assert player(TABLUT, slowly).choose(TABLUT.start(), Limit(seconds=0.001)).action in TABLUT.start().legal_actions()


def test_a_forced_move_takes_no_time() -> None:
    only = DRAUGHTS.position("W:W22,32,31,30:B18,1,2,3")
    assert only.count_actions() == 1
    choice = player(DRAUGHTS, role_0_is_ahead(DRAUGHTS, 0.5)).choose(only, Limit(seconds=60))
    assert (choice.action, choice.value, choice.nodes) == (only.legal_actions()[0], -0.5, 1)


def test_full_tree_ends_the_search_with_an_answer() -> None:
    agent = player(TABLUT, opinionated(TABLUT), megabytes=1, batch=8)
    choice = agent.choose(TABLUT.start(), Limit(simulations=10**9))
    assert 500 < choice.simulations < 5000
    assert choice.action in TABLUT.start().legal_actions()
    position = TABLUT.start()
    for _ in range(6):  # and what is of no use any more is forgotten
        position = position.play(agent.choose(position, Limit(simulations=300)).action)
        assert agent._search.nodes * 48 <= 1 << 20


@by_game
def test_watch_stops_the_search_and_receives_reports(name: str, rules: str) -> None:
    game = boardwright.game(name, rules)

    watch, position = StoppableWatch(seconds=0.5), walk(game, 7, 5)
    begin = time.monotonic()
    choice = player(game, opinionated(game), batch=8, megabytes=256).choose(position, Limit(seconds=60), watch)
    assert time.monotonic() - begin < 10
    assert choice.action in position.legal_actions()
    assert len(watch.reports) > 1
    simulations = [report.simulations for report in watch.reports]
    assert simulations == sorted(set(simulations))
    for report in watch.reports:
        assert report.line[0] == report.action
        assert report.value is not None
        assert sum(report.visits.values()) == report.simulations
        play_line(position, report.line)


# The tree from move to move


@by_game
def test_kept_subtree_equals_a_new_search(name: str, rules: str) -> None:
    """Below the root nothing knows of the root: a subtree of n visits is a search of n - 1 simulations."""
    game = boardwright.game(name, rules)
    position = walk(game, 2, 4)
    agent = player(game, opinionated(game), tables=False)
    choice = agent.choose(position, Limit(simulations=500))
    descendant = play_line(position, choice.line[:2])
    kept = agent.choose(descendant, Limit(simulations=50))
    assert kept.simulations == 50 < sum(kept.visits.values())
    new = player(game, opinionated(game), tables=False).choose(descendant, Limit(simulations=sum(kept.visits.values())))
    assert kept.visits == new.visits
    assert kept.value == pytest.approx(new.value)
    assert kept.line == new.line
    again = agent.choose(descendant, Limit(simulations=40))  # the next search continues with the tree
    assert sum(again.visits.values()) == sum(kept.visits.values()) + 40


def test_other_position_starts_a_new_tree() -> None:
    agent = player(DRAUGHTS, opinionated(DRAUGHTS))
    agent.choose(DRAUGHTS.start().play("11-16").play("24-19"), Limit(simulations=200))
    for other in (
        DRAUGHTS.start().play("11-15").play("22-18"),
        DRAUGHTS.position(DRAUGHTS.start().play("11-15").play("22-18").text),  # without its past
        DRAUGHTS.start(),  # from before
    ):
        choice = agent.choose(other, Limit(simulations=60))
        assert choice == player(DRAUGHTS, opinionated(DRAUGHTS)).choose(other, Limit(simulations=60))


def test_counters_distinguish_positions() -> None:
    agent = player(DRAUGHTS, opinionated(DRAUGHTS))
    quiet, later = (DRAUGHTS.position(f"W:WK1,K2,K3,5:BK30,K31,K32:H{count}:F30") for count in (0, 40))
    assert quiet.hash == later.hash
    agent.choose(quiet, Limit(simulations=60))
    assert sum(agent.choose(later, Limit(simulations=60)).visits.values()) == 60


def test_search_after_an_aborted_one_is_unaffected() -> None:
    evaluate, asked = opinionated(TABLUT), 0

    def fail(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal asked
        asked += 1
        if asked == 40:
            raise KeyboardInterrupt
        return evaluate(planes, roles)

    agent = player(TABLUT, fail)
    with pytest.raises(KeyboardInterrupt):
        agent.choose(TABLUT.start(), Limit(simulations=100))
    choice = agent.choose(TABLUT.start(), Limit(simulations=100))
    assert choice.simulations == 100
    new = player(TABLUT, opinionated(TABLUT)).choose(TABLUT.start(), Limit(simulations=138))
    assert choice.visits == new.visits  # 38 were done before


def test_search_survives_a_net_with_extreme_outputs() -> None:
    def mad(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = np.full((len(roles), TABLUT.num_actions), np.nan, np.float32)
        logits[::2] = -np.inf
        return logits, np.full(len(roles), np.nan, np.float32)

    choice = player(TABLUT, mad, batch=4).choose(TABLUT.start(), Limit(simulations=50))
    assert choice.simulations == 50
    assert choice.action in TABLUT.start().legal_actions()


def test_engine_refuses_calls_out_of_order() -> None:
    search = TABLUT.puct(1, 4, 0)
    with pytest.raises(ValueError, match=r"call begin\(\) first"):
        search.collect(1, 1)
    with pytest.raises(ValueError, match="another game or rule set"):
        search.begin(boardwright.game("tablut", "saami").start().core)
    search.begin(TABLUT.start().core)
    assert search.collect(4, 0) == 1
    with pytest.raises(ValueError, match=r"expected logits \[waiting, actions\]"):
        search.apply(np.zeros((2, TABLUT.num_actions), np.float32), np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="batch must be at least 1"):
        search.collect(0, 0)
    with pytest.raises(ValueError, match="from 1 to 4096"):
        TABLUT.puct(1, 0, 0)

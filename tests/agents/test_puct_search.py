"""The PUCT search of the scalar engine, with stand-ins for nets: what it proves, signs, roles, limits."""

import random
import threading
import time
from typing import Any

import numpy as np
import pytest
from stub_nets import opinionated, play_line, player, role_0_is_ahead, unsure

import boardwright
from boardwright.agents.base import Choice, Limit
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.draughts.tablebase import Tablebase

GAMES = [("tablut", "zero"), ("draughts", "wcdf"), ("cathedral", "paper")]
by_game = pytest.mark.parametrize(("name", "rules"), GAMES)
TABLUT = boardwright.game("tablut", "mcgill")
DRAUGHTS = boardwright.game("draughts")


def walk(game: Game, seed: int, plies: int) -> Position:
    """The position after some random plies, or the last one before the end."""
    chance, position = random.Random(seed), game.start()
    while position.plies < plies:
        following = position.play(chance.choice(position.legal_actions()))
        if following.outcome is not None:
            break
        position = following
    return position


# What is sure


@pytest.mark.parametrize("gumbel", [False, True])
@pytest.mark.parametrize(
    ("text", "plies"), [("/9/9/9/4t4/K8/9/9/4t4/4T4/ d 0 0", 1), ("/9/9/9/4t4/1K7/9/9/4t4/4T4/ d 0 0", 3)]
)
def test_the_king_escapes_where_he_can(text: str, plies: int, gumbel: bool) -> None:
    position: Any = TABLUT.position(text)
    assert position.core.forced_win(1, plies)
    assert not position.core.forced_win(1, plies - 1)
    choice = player(TABLUT, gumbel=gumbel).choose(position, Limit(simulations=20_000))
    assert choice.value == 1
    assert choice.simulations < 20_000  # it ends when all is clear
    after: Any = position.play(choice.action)
    assert after.core.forced_win(1, plies - 1)


def test_a_won_game_is_won_by_the_tree_that_is_kept() -> None:
    game = TABLUT.position("/9/9/9/4t4/1K7/9/9/4t4/4T4/ d 0 0")
    agent, attackers = player(TABLUT), random.Random(4)
    position = game.play(agent.choose(game, Limit(simulations=20_000)).action)
    while position.outcome is None:
        position = position.play(attackers.choice(position.legal_actions()))
        choice = agent.choose(position, Limit(simulations=1))
        assert choice.value == 1
        position = position.play(choice.action)
    assert position.outcome.winner == 1


def test_a_draughts_win_is_found_without_tables() -> None:
    position = DRAUGHTS.position("W:WK18:BK13").play("18-15").play("13-17")
    choice = player(DRAUGHTS, tables=False).choose(position, Limit(simulations=50_000))
    assert choice.value == 1
    assert choice.simulations < 50_000
    lost = position.play("15-18")
    assert player(DRAUGHTS, tables=False).choose(lost, Limit(simulations=50_000)).value == -1


def test_losses_are_avoided_even_by_a_player_who_varies() -> None:
    """After 84 of the 88 moves the king is out at once."""
    game = boardwright.game("tablut", "saami")
    position = walk(game, 16, 36)

    def lets_him_out(action: int) -> bool:
        after = position.play(action)
        outcomes = [after.play(reply).outcome for reply in after.legal_actions()]
        return any(outcome is not None and outcome.winner == 1 for outcome in outcomes)

    assert sum(map(lets_him_out, position.legal_actions())) == 84
    agent = player(game, batch=8, temperature=20.0, seed=1)
    agent.choose(position, Limit(simulations=10_000))
    drawn = {agent.choose(position, Limit(simulations=1)).action for _ in range(50)}
    assert len(drawn) > 1
    assert not any(map(lets_him_out, drawn))


# Endgame tables


@pytest.mark.parametrize(
    "text", ["B:WK29:BK1,K5,K13", "W:WK29:BK4,K32", "W:WK18,K22:BK1", "B:WK18:BK1,2", "W:WK30,K31,21:B5"]
)
def test_positions_in_tables_are_played_to_the_end_in_no_more_moves_than_it_takes(text: str) -> None:
    position, tables = DRAUGHTS.position(text), Tablebase()
    agent = player(DRAUGHTS, opinionated(DRAUGHTS))
    plies, begin = tables.probe_position(position).plies, position.plies
    assert plies is not None
    while position.outcome is None:
        probe = tables.probe_position(position)
        choice = agent.choose(position, Limit(simulations=50))
        assert choice.value == {"win": 1, "loss": -1}[probe.result]
        assert choice.nodes == 1  # the root alone is evaluated
        position = position.play(choice.action)
    assert position.plies - begin == plies
    assert position.outcome.winner is not None


def test_a_draw_in_tables_is_kept_by_what_the_net_prefers() -> None:
    position = DRAUGHTS.position("W:WK10,K11:BK30,K31")
    assert Tablebase().probe_position(position).result == "draw"
    choice = player(DRAUGHTS, opinionated(DRAUGHTS)).choose(position, Limit(simulations=50))
    assert choice.value == 0
    assert Tablebase().probe_position(position.play(choice.action)).result == "draw"
    assert choice.action == next(iter(choice.policy))  # the likeliest


def test_leaves_in_tables_are_not_evaluated() -> None:
    position, pieces = DRAUGHTS.position("W:WK14,K18:BK1,5,12"), []
    evaluate = unsure(DRAUGHTS)

    def count(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pieces.extend(planes[..., :4].sum(axis=(1, 2, 3)).tolist())
        return evaluate(planes, roles)

    player(DRAUGHTS, count, batch=4).choose(position, Limit(simulations=500))
    assert set(pieces) == {5}
    pieces.clear()
    player(DRAUGHTS, count, batch=4, tables=False).choose(position, Limit(simulations=500))
    assert min(pieces) < 5


# Whose move, whose value


@by_game
def test_the_mover_is_asked(name: str, rules: str) -> None:
    """A plane of every game says whether role 0 is to move, or looks."""
    game = boardwright.game(name, rules)
    plane = game.planes.index(
        {"tablut": "attackers to move", "draughts": "black to move"}.get(name, "observer is light")
    )
    evaluate, asked = unsure(game), set()

    def check(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert np.array_equal(planes[:, 0, 0, plane], roles == 0)
        asked.update(roles.tolist())
        return evaluate(planes, roles)

    for seed in range(5):
        player(game, check, batch=8, tables=False).choose(walk(game, seed, 3 * seed), Limit(simulations=150))
    assert asked == {0, 1}


@by_game
def test_values_know_no_turns(name: str, rules: str) -> None:
    """Where every position is as good for role 0, so is every move, though a role may act several times running."""
    game, compared = boardwright.game(name, rules), 0
    for seed in range(20):
        position = walk(game, seed, 2 * seed)
        choice = player(game, role_0_is_ahead(game, 0.5), batch=4, tables=False).choose(position, Limit(simulations=60))
        if choice.nodes == choice.simulations + 1:  # no ending was in sight
            assert choice.value == (0.5 if position.role_to_move == 0 else -0.5)
            compared += 1
    assert compared > 8


def test_a_capture_of_two_is_seen_from_one_side() -> None:
    """White jumps twice; the position between the jumps is White's, and so are the values of both."""
    position = DRAUGHTS.position("W:W26,32,31:B22,14,1,2,3")
    between = position.play(position.legal_actions()[0])
    assert between.role_to_move == position.role_to_move
    values = {}
    for by in (0.5, -0.5):
        agent = player(DRAUGHTS, role_0_is_ahead(DRAUGHTS, by), tables=False)
        values[by] = agent.choose(between.play(between.legal_actions()[0]), Limit(simulations=30)).value
        assert agent.choose(between, Limit(simulations=30)).value == pytest.approx(-by)
    assert values == {0.5: pytest.approx(0.5), -0.5: pytest.approx(-0.5)}  # now it is Black's turn


@pytest.mark.parametrize("rules", ["coin", "chance"])
def test_chance_is_drawn(rules: str) -> None:
    game = boardwright.game("cathedral", {"base": "official-6", "name": "made", "first": rules})
    assert game.start().role_to_move == CHANCE
    search, evaluate = game.puct(16, 4, 7), role_0_is_ahead(game, 0.25)
    search.begin(game.start().core)
    while search.simulations < 400:
        waiting = search.collect(4, 400)
        search.apply(*evaluate(search.observations[:waiting], search.roles[:waiting]))
    actions, visits, values, _, line, value, simulations, _ = search.report()
    assert sorted(actions) == game.start().legal_actions()
    assert sum(visits) == simulations == 400
    assert line == []
    assert value == pytest.approx(0.25)
    assert max(abs(count - 400 / len(visits)) for count in visits) < 5 * (400 / len(visits)) ** 0.5
    assert values == pytest.approx([0.25 if count else 0 for count in visits])
    assert player(game).choose(game.start(), Limit()).action in actions


# Limits


@by_game
def test_simulations_are_kept_and_repeatable(name: str, rules: str) -> None:
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
def test_no_batch_is_too_large_or_asks_twice(name: str, rules: str) -> None:
    game, sizes = boardwright.game(name, rules), []
    evaluate = opinionated(game)

    def check(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sizes.append(len(planes))
        if name == "tablut":  # whose observations tell lines apart
            assert len({position.tobytes() for position in planes}) == len(planes)
        return evaluate(planes, roles)

    choice = player(game, check, batch=16).choose(walk(game, 1, 2), Limit(simulations=600))
    assert sizes[:5] == [1] * 5  # while little is known one after the other
    assert 8 < max(sizes) <= 16
    assert sum(sizes) == choice.nodes


def test_time_is_kept() -> None:
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


def test_memory_is_bounded_and_full_it_answers() -> None:
    agent = player(TABLUT, opinionated(TABLUT), megabytes=1, batch=8)
    choice = agent.choose(TABLUT.start(), Limit(simulations=10**9))
    assert 500 < choice.simulations < 5000
    assert choice.action in TABLUT.start().legal_actions()
    position = TABLUT.start()
    for _ in range(6):  # and what is of no use any more is forgotten
        position = position.play(agent.choose(position, Limit(simulations=300)).action)
        assert agent._search.nodes * 48 <= 1 << 20


@by_game
def test_a_watch_is_told_and_obeyed(name: str, rules: str) -> None:
    game = boardwright.game(name, rules)

    class Impatient:
        def __init__(self) -> None:
            self.stopped = False
            self.heard: list[Choice] = []

        def report(self, choice: Choice) -> None:
            self.heard.append(choice)

    watch, position = Impatient(), walk(game, 7, 5)
    threading.Timer(0.5, lambda: setattr(watch, "stopped", True)).start()
    begin = time.monotonic()
    choice = player(game, opinionated(game), batch=8, megabytes=256).choose(position, Limit(seconds=60), watch)
    assert time.monotonic() - begin < 10
    assert choice.action in position.legal_actions()
    assert len(watch.heard) > 1
    simulations = [heard.simulations for heard in watch.heard]
    assert simulations == sorted(set(simulations))
    for heard in watch.heard:
        assert heard.line[0] == heard.action
        assert heard.value is not None
        assert sum(heard.visits.values()) == heard.simulations
        play_line(position, heard.line)


# The tree from move to move


@by_game
def test_what_is_kept_is_what_a_new_search_would_find(name: str, rules: str) -> None:
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
    again = agent.choose(descendant, Limit(simulations=40))  # asked once more it goes on
    assert sum(again.visits.values()) == sum(kept.visits.values()) + 40


def test_another_position_begins_afresh() -> None:
    agent = player(DRAUGHTS, opinionated(DRAUGHTS))
    agent.choose(DRAUGHTS.start().play("11-16").play("24-19"), Limit(simulations=200))
    for other in (
        DRAUGHTS.start().play("11-15").play("22-18"),
        DRAUGHTS.position(DRAUGHTS.start().play("11-15").play("22-18").text),  # without its past
        DRAUGHTS.start(),  # from before
    ):
        choice = agent.choose(other, Limit(simulations=60))
        assert choice == player(DRAUGHTS, opinionated(DRAUGHTS)).choose(other, Limit(simulations=60))


def test_counters_that_are_not_on_the_board_make_another_position() -> None:
    agent = player(DRAUGHTS, opinionated(DRAUGHTS))
    quiet, later = (DRAUGHTS.position(f"W:WK1,K2,K3,5:BK30,K31,K32:H{count}:F30") for count in (0, 40))
    assert quiet.hash == later.hash
    agent.choose(quiet, Limit(simulations=60))
    assert sum(agent.choose(later, Limit(simulations=60)).visits.values()) == 60


def test_a_search_that_was_broken_off_does_no_harm() -> None:
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


def test_a_net_that_says_nothing_sensible_is_survived() -> None:
    def mad(planes: np.ndarray, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = np.full((len(roles), TABLUT.num_actions), np.nan, np.float32)
        logits[::2] = -np.inf
        return logits, np.full(len(roles), np.nan, np.float32)

    choice = player(TABLUT, mad, batch=4).choose(TABLUT.start(), Limit(simulations=50))
    assert choice.simulations == 50
    assert choice.action in TABLUT.start().legal_actions()


def test_what_the_engine_refuses() -> None:
    search = TABLUT.puct(1, 4, 0)
    with pytest.raises(ValueError, match="no position yet"):
        search.collect(1, 1)
    with pytest.raises(ValueError, match="another game or rule set"):
        search.begin(boardwright.game("tablut", "saami").start().core)
    search.begin(TABLUT.start().core)
    assert search.collect(4, 0) == 1
    with pytest.raises(ValueError, match="every position that waits"):
        search.apply(np.zeros((2, TABLUT.num_actions), np.float32), np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="at least one position"):
        search.collect(0, 0)
    with pytest.raises(ValueError, match="from 1 to 4096"):
        TABLUT.puct(1, 0, 0)

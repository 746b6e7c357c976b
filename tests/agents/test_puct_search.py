"""The PUCT search of the scalar engine, with stand-ins for nets: what is sure, whose move, whose value."""

import random
from typing import Any

import numpy as np
import pytest
from stub_nets import opinionated, player, role_0_is_ahead, unsure, walk

import boardwright
from boardwright.agents.base import Limit
from boardwright.games.base import CHANCE
from boardwright.games.draughts.endgames.tablebase import Tablebase

GAMES = [("tablut", "tablutzero"), ("draughts", "wcdf"), ("cathedral", "paper")]
by_game = pytest.mark.parametrize(("name", "rules"), GAMES)
TABLUT = boardwright.game("tablut", "mcgill")
DRAUGHTS = boardwright.game("draughts")


# What is sure


@pytest.mark.parametrize("gumbel", [False, True])
@pytest.mark.parametrize(
    ("text", "plies"), [("/9/9/9/4t4/K8/9/9/4t4/4T4/ d 0 0", 1), ("/9/9/9/4t4/1K7/9/9/4t4/4T4/ d 0 0", 3)]
)
def test_king_escapes_at_once(text: str, plies: int, gumbel: bool) -> None:
    position: Any = TABLUT.position(text)
    assert position.core.forced_win(1, plies)
    assert not position.core.forced_win(1, plies - 1)
    choice = player(TABLUT, gumbel=gumbel).choose(position, Limit(simulations=20_000))
    assert choice.value == 1
    assert choice.simulations < 20_000  # it ends when all is clear
    after: Any = position.play(choice.action)
    assert after.core.forced_win(1, plies - 1)


@pytest.mark.parametrize("rules", TABLUT.rule_sets())
def test_immediate_win_is_found_without_search(rules: str) -> None:
    """And none is where trying every move finds none."""
    game, draws = boardwright.game("tablut", rules), random.Random(3)
    agent, wins, others = player(game), 0, 0
    while wins < 40 or others < 40:
        position = game.start()
        while position.outcome is None:
            ends = {action: position.play(action).outcome for action in position.legal_actions()}
            winning = {action for action, end in ends.items() if end and end.winner == position.role_to_move}
            choice = agent.choose(position, Limit(simulations=1))
            assert (choice.value == 1) == bool(winning)
            if winning:
                assert choice.action in winning
                assert choice.nodes <= 1  # the position itself
            wins, others = wins + bool(winning), others + (not winning)
            position = position.play(draws.choice(list(ends)))


def test_kept_tree_wins_a_won_game() -> None:
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


def test_temperature_never_picks_a_proven_loss() -> None:
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


def test_lost_game_is_prolonged() -> None:
    """The king escapes against every defence; one move delays him."""
    game = boardwright.game("tablut", "tablutzero")
    position: Any = game.position("/9/2t6/9/9/K8/9/9/t3t4/4T4/ a 0 0")
    choice = player(game, batch=8).choose(position, Limit(simulations=50_000))
    assert choice.value == -1
    after: Any = position.play(choice.action)
    assert not after.core.forced_win(1, 1)
    assert after.core.forced_win(1, 3)


# Endgame tables


@pytest.mark.parametrize(
    "text", ["B:WK29:BK1,K5,K13", "W:WK29:BK4,K32", "W:WK18,K22:BK1", "B:WK18:BK1,2", "W:WK30,K31,21:B5"]
)
def test_table_wins_take_the_fewest_moves(text: str) -> None:
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


def test_drawn_table_position_is_played_by_the_net() -> None:
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


def test_losing_move_with_a_high_prior_is_not_revisited() -> None:
    """13x22 leads into tables, and to a loss; the net wants nothing else."""
    position = DRAUGHTS.position("W:WK26,K13:BK17,K23,K31")
    losing, drawing = position.play("13x22").actions()[-1], position.play("26x19").actions()[-1]
    logits = np.zeros((1, DRAUGHTS.num_actions), np.float32)
    logits[0, losing] = 9
    for temperature in (0.0, 1.0):
        agent = player(DRAUGHTS, lambda planes, roles: (logits, np.zeros(1, np.float32)), temperature=temperature)
        choice = agent.choose(position, Limit(simulations=1))
        assert choice.visits == {losing: 1, drawing: 0}
        assert choice.action == drawing
        assert agent.choose(position, Limit(simulations=9)).value == 0


# Whose move, whose value


@by_game
def test_net_is_evaluated_for_the_role_to_move(name: str, rules: str) -> None:
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
def test_values_hold_if_a_role_moves_twice(name: str, rules: str) -> None:
    """Where every position is as good for role 0, so is every move, though a role may act several times running."""
    game, compared = boardwright.game(name, rules), 0
    for seed in range(20):
        position = walk(game, seed, seed)
        choice = player(game, role_0_is_ahead(game, 0.5), batch=4, tables=False).choose(position, Limit(simulations=60))
        if choice.nodes == choice.simulations + 1 > 1:  # no ending was in sight
            assert choice.value == (0.5 if position.role_to_move == 0 else -0.5)
            compared += 1
    assert compared > 8


def test_double_capture_keeps_the_viewpoint() -> None:
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
    report = search.report()
    actions, visits = report.actions, report.visits
    assert sorted(actions) == game.start().legal_actions()
    assert sum(visits) == report.simulations == 400
    assert report.principal_variation == []
    assert report.value == pytest.approx(0.25)
    assert max(abs(count - 400 / len(visits)) for count in visits) < 5 * (400 / len(visits)) ** 0.5
    assert report.values == pytest.approx([0.25 if count else 0 for count in visits])
    assert player(game).choose(game.start(), Limit()).action in actions

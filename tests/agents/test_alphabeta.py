"""Alpha-beta: legal, bounded, exact where something else knows the truth."""

import math
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from images import image_of_action
from stub_nets import StoppableWatch, walk

import boardwright
from boardwright.agents.base import Agent, Limit, choose_move, move_actions
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, AlphaBetaSearch, Position, SearchResources
from boardwright.games.draughts.endgames.tablebase import Tablebase

GAMES = [
    ("tablut", "tablutzero"),
    ("tablut", "mcgill"),
    ("tablut", "saami"),
    ("draughts", "wcdf"),
    ("draughts", "paper"),
    ("cathedral", "paper"),
    ("cathedral", "official"),
]
by_game = pytest.mark.parametrize(("name", "rules"), GAMES)


def player(position: Position, options: str = "") -> Agent:
    return make_agent(f"alphabeta:hash=1{options}", position.game)


# What it promises of every game


@by_game
def test_principal_variation_is_legal_and_starts_with_the_move(name: str, rules: str) -> None:
    game = boardwright.game(name, rules)
    for seed in range(12):
        position = walk(game, seed, 3 * seed)
        choice = player(position).choose(position, Limit(nodes=3000))
        assert choice.line[0] == choice.action
        for action in choice.line:
            position = position.play(action)  # raises if illegal
        assert choice.value is not None
        assert -1 <= choice.value <= 1


@by_game
def test_nodes_are_counted_and_repeatable(name: str, rules: str) -> None:
    position = walk(boardwright.game(name, rules), 3, 6)
    first, second = (player(position).choose(position, Limit(nodes=5000)) for _ in range(2))
    assert first == second
    assert first.nodes == 5000


@by_game
def test_even_one_node_gives_a_legal_move(name: str, rules: str) -> None:
    position = walk(boardwright.game(name, rules), 4, 9)
    assert player(position).choose(position, Limit(nodes=1)).action in position.legal_actions()


@by_game
def test_depth_is_whole_moves(name: str, rules: str) -> None:
    position = walk(boardwright.game(name, rules), 5, 3)
    assert player(position).choose(position, Limit(depth=2)).depth == 2


@by_game
def test_any_number_of_threads_gives_a_legal_move(name: str, rules: str) -> None:
    position = walk(boardwright.game(name, rules), 6, 5)
    choice = player(position, ",threads=3").choose(position, Limit(seconds=0.05))
    assert choice.action in position.legal_actions()
    assert choice.nodes > 0


@by_game
def test_threads_share_the_nodes(name: str, rules: str) -> None:
    """Together they look at no more than one would, though some of them may never get to run."""
    position = walk(boardwright.game(name, rules), 6, 5)
    for nodes in (1, 2, 7, 300, 5000):
        for threads in (2, 4, 8):
            choice = player(position, f",threads={threads}").choose(position, Limit(nodes=nodes))
            assert choice.action in position.legal_actions()
            assert nodes // threads <= choice.nodes <= nodes


@by_game
def test_watch_stops_the_search_and_receives_reports(name: str, rules: str) -> None:
    position = walk(boardwright.game(name, rules), 7, 5)

    watch = StoppableWatch(seconds=0.2)
    begin = time.monotonic()
    choice = player(position).choose(position, Limit(seconds=30), watch)
    assert time.monotonic() - begin < 10
    assert choice.action in position.legal_actions()
    depths = [report.depth for report in watch.reports]
    assert depths == sorted(set(depths))


@pytest.mark.parametrize(
    ("name", "rules", "opponent"),
    [("tablut", "tablutzero", "random"), ("draughts", "wcdf", "random"), ("cathedral", "paper", "largest-first")],
)
def test_a_shallow_search_beats_simple_players_in_both_roles(name: str, rules: str, opponent: str) -> None:
    game, points = boardwright.game(name, rules), 0.0
    for index in range(8):
        agents = [make_agent("alphabeta:nodes=5000,hash=1", game), make_agent(f"{opponent}:seed={index}", game)]
        role = index % 2
        if role == 1:
            agents.reverse()
        position = walk(game, index, 2)
        while position.outcome is None:
            choice = choose_move(agents[position.role_to_move], position, Limit())
            for action in move_actions(position, choice):
                position = position.play(action)
        points += 0.5 if position.outcome.winner is None else position.outcome.winner == role
    assert points >= 7


# Against a plain search


def plain_search(search: AlphaBetaSearch, position: Position, depth: int, ply: int = 0) -> int:
    """Negamax without any cleverness, from the side of the role to move; draughts' captures are played out."""
    if position.outcome is not None:
        if position.outcome.winner is None:
            return 0
        return search.WIN - ply if position.outcome.winner == position.role_to_move else ply - search.WIN
    captures = position.game.name == "draughts" and (position.core.continues or _must_capture(position))
    if depth <= 0 and not captures:
        return search.value(position.core)
    actions = position.legal_actions()
    cost = 0 if len(actions) == 1 and ply < 2 else 1
    best = -search.WIN
    for action in actions:
        after = position.play(action)
        left = depth if after.core.continues else depth - cost if depth > 0 else depth
        score = plain_search(search, after, left, ply + 1)
        best = max(best, score if after.role_to_move == position.role_to_move else -score)
    return best


def _must_capture(position: Position) -> bool:
    return "x" in position.moves()[0]


@pytest.mark.parametrize(
    ("name", "rules", "plies"), [("draughts", "wcdf", 30), ("cathedral", "paper", 14), ("cathedral", "official", 20)]
)
def test_depth_one_is_minimax(name: str, rules: str, plies: int) -> None:
    game = boardwright.game(name, rules)
    for seed in range(15):
        position = walk(game, seed, plies)
        search = game.alphabeta(1, 1, SearchResources())
        assert search.search(position.core, 1, 0, 0.0).score == plain_search(search, position, 1)


def outcome_by_force(position: Position) -> int:
    """+1, 0 or -1 for the role to move, by looking at every continuation."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0 if winner is None else 1 if winner == position.role_to_move else -1
    best = -1
    for action in position.legal_actions():
        after = position.play(action)
        score = outcome_by_force(after)
        best = max(best, score if after.role_to_move == position.role_to_move else -score)
        if best == 1:
            break
    return best


def test_cathedral_endings_are_solved() -> None:
    """To the last placement, with pieces returned, passes and all: nothing but the rules decides."""
    game, solved = boardwright.game("cathedral", "paper"), {-1: 0, 0: 0, 1: 0}
    for seed in range(1500):
        position = walk(game, seed, 99)
        actions = position.actions()
        position = game.play_all(actions[:-4])
        if position.count_actions() > 12:
            continue
        truth = outcome_by_force(position)
        value = player(position).choose(position, Limit(depth=30)).value
        assert value == truth, position.text
        solved[truth] += 1
    assert min(solved[-1], solved[1]) > 5
    assert sum(solved.values()) > 40


def test_draughts_endings_agree_with_the_tables() -> None:
    """Without tables of its own: every short win is found at its length, and no draw is taken for one.

    Searches are one move deeper than a win is long, since late moves are searched less deep.
    """
    tables, game, chance = Tablebase(), boardwright.game("draughts"), random.Random(9)
    wins = draws = 0
    while wins < 150 or draws < 10:
        squares = chance.sample(range(1, 33), 3)
        kings = sum(1 << (square - 1) for square in squares)
        black, white = sum(1 << (square - 1) for square in squares[:2]), 1 << (squares[2] - 1)
        role = chance.randrange(2)
        probe = tables.probe(black, white, kings, role)
        position = boardwright.games.base.Position(game, game.engine.setup(black, white, kings, role, 0, 0, 0))  # type: ignore[attr-defined]
        if position.outcome is not None:
            continue
        search = game.alphabeta(1, 1, SearchResources())
        if probe.plies is None:
            score = search.search(position.core, 9, 0, 0.0).score
            assert abs(score) < search.DECIDED
            draws += 1
        elif probe.plies <= 9:
            score = search.search(position.core, probe.plies + 1, 0, 0.0).score
            assert search.WIN - abs(score) - probe.plies in (0, 1)  # both pieces taken in one move are two actions
            assert (score > 0) == (probe.result == "win")
            wins += 1


def test_tables_solve_what_a_shallow_search_misses() -> None:
    game = boardwright.game("draughts")
    far = game.position("B:WK29:BK1,K5,K13")
    known = make_agent("alphabeta:depth=2,hash=1", game).choose(far, Limit()).value
    guessed = make_agent("alphabeta:depth=2,hash=1,tables=off", game).choose(far, Limit()).value
    assert known is not None
    assert guessed is not None
    assert guessed < 0.999 < known


def test_second_occurrence_is_no_draw() -> None:
    """Black may go back to where he was once: the rules ask for a third time, and White wins from there."""
    game = boardwright.game("draughts")
    winning = game.position("W:WK18:BK13").play("18-15").play("13-17")
    lost = winning.play("15-18")
    assert lost.play("17-13").core.seen == 1  # type: ignore[attr-defined]
    for options in ("", ",tables=off"):
        assert player(winning, options).choose(winning, Limit(depth=7)).value == 1
        assert player(lost, options).choose(lost, Limit(depth=7)).value == -1


# Of single games


def test_tablut_wins_at_once_and_prevents_a_loss() -> None:
    game = boardwright.game("tablut", "tablutzero")
    won = game.position("/9/9/9/4t4/K8/9/9/4t4/4T4/ d 0 0")
    choice = player(won).choose(won, Limit(depth=3))
    assert won.action_text(choice.action) in ("a5-a1", "a5-a9")
    assert choice.value == 1
    threatened = game.position("/9/2t6/9/9/K8/9/9/t3t4/4T4/ a 0 0")  # only a1 is open
    kept = player(threatened).choose(threatened, Limit(depth=3))
    after = threatened.play(kept.action)
    assert all(after.play(reply).outcome is None for reply in after.legal_actions())


@pytest.mark.parametrize("rules", ["tablutzero", "mcgill", "saami"])
def test_tablut_evaluation_is_symmetric(rules: str) -> None:
    game = boardwright.game("tablut", rules)
    search = game.alphabeta(1, 1)
    for seed in range(10):
        position = walk(game, seed, 4 * seed)
        for symmetry in game.symmetries():
            image = game.play_all([int(symmetry.actions[action]) for action in position.actions()])
            assert search.value(image.core) == search.value(position.core)


def test_draughts_evaluation_is_the_same_for_both_colours() -> None:
    game = boardwright.game("draughts")
    search = game.alphabeta(1, 1)

    def turned(bits: int) -> int:
        return int(f"{bits:032b}"[::-1], 2)

    for seed in range(30):
        core: Any = walk(game, seed, 3 * seed).core
        if core.continues:
            continue
        engine: Any = game.engine  # type: ignore[attr-defined]
        white, black, kings = turned(core.white), turned(core.black), turned(core.kings)
        image = engine.setup(white, black, kings, 1 - core.role_to_move, 0, 0, 0)
        assert search.value(image) == search.value(core)


@pytest.mark.parametrize("rules", ["paper", "official"])
def test_cathedral_evaluation_is_the_same_for_all_rotations(rules: str) -> None:
    game = boardwright.game("cathedral", rules)
    search = game.alphabeta(1, 1)
    for seed in range(10):
        position = walk(game, seed, 2 + seed)
        for symmetry in game.symmetries():
            image = (game if symmetry.rules is None else boardwright.game("cathedral", symmetry.rules)).start()
            for action in position.actions():
                image = image.play(image_of_action(symmetry, image, action))
            assert image.game.alphabeta(1, 1).value(image.core) == search.value(position.core)


def test_search_refuses_positions_of_other_rules() -> None:
    search = boardwright.game("tablut", "tablutzero").alphabeta(1, 1)
    with pytest.raises(ValueError, match="another game or rule set"):
        search.search(boardwright.game("tablut", "mcgill").start().core, 1, 0, 0.0)


def test_the_papers_dynamic_depth() -> None:
    game = boardwright.game("cathedral", "paper")
    agent = make_agent("alphabeta:dynamic=on,hash=1", game)
    early, late = walk(game, 1, 2), walk(game, 1, 16)
    assert early.count_actions() >= 100 > late.count_actions()
    assert agent.choose(early, Limit()).depth == 1
    assert agent.choose(late, Limit()).depth == 2


def test_chance_moves_are_drawn_at_random() -> None:
    game = boardwright.game("cathedral", {"base": "official", "name": "coin", "first": "coin"})
    assert game.start().role_to_move == CHANCE
    assert {make_agent(f"alphabeta:seed={seed}", game).choose(game.start(), Limit()).action for seed in range(9)} == {
        0,
        1,
    }


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:threads=0",
        "alphabeta:hash=0",
        "alphabeta:depth=x",
        "alphabeta:tables=nowhere",
        "alphabeta:dynamic=on",
    ],
)
def test_bad_options(spec: str) -> None:
    with pytest.raises(BoardwrightError):
        make_agent(spec, boardwright.game("draughts"))


def test_a_forced_move_takes_no_time() -> None:
    game = boardwright.game("draughts")
    forced = game.start().play("11-15").play("22-18").play("15x22")
    assert len(forced.moves()) == 2
    only = game.position("W:W22,32,31,30:B18,1,2,3")
    assert len(only.moves()) == 1
    begin = time.monotonic()
    choice = make_agent("alphabeta:time=60s", game).choose(only, Limit())
    assert only.legal_actions() == [choice.action]
    assert time.monotonic() - begin < 30


def test_values_are_expected_results() -> None:
    game = boardwright.game("draughts")
    ahead = game.position("B:W21,22,23,24:B1,2,3,4,5,6")
    value = make_agent("alphabeta:nodes=2000,hash=1", game).choose(ahead, Limit()).value
    assert value is not None
    assert 0.5 < value < 1 or math.isclose(value, 1)


def test_a_table_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*_: object) -> AlphaBetaSearch:
        raise MemoryError

    game = boardwright.game("tablut")
    monkeypatch.setattr(game, "alphabeta", no_memory)
    with pytest.raises(BoardwrightError, match="not enough memory for a table of 65536 MB: use a smaller hash=N"):
        make_agent("alphabeta:hash=65536", game)


FEW_THREADS = """
import resource
import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.players import make_agent

game = boardwright.game("tablut")
agent = make_agent("alphabeta:hash=1,threads=256", game)
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (256 << 20), resource.RLIM_INFINITY))  # room for some stacks only
print(agent.choose(game.start(), Limit(depth=2)).depth)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux how much memory it has")
def test_search_uses_fewer_threads_if_the_system_refuses_more() -> None:
    done = subprocess.run([sys.executable, "-c", FEW_THREADS], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("2", "")

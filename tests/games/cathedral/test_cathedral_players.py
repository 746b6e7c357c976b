"""The simple players of Cathedral: what each goes by, how strong it is, and that it plays nothing else."""

import time
from collections import Counter

import pytest

import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.players import make_agent
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.registry import game_names

CATHEDRAL = boardwright.game("cathedral", "official")
OF_CATHEDRAL = ("largest-first", "greedy", "greedy-mobility")
REST = "3+2/1++++1/3+hh/4hh"  # of a board of six whose first two ranks a case is about


def choice(spec: str, position: Position) -> int:
    return make_agent(spec, position.game).choose(position, Limit()).action


def choices(player: str, position: Position) -> set[str]:
    """What a player chooses under many seeds."""
    return {position.action_text(choice(f"{player}:seed={seed}", position)) for seed in range(60)}


def at(text: str, rules: str = "official-6") -> Position:
    return boardwright.game("cathedral", rules).position(text)


def score(game: Game, player: str, opponent: str, role: int, games: int) -> float:
    """The share of `games` that a player wins in a role, draws counted half."""
    agents = [make_agent(f"{player}:seed={10 + role}", game), make_agent(f"{opponent}:seed={20 + role}", game)]
    if role == 1:
        agents.reverse()
    points = 0.0
    for _ in range(games):
        position = game.start()
        while position.outcome is None:
            position = position.play(agents[position.role_to_move].choose(position, Limit()).action)
        points += 0.5 if position.outcome.winner is None else position.outcome.winner == role
    return points / games


# Strength. Bounds are some five standard deviations from what was measured in 20,000 games (largest-first)
# and 1,000 games (the others) a seat.


LARGEST_FIRST = {"paper": (0.9948, 0.9992), "official": (0.9991, 0.9999)}  # scores as light and as dark
GREEDY_MOBILITY = {"paper": (0.594, 0.946), "official": (0.679, 0.898)}


@pytest.mark.parametrize("rules", LARGEST_FIRST)
def test_largest_first_beats_random(rules: str) -> None:
    game = boardwright.game("cathedral", rules)
    scores = [score(game, "largest-first", "random", role, games=400) for role in (0, 1)]
    assert all(found > expected - 0.02 for found, expected in zip(scores, LARGEST_FIRST[rules], strict=True))
    assert sum(scores) / 2 > 0.99


@pytest.mark.parametrize("rules", GREEDY_MOBILITY)
def test_greedy_mobility_beats_largest_first(rules: str) -> None:
    game = boardwright.game("cathedral", rules)
    scores = [score(game, "greedy-mobility", "largest-first", role, games=100) for role in (0, 1)]
    for found, expected in zip(scores, GREEDY_MOBILITY[rules], strict=True):
        assert abs(found - expected) < 5 * (expected * (1 - expected) / 100) ** 0.5
    assert sum(scores) / 2 > 0.6


def test_greedy_beats_random() -> None:
    game = boardwright.game("cathedral", "paper")
    assert min(score(game, "greedy", "random", role, games=60) for role in (0, 1)) > 0.8


def test_slowest_player_is_fast_on_the_largest_board() -> None:
    agent, position = make_agent("greedy-mobility:seed=1", CATHEDRAL), CATHEDRAL.start()
    began = time.process_time()
    while position.outcome is None:
        position = position.play(agent.choose(position, Limit()).action)
    assert (time.process_time() - began) / position.plies < 0.05  # measured: 0.004


# What each goes by


def test_first_legal_plays_any_game() -> None:
    for name in game_names():
        position = boardwright.game(name).start()
        assert choice("first-legal", position) == position.legal_actions()[0]


def test_largest_first() -> None:
    position = boardwright.game("cathedral", "paper").start().play("cathedral d4")
    tables = position.game.tables  # type: ignore[attr-defined]
    chosen = Counter(int(tables.piece[choice(f"largest-first:seed={seed}", position)]) for seed in range(100))
    assert set(chosen) == {10, 11, 12, 13}  # the four of five squares
    late = at("a1GGGb/CCcggg/HHceFF/HHeeFE/DDjjEE/1jjdd1 l 2,2 l 30", "paper-6")
    cells = ("a1", "b6", "f1")
    assert choices("largest-first", late) == {f"{name} {cell}" for name in ("tavern", "tavern2") for cell in cells}


def test_greedy_takes_the_highest_reward() -> None:
    """The capture where all else is equal, else the move with the highest reward."""
    late = at("a1GGGb/CCcggg/HHceFF/HHeeFE/DDjjEE/1jjdd1 l 2,2 l 30", "paper-6")
    assert choices("greedy", late) == {"tavern b6", "tavern2 b6"}
    position = at(f"a5/CC4/{REST} l 2,2 l 9")
    best = max(_shaped(position, action) for action in position.legal_actions())
    chosen = {choice(f"greedy:seed={seed}", position) for seed in range(40)}
    assert len(chosen) > 1
    assert {_shaped(position, action) for action in chosen} == {best}


def test_greedy_mobility_follows_its_formula() -> None:
    """Counted by hand from positions in which each side in turn is to move."""
    position = at("A1a3/3CC1/3+2/1++++1/3+HH/4HH d 2,2 l 9")
    role = position.role_to_move
    values = {}
    for action in position.legal_actions():
        after = position.play(action)
        board, _, placed, first, plies = after.text.split()
        counts = []
        for side in "ld":
            try:
                counts.append(at(f"{board} {side} {placed} {first} {plies}").count_actions())
            except BoardwrightError:  # that side cannot build
                counts.append(0)
        values[action] = _shaped(position, action) + 0.05 * counts[role] - 0.25 * counts[1 - role]
    best = max(values.values())
    chosen = {choice(f"greedy-mobility:seed={seed}", position) for seed in range(20)}
    assert chosen <= {action for action, value in values.items() if value == pytest.approx(best)}


def _shaped(position: Position, action: int) -> float:
    """The shaped reward of an action, by the rules that pay it."""
    rules = {"name": "shaped", "base": position.game.rules.name, "rewards": "shaped"}
    after = boardwright.game("cathedral", rules).position(position.text).play(action)
    return after.core.rewards()[position.role_to_move]  # type: ignore[attr-defined]


@pytest.mark.parametrize("player", OF_CATHEDRAL)
@pytest.mark.parametrize("first", ["light", "coin", "chance"])
@pytest.mark.parametrize("base", ["paper-6", "official-6"])
def test_whole_games_under_all_rules(player: str, first: str, base: str) -> None:
    for rewards in ("sparse", "shaped"):
        game = boardwright.game("cathedral", {"base": base, "first": first, "rewards": rewards})
        agent, position = make_agent(f"{player}:seed=4", game), game.start()
        while position.outcome is None:
            position = position.play(agent.choose(position, Limit()).action)
    starts = {choice(f"{player}:seed={seed}", game.start()) for seed in range(40)}
    assert len(starts) > 1  # ties are broken at random, and so is what chance does
    assert (game.start().role_to_move == CHANCE) == (first != "light")


@pytest.mark.parametrize("player", OF_CATHEDRAL)
def test_seed_fixes_the_game(player: str) -> None:
    game = boardwright.game("cathedral", "paper-6")

    def moves(seed: int) -> list[int]:
        agent, position = make_agent(f"{player}:seed={seed}", game), game.start()
        while position.outcome is None:
            position = position.play(agent.choose(position, Limit()).action)
        return position.actions()

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(6)}) > 1


# Refusals


@pytest.mark.parametrize("player", OF_CATHEDRAL)
def test_other_games_are_refused(player: str) -> None:
    game = boardwright.game("draughts")
    with pytest.raises(BoardwrightError, match=f"^player '{player}' plays cathedral( and tablut)? only, not draughts$"):
        make_agent(player, game)
    make_agent(player, CATHEDRAL)
    make_agent("random", game)


@pytest.mark.parametrize("spec", ["greedy:seed=x", "greedy:sims=3", "largest-first:seed=-1", "first-legal:seed=1"])
def test_wrong_spec_of_a_simple_player_is_refused(spec: str) -> None:
    with pytest.raises(BoardwrightError, match=f"{spec}|option of player"):
        make_agent(spec, CATHEDRAL)

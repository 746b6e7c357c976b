"""Whole random games against OpenSpiel's checkers, hop by hop, to the same end.

Its board is ours turned half round: its first player moves up. It plays one hop an action, as we do, and a
capture that continues leaves the same player to move. Its only draw is by 40 plies without a capture, so we
play under that rule. What it does not have is compared elsewhere: repetition, whole moves, text.
"""

import random

import pyspiel
from sizes import size

import boardwright
from boardwright.games.base import DRAW, ONGOING, Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts.rules import DraughtsRules

GAMES = size(120, full=20_000)
RULES = DraughtsRules(
    name="openspiel", repetition_limit=None, max_quiet_plies=40, man_moves_are_quiet=True, max_plies=None
)


def cell_name(square: int) -> str:
    """The name of a square on the board turned half round, `a1` to `h8` from the bottom."""
    row, column = b.cell_of(b.SQUARES + 1 - square)
    return f"{'abcdefgh'[column]}{b.SIZE - row}"


def hop_name(position: Position, action: int) -> str:
    squares = position.action_text(action).replace("x", "-").split("-")
    return "".join(cell_name(int(square)) for square in squares)


def picture(position: Position) -> str:
    """The board as OpenSpiel prints it, without the margins: o and 8 for the first player, + and * for the second."""
    core = position.core
    letters = ["."] * (b.SIZE * b.SIZE)
    for pieces, man, king in ((core.black, "o", "8"), (core.white, "+", "*")):  # type: ignore[attr-defined]
        for square in b.squares_of(pieces):
            row, column = b.cell_of(b.SQUARES + 1 - square)
            letters[row * b.SIZE + column] = king if core.kings >> (square - 1) & 1 else man  # type: ignore[attr-defined]
    return "\n".join("".join(letters[row * b.SIZE : (row + 1) * b.SIZE]) for row in range(b.SIZE))


def compare(games: int, seed: int) -> dict[str, int]:
    """Plays random games in both programs, comparing everything at every hop; how often each thing occurred."""
    game = boardwright.game("draughts", RULES)
    theirs = pyspiel.load_game("checkers")
    generator = random.Random(seed)
    seen = {"hops": 0, "captures": 0, "going on": 0, "kings made": 0, "black": 0, "white": 0, "draw": 0}
    for _ in range(games):
        position, state = game.start(), theirs.new_initial_state()
        while position.outcome is None:
            assert not state.is_terminal(), position.text
            assert state.current_player() == position.role_to_move, position.text
            ours = {hop_name(position, action): action for action in position.legal_actions()}
            numbers = {state.action_to_string(action): action for action in state.legal_actions()}
            assert ours.keys() == numbers.keys(), position.text
            hop = generator.choice(sorted(ours))
            kings = position.core.kings.bit_count()  # type: ignore[attr-defined]
            seen["hops"] += 1
            seen["captures"] += "x" in position.action_text(ours[hop])
            position = position.play(ours[hop])
            state.apply_action(numbers[hop])
            seen["going on"] += position.core.continuing != 0  # type: ignore[attr-defined]
            seen["kings made"] += position.core.kings.bit_count() > kings  # type: ignore[attr-defined]
            printed = "\n".join(line[1:] for line in str(state).splitlines()[: b.SIZE])
            assert picture(position) == printed, position.text
        assert state.is_terminal(), position.text
        result = position.core.result
        assert result != ONGOING
        assert state.returns() == {b.BLACK: [1.0, -1.0], b.WHITE: [-1.0, 1.0], DRAW: [0.0, 0.0]}[result]
        seen[("black", "white", "draw")[result]] += 1
    return seen


def test_openspiel_plays_the_same_games() -> None:
    seen = compare(GAMES, seed=1)
    assert sum(seen[end] for end in ("black", "white", "draw")) == GAMES
    assert all(seen.values()), seen

"""The text of Tablut's rules agrees with the engine: under every rule set it has a sentence if and only if
a position shows that it is so.
"""

import re
from collections.abc import Callable

import pytest
from howto_text import game_fixture, words
from test_tablut_rules import QUIET, RING, SHUFFLE, put, taken

from boardwright.errors import IllegalMoveError
from boardwright.games.base import Game, Position

game = game_fixture("tablut")
ONGOING = "no winner yet"


def after(game: Game, text: str, *moves: str) -> Position:
    position = game.position(text)
    for move in moves:
        position = position.play(move)
    return position


def takes(game: Game, text: str, move: str) -> bool:
    """Whether a move captures anything."""
    return bool(taken(text, after(game, text, move)))


def legal(game: Game, text: str, move: str) -> bool:
    try:
        game.position(text).play(move)
    except IllegalMoveError:
        return False
    return True


def winner(position: Position) -> int | str | None:
    return ONGOING if position.outcome is None else position.outcome.winner


def king_falls_to_two(game: Game) -> bool:
    return takes(game, put("d5 f7", "b8", "e5"), "f7-f5")


def on_edge(game: Game) -> Position:
    return game.position(put("a2 b4", "b8", "a3"))


def takes_if(sentence: str, text: str, move: str) -> tuple[str, Callable[[Game], bool]]:
    """A sentence that is shown if and only if a move takes a piece."""
    return sentence, lambda game: takes(game, text, move)


A_MAN, THE_KING = put("e7", "b8", "g7"), put("h8", "b8", "e7", "d")  # who would go to the throne or past it
EITHER = r"[^.]* counts as the other enemy, against (men of both sides|{})"
FACTS: dict[str, tuple[str, Callable[[Game], bool]]] = {
    # name: (pattern of the sentence, whether it is so)
    "attackers begin": ("The attackers move first", lambda game: game.start().role_to_move == 0),
    "defenders begin": ("The defenders move first", lambda game: game.start().role_to_move == 1),
    "an edge wins": ("on a square of the edge", lambda game: winner(game.position(put("h8", "b8", "c1"))) == 1),
    "a corner wins": (
        "he stands on (a corner|a square of the edge)",
        lambda game: winner(game.position(put("h8", "b8", "a1"))) == 1,
    ),
    "corners are the king's": (
        "Only the king may stop on a corner",
        lambda game: not legal(game, put("a3 h8", "b8", "g7"), "a3-a1"),
    ),
    "all pass the throne": (
        "any piece may pass over it|or pass over it while",
        lambda game: legal(game, A_MAN, "e7-e3"),
    ),
    "no piece stops on it": ("[Nn]o piece may stop on", lambda game: not legal(game, THE_KING, "e7-e5")),
    "the throne is the king's": (
        "Only the king may stop on the throne",
        lambda game: legal(game, THE_KING, "e7-e5") and not legal(game, A_MAN, "e7-e5"),
    ),
    "the king captures": takes_if("The king captures as his men do", put("d3 h8", "c3", "e4", "d"), "e4-e3"),
    "a corner against defenders": takes_if(
        "mpty corner" + EITHER.format("defenders"), put("c5 h8", "b1", "g7"), "c5-c1"
    ),
    "a corner against attackers": takes_if(
        "mpty corner" + EITHER.format("attackers"), put("b1 h8", "c5", "g7", "d"), "c5-c1"
    ),
    "the throne against defenders": takes_if(
        "empty throne" + EITHER.format("defenders"), put("c1 h8", "d5", "g7"), "c1-c5"
    ),
    "the throne against attackers": takes_if(
        "empty throne" + EITHER.format("attackers"), put("d5 h8", "c1", "g7", "d"), "c1-c5"
    ),
    "the throne under the king": takes_if("So does the throne with the king on it", put("c1 h8", "d5", "e5"), "c1-c5"),
    "a camp against defenders": takes_if(
        "empty square of a camp" + EITHER.format("defenders"), put("f2 b8", "g5", "c7"), "f2-f5"
    ),
    "a weak king": ("The king is captured just as", king_falls_to_two),
    "a king in the open": takes_if("(The king|Elsewhere he) is captured just as", put("c3 e4", "b8", "d3"), "e4-e3"),
    "the throne is one of four": (
        "the empty throne[^.]* counting as one",
        lambda game: not king_falls_to_two(game) and takes(game, put("d6 d4 c1", "b8", "d5"), "c1-c5"),
    ),
    "safe on the edge": (
        "safe on the edge",
        lambda game: on_edge(game).outcome is None and winner(on_edge(game).play("b4-a4")) == ONGOING,
    ),
    "locked up on a corner": (
        "even if their king has just reached",
        lambda game: winner(game.position(put("a2 b1 h8", "", "a1"))) == 0,
    ),
    "surrounded": ("enclose them all", lambda game: winner(after(game, put(RING, "", "e5"), "e9-e7")) == 0),
}


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_sentence_is_shown_if_and_only_if_it_is_true(game: Game, fact: tuple[str, Callable[[Game], bool]]) -> None:
    pattern, is_so = fact
    assert bool(re.search(pattern, words(game))) == is_so(game)


def test_text_of_captures_under_all_rules(game: Game) -> None:
    assert takes(game, put("c3 e4", "d3 b8", "g7"), "e4-e3")
    assert takes(game, put("c3 e3 h8", "d7", "g7", "d"), "d7-d3") is False  # in between is safe
    assert takes(game, put("c3 e3 d6", "d3 b8", "g7"), "d6-d4") is False  # the piece that moves must be one of the two
    assert takes(game, put("d5 e6 e4 f7", "b8", "e5"), "f7-f5")  # four take any king


def test_positions_that_occur_again(game: Game) -> None:
    said = re.search(r"has occurred (\d+) times(.*?), the (game is drawn|player who repeated it loses)", words(game))
    if said is None:
        assert "Positions may be repeated." in words(game)
        assert after(game, QUIET, *SHUFFLE * 4).outcome is None
        return
    moves = (SHUFFLE * 4)[: 4 * (int(said[1]) - 1) + (1 if "not counting" in said[2] else 0)]
    assert after(game, QUIET, *moves[:-1]).outcome is None
    loser = (len(moves) - 1) % 2  # attackers make the first of them
    assert winner(after(game, QUIET, *moves)) == (None if said[3] == "game is drawn" else 1 - loser)


@pytest.mark.parametrize(
    ("pattern", "counters", "otherwise"),
    [(r"(\d+) moves in a row without a capture", "{0} {0}", 99), (r"(\d+) moves in all", "0 {0}", 4000)],
    ids=["quiet", "all"],
)
def test_limits_in_the_text_end_the_game(game: Game, pattern: str, counters: str, otherwise: int) -> None:
    """Without a limit a game continues after `otherwise` moves."""
    said = re.search(pattern, words(game))
    limit = int(said[1]) if said else otherwise
    for before in (1, 2):
        position = after(game, put("c3", "c8", "g7", "a", counters.format(limit - before)), "c3-c4")
        assert winner(position) == (None if before == 1 and said else ONGOING)

"""The how-to-play text of Cathedral agrees with the engine under every rule set."""

import re

import pytest
from howto_text import game_fixture, words
from test_cathedral_rules import REST, board, drawn, territory

import boardwright
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.cathedral.rules import DARK, LIGHT

game = game_fixture("cathedral")


def with_cathedral(game: Game) -> Position:
    """A game in which the cathedral stands, away from the corner at a1."""
    position = game.start()
    while not game.scene(position).polyominoes:
        position = position.play(position.legal_actions()[-1])
    return position


def test_the_beginning(game: Game) -> None:
    begins = game.start().role_to_move
    assert ("Light begins" in words(game)) == (begins == LIGHT)
    assert ("A coin decides" in words(game)) == (begins == CHANCE and game.start().count_actions() == 2)
    assert ("Chance places" in words(game)) == (begins == CHANCE and game.start().count_actions() > 2)
    if "dark places the first building" in words(game):
        assert with_cathedral(game).role_to_move == DARK


def test_the_sets(game: Game) -> None:
    scene = game.scene(with_cathedral(game))
    (cathedral,) = scene.polyominoes
    assert f"The cathedral, {len(cathedral.cells)} squares" in words(game)
    assert f"{scene.rows} × {scene.columns} cells" in words(game)
    shapes = [[shape.cells for shape in tray.polyominoes] for tray in scene.trays]
    for held in shapes:
        sizes = [len(cells) for cells in held]
        report = f"{len(sizes)}, of {min(sizes)} to {max(sizes)} squares, {sum(sizes)} squares in total"
        assert report in words(game)
    assert ("both sets are the same" in words(game)) == (shapes[0] == shapes[1])


def test_first_claim_in_the_text(game: Game) -> None:
    """A first inn, laid around a corner of the board, closes it off or does not."""
    position = with_cathedral(game)
    role = position.role_to_move
    claims = any(territory(position.play(move), role) for move in position.moves() if move.startswith("inn "))
    assert ("begin with a side's first building" in words(game)) == claims
    assert ("begin with a side's second building" in words(game)) != claims


@pytest.mark.parametrize("rules", ["official-6", "paper-6"])
def test_text_of_territory_and_captures(rules: str) -> None:
    game = boardwright.game("cathedral", rules)
    gap = game.position(drawn(f".B.... A..... {REST}"))
    assert territory(gap, LIGHT) == set()  # only corners touch
    closed = gap.play("stable b5")
    assert territory(closed, LIGHT) == {"a6"}
    assert closed.role_to_move == DARK
    assert not any(re.fullmatch(r"\w+ a6.*", move) for move in closed.moves())
    one = game.position(drawn(f"a..... ...... {REST}")).play("inn b5 r180")
    assert board(one)[0] == ".E...."  # captured
    assert any(move.startswith("tavern ") for move in one.moves())  # and back in hand
    assert territory(one, LIGHT) == {"a6"}


@pytest.mark.parametrize("rules", ["official-6", "paper-6"])
def test_area_limit_in_the_text(rules: str) -> None:
    """A wall with an area of 24 cells below it, and an inn with one cell on one side and 32 on the other."""
    game = boardwright.game("cathedral", rules)
    most = re.search(r"An area of at most (\d+) cells", words(game))
    assert (most is None) == ("Any area that your walls enclose" in words(game))
    assert most is None or int(most[1]) == 24
    below = game.position(drawn("...... GGGCC. ...... ...... ...... ......", placed="2,0")).play("tavern f5")
    assert len({cell for cell in territory(below, LIGHT) if cell[1] in "4321"}) == 24
    around = game.position(drawn("...... " * 6, placed="2,0")).play("inn b5 r180")
    assert len(territory(around, LIGHT)) == (33 if most is None else 1)

"""The scalar engine against the rules written down once more, with sets of cells and no cleverness.

Nothing is shared with the engines but the numbering of placements, which has tests of its own. Whole random
games are compared ply by ply, so figures of random play agree as well.
"""

import random

import pytest
from sizes import size

import boardwright
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.cathedral.pieces import BUILDINGS, CATHEDRAL, SIZES, placements

Cell = tuple[int, int]


class PlainCathedral:
    """The state of one game; `to_move` is 0 or 1, light places the cathedral."""

    def __init__(self, size: int, claim_cap: int, first_building_claims: bool, mirrored: bool):
        self.size, self.claim_cap, self.first_building_claims = size, claim_cap, first_building_claims
        self.listed = [
            [(placed.piece, {divmod(cell, size) for cell in placed.cells}) for placed in placements(size, mirror)]
            for mirror in (False, mirrored)
        ]
        self.on_board: list[dict[int, set[Cell]]] = [{}, {}]  # piece -> cells, by side
        self.placements_made = [0, 0]
        self.cathedral: set[Cell] | None = None
        self.territory: list[set[Cell]] = [set(), set()]
        self.to_move, self.result = 0, ONGOING

    def built(self, side: int) -> set[Cell]:
        return set().union(*self.on_board[side].values())

    def legal(self, side: int) -> list[int]:
        if self.cathedral is None:
            return [action for action, (piece, _) in enumerate(self.listed[0]) if piece == CATHEDRAL]
        blocked = self.built(0) | self.built(1) | self.cathedral | self.territory[1 - side]
        return [
            action
            for action, (piece, cells) in enumerate(self.listed[side])
            if piece != CATHEDRAL and piece not in self.on_board[side] and not cells & blocked
        ]

    def areas(self, side: int) -> list[set[Cell]]:
        """8-connected components of what is not built on by `side`, if they may be claimed at all."""
        if not self.on_board[side] or (self.placements_made[side] < 2 and not self.first_building_claims):
            return []
        own = self.built(side)
        open_cells = {(x, y) for x in range(self.size) for y in range(self.size)} - own
        found = []
        while open_cells:
            area, edge = set(), {open_cells.pop()}
            while edge:
                x, y = edge.pop()
                area.add((x, y))
                near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & open_cells
                open_cells -= near
                edge |= near
            if len(area) <= self.claim_cap:
                found.append(area)
        return found

    def play(self, action: int) -> None:
        side = self.to_move
        piece, cells = self.listed[side][action]
        if piece == CATHEDRAL:
            self.cathedral, self.to_move = cells, 1
            return
        assert self.cathedral is not None
        self.on_board[side][piece] = cells
        self.placements_made[side] += 1
        for area in self.areas(side):
            victims = [other for other, its in self.on_board[1 - side].items() if its & area]
            holds_cathedral = bool(self.cathedral & area)
            if len(victims) + holds_cathedral == 1:
                if victims:
                    del self.on_board[1 - side][victims[0]]
                else:
                    self.cathedral = set()
        for each in (0, 1):
            foreign = self.built(1 - each) | self.cathedral
            self.territory[each] = set().union(*(area for area in self.areas(each) if not area & foreign))
        if self.legal(1 - side):
            self.to_move = 1 - side
        elif not self.legal(side):
            left = [sum(SIZES[p] for p in range(BUILDINGS) if p not in self.on_board[each]) for each in (0, 1)]
            self.result = DRAW if left[0] == left[1] else left.index(min(left))


@pytest.mark.parametrize(
    ("rules", "games"), [("paper", 60), ("paper-10", 15), ("official", 15), ("paper-6", 120), ("official-6", 120)]
)
def test_games_agree_with_a_plain_implementation(rules: str, games: int) -> None:
    games = size(max(15, games // 3), full=games)
    game, chance = boardwright.game("cathedral", rules), random.Random(rules)
    options = game.rules
    claim_cap = options.claim_cap or options.size**2  # type: ignore[attr-defined]
    captures = passes = 0
    for _ in range(games):
        plain = PlainCathedral(options.size, claim_cap, options.first_building_claims, options.mirrored_sets)  # type: ignore[attr-defined]
        core = game.start().core
        while core.result == ONGOING:
            assert core.role_to_move == plain.to_move
            legal = plain.legal(plain.to_move)
            assert core.legal_actions() == legal
            action = chance.choice(legal)
            mover, stood = plain.to_move, len(plain.on_board[1 - plain.to_move])
            core = core.play(action)
            plain.play(action)
            for side in (0, 1):
                cells = {divmod(cell, plain.size) for cell in core.territory(side)}  # type: ignore[attr-defined]
                assert cells == plain.territory[side]
            captures += len(plain.on_board[1 - mover]) < stood
            passes += core.result == ONGOING and core.role_to_move == mover
            assert core.result == plain.result
    assert min(captures, passes) > 0

"""Rule sets as data, and the tables both engines are built from."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from boardwright.games.cathedral import pieces
from boardwright.games.engines import zobrist_keys
from boardwright.games.rulefile import CheckedRules

LIGHT, DARK = 0, 1
MIN_SIZE, MAX_SIZE = 6, 10


@dataclass(frozen=True, kw_only=True)
class CathedralRules(CheckedRules):
    """One rule set of Cathedral."""

    size: int = 10  # cells along a side
    claim_cap: int | None = None  # maximum size in cells of an area that may be claimed
    first_building_claims: bool = False  # a player who has placed only one building so far may claim
    mirrored_sets: bool = True  # one side's abbey and academy are the mirror images of the other's
    mirrored_side: Literal["dark", "light"] = "dark"  # the side whose set is mirrored, if mirrored_sets
    # Who places the cathedral: light, either side by a coin flip, or chance. The other side, after
    # chance dark, places the first building.
    first: Literal["light", "coin", "chance"] = "light"
    # At the end +1, -1 or 0; or also during play: squares newly claimed, the size of what was placed
    # less the largest that could have been, and what was captured, with 10 for the game.
    rewards: Literal["sparse", "shaped"] = "sparse"

    def problem(self) -> str | None:
        """The first option out of range, or in contradiction to another."""
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            return f"size must be from {MIN_SIZE} to {MAX_SIZE}, not {self.size}"
        if self.claim_cap is not None and not 1 <= self.claim_cap <= self.size**2:
            return f"claim_cap must be from 1 to {self.size**2} cells or none, not {self.claim_cap}"
        outside = self.size**2 - 8  # cells left when a tower closes off the three of a corner
        if self.first_building_claims and (self.claim_cap or self.size**2) >= outside:
            otherwise = "otherwise the first building claims the whole board"
            return f"first_building_claims needs a claim_cap below {outside}, {otherwise}"
        if self.mirrored_side != "dark" and not self.mirrored_sets:
            return "mirrored_side needs mirrored_sets = true"
        return None

    @property
    def mirrored(self) -> tuple[bool, bool]:
        """By role: whether its abbey and academy are the mirror images."""
        mirrors_dark = self.mirrored_side == "dark"
        return self.mirrored_sets and not mirrors_dark, self.mirrored_sets and mirrors_dark


def _paper(name: str, size: int) -> CathedralRules:
    """The paper's environment: areas up to 4 N cells, claims from the first building on, equal sets."""
    return CathedralRules(name=name, size=size, claim_cap=4 * size, first_building_claims=True, mirrored_sets=False)


RULE_SETS: Mapping[str, CathedralRules] = {
    rules.name: rules
    for rules in (
        CathedralRules(name="official"),
        _paper("paper", 8),
        CathedralRules(name="official-6", size=6),
        CathedralRules(name="official-8", size=8),
        _paper("paper-6", 6),
        _paper("paper-10", 10),
    )
}


class Tables:
    """A rule set compiled for the engines. A is the number of placements, C = size * size of cells."""

    def __init__(self, rules: CathedralRules, full_observation: bool):
        listed = pieces.placements(rules.size, False)
        self.num_actions = len(listed)  # A
        self.size = rules.size
        self.claim_cap = rules.claim_cap or rules.size**2
        self.first_building_claims = rules.first_building_claims
        self.first = ("light", "coin", "chance").index(rules.first)
        self.shaped = rules.rewards == "shaped"
        # [2, A, C] bool: what a placement covers, by role
        self.cells = np.stack([pieces.masks(rules.size, mirrored) for mirrored in rules.mirrored])
        self.piece = np.array([placement.piece for placement in listed], np.int32)  # [A]: which piece it places
        self.piece_size = np.array(pieces.SIZES, np.int32)  # [15]: squares
        self.mirrored = np.array(rules.mirrored)  # [2] bool: whose abbey and academy are mirror images
        self.full_observation = full_observation
        count = 2 * self.num_actions
        keys = zobrist_keys(count + 7, seed=0x43617468656472)  # uint64
        self.placement_key = keys[:count].reshape(2, -1)  # [2, A] by owner of the piece; the cathedral under 0
        self.claims_key = keys[count : count + 2].copy()  # [2]: whether a role has placed its second building
        self.role_key = keys[count + 2 : count + 5].copy()  # [3]: light, dark, chance to move
        self.cathedral_gone_key = int(keys[-2])  # the cathedral has been captured
        self.first_role_key = int(keys[-1])  # the coin has made dark the first


compile_tables = functools.lru_cache(maxsize=64)(Tables)  # one object for a rule set and observation

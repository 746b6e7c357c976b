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


@dataclass(frozen=True, eq=False)
class Tables:
    """A rule set compiled for the engines. A is the number of placements, C = size * size of cells."""

    size: int
    claim_cap: int  # C where the rules set none
    first_building_claims: bool
    first: int  # 0 light, 1 coin, 2 chance
    shaped: bool
    cells: np.ndarray  # [2, A, C] bool: what a placement covers, by role
    piece: np.ndarray  # [A] int32: which piece it places
    piece_size: np.ndarray  # [15] int32: squares
    mirrored: np.ndarray  # [2] bool: whose abbey and academy are mirror images
    full_observation: bool
    placement_key: np.ndarray  # [2, A] uint64: a piece on the board, by owner; the cathedral under 0
    claims_key: np.ndarray  # [2] uint64: whether a role has placed its second building
    role_key: np.ndarray  # [3] uint64: light, dark, chance to move
    cathedral_gone_key: int  # the cathedral has been captured
    first_role_key: int  # the coin has made dark the first

    @property
    def num_actions(self) -> int:
        """Number of placements (A)."""
        return len(self.piece)


@functools.lru_cache(maxsize=64)
def compile_tables(rules: CathedralRules, full_observation: bool) -> Tables:
    """The tables of one rule set and observation."""
    listed = pieces.placements(rules.size, False)
    actions = len(listed)
    keys = zobrist_keys(2 * actions + 7, seed=0x43617468656472)
    return Tables(
        size=rules.size,
        claim_cap=rules.claim_cap or rules.size**2,
        first_building_claims=rules.first_building_claims,
        first=("light", "coin", "chance").index(rules.first),
        shaped=rules.rewards == "shaped",
        cells=np.stack([pieces.masks(rules.size, mirrored) for mirrored in rules.mirrored]),
        piece=np.array([placement.piece for placement in listed], np.int32),
        piece_size=np.array(pieces.SIZES, np.int32),
        mirrored=np.array(rules.mirrored),
        full_observation=full_observation,
        placement_key=keys[: 2 * actions].reshape(2, actions),
        claims_key=keys[2 * actions : 2 * actions + 2].copy(),
        role_key=keys[2 * actions + 2 : 2 * actions + 5].copy(),
        cathedral_gone_key=int(keys[-2]),
        first_role_key=int(keys[-1]),
    )

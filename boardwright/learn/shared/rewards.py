"""The game a learner plays: as its nets are kept for, or one that also pays during play."""

from __future__ import annotations

import dataclasses
from typing import Literal

from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.games.registry import game as make_game

Rewards = Literal["sparse", "shaped"]  # at the end only, or during play too


def paying(game: Game, rewards: Rewards) -> Game:
    """The same game with other rewards; its positions, actions and observations do not change."""
    if rewards == "sparse" and getattr(game.rules, "rewards", "sparse") == "sparse":
        return game
    if not hasattr(game.rules, "rewards"):
        raise RunError(f"setting rewards: {game.name} pays at the end only: set it to sparse")
    return make_game(game.name, dataclasses.replace(game.rules, rewards=rewards), game.observation)

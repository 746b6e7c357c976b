"""The reward scheme of the games a learner plays: rewards at the end only, or during play as well."""

from __future__ import annotations

import dataclasses
from typing import Literal

from boardwright.errors import RunError
from boardwright.games.base import BatchEnv, Game
from boardwright.games.batched import without_chance
from boardwright.games.registry import game as make_game

Rewards = Literal["sparse", "shaped"]  # at the end only, or during play as well


def with_rewards(game: Game, rewards: Rewards) -> Game:
    """The same game with other rewards; its positions, actions and observations do not change. Raises RunError."""
    if rewards == "sparse" and getattr(game.rules, "rewards", "sparse") == "sparse":
        return game
    if not hasattr(game.rules, "rewards"):
        raise RunError(f"setting rewards: {game.name} has rewards at the end only: set it to sparse")
    return make_game(game.name, dataclasses.replace(game.rules, rewards=rewards), game.observation)


def training_env(game: Game, rewards: Rewards) -> BatchEnv:
    """The batched engine of a game with other rewards and without chance."""
    played = with_rewards(game, rewards)
    return without_chance(played.batch()) if played.has_chance else played.batch()

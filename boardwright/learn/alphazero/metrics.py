"""Metrics of self-play, from the tally of an iteration."""

from __future__ import annotations

from typing import Any

import jax

from boardwright.learn.alphazero.selfplay import Tally


def selfplay_metrics(tally: Tally) -> dict[str, float]:
    """Metrics of the self-play of an iteration, by the names that `boardwright plot` knows."""
    counted: Any = jax.device_get(tally)
    ended, learnable = int(counted.ended.sum()), max(int(counted.learnable), 1)
    metrics = {
        "selfplay/games": ended,
        "selfplay/moves": int(counted.moves),
        "selfplay/learnable": int(counted.learnable),
        "selfplay/entropy": float(counted.entropy) / learnable,
        "selfplay/search_depth": float(counted.depth) / learnable,
        "selfplay/root_value": float(counted.root_value) / learnable,
        "selfplay/surprise": float(counted.surprise) / learnable,
    }
    if ended:
        metrics |= {
            "selfplay/role0_wins": int(counted.ended[0]) / ended,
            "selfplay/role1_wins": int(counted.ended[1]) / ended,
            "selfplay/draws": int(counted.ended[2]) / ended,
            "selfplay/plies": float(counted.plies) / ended,
            "selfplay/pieces_left": float(counted.pieces) / ended,
        }
    for role in range(2):
        games = int(counted.league[role].sum())
        if games:
            won, drawn = int(counted.league[role][0]), int(counted.league[role][1])
            metrics[f"league/role{role}_score"] = (won + drawn / 2) / games
    if counted.adjudicated is not None:
        metrics["selfplay/adjudicated"] = int(counted.adjudicated) / max(ended, 1)
    if int(counted.resigned):
        metrics["selfplay/resigned"] = int(counted.resigned) / max(ended, 1)
    if int(counted.audited[0]):
        metrics["selfplay/wrongly_resigned"] = int(counted.audited[1]) / int(counted.audited[0])
    return metrics

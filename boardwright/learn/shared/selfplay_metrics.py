"""Metrics of finished games that all methods log under the same names."""

from typing import Any


def outcome_shares(ended: Any) -> dict[str, float]:
    """Shares of games that role 0 won, role 1 won and were drawn, from their counts [3]; empty if no game ended."""
    names = ("selfplay/role0_wins", "selfplay/role1_wins", "selfplay/draws")
    games = int(ended.sum())
    return {name: int(count) / games for name, count in zip(names, ended, strict=True)} if games else {}


def opponent_scores(against: Any) -> dict[str, float]:
    """The learner's score in each role, from its wins, draws and losses against opponents [2, 3]."""
    return {
        f"league/role{role}_score": (int(won) + int(drawn) / 2) / int(won + drawn + lost)
        for role, (won, drawn, lost) in enumerate(against)
        if won + drawn + lost
    }

"""A game that two players have played: what the arena yields, and the record keeps."""

from dataclasses import dataclass

from boardwright.games.record import GameRecord


@dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """One finished game between two players, named by their specs."""

    record: GameRecord  # rules, every action, result and reason
    players: tuple[str, str]  # spec of the player of each role
    opening: int = 0  # how many of the first actions were given, not chosen by the players
    seconds: tuple[float, ...] = ()  # thinking time by action; 0 for given ones
    forfeited_by: int | None = None  # the role that broke the rules of the match (time, illegal move, crash)
    index: int = 0  # which game of its match or tournament it is
    nets: tuple[str, str] = ("", "")  # checksum of the net that the player of each role used; empty for none

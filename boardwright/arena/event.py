"""A match or a tournament: everything its games follow from."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from boardwright.agents.netchoice import net_checksum
from boardwright.agents.players import make_agent
from boardwright.arena import openings
from boardwright.arena.conditions import Conditions
from boardwright.arena.played import PlayedGame
from boardwright.arena.schedule import ScheduledGame, pairings, schedule
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import Game


@dataclass(frozen=True, kw_only=True)
class Event:
    """What was agreed. How many games are played is not part of it: an event can always go on."""

    game: str
    rules: Any  # the rule set, as the game holds it
    players: tuple[str, ...]  # specs; of a match two, which may be the same
    openings: str  # see `openings.py`
    seed: int
    conditions: Conditions
    gauntlet: bool = False  # the first against all others, instead of all against all
    nets: tuple[tuple[str, str], ...] = ()  # (spec, checksum of its net) of players that use one; see `with_nets`

    def bound_game(self) -> Game:
        """The game under its rules."""
        return registry.game(self.game, self.rules)

    def pairings(self) -> list[tuple[int, int]]:
        """Who meets whom, by number of the player."""
        return pairings(len(self.players), self.gauntlet)

    def schedule(self) -> Iterator[ScheduledGame]:
        """The games in order, without end."""
        return schedule(self.bound_game(), self.players, openings=self.openings, seed=self.seed, gauntlet=self.gauntlet)

    def check(self) -> None:
        """Raises BoardwrightError for what would go wrong in every game: players, options, openings."""
        game = self.bound_game()
        for spec in self.players:
            make_agent(spec, game).close()
        openings.identity(game, self.openings)

    def with_nets(self) -> Self:
        """The event of the nets that lie now where its players look: its games are theirs, and no others'."""
        found = {spec: net_checksum(spec) for spec in self.players}
        return replace(self, nets=tuple(sorted((spec, net) for spec, net in found.items() if net)))

    def check_nets(self, game: PlayedGame) -> None:
        """Raises BoardwrightError for a game that another net has played than the event's."""
        known = dict(self.nets)
        for spec, net in zip(game.players, game.nets, strict=True):
            if known.get(spec, net) != net:
                raise BoardwrightError(
                    f"player {spec!r}: its net has changed since this began, or another or none is on a machine "
                    "that plays: games already finished are kept; start again, with a copy of the net that stays so"
                )

    def config(self) -> dict[str, Any]:
        """What the event's games follow from, as plain data: two events of the same config are the same.

        One in which no net plays says nothing of nets, as all did before nets were noted.
        """
        nets = {spec: net for spec, net in self.nets if spec in self.players}
        return {
            "game": self.game,
            "rules": asdict(self.rules),
            "players": list(self.players),
            "openings": openings.identity(self.bound_game(), self.openings),
            "seed": self.seed,
            "conditions": asdict(self.conditions),
            "gauntlet": self.gauntlet,
            **({"nets": nets} if nets else {}),
        }


def check_even(option: str, games: int) -> int:
    """A number of games that makes whole pairs; raises BoardwrightError for others."""
    if games < 2 or games % 2:
        raise BoardwrightError(
            f"{option} {games}: give an even number, since every opening is played twice, with the roles swapped"
        )
    return games

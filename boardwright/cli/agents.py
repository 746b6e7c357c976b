"""List the players of a game and their options."""

from dataclasses import dataclass

from boardwright.agents.players import players_of
from boardwright.cli.common import GameOptions, print_json


@dataclass(frozen=True)
class Options(GameOptions):
    """A game."""


def run(options: Options) -> None:
    """Prints one line per player, its options below; or JSON `{players: [{name, summary, options: […]}]}`."""
    players = players_of(options.bound_game())
    if options.json:
        rows = [
            {
                "name": player.name,
                "summary": player.summary,
                "options": [
                    {"name": option.name, "form": option.form, "help": option.help, "default": option.default or None}
                    for option in player.options
                ],
            }
            for player in players
        ]
        print_json({"players": rows})
        return
    width = max(len(f"{option.name}={option.form}") for player in players for option in player.options)
    for player in players:
        print(f"{player.name}: {player.summary}")
        for option in player.options:
            default = f" (default {option.default})" if option.default else ""
            print(f"    {f'{option.name}={option.form}':<{width}}  {option.help}{default}")
    print("\nName a player with its options, as in random:seed=3; other options keep their defaults.")

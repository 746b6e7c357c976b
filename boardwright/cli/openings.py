"""List the openings that matches of a game start from."""

from dataclasses import asdict, dataclass
from typing import Annotated

from boardwright.cli.common import GameOptions, print_json, value


@dataclass(frozen=True)
class Options(GameOptions):
    """A game and a part of its list."""

    deck: Annotated[str, value("DECK")] = "all"  # Which part of the list, or all.


def run(options: Options) -> None:
    """Prints one opening per line, or JSON `{openings: [{number, moves, deck, name, position} …]}`."""
    openings = options.bound_game().openings(None if options.deck == "all" else options.deck)
    if options.json:
        print_json({"openings": [asdict(opening) for opening in openings]})
        return
    for opening in openings:
        print(f"{opening.number:>3}  {' '.join(opening.moves):<20} {opening.deck:<10}  {opening.name}".rstrip())

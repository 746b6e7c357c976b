"""The ladder of a game under a rule set: the players whose strength is measured there, weak to strong.

Rows with a label are the opponents that people are offered; the others are only rated. `ladder.toml` holds the rows of
all games: a game has those whose players and options it knows, and a row with `{net}` once for every net that ships for
these rules and is meant for that player. `Game.ladder` adds the game's own players. Players are limited by depth,
positions or simulations, which mean the same on every machine; the exception is alpha-beta with 1 s/move, to which
published results refer.

The order is an estimate, good enough that neighbours are near in strength. Only such pairs play each other, since a
game whose result is certain yields little information. The ratings then give the real order.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from boardwright.agents.netchoice import player_for
from boardwright.agents.players import players_of
from boardwright.agents.specs import original_spec, split
from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.games.declarations import LadderRow
from boardwright.nets import netfile, shipped
from boardwright.nets.netfile import NetFile
from boardwright.stats.bayeselo import Rating, Ratings

ANCHOR = "random"  # whose rating is 0

ROWS = tuple(LadderRow(*row) for row in tomllib.loads(Path(__file__).with_name("ladder.toml").read_text())["rows"])


def shipped_nets() -> dict[str, NetFile]:
    """All nets that ship, by name; raises NetError for one that cannot be read."""
    return {name: netfile.read(shipped.find(name)) for name in shipped.names()}


def rows_of(game: Game, nets: Mapping[str, NetFile]) -> list[LadderRow]:
    """The ladder of a game under its rules; `nets` are those that have rows if they fit."""
    known = {player.name: {option.name for option in player.options} for player in players_of(game)}
    fitting = {name: player_for(net) for name, net in nets.items() if _was_made_for(net, game)}
    rows = []
    own = {common.spec: [row for row in game.ladder if row.after == common.spec] for common in ROWS}
    for row in (row for common in ROWS for row in (common, *own[common.spec])):
        player, options = split(row.spec)
        if player not in known or not options.keys() <= known[player]:
            continue
        if "net" not in options:
            rows.append(row)
            continue
        for name, meant_for in fitting.items():
            if player == meant_for or (player, meant_for) == ("net", "alphazero"):
                label = None if row.label is None else row.label.replace("{net}", name)
                rows.append(replace(row, spec=row.spec.replace("{net}", name), label=label))
    return rows


def near_pairs(rows: Sequence[LadderRow], apart: int) -> list[tuple[str, str]]:
    """The specs of every two rows at most `apart` places apart.

    Each pair is in alphabetical order of its original specs, so it and its stored games stay the same when rows are
    added or reordered, or a player is renamed.
    """
    pairs = [(one.spec, other.spec) for place, one in enumerate(rows) for other in rows[place + 1 : place + 1 + apart]]
    return [(min(pair, key=original_spec), max(pair, key=original_spec)) for pair in pairs]


def from_anchor(ratings: Ratings) -> tuple[Rating, ...]:
    """The ratings, the strongest first, with random play at 0.

    They and the ends of their intervals are rounded to whole points, so that every place shows the same numbers.
    """
    zero, anchored = next(rating.elo for rating in ratings.ratings if rating.name == ANCHOR), []
    for rating in ratings.ratings:
        middle = rating.elo - zero
        elo, low, high = (float(round(end)) for end in (middle, middle - rating.minus, middle + rating.plus))
        anchored.append(replace(rating, elo=elo, plus=high - elo, minus=elo - low))
    return tuple(anchored)


def by_strength(rows: Sequence[LadderRow], ratings: Iterable[Rating]) -> list[LadderRow]:
    """The rows, weak to strong as far as they are rated; an unrated one stays behind the row it follows."""
    elo = {rating.name: rating.elo for rating in ratings}
    heights, height = [], float("-inf")
    for row in rows:
        height = elo.get(row.spec, height)
        heights.append(height)
    order = sorted(range(len(rows)), key=heights.__getitem__)
    return [rows[place] for place in order]


def _was_made_for(net: NetFile, game: Game) -> bool:
    """Whether a net learned this game under these rules; their name does not matter."""
    try:
        return net.game == game.name and not netfile.differing_rules(net, game)
    except NetError:  # made for rules that this version does not know
        return False

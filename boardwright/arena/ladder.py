"""The field of a game under a rule set, weak to strong: every player whose strength is measured there.

Rows with a label are the rungs of the ladder, the opponents that people are offered; the others are rated beside them.
One table serves all games: a game has the rows whose players and options it knows, and a row with `{net}` is there once
for every net that ships for these rules and is meant for that player. Players are limited by depth, positions or
simulations, which mean the same on every machine, but for alpha-beta with a second, to which results elsewhere refer.

The order is a guess, good enough that neighbours are near in strength: only such pairs play each other, since a game
whose end is certain tells little and takes as long. Ratings then say how strong everybody is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from boardwright.agents.netchoice import player_for
from boardwright.agents.players import players_of
from boardwright.agents.specs import split
from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.nets import netfile, shipped
from boardwright.nets.netfile import NetFile
from boardwright.stats.bayeselo import Rating, Ratings

ANCHOR = "random"  # whose rating is 0


@dataclass(frozen=True)
class Row:
    """A player of the field."""

    spec: str
    label: str | None = None  # what people are told; None: not offered to them


FIELD = (
    Row(ANCHOR, "Anything goes: random moves"),
    Row("mc:sims=1000"),
    Row("largest-first", "The largest building that fits"),
    Row("greedy", "Takes what it can get"),
    Row("greedy-mobility"),
    Row("heuristic"),
    Row("alphabeta:depth=1", "Looks one move ahead"),
    Row("mc:sims=10000", "Quick guesses: Monte Carlo, 10,000 tries"),
    Row("mc-expanded:sims=10000"),
    Row("mc-improved:sims=10000"),
    Row("alphabeta:dynamic=on"),
    Row("heuristic-mc:sims=10000", "Monte Carlo with a nose for escapes"),
    Row("alphabeta:depth=2", "Looks two moves ahead"),
    Row("alphabeta:nodes=1000"),
    Row("dqn:net={net}", "Net {net}, at first sight"),
    Row("ppo:net={net}", "Net {net}, at first sight"),
    Row("net:net={net}", "Net {net}, at first sight"),
    Row("alphabeta:nodes=10000", "Looks at 10,000 positions"),
    Row("zero:net={net},sims=16"),
    Row("alphabeta:nodes=100000", "Looks at 100,000 positions"),
    Row("zero:net={net},sims=100", "Net {net}, 100 looks ahead"),
    Row("alphabeta:time=1s", "Looks around for a second"),
    Row("alphabeta:net={net},time=1s", "Net {net}, looks around for a second"),
    Row("zero:net={net},sims=400", "Net {net}, 400 looks ahead"),
)


def shipped_nets() -> dict[str, NetFile]:
    """All nets that ship, by name; raises NetError for one that cannot be read."""
    return {name: netfile.read(shipped.find(name)) for name in shipped.names()}


def field(game: Game, nets: Mapping[str, NetFile]) -> list[Row]:
    """Everybody who is rated in a game under its rules; `nets` are those that may take part if they fit."""
    known = {player.name: {option.name for option in player.options} for player in players_of(game)}
    here = {name: _players_for(net) for name, net in nets.items() if _was_made_for(net, game)}
    rows = []
    for row in FIELD:
        player, options = split(row.spec)
        if player not in known or not options.keys() <= known[player]:
            continue
        if "net" in options:
            rows += [_with_net(row, name) for name, players in here.items() if player in players]
        else:
            rows.append(row)
    return rows


def near_pairs(rows: Sequence[Row], apart: int) -> list[tuple[str, str]]:
    """The specs of every two rows at most so many places apart.

    Each pair is in alphabetical order: so it stays the same when others join the field or the order changes, and
    the games it has played go on counting.
    """
    pairs = [(one.spec, other.spec) for place, one in enumerate(rows) for other in rows[place + 1 : place + 1 + apart]]
    return [(min(pair), max(pair)) for pair in pairs]


def from_anchor(ratings: Ratings) -> tuple[Rating, ...]:
    """The ratings, the strongest first, with random play at 0.

    They and the ends of their intervals are whole points, more than anybody can measure: so all who show them show
    the same.
    """
    zero = next(rating.elo for rating in ratings.ratings if rating.name == ANCHOR)
    return tuple(_in_whole_points(replace(rating, elo=rating.elo - zero)) for rating in ratings.ratings)


def by_strength(rows: Sequence[Row], ratings: Iterable[Rating]) -> list[Row]:
    """The rows, weak to strong as far as they are rated; one that is not stays behind the row it follows."""
    elo = {rating.name: rating.elo for rating in ratings}
    heights, height = [], float("-inf")
    for row in rows:
        height = elo.get(row.spec, height)
        heights.append(height)
    order = sorted(range(len(rows)), key=heights.__getitem__)
    return [rows[place] for place in order]


def _in_whole_points(rating: Rating) -> Rating:
    elo, low, high = (float(round(end)) for end in (rating.elo, rating.elo - rating.minus, rating.elo + rating.plus))
    return replace(rating, elo=elo, plus=high - elo, minus=elo - low)


def _with_net(row: Row, name: str) -> Row:
    label = None if row.label is None else row.label.replace("{net}", name)
    return replace(row, spec=row.spec.replace("{net}", name), label=label)


def _was_made_for(net: NetFile, game: Game) -> bool:
    """Whether a net learned this game under these rules, by whatever name."""
    try:
        return net.game == game.name and not netfile.differing_rules(net, game)
    except NetError:  # made for rules that this version does not know
        return False


def _players_for(net: NetFile) -> tuple[str, ...]:
    """The players that a net is meant for."""
    player = player_for(net)
    return ("net", "zero") if player == "zero" else (player,)

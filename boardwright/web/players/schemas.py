"""Schemas of the catalogue: games, rule sets, opponents and kinds of players."""

from boardwright.web.server.schemas import Model


class OptionInfo(Model):
    """An option of a kind of player."""

    name: str
    summary: str
    metavar: str
    default: str | None


class PlayerInfo(Model):
    """A kind of player."""

    name: str
    summary: str
    options: list[OptionInfo]


class OpponentRating(Model):
    """Elo above random play; `elo - minus` to `elo + plus` is the 95 % interval."""

    elo: float
    plus: float
    minus: float


class Opponent(Model):
    """A player of the ladder; a higher level is stronger."""

    spec: str
    label: str
    level: int
    rating: OpponentRating | None


class RuleParagraph(Model):
    """A paragraph of the rules, for beginners."""

    title: str
    text: str


class RuleSetInfo(Model):
    """A rule set, its differences to the default, and its opponents from weak to strong."""

    name: str
    summary: str  # for the default: what it is
    how_to_play: list[RuleParagraph]
    opponents: list[Opponent]
    rated_on: str | None  # machine and date of the ratings


class GameInfo(Model):
    """A game, its rule sets and its players."""

    name: str
    title: str
    roles: tuple[str, str]
    default_rules: str
    rule_sets: list[RuleSetInfo]
    players: list[PlayerInfo]

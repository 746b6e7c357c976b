"""Schemas of the catalogue: games, rule sets, opponents and kinds of players."""

from boardwright.web.server.schemas import Model


class OptionInfo(Model):
    """Something one may ask of a player."""

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
    """How strong a player is, in Elo points above random play: between elo - minus and elo + plus, with 95 %."""

    elo: float
    plus: float
    minus: float


class Opponent(Model):
    """A player that works out of the box; the higher the level the stronger."""

    spec: str
    label: str
    level: int
    rating: OpponentRating | None


class RuleParagraph(Model):
    """A part of the rules, for people who do not know the game."""

    title: str
    text: str


class RuleSetInfo(Model):
    """A rule set, how it differs from the default, and whom one can play under it, weak to strong."""

    name: str
    summary: str  # of the default: what it is
    how_to_play: list[RuleParagraph]
    opponents: list[Opponent]
    rated_on: str | None  # the machine on which the opponents' ratings were measured, and when


class GameInfo(Model):
    """A game and who plays it."""

    name: str
    title: str
    roles: tuple[str, str]
    default_rules: str
    rule_sets: list[RuleSetInfo]
    players: list[PlayerInfo]

"""The games and rule sets that clients may name: registered games and shipped rule sets, never a file."""

from boardwright.errors import UnknownNameError
from boardwright.games import registry
from boardwright.games.base import Game, Rules


def bound_game(name: str, rules: str | None) -> Game:
    """A game under one of its shipped rule sets, the default for None; raises UnknownNameError."""
    known = registry.game_class(name).rule_sets()
    rules = registry.current_rule_name(name, rules)
    if rules is not None and rules not in known:
        raise UnknownNameError(f"rule set of {name}", rules, known)
    return registry.game(name, rules)


def is_shipped(game: str, rules: Rules) -> bool:
    """Whether a rule set equals the shipped one of its name, so that the name is enough to replay a game."""
    return registry.game_class(game).rule_sets().get(rules.name) == rules

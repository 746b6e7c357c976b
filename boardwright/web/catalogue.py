"""What can be played here: games, rule sets, players, and a ladder of opponents from weak to strong."""

import dataclasses
import functools

from boardwright.agents.players import players_of
from boardwright.agents.specs import Option, Player
from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.nets import shipped
from boardwright.web.positions import Json
from boardwright.web.specs import playable

# Weak to strong, by the results of the classical players against each other; a game has those it knows.
LADDER = (
    ("random", "Anything goes: random moves"),
    ("largest-first", "The largest building that fits"),
    ("greedy", "Takes what it can get"),
    ("mc:time=200ms", "Quick guesses: Monte Carlo, 0.2 s"),
    ("alphabeta:depth=1", "Looks one move ahead"),
    ("mc-improved:time=1s", "Monte Carlo, 1 s"),
    ("heuristic-mc:time=1s", "Monte Carlo with a nose for escapes, 1 s"),
    ("alphabeta:depth=3", "Looks three moves ahead"),
    ("alphabeta:time=300ms", "Alpha-beta, 0.3 s"),
    ("alphabeta:time=1s", "Alpha-beta, 1 s"),
    ("alphabeta:time=5s", "Alpha-beta, 5 s"),
)


@functools.cache
def games_json() -> list[Json]:
    """Every game, as `schemas.GameInfo`."""
    return [_game_json(registry.game(name)) for name in registry.game_names()]


def _game_json(game: Game) -> Json:
    rule_sets = game.rule_sets()
    default = rule_sets[game.default_rules]
    return {
        "name": game.name,
        "title": game.title,
        "roles": game.roles,
        "default_rules": game.default_rules,
        "rule_sets": [{"name": name, "summary": _difference(rules, default)} for name, rules in rule_sets.items()],
        "players": [_player_json(player) for player in players_of(game) if playable(player)],
        "opponents": _opponents(game),
    }


def _difference(rules: object, default: object) -> str:
    """How a rule set differs from the default, option by option."""
    names = [field.name for field in dataclasses.fields(rules) if field.name != "name"]  # type: ignore[arg-type]
    changed = [name for name in names if getattr(rules, name) != getattr(default, name)]
    return ", ".join(f"{name.replace('_', ' ')}: {_said(getattr(rules, name))}" for name in changed)


def _said(value: object) -> str:
    return (
        {True: "yes", False: "no", None: "none"}.get(value, str(value))
        if isinstance(value, bool | None)
        else str(value)
    )


def _player_json(player: Player) -> Json:
    return {
        "name": player.name,
        "summary": player.summary,
        "options": [_option_json(option) for option in player.options],
    }


def _option_json(option: Option) -> Json:
    return {
        "name": option.name,
        "summary": option.help,
        "metavar": option.form,
        "default": option.default or None,
    }


def _opponents(game: Game) -> list[Json]:
    known = {player.name for player in players_of(game)}
    ladder = [(spec, label) for spec, label in LADDER if spec.partition(":")[0] in known]
    ladder += [(f"zero:net={name},time=1s", f"Net {name}, 1 s") for name in _nets_of(game)]
    return [{"spec": spec, "label": label, "level": level} for level, (spec, label) in enumerate(ladder, start=1)]


def _nets_of(game: Game) -> list[str]:
    """The shipped nets that play a game under its default rules."""
    from boardwright.nets import netfile

    headers = {name: netfile.read(shipped.find(name)) for name in shipped.names()}
    return [
        name
        for name, file in headers.items()
        if (file.game, file.rules["name"]) == (game.name, game.default_rules) and file.config.foretells_results
    ]

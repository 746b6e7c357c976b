"""The catalogue of games: rule sets, ladders of opponents from weak to strong, and kinds of players."""

import dataclasses
import functools
import sys
from collections.abc import Mapping

from boardwright.agents.players import players_of
from boardwright.agents.specs import Option, Player
from boardwright.arena import ladder
from boardwright.arena.ladder_file import LadderFileError, RatedField, shipped_ratings
from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.nets.netfile import NetFile
from boardwright.stats.bayeselo import Rating
from boardwright.web.players.specs import NET_HELP, is_playable
from boardwright.web.server.schemas import Json


@functools.cache
def games_json() -> list[Json]:
    """Every game, as `schemas.GameInfo`."""
    nets = ladder.shipped_nets()
    return [_game_json(registry.game(name), nets) for name in registry.game_names()]


def _game_json(game: Game, nets: Mapping[str, NetFile]) -> Json:
    return {
        "name": game.name,
        "title": game.title,
        "roles": game.roles,
        "default_rules": game.default_rules,
        "rule_sets": [_rule_set_json(registry.game(game.name, name), nets) for name in game.rule_sets()],
        "players": [_player_json(player) for player in players_of(game) if is_playable(player)],
    }


def _rule_set_json(game: Game, nets: Mapping[str, NetFile]) -> Json:
    """The rule set that the game is bound to."""
    rated = _ratings(game)
    known = {} if rated is None else {rating.name: rating for rating in rated.players}
    rungs = [row for row in ladder.by_strength(ladder.rows_of(game, nets), known.values()) if row.label is not None]
    return {
        "name": game.rules.name,
        "summary": _difference(game.rules, game.rule_sets()[game.default_rules]) or game.default_summary,
        "how_to_play": [dataclasses.asdict(paragraph) for paragraph in game.how_to_play()],
        "opponents": [
            {"spec": row.spec, "label": row.label, "level": level, "rating": _rating_json(known.get(row.spec))}
            for level, row in enumerate(rungs, start=1)
        ],
        "rated_on": None if rated is None else f"{rated.machine}, {rated.date}",
    }


def _ratings(game: Game) -> RatedField | None:
    """The shipped ratings; a damaged file is reported and ignored."""
    try:
        return shipped_ratings(game)
    except LadderFileError as error:
        print(f"boardwright: warning: {error}", file=sys.stderr)
        return None


def _rating_json(rating: Rating | None) -> Json | None:
    return None if rating is None else {"elo": rating.elo, "plus": rating.plus, "minus": rating.minus}


def _difference(rules: object, default: object) -> str:
    """How a rule set differs from the default, option by option."""
    names = [field.name for field in dataclasses.fields(rules) if field.name != "name"]  # type: ignore[arg-type]
    changed = [name for name in names if getattr(rules, name) != getattr(default, name)]
    return ", ".join(f"{name.replace('_', ' ')}: {_value_text(getattr(rules, name))}" for name in changed)


def _value_text(value: object) -> str:
    return {True: "yes", False: "no", None: "none"}[value] if isinstance(value, bool | None) else str(value)


def _player_json(player: Player) -> Json:
    options = [_option_json(option) for option in player.options]
    return {"name": player.name, "summary": player.summary, "options": options}


def _option_json(option: Option) -> Json:
    summary, form = NET_HELP if option.name == "net" else (option.help, option.form)
    return {"name": option.name, "summary": summary, "metavar": form, "default": option.default or None}

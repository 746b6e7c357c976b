"""`/api/games`: the games, their rule sets, the ladder of opponents of each, and kinds of players."""

import dataclasses
import functools
import sys
from collections.abc import Mapping

from fastapi import APIRouter, Response

from boardwright.agents.players import players_of
from boardwright.agents.specs import Option
from boardwright.arena import ladder
from boardwright.arena.ladder_file import LadderFileError, RatedField, shipped_ratings
from boardwright.games import registry
from boardwright.games.base import Game, Paragraph
from boardwright.nets.netfile import NetFile
from boardwright.stats.bayeselo import Rating
from boardwright.web.players.specs import NET_HELP, is_playable
from boardwright.web.server.http import PROBLEMS, Json, Model, as_json
from boardwright.web.services import Services


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


class RuleSetInfo(Model):
    """A rule set, its differences to the default, and its opponents from weak to strong."""

    name: str
    title: str  # for people
    summary: str  # for the default: what it is
    how_to_play: list[Paragraph]
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


def make_router(services: Services) -> APIRouter:
    """The route."""
    router = APIRouter(prefix="/api", tags=["positions"], responses=PROBLEMS)

    @router.get("/games", response_model=list[GameInfo])
    def games() -> Response:
        """Every game with its rule sets, opponents and kinds of players."""
        return as_json(games_json())

    return router


@functools.cache
def games_json() -> list[Json]:
    """Every game, as `GameInfo`."""
    nets = ladder.shipped_nets()
    return [_game_json(registry.game(name), nets) for name in registry.game_names()]


def _game_json(game: Game, nets: Mapping[str, NetFile]) -> Json:
    return {
        "name": game.name,
        "title": game.title,
        "roles": game.roles,
        "default_rules": game.default_rules,
        "rule_sets": [_rule_set_json(registry.game(game.name, name), nets) for name in game.rule_sets()],
        "players": [
            {"name": player.name, "summary": player.summary, "options": [_option_json(one) for one in player.options]}
            for player in players_of(game)
            if is_playable(player)
        ],
    }


def _rule_set_json(game: Game, nets: Mapping[str, NetFile]) -> Json:
    """The rule set that the game is bound to."""
    rated = _ratings(game)
    known = {} if rated is None else {rating.name: rating for rating in rated.players}
    rungs = [row for row in ladder.by_strength(ladder.rows_of(game, nets), known.values()) if row.label is not None]
    return {
        "name": game.rules.name,
        "title": game.rules_title,
        "summary": _difference(game.rules, game.rule_sets()[game.default_rules]) or game.default_summary,
        "how_to_play": list(game.how_to_play()),
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


def _option_json(option: Option) -> Json:
    summary, form = NET_HELP if option.name == "net" else (option.help, option.form)
    return {"name": option.name, "summary": summary, "metavar": form, "default": option.default or None}

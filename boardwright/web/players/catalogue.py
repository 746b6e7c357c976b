"""`/api/games`: the games, their rule sets, the ladder of opponents of each, and kinds of players."""

import dataclasses
import functools
import sys
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Response

from boardwright.agents.players import players_of
from boardwright.agents.specs import Player
from boardwright.arena import ladder
from boardwright.arena.ladder_file import LadderFileError, shipped_ratings
from boardwright.games import registry
from boardwright.games.base import Game, Paragraph
from boardwright.nets.netfile import NetFile
from boardwright.web.players.specs import NET_HELP, is_playable
from boardwright.web.server.http import PROBLEMS, EloInterval, Json, Model, as_json
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


class Opponent(Model):
    """A player of the ladder; a higher level is stronger."""

    spec: str
    label: str
    level: int
    rating: EloInterval | None  # above random play


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
    return [
        {
            "name": game.name,
            "title": game.title,
            "roles": game.roles,
            "default_rules": game.default_rules,
            "rule_sets": [_rule_set_json(registry.game(game.name, name), nets) for name in game.rule_sets()],
            "players": [_player_json(player) for player in players_of(game) if is_playable(player)],
        }
        for game in map(registry.game, registry.game_names())
    ]


def _rule_set_json(game: Game, nets: Mapping[str, NetFile]) -> Json:
    """The rule set that the game is bound to; a damaged file of ratings is reported and ignored."""
    try:
        rated = shipped_ratings(game)
    except LadderFileError as error:
        print(f"boardwright: warning: {error}", file=sys.stderr)
        rated = None
    ratings = () if rated is None else rated.players
    elo = {rating.name: {"elo": rating.elo, "plus": rating.plus, "minus": rating.minus} for rating in ratings}
    rungs = [row for row in ladder.by_strength(ladder.rows_of(game, nets), ratings) if row.label is not None]
    return {
        "name": game.rules.name,
        "title": game.rules_title,
        "summary": _difference(game.rules, game.rule_sets()[game.default_rules]) or game.default_summary,
        "how_to_play": list(game.how_to_play()),
        "opponents": [
            {"spec": row.spec, "label": row.label, "level": level, "rating": elo.get(row.spec)}
            for level, row in enumerate(rungs, start=1)
        ],
        "rated_on": None if rated is None else f"{rated.machine}, {rated.date}",
    }


def _difference(rules: Any, default: Any) -> str:
    """How a rule set differs from the default, option by option."""
    usual, words = dataclasses.asdict(default), {True: "yes", False: "no", None: "none"}
    return ", ".join(
        f"{name.replace('_', ' ')}: {words[value] if isinstance(value, bool | None) else value}"
        for name, value in dataclasses.asdict(rules).items()
        if name != "name" and value != usual[name]
    )


def _player_json(player: Player) -> Json:
    options = []
    for option in player.options:
        summary, form = NET_HELP if option.name == "net" else (option.help, option.form)
        options.append({"name": option.name, "summary": summary, "metavar": form, "default": option.default or None})
    return {"name": player.name, "summary": player.summary, "options": options}

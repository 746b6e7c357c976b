"""`/api/files`: game files as text, read and written without touching a disk."""

from fastapi import APIRouter, Response

from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import ONGOING
from boardwright.games.record import GameRecord, outcome_of, result_of
from boardwright.web.play import schemas
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.services import Services
from boardwright.web.study.positions import Json, bound_game, replay
from boardwright.web.study.routes import as_json

MOST_GAMES = 500  # of a file that are shown


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/files", tags=["files"], responses=PROBLEMS)

    @router.post("/read", response_model=schemas.FileGames)
    def read(query: schemas.FileText) -> Response:
        """The games of a file's text that can be read, and what is wrong with the others."""
        known = registry.game_class(query.game)
        records, errors = known.read_games(query.text)
        games: list[Json] = []
        problems = [str(error) for error in errors]
        for record in records[:MOST_GAMES]:
            if record.rules.name not in known.rule_sets() or known.rule_sets()[record.rules.name] != record.rules:
                problems.append(f"rule set {record.rules.name!r}: only rule sets that ship can be shown here")
                continue
            games.append(_game_json(record))
        if len(records) > MOST_GAMES:
            problems.append(f"the file has {len(records)} games: the first {MOST_GAMES} are shown")
        return as_json({"games": games, "errors": problems[:100]})

    @router.post("/write", response_model=schemas.FileWritten)
    def write(query: schemas.FileGame) -> Response:
        """A game as the text of a file, and a name for it."""
        game = bound_game(query.game, query.rules)
        last = replay(game, query.start, query.actions).position
        if last.core.continues:
            raise BoardwrightError("the game ends in the middle of a move: give all its hops")
        outcome = outcome_of(last, None)
        result, reason = (query.result, query.reason) if outcome is None else (result_of(outcome), outcome.reason)
        tags = {role: name for role, name in zip(game.roles, query.names or (), strict=False) if name}
        record = GameRecord(
            game=game.name,
            rules=game.rules,
            start=query.start,
            actions=tuple(query.actions),
            result=ONGOING if result is None else result,
            reason=reason,
            tags=tags,
        )
        return as_json({"text": game.write_games([record]), "name": f"{game.name}.{game.file_suffix}"})

    return router


def _game_json(record: GameRecord) -> Json:
    roles = registry.game_class(record.game).roles
    return {
        "headers": dict(record.tags),
        "record": {
            "start": record.start,
            "rules": record.rules.name,
            "actions": list(record.actions),
            "names": [record.tags.get(role, "") for role in roles],
            "result": record.result,
            "reason": record.reason,
        },
    }

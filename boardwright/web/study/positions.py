"""Positions as JSON for a board: the scene, the legal moves with their gestures, and the line played so far."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boardwright.errors import IllegalMoveError
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.lines import each_move, move_text
from boardwright.views.scene import Gesture, Place, Polyomino, Scene
from boardwright.web.server.http import Json


@dataclass(frozen=True)
class PlayedMove:
    """A whole move of a line."""

    text: str
    role: int | None  # None: chance
    actions: tuple[int, ...]
    ply: int  # number of whole moves including this one


@dataclass(frozen=True, eq=False)
class GameLine:
    """A position and the moves that led to it."""

    start: str | None  # text of the first position; None is the initial position of the rules
    moves: tuple[PlayedMove, ...]
    position: Position

    def play(self, actions: Sequence[int]) -> "GameLine":
        """The line after one more whole move; raises IllegalMoveError."""
        before, position = self.position, self.position
        for number, action in enumerate(actions, start=1):
            position = position.play(action)
            if not position.core.continues and number < len(actions):
                raise IllegalMoveError(f"move {list(actions)}: it is complete after {number} actions")
        if not actions or position.core.continues:
            raise IllegalMoveError(f"move {list(actions)}: it must be given whole, with all its hops")
        return GameLine(self.start, (*self.moves, _played_move(before, actions, position)), position)


def _played_move(before: Position, actions: Sequence[int], after: Position) -> PlayedMove:
    role = None if before.role_to_move == CHANCE else before.role_to_move
    return PlayedMove(move_text(before, actions), role, tuple(actions), after.plies)


def replay(game: Game, start: str | None, actions: Sequence[int]) -> GameLine:
    """The line of some actions, of which the last move may be incomplete; raises PositionError, IllegalMoveError."""
    first = game.start() if start is None else game.position(start)
    last = first.play_all(actions, "action")
    moves = ((before, move, before.play_all(move)) for before, move in each_move(first, actions))
    return GameLine(start, tuple(_played_move(*move) for move in moves if not move[-1].core.continues), last)


def play_texts(line: GameLine, moves: Sequence[str]) -> GameLine:
    """The line after moves given as text; raises IllegalMoveError."""
    for number, text in enumerate(moves, start=1):
        try:
            position = line.position
            if position.outcome is not None:
                raise IllegalMoveError(f"the game is over: {position.outcome.reason}")
            line = line.play(position.game.parse_move(position.core, text))
        except IllegalMoveError as error:
            raise IllegalMoveError(f"move {number}: {error}" if len(moves) > 1 else str(error)) from None
    return line


def view(line: GameLine, *, with_legal: bool = True) -> Json:
    """The last position of a line as `schemas.PositionView`; legal moves, most of its size, can be left out."""
    position, game, outcome = line.position, line.position.game, line.position.outcome
    over = outcome is not None or position.role_to_move == CHANCE
    return {
        "game": game.name,
        "rules": game.rules.name,
        "start": line.start,
        "text": position.text,
        "actions": position.actions(),
        "line": line.moves,
        "to_move": None if over else position.role_to_move,
        "ply": position.plies,
        "legal": legal_moves(position) if with_legal and outcome is None else [],
        "scene": _scene_json(game.scene(position)),
        "outcome": outcome,
        "hints": dict(game.hints(position.core)),
    }


def legal_moves(position: Position) -> list[Json]:
    """Every whole legal move with its gestures. Where a game's moves always look alike, each is built only once."""
    game, role = position.game, position.role_to_move
    if not game.stateless_actions or role == CHANCE:
        return _moves_json(position)
    known = _known_moves(game, role)
    actions = position.legal_actions()
    if any(action not in known for action in actions):
        known.update((move["actions"][0], move) for move in _moves_json(position))
    return [known[action] for action in actions]


def _moves_json(position: Position) -> list[Json]:
    game, core = position.game, position.core
    return [
        {
            "text": move.text,
            "actions": move.actions,
            "gesture": [_gesture_json(gesture) for gesture in game.gestures(core, move.actions)],
        }
        for move in game.moves(core)
    ]


@functools.lru_cache(maxsize=64)
def _known_moves(game: Game, role: int) -> dict[int, Json]:
    """The legal moves of a role seen so far, by action."""
    return {}


def _gesture_json(gesture: Gesture) -> Json:
    if isinstance(gesture, Place):
        return {"kind": "place", **vars(gesture)}
    return {"kind": "step", "from": gesture.origin, "to": gesture.target, "captured": gesture.captured}


def _scene_json(scene: Scene) -> Json:
    """A scene as `schemas.SceneInfo`: with lists where it has mappings and sets."""
    return {
        **vars(scene),
        "tints": [{"cell": cell, "tint": tint} for cell, tint in scene.tints.items()],
        "cell_labels": [{"cell": cell, "label": label} for cell, label in scene.cell_labels.items()],
        "polyominoes": _polyominoes_json(scene.polyominoes),
        "trays": [{**vars(tray), "polyominoes": _polyominoes_json(tray.polyominoes)} for tray in scene.trays],
    }


def _polyominoes_json(polyominoes: Iterable[Polyomino]) -> list[Json]:
    return [{**vars(polyomino), "cells": sorted(polyomino.cells)} for polyomino in polyominoes]

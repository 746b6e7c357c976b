"""Positions as a page needs them: the scene, the legal moves and how a hand makes them, the line so far.

What a client may name is a registered game and a rule set that ships; never a file.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from boardwright.errors import BoardwrightError, IllegalMoveError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.gestures import Gesture, Place
from boardwright.games.lines import move_text
from boardwright.views.scene import Polyomino, Scene

Json = dict[str, Any]


@dataclass(frozen=True)
class PlayedMove:
    """A whole move of a line."""

    text: str
    role: int | None  # None: chance
    actions: tuple[int, ...]
    ply: int  # whole moves played with it


@dataclass(frozen=True)
class Played:
    """A position, and how it came about."""

    start: str | None  # text of the first position where it is not the one of the rules
    moves: tuple[PlayedMove, ...]
    position: Position

    def after(self, actions: Sequence[int]) -> "Played":
        """One whole move later; raises IllegalMoveError."""
        before, position = self.position, self.position
        for number, action in enumerate(actions, start=1):
            position = position.play(action)
            if not position.core.continues and number < len(actions):
                raise IllegalMoveError(f"move {list(actions)}: it is complete after {number} actions")
        if not actions or position.core.continues:
            raise IllegalMoveError(f"move {list(actions)}: it must be given whole, with all its hops")
        role = None if before.role_to_move == CHANCE else before.role_to_move
        move = PlayedMove(move_text(before, actions), role, tuple(actions), position.plies)
        return Played(self.start, (*self.moves, move), position)


def bound_game(name: str, rules: str | None) -> Game:
    """A game under one of its own rule sets; raises UnknownNameError."""
    known = registry.game_class(name).rule_sets()
    if rules is not None and rules not in known:
        raise UnknownNameError(f"rule set of {name}", rules, known)
    return registry.game(name, rules)


def beginning(game: Game, start: str | None) -> Played:
    """A game that begins; raises PositionError."""
    return Played(start, (), game.start() if start is None else game.position(start))


def replay(game: Game, start: str | None, actions: Sequence[int]) -> Played:
    """The position after actions; those of a move that is not complete count too. Raises IllegalMoveError."""
    first = beginning(game, start).position
    moves: list[PlayedMove] = []
    before, position, begun = first, first, 0
    for number, action in enumerate(actions, start=1):
        try:
            position = position.play(action)
        except IllegalMoveError as error:
            raise IllegalMoveError(f"action {number}: {error}") from None
        if not position.core.continues:
            whole = tuple(actions[begun:number])
            role = None if before.role_to_move == CHANCE else before.role_to_move
            moves.append(PlayedMove(move_text(before, whole), role, whole, position.plies))
            before, begun = position, number
    return Played(start, tuple(moves), position)


def play_texts(played: Played, moves: Sequence[str]) -> Played:
    """The position after moves given as text; raises IllegalMoveError."""
    for number, text in enumerate(moves, start=1):
        try:
            position = played.position
            if position.outcome is not None:
                raise IllegalMoveError(f"the game is over: {position.outcome.reason}")
            played = played.after(position.game.parse_move(position.core, text))
        except IllegalMoveError as error:
            raise IllegalMoveError(f"move {number}: {error}" if len(moves) > 1 else str(error)) from None
    return played


def view(played: Played, *, with_legal: bool = True) -> Json:
    """What a page shows of a position; `schemas.PositionView` says what is in it.

    Without the legal moves, where nobody is to choose one: they are most of it.
    """
    position, game = played.position, played.position.game
    outcome = position.outcome
    over = outcome is not None or position.role_to_move == CHANCE
    return {
        "game": game.name,
        "rules": game.rules.name,
        "start": played.start,
        "text": position.text,
        "actions": position.actions(),
        "line": [
            {"text": move.text, "role": move.role, "actions": list(move.actions), "ply": move.ply}
            for move in played.moves
        ],
        "to_move": None if over else position.role_to_move,
        "ply": position.plies,
        "legal": legal_moves(position) if with_legal and outcome is None else [],
        "scene": scene_json(game.scene(position)),
        "outcome": None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason},
        "hints": {name: list(cells) for name, cells in game.hints(position.core).items()},
    }


def legal_moves(position: Position) -> list[Json]:
    """Every whole move and how a hand makes it."""
    game, core = position.game, position.core
    return [
        {
            "text": move.text,
            "actions": list(move.actions),
            "gesture": [gesture_json(gesture) for gesture in game.gestures(core, move.actions)],
        }
        for move in game.moves(core)
    ]


def view_text(played: Played, *, with_legal: bool = True) -> str:
    """`view` as JSON, with the texts of legal moves taken from before where a game's moves always look alike."""
    shown = view(played, with_legal=False)
    del shown["legal"]
    chooses = with_legal and played.position.outcome is None
    return f'{to_json(shown).decode()[:-1]},"legal":{_legal_text(played.position) if chooses else "[]"}}}'


def _legal_text(position: Position) -> str:
    game, role = position.game, position.role_to_move
    if not game.moves_look_alike or role == CHANCE:
        return to_json(legal_moves(position)).decode()
    known = _known_texts(game, role)
    actions = position.legal_actions()
    if any(action not in known for action in actions):
        for move in legal_moves(position):
            known[move["actions"][0]] = to_json(move).decode()
    return f"[{','.join([known[action] for action in actions])}]"


@functools.lru_cache(maxsize=64)
def _known_texts(game: Game, role: int) -> dict[int, str]:
    """By action: a legal move as JSON; filled as moves are met."""
    return {}


def gesture_json(gesture: Gesture) -> Json:
    """A gesture as JSON."""
    if isinstance(gesture, Place):
        return {
            "kind": "place",
            "piece": gesture.piece,
            "letter": gesture.letter,
            "cells": gesture.cells,
            "turns": gesture.turns,
            "owner": gesture.owner,
        }
    return {"kind": "step", "from": gesture.origin, "to": gesture.target, "captured": gesture.captured}


def scene_json(scene: Scene) -> Json:
    """A scene as JSON."""
    return {
        "rows": scene.rows,
        "columns": scene.columns,
        "title": scene.title,
        "caption": scene.caption,
        "to_move": scene.to_move,
        "row_names": scene.row_names,
        "column_names": scene.column_names,
        "tints": [{"cell": cell, "tint": tint} for cell, tint in scene.tints.items()],
        "cell_labels": [{"cell": cell, "label": label} for cell, label in scene.cell_labels.items()],
        "pieces": [
            {"cell": piece.cell, "role": piece.role, "letter": piece.letter, "kind": piece.kind}
            for piece in scene.pieces
        ],
        "polyominoes": [_polyomino_json(polyomino) for polyomino in scene.polyominoes],
        "marks": [{"cell": mark.cell, "kind": mark.kind} for mark in scene.marks],
        "arrows": [
            {"origin": arrow.origin, "target": arrow.target, "strength": arrow.strength} for arrow in scene.arrows
        ],
        "trays": [
            {"role": tray.role, "name": tray.name, "polyominoes": [_polyomino_json(held) for held in tray.polyominoes]}
            for tray in scene.trays
        ],
    }


def _polyomino_json(polyomino: Polyomino) -> Json:
    return {"cells": sorted(polyomino.cells), "role": polyomino.role, "letter": polyomino.letter}


def checked_start(game: Game, start: str | None) -> str | None:
    """A first position that a game can be played from; raises BoardwrightError for one that is over."""
    position = beginning(game, start).position
    if position.outcome is not None:
        raise BoardwrightError(f"the position is over already: {position.outcome.reason}")
    return start

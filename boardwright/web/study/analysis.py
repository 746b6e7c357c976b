"""The thinking of a player as JSON: values from the side of role 0, whole moves with their texts."""

from boardwright.agents.base import Choice, Limit
from boardwright.agents.specs import sets_limit, split
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Move, Position
from boardwright.games.lines import move_text, whole_moves
from boardwright.web.players.specs import resolve
from boardwright.web.players.worker import SearchRequest
from boardwright.web.server.http import Json
from boardwright.web.settings import Settings
from boardwright.web.study.schemas import Analyse, Candidate, Info

MAX_CANDIDATES = 128  # more than the legal moves of any game but Cathedral, whose heat maps lack the rest
MAX_LINE = 30  # whole moves


class Analysis:
    """One analysis of a page: the search request, and its progress as JSON."""

    def __init__(self, query: Analyse, settings: Settings):
        """Raises BoardwrightError for what cannot be analysed."""
        self._position = query.line().position
        game = self._position.game
        if self._position.outcome is not None:
            raise BoardwrightError(f"the game is over: {self._position.outcome.reason}")
        if self._position.role_to_move == CHANCE:
            raise BoardwrightError("chance is to move: choose a position with a player to move")
        seconds = min(query.seconds or settings.analysis_seconds, settings.analysis_seconds)
        _, given = split(query.agent)
        has_own_limit = query.seconds is None and sets_limit(given)
        self.request = SearchRequest(
            game=game.name,
            rules=game.rules.name,
            start=query.start,
            actions=tuple(query.actions),
            spec=resolve(query.agent, game, settings),
            limit=Limit() if has_own_limit else Limit(seconds=seconds),
            seconds=seconds,
            analyse=True,
        )
        self._moves = _moves_by_first_action(self._position)
        self._last = Info(id=query.id, side=self._position.role_to_move)

    def info(self, choice: Choice, seconds: float) -> Json:
        """The state of the search, as `schemas.Info`."""
        position = self._position
        line = whole_moves(position, choice.line or (choice.action,))[:MAX_LINE]
        self._last = Info(
            id=self._last.id,
            value=self._for_role_0(choice.value),
            side=self._last.side,
            depth=choice.depth,
            nodes=choice.nodes,
            simulations=choice.simulations,
            nps=round((choice.nodes or choice.simulations) / max(seconds, 1e-3), 1),
            candidates=self._candidates(choice, line[0][1] if line else ()),
            line=[Move(move_text(before, actions), actions) for before, actions in line],
            seconds=round(seconds, 3),
        )
        return self._last.model_dump()

    def waiting(self) -> Json:
        """The last state, as `schemas.Info`, of an analysis that waits for its turn."""
        return {**self._last.model_dump(), "waiting": True}

    def _for_role_0(self, value: float | None) -> float | None:
        if value is None:
            return None
        return round(value if self._position.role_to_move == 0 else -value, 4)

    def _candidates(self, choice: Choice, best: tuple[int, ...]) -> list[Candidate]:
        """The considered moves, most visited first; `best` is the whole move that begins the principal variation."""
        visits, policy = choice.visits, choice.prior
        values = {choice.action: choice.value, **choice.values}
        moves = self._moves | ({best[0]: (move_text(self._position, best), best)} if best else {})

        def weight(action: int) -> tuple[int, float, bool]:
            return visits.get(action, 0), policy.get(action, 0.0), action == choice.action

        return [
            Candidate(
                actions=list(moves[action][1]),
                text=moves[action][0],
                visits=visits.get(action),
                policy=round(policy[action], 5) if action in policy else None,
                value=self._for_role_0(values.get(action)),
            )
            for action in sorted({choice.action, *visits, *policy}, key=weight, reverse=True)[:MAX_CANDIDATES]
        ]


def _moves_by_first_action(position: Position) -> dict[int, tuple[str, tuple[int, ...]]]:
    """Text and actions of the move that each action begins; the action alone, with "…", if it begins several moves."""
    found: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
    for move in position.game.moves(position.core):
        found.setdefault(move.actions[0], []).append((move.text, move.actions))
    return {
        action: found[action][0]
        if len(found.get(action, ())) == 1
        else (f"{position.game.action_text(position.core, action)}…", (action,))
        for action in position.legal_actions()
    }

"""Every game as an OpenSpiel game written in Python, over the scalar engine.

    import pyspiel
    from boardwright.adapters import openspiel

    openspiel.register()
    game = pyspiel.load_game("boardwright_draughts(rules=paper)")
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])

The players are the roles 0 and 1, and may move several times in a row. Returns are the outcome, +1, -1 or 0
to both, also where the rules give rewards during play. What chance does is a chance node. A process that
reads pickled games or states has to call `register` first, as with every OpenSpiel game in Python.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from boardwright.errors import IllegalMoveError
from boardwright.games import registry
from boardwright.games.base import Game

PREFIX = "boardwright_"
MAX_UNLIMITED_ACTIONS = 4096  # see `most_actions`


def register() -> list[str]:
    """Makes every registered game known to `pyspiel.load_game`; the names it goes by there.

    Parameters of each: `rules`, the name of a rule set or the path of a rule file, and `observation`.
    """
    names = []
    for name in registry.game_names():
        game_type = _game_type(registry.game(name))
        # A class: OpenSpiel lets go of it after Python has ended, which only a class, never freed, survives.
        pyspiel.register_game(game_type, type(f"{name.title()}Game", (BoardGame,), {"name": name}))
        names.append(game_type.short_name)
    return names


class BoardGame(pyspiel.Game):
    """A game under one rule set; `pyspiel.load_game` makes them, of a subclass for each registered game."""

    name: ClassVar[str]

    def __init__(self, parameters: Mapping[str, Any]):
        self.game = registry.game(self.name, parameters["rules"], parameters["observation"])
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=self.game.num_actions if self.game.has_chance else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=most_actions(self.game),
        )
        super().__init__(_game_type(self.game), info, dict(parameters))

    def new_initial_state(self) -> "BoardState":
        """The start of the game."""
        return BoardState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The planes and the position's text; with perfect recall, the line of play as text."""
        # Without a type, C++ passes only the parameters, which are empty.
        if not iig_obs_type or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return BoardObserver(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)


class BoardState(pyspiel.State):
    """A position with its line of play. OpenSpiel copies a state by copying its attributes, stores it by pickling."""

    def __init__(self, game: BoardGame):
        super().__init__(game)
        self.position = game.game.start()

    def current_player(self) -> int:
        """A role, chance or the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self.position.role_to_move  # chance has the same number there

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.outcome is not None

    def returns(self) -> list[float]:
        """By player; zeros during the game."""
        outcome = self.position.outcome
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == 0 else [-1.0, 1.0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance may do, all equally likely."""
        actions = self.position.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        try:
            return self.position.action_text(action)
        except IllegalMoveError:  # which has no text, but may be asked for
            return f"action {action}"

    def __str__(self) -> str:
        return self.position.text


class BoardObserver:
    """What a role sees: `tensor`, the planes one after another, and `dict`, a view of it by plane."""

    def __init__(self, game: Game, params: Any):
        if params:
            raise ValueError(f"observation parameters not supported; passed {params}")
        rows, columns, planes = game.observation_shape
        self.tensor = np.zeros(planes * rows * columns, np.float32)
        self.dict = {"observation": self.tensor.reshape(planes, rows, columns)}  # OpenSpiel's layout CHW

    def set_from(self, state: BoardState, player: int) -> None:
        """Observes a state."""
        self.dict["observation"][:] = np.moveaxis(state.position.observation(player), -1, 0)

    def string_from(self, state: BoardState, player: int) -> str:
        """The position as text, the same for both roles."""
        return state.position.text


def most_actions(game: Game) -> int:
    """A bound on what the roles do in one game, and another on what chance does.

    From the limits of the rules: `max_plies`, or `max_quiet_plies` times the possible restarts of
    the count. What restarts it is never undone (a piece leaves the board, a man goes forward), so it happens
    at most once for every cell a piece may start from and row it may reach. A move's further actions each
    take a piece. Rules without limits are those of games that fill the board; MAX_UNLIMITED_ACTIONS is far
    beyond any of them.
    """
    rows, columns, _ = game.observation_shape
    cells = rows * columns
    limits = getattr(game.rules, "max_plies", None), getattr(game.rules, "max_quiet_plies", None)
    plies = [limit * restarts for limit, restarts in zip(limits, (1, cells * rows + 1), strict=True) if limit]
    return min(plies) + cells if plies else MAX_UNLIMITED_ACTIONS


def _game_type(game: Game) -> Any:
    """What OpenSpiel wants to know of a game before it is loaded."""
    kinds = pyspiel.GameType
    return kinds(
        short_name=PREFIX + game.name,
        long_name=f"Boardwright {game.title}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if game.has_chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"rules": game.default_rules, "observation": game.observations[0]},
    )

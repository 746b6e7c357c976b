"""A game as a Gymnasium environment: one role is the learner's, a fixed opponent plays the other.

    from boardwright.adapters import gymnasium

    env = gymnasium.make("draughts", opponent="mc:sims=100")
    seen, info = env.reset(seed=1)
    over = False
    while not over:
        seen, reward, over, _, info = env.step(env.action_space.sample(seen["action_mask"]))

A step plays the learner's action and then everything that chance and the opponent do until the learner's next
turn; the reward is the sum over all of it.
"""

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from boardwright.agents.base import Agent, Limit
from boardwright.agents.specs import with_seed
from boardwright.errors import IllegalMoveError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Game, Position, Rules

Observation = dict[str, np.ndarray]
RENDER_MODES = ("human", "ansi")


class BoardEnv(gymnasium.Env[Observation, Any]):
    """A game seen by one of its roles.

    `opponent` is a player or the spec of one (`boardwright.agents.players`). `role` is the name of a
    role; without one, `reset` draws it, both equally likely, or takes `options={"role": ...}`.

    Observation: `observation`, [rows, columns, planes] float32 from 0 to 1 as the role sees the board,
    and `action_mask`, [num_actions] int8, all zeros once the episode is over. Rewards: at the end +1, -1
    or 0 for a draw; the game's own where its rules give others. `info` has the mask, the role and, at
    the end, who won and why.

    An illegal action ends the episode with reward -1, the board as it was and `info["illegal"]` saying
    which rule forbids it. A game may be over before the role's first turn: every action is then allowed,
    and the first step, which plays none of them, ends the episode with the rewards so far.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        game: str = "tablut",
        rules: str | Path | Mapping[str, Any] | Rules | None = None,
        role: str | None = None,
        opponent: Agent | str = "random",
        observation: str | None = None,
        render_mode: str | None = None,
    ):
        check_render_mode(render_mode)
        self.game = registry.game(game, rules, observation)
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = space_for(self.game)
        self._fixed_role = role
        self._check_role(role)
        self._spec_of_opponent = opponent if isinstance(opponent, str) else None
        self._seed_of_opponent: int | None = None
        self._opponent = _player(opponent, self.game) if isinstance(opponent, str) else opponent
        self._position = self.game.start()
        self._role = 0
        self._owed = 0.0  # rewards before the first turn
        self._ended = True  # until the first reset

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game and plays it to the role's first turn.

        The seed decides the role where it is drawn, what chance does, and what an opponent given as a
        spec draws; without one, none is reseeded. A player object is never reseeded.
        """
        super().reset(seed=seed)
        for option in options or {}:
            if option != "role":
                raise UnknownNameError("reset option", option, ["role"])
        role = (options or {}).get("role", self._fixed_role)
        self._check_role(role)
        if seed is not None and self._spec_of_opponent is not None:
            self._seed_of_opponent = int(self.np_random.integers(2**63))
            self._opponent = _player(self._spec_of_opponent, self.game, self._seed_of_opponent)
        self._role = int(self.np_random.integers(2)) if role is None else self.game.roles.index(role)
        self._ended = False
        self._position = self.game.start()
        self._show()
        self._owed = self._await_turn()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, then lets chance and the opponent move."""
        if self._ended:
            raise gymnasium.error.ResetNeeded("no game is under way: call reset() first")
        reward, self._owed = self._owed, 0.0
        if self._position.outcome is None:
            try:
                reward += self._play(action)
            except IllegalMoveError as error:
                self._ended = True
                return self._observe(), -1.0, True, False, self._info() | {"illegal": str(error)}
            reward += self._await_turn()
        self._ended = self._position.outcome is not None
        return self._observe(), reward, self._ended, False, self._info()

    def action_masks(self) -> np.ndarray:
        """[num_actions] bool: the legal actions, under the name that SB3-Contrib expects."""
        if self._ended:
            return np.zeros(self.game.num_actions, bool)
        if self._position.outcome is not None:
            return np.ones(self.game.num_actions, bool)
        return self._position.legal_mask()

    def render(self) -> str | None:  # type: ignore[override]
        """The board as text: returned in mode "ansi", printed in mode "human" and there after every action."""
        return render_board(self._position, self.render_mode)

    def _await_turn(self) -> float:
        """Lets chance and the opponent move until it is the role's turn or the game is over; returns the rewards."""
        reward = 0.0
        while self._position.outcome is None and self._position.role_to_move != self._role:
            if self._position.role_to_move == CHANCE:
                reward += self._play(self.np_random.choice(self._position.legal_actions()))
            else:
                reward += self._play(self._opponent.choose(self._position, Limit()).action)
        return reward

    def _play(self, action: int) -> float:
        """Plays an action of any role or chance; returns the role's reward."""
        self._position = self._position.play(int(action))
        self._show()
        return float(last_rewards(self._position)[self._role])

    def _observe(self) -> Observation:
        mask = self.action_masks().astype(np.int8)
        return {"observation": self._position.observation(self._role), "action_mask": mask}

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self.action_masks().astype(np.int8), "role": self.game.roles[self._role]}
        outcome = self._position.outcome
        if outcome is not None:
            winner = None if outcome.winner is None else self.game.roles[outcome.winner]
            info |= {"winner": winner, "reason": outcome.reason}
        return info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _check_role(self, role: str | None) -> None:
        if role is not None and role not in self.game.roles:
            raise UnknownNameError(f"role of {self.game.name}", str(role), self.game.roles)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without an opponent that was given as a spec and cannot be copied, as with a net."""
        if self._spec_of_opponent is not None:
            try:
                pickle.dumps(self._opponent)
            except Exception:  # its parts may raise anything
                return self.__dict__ | {"_opponent": None}
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        if self._opponent is None and self._spec_of_opponent is not None:
            self._opponent = _player(self._spec_of_opponent, self.game, self._seed_of_opponent)


make = BoardEnv  # the name Gymnasium gives it


def space_for(game: Game) -> spaces.Space[Any]:
    """The space of what a role sees, with the mask of its actions."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, game.observation_shape, np.float32),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )


def last_rewards(position: Position) -> Sequence[float]:
    """The rewards of the roles for the last action of a line: +1 and -1 at the end, or the game's own rewards."""
    own = getattr(position.core, "rewards", None)
    if own is not None:
        return own()
    winner = None if position.outcome is None else position.outcome.winner
    return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


def render_board(position: Position, mode: str | None) -> str | None:
    """The board as text: returned in mode "ansi", printed in mode "human"."""
    if mode is None:
        gymnasium.logger.warn("nothing is rendered: make the environment with a render_mode")
        return None
    if mode == "ansi":
        return str(position)
    print(position)
    return None


def check_render_mode(mode: str | None) -> None:
    """Raises UnknownNameError for what is neither None nor a render mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise UnknownNameError("render mode", mode, RENDER_MODES)


def _player(spec: str, game: Game, seed: int | None = None) -> Agent:
    """The player of a spec. Where the spec sets no seed and the player takes one, it is `seed`."""
    from boardwright.agents.players import make_agent, player_of

    return make_agent(spec if seed is None else with_seed(player_of(spec, game), spec, seed), game)

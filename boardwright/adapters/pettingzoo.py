"""A game as a PettingZoo environment, over the scalar engine.

    from boardwright.adapters import pettingzoo

    env = pettingzoo.env("tablut", rules="tablutzero", render_mode="human")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

The agents are the roles. They need not alternate: one may act several times in a row, and chance
moves are made inside `reset` and `step`, so that it is always an agent's turn.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from boardwright.adapters import gymnasium as shared
from boardwright.adapters.gymnasium import Observation
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position, Rules


def env(
    game: str = "tablut",
    rules: str | Path | Mapping[str, Any] | Rules | None = None,
    render_mode: str | None = None,
    observation: str | None = None,
) -> AECEnv[str, Observation, int | None]:
    """The environment as PettingZoo's classic games offer it: misuse is caught, and an illegal action
    ends the game with -1 for the agent that took it and 0 for the other.
    """
    raw = raw_env(game, rules, render_mode, observation)
    checked = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1))
    return wrappers.OrderEnforcingWrapper(checked)


class BoardEnv(AECEnv[str, Observation, int | None]):
    """The bare environment; an illegal action raises IllegalMoveError and changes nothing.

    Observation: `observation`, [rows, columns, planes] float32 from 0 to 1 as the agent sees the
    board, and `action_mask`, [num_actions] int8, all zeros unless it is the agent's turn. Rewards: at
    the end +1 to the winner and -1 to the loser, 0 to both for a draw; the game's own where its rules
    give others, to both agents after every step.
    """

    def __init__(
        self,
        game: str = "tablut",
        rules: str | Path | Mapping[str, Any] | Rules | None = None,
        render_mode: str | None = None,
        observation: str | None = None,
    ):
        super().__init__()
        shared.check_render_mode(render_mode)
        self.game = registry.game(game, rules, observation)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(shared.RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = list(self.game.roles)
        self.action_spaces: dict[str, spaces.Space] = {
            agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents
        }
        self.observation_spaces = {agent: shared.space_for(self.game) for agent in self.possible_agents}
        self._chance = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of `observe(agent)`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """All action numbers of the game; the mask says which are legal."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. The seed is that of chance; without one its generator is not reseeded."""
        if seed is not None:
            self._chance = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.agent_selection = self.agents[0]
        self._arrive_at(self.game.start())

    def step(self, action: int | None) -> None:
        """Plays the selected agent's action; an agent whose game is over passes None."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError(f"step(None) for {agent}, whose game is not over: pass a legal action")
        position = self._position.play(int(action))
        self._cumulative_rewards[agent] = 0.0  # from here on, for this action
        self._arrive_at(position)

    def observe(self, agent: str) -> Observation:
        """An agent's observation, also when it is not to move."""
        role = self.possible_agents.index(agent)
        mask = np.zeros(self.game.num_actions, np.int8)
        if role == self._position.role_to_move and not self.terminations.get(agent, True):
            mask[self._position.legal_actions()] = 1
        return {"observation": self._position.observation(role), "action_mask": mask}

    def render(self) -> str | None:
        """The board as text: returned in mode "ansi", printed in mode "human"."""
        return shared.render_board(self._position, self.render_mode)

    def close(self) -> None:
        """Does nothing; PettingZoo's tests require it of environments that render."""

    def _arrive_at(self, position: Position) -> None:
        """Plays chance's moves from a position, then updates the agents' rewards and flags."""
        rewards = np.array(shared.last_rewards(position), float)
        while position.outcome is None and position.role_to_move == CHANCE:
            position = position.play(int(self._chance.choice(position.legal_actions())))
            rewards += shared.last_rewards(position)
        self._position = position
        self.terminations = dict.fromkeys(self.agents, position.outcome is not None)
        self.rewards = dict(zip(self.agents, rewards.tolist(), strict=True))
        self._accumulate_rewards()
        if position.role_to_move != CHANCE:  # after a game that chance has ended, the last agent stays
            self.agent_selection = self.possible_agents[position.role_to_move]
        if self.render_mode == "human":
            self.render()


raw_env = BoardEnv  # the name PettingZoo's modules give it

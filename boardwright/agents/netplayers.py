"""Players that do what a net says at first sight: `net:net=PATH`, and `dqn` and `ppo` for nets of those methods.

A net file says which method trained it. Each method's nets have their own player, so that nobody plays values of
actions for probabilities or searches with a value that is none. None of them needs JAX.
"""

import dataclasses
import functools
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.netchoice import NETS_KEPT, Purpose, as_observed, check_player, purpose_of, written
from boardwright.agents.specs import SEED, Option, Player, whole
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Game, Position
from boardwright.nets import shipped

# Observations [N, rows, columns, planes] and roles to move [N] -> (logits [N, num_actions], values [N] from the
# side of the mover), float32; as `nets.evaluator.Evaluator.evaluate`.
Evaluate = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def _temperature(text: str) -> float:
    if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", text, flags=re.ASCII) or float(text) > 100:
        raise ValueError("a number from 0 to 100")
    return float(text)


NET = Option("net", "the net: a file, or the name of one that ships", str, "PATH", "")
THREADS = Option("threads", "threads that evaluate positions", whole(1, 256), "N", "1")
TEMPERATURE = Option("temperature", "0: the best move; 1: drawn by the policy, below: sharper", _temperature, "T", "0")
Q_TEMPERATURE = Option("temperature", "0: the highest Q; above: drawn in proportion to e^(Q/T)", _temperature, "T", "0")


@dataclass(frozen=True)
class Net:
    """A net that was asked for, ready to be asked."""

    text: str  # as it was named
    purpose: Purpose
    game: Game  # as the net observes it
    evaluate: Evaluate


class NetPlayer(Agent):
    """What a net would play without looking ahead."""

    def __init__(self, net: Net, temperature: float = 0.0, seed: int | None = None):
        self._net = net
        self._temperature = temperature
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The legal move of the highest logit, or one drawn from e^(logit / temperature), whatever the logits are: a
        policy's, Q-values or advantages, which are Q-values but for a number that all moves have in common.

        Where chance is to move, a random one.
        """
        legal = position.legal_actions()
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(legal))
        planes = position.under(self._net.game).observation()[None]
        logits, values = self._net.evaluate(planes, np.array([position.role_to_move], np.int32))
        policy = dict(zip(legal, shares(logits[0, legal]), strict=True))
        action = draw(policy, self._temperature, self._random)
        value = float(np.clip(values[0], -1, 1)) if self._net.purpose.predicts_results else None
        return Choice(action, value, policy, (action,), nodes=1, prior=policy)


def shares(logits: np.ndarray) -> list[float]:
    """Probabilities in proportion to e^logit, of some moves; logits that are no numbers count as 0."""
    scores = np.nan_to_num(logits.astype(np.float64))
    weights = np.exp(scores - scores.max())
    return (weights / weights.sum()).tolist()


def draw(policy: Mapping[int, float], temperature: float, chance: random.Random) -> int:
    """An action drawn from policy^(1 / temperature); at 0 the likeliest, the first among equals."""
    if temperature == 0:
        return max(policy, key=policy.__getitem__)
    highest = max(policy.values())
    weights = [(share / highest) ** (1 / temperature) for share in policy.values()]
    return chance.choices(list(policy), weights)[0]


def find_net(name: str, game: Game, chosen: Mapping[str, Any]) -> Net:
    """The net that a player called `name` was told to use; raises NetError, also for one that it cannot use."""
    if "net" not in chosen:
        raise BoardwrightError(f"player {name!r} needs a net: {name}:net=PATH")
    path = shipped.find(chosen["net"])
    net = _ready(path, written(path), game.name, game.rules, game.observation, chosen["threads"])
    check_player(name, net.purpose, chosen["net"])
    return dataclasses.replace(net, text=chosen["net"])


@functools.lru_cache(maxsize=NETS_KEPT)
def _ready(path: Path, when: object, name: str, rules: Any, observation: str, threads: int) -> Net:
    """The net in a file that was last written then, for a game; raises NetError.

    Players are made anew for every game of a match, but nets, which take longer than many a game, are not.
    """
    del when  # one that is written anew is another
    from boardwright.nets import netfile
    from boardwright.nets.config import without_policy
    from boardwright.nets.evaluator import Evaluator  # onnxruntime takes a while to import

    file = netfile.read(path)
    game = as_observed(file, registry.game(name, rules, observation))
    netfile.check_game(file, game)
    purpose = purpose_of(file)
    if purpose.player == "alphabeta":
        raise without_policy(f"net file {path}", path)
    evaluate = Evaluator(path, game=game, threads=threads).evaluate
    return Net(str(path), purpose, game, evaluate)


def _make(name: str, game: Game, chosen: Mapping[str, Any]) -> Agent:
    return NetPlayer(find_net(name, game, chosen), chosen["temperature"], chosen.get("seed"))


PLAYERS = tuple(
    Player(name, summary, lambda game, chosen, name=name: _make(name, game, chosen), (NET, temperature, THREADS, SEED))
    for name, summary, temperature in (
        ("net", "what a net would play at first sight", TEMPERATURE),
        ("dqn", "the move that a net trained by DQN values most", Q_TEMPERATURE),
        ("ppo", "the policy of a net trained by PPO", TEMPERATURE),
    )
)

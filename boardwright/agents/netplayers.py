"""Players that play a net's policy without search: `net:net=PATH`, and `dqn` and `ppo` for nets of those methods.

A net file names its training method. Each method has its own player, so that Q-values are never taken for
probabilities, nor a search run on a value that is not an expected result. None of them needs JAX.
"""

import functools
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.netchoice import (
    NETS_CACHED,
    check_player,
    file_stamp,
    game_for_net,
    player_for,
    predicts_results,
)
from boardwright.agents.specs import SEED, Option, Player, whole
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Game, Position
from boardwright.nets import shipped

if TYPE_CHECKING:
    from boardwright.nets.netfile import NetFile

# Observations [N, rows, columns, planes] and roles to move [N] -> (logits [N, num_actions], values [N] from the
# side of the mover), float32; as `nets.evaluator.Evaluator.evaluate`.
Evaluate = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def _temperature(text: str) -> float:
    if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", text, flags=re.ASCII) or float(text) > 100:
        raise ValueError("a number from 0 to 100")
    return float(text)


NET = Option("net", "the net: a file, or the name of a shipped net", str, "PATH", "")
THREADS = Option("threads", "threads for evaluating positions", whole(1, 256), "N", "1")
TEMPERATURE = Option(
    "temperature",
    "0: the best move; 1: sampled from the policy, with search from its own; below 1: sharper",
    _temperature,
    "T",
    "0",
)
Q_TEMPERATURE = Option(
    "temperature", "0: the highest Q; above: sampled in proportion to e^(Q/T)", _temperature, "T", "0"
)


@dataclass(frozen=True)
class Net:
    """A loaded net."""

    file: "NetFile"  # without its weights
    game: Game  # with the net's kind of observation
    evaluate: Evaluate


class NetPlayer(Agent):
    """Plays a net's policy or Q-values without search."""

    def __init__(self, net: Net, temperature: float = 0.0, seed: int | None = None):
        self._net = net
        self._temperature = temperature
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The legal move with the highest logit, or one sampled from e^(logit / temperature); random for chance.

        Logits are those of a policy, Q-values, or advantages, which differ from Q-values by a constant.
        """
        legal = position.legal_actions()
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(legal))
        planes = position.under(self._net.game).observation()[None]
        logits, values = self._net.evaluate(planes, np.array([position.role_to_move], np.int32))
        policy = dict(zip(legal, shares(logits[0, legal]), strict=True))
        action = draw(policy, self._temperature, self._random)
        value = float(np.clip(values[0], -1, 1)) if predicts_results(self._net.file) else None
        return Choice(action, value, policy, (action,), nodes=1, prior=policy)


def shares(logits: np.ndarray) -> list[float]:
    """Softmax of the logits of some moves; NaN counts as 0."""
    scores = np.nan_to_num(logits.astype(np.float64))
    weights = np.exp(scores - scores.max())
    return (weights / weights.sum()).tolist()


def draw(policy: Mapping[int, float], temperature: float, chance: random.Random) -> int:
    """An action sampled from policy^(1 / temperature); at 0 the most likely, the first among equals."""
    if temperature == 0:
        return max(policy, key=policy.__getitem__)
    highest = max(policy.values())
    weights = [(share / highest) ** (1 / temperature) for share in policy.values()]
    return chance.choices(list(policy), weights)[0]


def find_net(name: str, game: Game, chosen: Mapping[str, Any]) -> Net:
    """The net in the options of a player called `name`; raises NetError, also if the player cannot use it."""
    if "net" not in chosen:
        raise BoardwrightError(f"player {name!r} needs a net: {name}:net=PATH")
    path = shipped.find(chosen["net"])
    net = _load_net(path, file_stamp(path), game.name, game.rules, game.observation, chosen["threads"])
    check_player(name, net.file, chosen["net"])
    return net


@functools.lru_cache(maxsize=NETS_CACHED)
def _load_net(path: Path, stamp: object, name: str, rules: Any, observation: str, threads: int) -> Net:
    """The net in a file for a game, cached between the games of a match; raises NetError.

    `stamp` changes when the file does.
    """
    from boardwright.nets import netfile
    from boardwright.nets.config import without_policy
    from boardwright.nets.evaluator import Evaluator  # onnxruntime takes a while to import

    file = netfile.read(path)
    game = game_for_net(file, registry.game(name, rules, observation))
    netfile.check_game(file, game)
    if player_for(file) == "alphabeta":
        raise without_policy(f"net file {path}", path)
    return Net(replace(file, weights={}), game, Evaluator(path, game=game, threads=threads).evaluate)


def _player(name: str, summary: str, temperature: Option) -> Player:
    def make(game: Game, chosen: Mapping[str, Any]) -> Agent:
        return NetPlayer(find_net(name, game, chosen), chosen["temperature"], chosen.get("seed"))

    return Player(name, summary, make, (NET, temperature, THREADS, SEED))


PLAYERS = (
    _player("net", "the policy of a net, without search", TEMPERATURE),
    _player("dqn", "the highest Q-value of a net trained by DQN", Q_TEMPERATURE),
    _player("ppo", "the policy of a net trained by PPO", TEMPERATURE),
)

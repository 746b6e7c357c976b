"""The built-in players and the spec strings that name them: `random`, `mc:time=2s`, `mc:sims=5000`.

A spec is a player's name and, after a colon, `key=value` options separated by commas. `random`,
`first-legal` and `mc` play any game; `largest-first`, `greedy` and `greedy-mobility` play Cathedral.
"""

import random
import re
from collections.abc import Callable, Mapping

from boardwright.agents import cathedral
from boardwright.agents.base import Agent, Choice, Limit
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games.base import Game, Position

MOST_SECONDS, MOST_SIMULATIONS = 3600.0, 1_000_000_000


class RandomPlayer:
    """Any legal move, each as likely as the next."""

    def __init__(self, seed: int | None):
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit) -> Choice:
        """A uniformly random legal action."""
        return Choice(self._random.choice(position.legal_actions()))


class FirstLegal:
    """The legal move of the lowest number."""

    def choose(self, position: Position, limit: Limit) -> Choice:
        """The first legal action."""
        return Choice(position.legal_actions()[0])


class MonteCarloPlayer:
    """UCT Monte Carlo tree search with random rollouts, in the scalar engine."""

    def __init__(self, seed: int | None, limit: Limit):
        self._random = random.Random(seed)
        self._limit = limit

    def choose(self, position: Position, limit: Limit) -> Choice:
        """The most visited action; the player's own limit applies where `limit` sets none."""
        if limit.seconds is None and limit.simulations is None:
            limit = self._limit
        actions, visits, values, line, simulations = position.core.monte_carlo(
            self._random.getrandbits(64), limit.simulations or 0, limit.seconds or 0.0
        )
        best = max(range(len(actions)), key=visits.__getitem__)
        policy = {action: count / simulations for action, count in zip(actions, visits, strict=True)}
        return Choice(actions[best], values[best], policy, tuple(line), simulations)


def make_agent(spec: str, game: Game | None = None) -> Agent:
    """The player a spec names; raises BoardwrightError for an unknown name, option or value.

    Where the game is known, a player that cannot play it is refused here rather than when it is to move.
    """
    name, _, tail = spec.partition(":")
    if name not in PLAYERS:
        raise UnknownNameError("player", name, PLAYERS)
    if game is not None and name in CATHEDRAL_PLAYERS:
        cathedral.only_cathedral(name, game)
    options: dict[str, str] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise BoardwrightError(f"player {spec!r}: {part!r} is not of the form option=value")
        options[key] = value
    agent = PLAYERS[name](spec, options)
    if options:
        raise BoardwrightError(f"player {spec!r}: {name!r} has no option {next(iter(options))!r}")
    return agent


def _random_player(spec: str, options: dict[str, str]) -> Agent:
    return RandomPlayer(_seed(spec, options))


def _first_legal(spec: str, options: dict[str, str]) -> Agent:
    return FirstLegal()


def _cathedral_player(spec: str, options: dict[str, str]) -> Agent:
    return CATHEDRAL_PLAYERS[spec.partition(":")[0]](_seed(spec, options))


def _monte_carlo(spec: str, options: dict[str, str]) -> Agent:
    seconds, simulations = options.pop("time", None), options.pop("sims", None)
    limit = Limit(
        seconds=None if seconds is None else _seconds(spec, seconds),
        simulations=None if simulations is None else _whole(spec, "sims", simulations, 1, MOST_SIMULATIONS),
    )
    if seconds is None and simulations is None:
        limit = Limit(seconds=1.0)
    return MonteCarloPlayer(_seed(spec, options), limit)


CATHEDRAL_PLAYERS = {
    player.name: player for player in (cathedral.LargestFirst, cathedral.Greedy, cathedral.GreedyMobility)
}
PLAYERS: Mapping[str, Callable[[str, dict[str, str]], Agent]] = {
    "random": _random_player,
    "first-legal": _first_legal,
    **dict.fromkeys(CATHEDRAL_PLAYERS, _cathedral_player),
    "mc": _monte_carlo,
}


def _seed(spec: str, options: dict[str, str]) -> int | None:
    return _whole(spec, "seed", options.pop("seed"), 0, 2**64 - 1) if "seed" in options else None


def _whole(spec: str, option: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and low <= int(text) <= high):
        raise BoardwrightError(f"player {spec!r}: {option} must be a whole number from {low} to {high}, not {text!r}")
    return int(text)


def _seconds(spec: str, text: str) -> float:
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s)?", text, flags=re.ASCII)
    seconds = float(match[1]) * (0.001 if match[2] == "ms" else 1.0) if match else 0.0
    if not 0 < seconds <= MOST_SECONDS:
        raise BoardwrightError(f"player {spec!r}: time must be like 2s or 500ms, up to an hour, not {text!r}")
    return seconds

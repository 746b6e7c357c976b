"""The games a balance is judged by: a net against itself under several rule sets, from several kinds of openings.

    for line in lines(Question(game="tablut", net=Path("best.net"), rules=("zero", "mcgill")), heard): ...

A net learned one rule set. It may be asked about others that show and number things alike; it plays them as well as
it happens to, and whoever reports that must say so (`Line.is_own`).
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from boardwright.arena.balance import Line, Question, count, opening_name
from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.games.batched import without_chance
from boardwright.games.registry import game as make_game
from boardwright.games.registry import game_class
from boardwright.learn.device import compute_dtype
from boardwright.learn.duel import finished
from boardwright.learn.seating import make_asking
from boardwright.learn.solo import PlaySolo, Solo, make_solo
from boardwright.nets import netfile
from boardwright.nets.config import EvaluationConfig, without_policy
from boardwright.nets.netfile import NetFile
from boardwright.nets.network import Network, make_network, variables_of

AT_ONCE = 2048  # games on the device


def games_of(question: Question) -> tuple[NetFile, list[Game]]:
    """The net, and its game under each of the rule sets; raises BoardwrightError where they do not fit."""
    observations = game_class(question.game).observations
    net = netfile.read(question.net)
    if net.game != question.game:
        raise NetError(
            f"net file {net.path}: made for {net.game}, not {question.game}: choose a net of {question.game}"
        )
    if isinstance(net.config, EvaluationConfig):
        raise without_policy(f"net file {net.path}", net.path)
    if net.training.get("method") == "dqn" or not net.config.foretells_results:
        raise NetError(
            f"net file {net.path}: does not foretell results, so no search can use it: take one of alphazero"
        )
    seen = net.observation if net.observation in observations else None
    wanted = [make_game(question.game, rules, seen) for rules in question.rules] or [netfile.game_of(net)]
    for game in wanted:
        netfile.check_interface(net, game, "leave that rule set out, or take a net of its own")
    return net, wanted


def lines(question: Question, heard: Callable[[str, int, int], None] | None = None) -> Iterator[Line]:
    """Plays all games, a line after the other; `heard` is told what is played, games that are over, and all games."""
    net, wanted = games_of(question)
    for game in wanted:
        name, is_own = game.rules.name, not netfile.differing_rules(net, game)
        network, play, rounds = _playing(game, net.config, question.games, question.simulations)
        folded = jax.jit(network.fold)(variables_of(net.weights))
        for plies in question.openings:
            what = f"{name}, {opening_name(plies)}"
            key = jax.random.fold_in(jax.random.key(question.seed), zlib.crc32(what.encode()))
            played: list[Solo] = []
            for number in range(rounds):
                told = functools.partial(_tell, heard, what, question.games, number, rounds)
                played.append(finished(play(jax.random.fold_in(key, number), folded, plies), told))
            arrays = (
                np.concatenate([getattr(part, field) for part in played])[: question.games]
                for field in ("result", "plies", "openings")
            )
            yield Line(name, is_own, plies, count(*arrays))


def _tell(
    heard: Callable[[str, int, int], None] | None, what: str, games: int, number: int, rounds: int, share: float
) -> None:
    """How many of the games are over when this share of a round is."""
    if heard is not None:
        heard(what, round((number + share) / rounds * games), games)


@functools.lru_cache(maxsize=4)  # compiled once for nets of an architecture
def _playing(game: Game, config: Any, games: int, simulations: int) -> tuple[Network, PlaySolo, int]:
    """The net's functions, play of a round, and how many rounds make so many games."""
    rounds = math.ceil(games / AT_ONCE)
    env = without_chance(game.batch()) if game.has_chance else game.batch()
    network = make_network(config, game, dtype=compute_dtype())
    play = make_solo(
        env,
        make_asking(network, env),
        games=math.ceil(games / rounds),
        simulations=simulations,
        slots=min(game.slots, game.num_actions),
    )
    return network, play, rounds

"""Nets from files against each other on the device, whatever their architecture and what they observe.

(score,) = meet(netfile.read(one), [netfile.read(other)], games=1000, simulations=128, opening_plies=4, seed=0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import jax

from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.games.batched import without_chance
from boardwright.learn.distributed.device import compute_dtype
from boardwright.learn.match.duel import Contest, Score, finished, make_duel
from boardwright.learn.match.pairing import NetEvaluator, make_net_evaluator
from boardwright.learn.shared.match_config import SearchConfig
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.netfile import NetFile
from boardwright.nets.network import Network, Variables, make_network, variables_of


def meet(
    challenger: NetFile,
    others: Sequence[NetFile],
    *,
    games: int,
    simulations: int,
    opening_plies: int,
    seed: int,
    heard: Callable[[float], None] | None = None,
) -> list[Score]:
    """Role-swapped pairs of games against each of several nets of one architecture, with equal simulations.

    The search is Gumbel's, whatever the nets were trained with. Raises NetError for nets of other games or rules.
    """
    game, theirs = netfile.game_of(challenger), netfile.game_of(others[0])
    for other in others:
        if other.game != challenger.game or netfile.differing_rules(other, game):
            raise NetError(f"net file {other.path}: not of the game and rules of {challenger.path}: they cannot meet")
        if (other.config, other.observation) != (others[0].config, others[0].observation):
            raise NetError(f"net file {other.path}: built otherwise than {others[0].path}: let them meet one by one")
    contest = _contest(
        game, challenger.config, theirs, others[0].config, len(others), games, simulations, opening_plies
    )
    nets = [_folded(game, challenger), *(_folded(theirs, other) for other in others)]
    return finished(contest(jax.random.key(seed), nets[0], nets[1:]), heard)


@functools.lru_cache(maxsize=8)  # compiled once for nets of an architecture and contests of a size
def _contest(
    game: Game,
    config: Architecture,
    theirs: Game,
    their_config: Architecture,
    opponents: int,
    games: int,
    simulations: int,
    opening_plies: int,
) -> Contest:
    return make_duel(
        without_chance(game.batch()) if game.has_chance else game.batch(),
        _asked(game, config)[1],
        SearchConfig(),
        opponents=opponents,
        games=games,
        simulations=simulations,
        slots=min(game.max_search_actions, game.num_actions),
        opening_plies=opening_plies,
        theirs=_asked(theirs, their_config)[1],
    )


@functools.lru_cache(maxsize=8)
def _asked(game: Game, config: Architecture) -> tuple[Network, NetEvaluator]:
    """A net's functions, and how it is asked: of what it observes itself."""
    network = make_network(config, game, dtype=compute_dtype())
    return network, make_net_evaluator(network, game.batch())


def _folded(game: Game, net: NetFile) -> Variables:
    return jax.jit(_asked(game, net.config)[0].fold)(variables_of(net.weights))

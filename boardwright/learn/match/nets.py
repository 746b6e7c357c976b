"""Matches between nets from files, of any architectures and observations.

(result,) = play_nets(netfile.read(one), [netfile.read(other)], games=1000, simulations=128, opening_plies=4, seed=0)
"""

import functools
from collections.abc import Callable, Sequence

import jax

from boardwright.errors import NetError
from boardwright.games.base import BatchEnv, Game
from boardwright.games.batched import without_chance
from boardwright.learn.distributed.device import compute_dtype
from boardwright.learn.match.matches import SEARCH_CHUNK, MatchResult, play_matches
from boardwright.learn.match.pairing import make_net_evaluator
from boardwright.learn.match.policies import Policy, search_policy
from boardwright.learn.shared.config import SearchConfig
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.netfile import NetFile
from boardwright.nets.network import make_network, variables_of

NetPlayer = Callable[[Sequence[NetFile], int], Policy]  # nets that share the games, plies of the opening -> policy


def play_nets(
    challenger: NetFile,
    others: Sequence[NetFile],
    *,
    games: int,
    simulations: int,
    opening_plies: int,
    seed: int,
    on_share: Callable[[float], None] | None = None,
) -> list[MatchResult]:
    """Role-swapped pairs of games against each of several nets of one architecture, with equal simulations.

    The search is Gumbel's, also for nets that were trained with PUCT. Raises NetError for nets of other games or rules.
    """
    game, theirs = netfile.game_of(challenger), netfile.game_of(others[0])
    for other in others:
        if other.game != challenger.game or netfile.differing_rules(other, game):
            raise NetError(f"net file {other.path}: made for another game or other rules than {challenger.path}")
        if (other.config, other.observation) != (others[0].config, others[0].observation):
            raise NetError(
                f"net file {other.path}: its architecture or observation differs from {others[0].path}: "
                "play a separate match against each"
            )
    first = net_player(game, game, challenger.config, simulations)([challenger], opening_plies)
    second = net_player(game, theirs, others[0].config, simulations)(others, opening_plies)
    return play_matches(
        jax.random.key(seed),
        env_of(game),
        (first, second),
        openings=games // 2,
        groups=len(others),
        opening_plies=opening_plies,
        chunk=SEARCH_CHUNK,
        on_share=on_share,
    ).results()


@functools.lru_cache(maxsize=8)  # compiled once for a game
def env_of(game: Game) -> BatchEnv:
    """The batched environment of a game, whose steps sample chance moves."""
    return without_chance(game.batch()) if game.has_chance else game.batch()


@functools.lru_cache(maxsize=8)  # compiled once for nets of an architecture
def net_player(game: Game, observed: Game, config: Architecture, simulations: int) -> NetPlayer:
    """Gumbel search of a game with nets of an architecture, with the observation of `observed`."""
    network = make_network(config, observed, dtype=compute_dtype())
    slots, fold = min(game.max_search_actions, game.num_actions), jax.jit(network.fold)
    evaluator = make_net_evaluator(network, observed.batch())
    policy = search_policy(env_of(game), evaluator, SearchConfig(), simulations=simulations, slots=slots)
    return lambda nets, opening_plies: policy([fold(variables_of(net.weights)) for net in nets], opening_plies)

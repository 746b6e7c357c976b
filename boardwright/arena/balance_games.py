"""The games a balance is judged by: nets against themselves under several rule sets, from several kinds of openings.

    for line in lines(Question(game=name, nets=(Path("best.net"),), rules=names), heard): ...

A net learned one rule set, and is the one to ask about it. It may be asked about others that show and number things
alike, where no net learned those; it plays them as well as it happens to, and whoever reports that must say so
(`Line.is_own`).
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from boardwright.agents.netchoice import check_player, purpose_of
from boardwright.arena.balance import Line, Question, count, opening_name
from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.games.batched import without_chance
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import compute_dtype
from boardwright.learn.match.duel import finished
from boardwright.learn.match.pairing import make_net_evaluator
from boardwright.learn.match.solo import PlaySolo, Solo, make_solo
from boardwright.nets import netfile, shipped
from boardwright.nets.netfile import NetFile
from boardwright.nets.network import Network, make_network, variables_of

AT_ONCE = 2048  # games on the device


def games_of(question: Question) -> list[tuple[NetFile, Game]]:
    """For each of the rule sets the net that plays it, and its game; raises BoardwrightError where they do not fit."""
    nets = [_usable(path, question.game) for path in question.nets]
    asked = [make_game(question.game, rules) for rules in question.rules] or _learned(nets)
    found: list[tuple[NetFile, Game]] = []
    for wanted in asked:
        net = _player(nets, wanted)
        game = make_game(question.game, wanted.rules, net.observation)
        netfile.check_interface(net, game, "leave that rule set out, or take a net of its own")
        found.append((net, game))
    for net in nets:
        if not any(net is player for player, _ in found):
            played = ", ".join(f"{game.rules.name} by {shipped.name_of(player.path)}" for player, game in found)
            raise NetError(
                f"net {shipped.name_of(net.path)} plays none of the rule sets: {played}: leave it out, or ask about "
                f"rules that it alone learned"
            )
    return found


def _player(nets: Sequence[NetFile], game: Game) -> NetFile:
    """The first net that learned exactly these rules, or else the first."""
    return next((net for net in nets if not netfile.differing_rules(net, game)), nets[0])


def _learned(nets: Sequence[NetFile]) -> list[Game]:
    """The games that nets learned, each once, whatever its rules are called."""
    return [game for net in nets if _player(nets, game := netfile.game_of(net)) is net]


def _usable(path: Path, game: str) -> NetFile:
    """A net of a game that a search can use; raises NetError."""
    net = netfile.read(path)
    if net.game != game:
        raise NetError(f"net file {net.path}: made for {net.game}, not {game}: choose a net of {game}")
    check_player("zero", purpose_of(net), str(path))
    return net


def lines(question: Question, heard: Callable[[str, int, int], None] | None = None) -> Iterator[Line]:
    """Plays all games, a line after the other; `heard` is told what is played, games that are over, and all games."""
    for net, game in games_of(question):
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
            yield Line(name, shipped.name_of(net.path), is_own, plies, count(*arrays))


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
        make_net_evaluator(network, env),
        games=math.ceil(games / rounds),
        simulations=simulations,
        slots=min(game.max_search_actions, game.num_actions),
    )
    return network, play, rounds

"""Games that measure balance: nets against themselves under several rule sets and with several kinds of openings.

    for line in lines(BalanceSettings(game=name, nets=(Path("best.net"),), rules=names), on_progress): ...

A net is used for the rule set it was trained on, and for others with the same observation and actions if no net was
trained on them; `Line.is_own` says which.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import jax

from boardwright.agents.netchoice import check_player
from boardwright.arena.balance import BalanceSettings, Line, count, opening_name
from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.games.registry import game as make_game
from boardwright.learn.match.matches import env_of, net_player, play_matches
from boardwright.nets import netfile, shipped
from boardwright.nets.netfile import NetFile

AT_ONCE = 2048  # games on the device
CHUNK = 8  # actions in each game between two checks whether all are over


def games_of(settings: BalanceSettings) -> list[tuple[NetFile, Game]]:
    """The net and the game of each rule set; raises BoardwrightError if they do not fit."""
    nets = [_usable(path, settings.game) for path in settings.nets]
    games = [make_game(settings.game, rules) for rules in settings.rules]
    if not games:  # those that nets were trained on, each once
        games = [game for net in nets if _player(nets, game := netfile.game_of(net)) is net]
    found: list[tuple[NetFile, Game]] = []
    for asked in games:
        net = _player(nets, asked)
        game = make_game(settings.game, asked.rules, net.observation)
        netfile.check_interface(net, game, "leave that rule set out, or take a net of its own")
        found.append((net, game))
    for net in nets:
        if not any(net is player for player, _ in found):
            played = ", ".join(f"{game.rules.name} by {shipped.name_of(player.path)}" for player, game in found)
            raise NetError(
                f"net {shipped.name_of(net.path)} is not used; the rule sets are played by others ({played}): "
                "leave it out, or add its own rule set"
            )
    return found


def _player(nets: Sequence[NetFile], game: Game) -> NetFile:
    """The first net that was trained on exactly these rules, else the first net."""
    return next((net for net in nets if not netfile.differing_rules(net, game)), nets[0])


def _usable(path: Path, game: str) -> NetFile:
    """A net of a game that a search can use; raises NetError."""
    net = netfile.read(path)
    if net.game != game:
        raise NetError(f"net file {net.path}: made for {net.game}, not {game}: choose a net of {game}")
    check_player("alphazero", net, str(path))
    return net


def lines(settings: BalanceSettings, on_progress: Callable[[str, int, int], None] | None = None) -> Iterator[Line]:
    """Plays all games, line by line; `on_progress` gets the name of the line, finished games and all games."""
    for net, game in games_of(settings):
        name, is_own = game.rules.name, not netfile.differing_rules(net, game)
        for plies in settings.openings:
            what = f"{name}, {opening_name(plies)}"
            seeded_by = f"{_first_name(game)}, {opening_name(plies)}"
            key = jax.random.fold_in(jax.random.key(settings.seed), zlib.crc32(seeded_by.encode()))
            show = functools.partial(_show_share, on_progress, what, settings.games) if on_progress else None
            policy = net_player(game, game, net.config, settings.simulations)([net], plies)
            played = play_matches(
                key,
                env_of(game),
                (policy,),
                openings=settings.games,  # every game has its own, so games are independent
                at_once=AT_ONCE,
                opening_plies=plies,
                chunk=CHUNK,
                on_share=show,
            )
            arrays = (played.result[0, 0], played.plies[0, 0], played.openings[0, 0])
            yield Line(name, shipped.name_of(net.path), is_own, plies, count(*arrays))


def _first_name(game: Game) -> str:
    """The first name that a rule set had: seeds come from it, so that renaming does not change published games."""
    return next((old for old, name in game.old_rule_names.items() if name == game.rules.name), game.rules.name)


def _show_share(show: Callable[[str, int, int], None], what: str, games: int, share: float) -> None:
    show(what, round(share * games), games)

"""The list of players, and how a spec string becomes one. A new kind of player adds itself to `PLAYERS`."""

from boardwright.agents import alphabeta, cathedral, external, montecarlo, netplayers, simple, tablut, zero
from boardwright.agents.base import Agent
from boardwright.agents.specs import Player, split, values
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games.base import Game

PLAYERS: tuple[Player, ...] = (
    *simple.PLAYERS,
    *montecarlo.PLAYERS,
    *alphabeta.PLAYERS,
    *cathedral.PLAYERS,
    *tablut.PLAYERS,
    *zero.PLAYERS,
    *netplayers.PLAYERS,
    *external.PLAYERS,
)


def players_of(game: Game) -> tuple[Player, ...]:
    """The kinds of player that play a game; what is made for some games stands after what is made for all."""
    return tuple({player.name: player for player in PLAYERS if player.plays(game)}.values())


def player_of(spec: str, game: Game) -> Player:
    """The kind of player a spec names; raises BoardwrightError where there is none for this game."""
    name, _ = split(spec)
    known = {player.name: player for player in players_of(game)}
    if name in known:
        return known[name]
    others = sorted({other for player in PLAYERS if player.name == name for other in player.games or ()})
    if others:
        raise BoardwrightError(f"player {name!r} plays {' and '.join(others)} only, not {game.name}")
    raise UnknownNameError("player", name, known)


def make_agent(spec: str, game: Game) -> Agent:
    """The player a spec names; raises BoardwrightError for an unknown name, option or value."""
    player = player_of(spec, game)
    _, given = split(spec)
    return player.make(game, values(player, spec, given))

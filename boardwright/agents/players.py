"""The players of a game, and how a spec string becomes one.

A new kind of player for all games is added to `PLAYERS`; players of one game are in its folder, declared as
`Game.players`.
"""

import random
from collections.abc import Callable

from boardwright.agents import alphabeta, alphazero, external, montecarlo, netplayers
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import SEED, Player, split, values
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import Game, Position


class RandomPlayer(Agent):
    """Plays a uniformly random action of those that a function gives, by default all legal ones."""

    def __init__(self, seed: int | None, candidates: Callable[[Position], list[int]] = Position.legal_actions):
        self._random = random.Random(seed)
        self._candidates = candidates

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """A uniformly random candidate."""
        return Choice(self._random.choice(self._candidates(position)))


PLAYERS: tuple[Player | Callable[[Game], Player], ...] = (  # for every game; a function where options depend on it
    Player("random", "a uniformly random legal move", lambda game, chosen: RandomPlayer(chosen.get("seed")), (SEED,)),
    Player(
        "first-legal",
        "the legal action with the lowest number",
        lambda game, chosen: RandomPlayer(0, lambda position: position.legal_actions()[:1]),
    ),
    *montecarlo.PLAYERS,
    alphabeta.player,
    alphazero.player,
    *netplayers.PLAYERS,
    external.player,
)


def players_of(game: Game) -> tuple[Player, ...]:
    """The kinds of player for a game; a game's own player replaces a general one of the same name."""
    general = [player if isinstance(player, Player) else player(game) for player in PLAYERS]
    return tuple({player.name: player for player in (*general, *_own_players(game))}.values())


def _own_players(game: Game | type[Game]) -> tuple[Player, ...]:
    return () if game.players is None else registry.load(game.players)


def player_of(spec: str, game: Game) -> Player:
    """The kind of player a spec names; raises BoardwrightError if this game has no such player."""
    name, _ = split(spec)
    known = {player.name: player for player in players_of(game)}
    if name in known:
        return known[name]
    others = [
        other
        for other in sorted(registry.game_names())
        if any(player.name == name for player in _own_players(registry.game_class(other)))
    ]
    if others:
        raise BoardwrightError(f"player {name!r} plays {' and '.join(others)} only, not {game.name}")
    raise UnknownNameError("player", name, known)


def make_agent(spec: str, game: Game) -> Agent:
    """The player a spec names; raises BoardwrightError for an unknown name, option or value."""
    player = player_of(spec, game)
    _, given = split(spec)
    return player.make(game, values(player, spec, given))

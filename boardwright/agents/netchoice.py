"""Which player the net in a file is for, and whether it fits a game; nothing here makes a player.

Nothing is imported before a net is asked for: most players have none.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boardwright.agents.specs import split
from boardwright.atomicfile import open_ordinary
from boardwright.errors import NetError
from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.nets import shipped

if TYPE_CHECKING:
    from boardwright.nets.netfile import NetFile

NETS_KEPT = 4  # by players that read nets, of those that were asked for last
CHECKSUM_BYTES = 6  # tell nets apart that people keep; nobody is kept from forging one


@dataclass(frozen=True)
class Purpose:
    """What a net is good for."""

    method: str | None  # that trained it, if the file says so
    player: str  # that it is for
    predicts_results: bool  # whether its values are results of games, from -1 to 1


def purpose_of(file: NetFile) -> Purpose:
    """What the net in a file is good for: by its kind, and by the method that trained it."""
    # What a DQN has for a value is the average of its actions', no forecast of its own play.
    method = file.training.get("method")
    return Purpose(method, player_for(file), file.config.predicts_results and method != "dqn")


def player_for(file: NetFile) -> str:
    """The name of the player that a net is for."""
    from boardwright.nets.config import EvaluationConfig

    method = file.training.get("method")
    if isinstance(file.config, EvaluationConfig):
        return "alphabeta"
    if method in ("dqn", "ppo"):
        return method
    return "alphazero" if file.config.predicts_results else "net"


def check_player(player: str, purpose: Purpose, net: str) -> None:
    """Raises NetError where a player other than alpha-beta cannot use a net; `net` is what it was called."""
    from boardwright.nets.config import without_policy

    instead = f"{purpose.player}:net={net}"
    if purpose.player == "alphabeta":
        raise without_policy(f"net {net!r}", net)
    if player == "alphazero":
        if not purpose.predicts_results:
            raise NetError(
                f"net {net!r}: says nothing of who will win, so there is nothing to search with: play it with {instead}"
            )
    elif purpose.method == "dqn" if player == "net" else purpose.method != player:
        trained = purpose.method or "an unknown method"
        raise NetError(f"net {net!r}: trained by {trained}, not for {player!r}: use {instead}")


def check_net(player: str, path: Path, game: Game) -> None:
    """Raises NetError for a file that holds no net of a game and its rules, or none such as a player could ask.

    Takes less than making the player, who will say the rest.
    """
    from boardwright.nets import netfile

    file = netfile.read(path)
    if player == "alphabeta":
        check_evaluation(file, game)
        return
    netfile.check_game(file, game)
    check_player(player, purpose_of(file), str(path))
    netfile.check_fit(file, as_observed(file, game))


def check_evaluation(file: NetFile, game: Game) -> None:
    """Raises NetError for a net that cannot say how positions of a game stand.

    It may have learned under other rules: what pieces are worth where holds under all of them.
    """
    from boardwright.nets import netfile

    netfile.check_game(file, game)
    if player_for(file) != "alphabeta":
        raise NetError(
            f"net file {file.path}: no evaluation net, which alpha-beta needs: use {player_for(file)}:net={file.path}"
        )
    if file.observation != game.evaluation_observation:
        raise NetError(
            f"net file {file.path}: made for observation {file.observation!r}, where alpha-beta in {game.name} needs "
            f"{game.evaluation_observation!r}: train one for that"
        )
    netfile.check_interface(file, as_observed(file, game), "train it again")


def as_observed(file: NetFile, game: Game) -> Game:
    """A game as a net observes it, where it can be observed so."""
    return registry.game(game.name, game.rules, file.observation) if file.observation in game.observations else game


def written(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is written or replaced; None where there is none, which whoever reads it says."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def net_checksum(spec: str) -> str:
    """What tells the net that a player uses from any other, 12 digits; empty for a player without, or without a file.

    A spec names a file, and files change: who wants to know whose games these are asks for both.
    """
    _, given = split(spec)
    if "net" not in given:
        return ""
    try:
        path = shipped.find(given["net"])
        return _checksum(path, written(path))
    except (NetError, OSError):  # the player will say it
        return ""


@functools.lru_cache(maxsize=1024)
def _checksum(path: Path, when: object) -> str:
    """Of a file that was last written then."""
    del when
    with open_ordinary(path) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=CHECKSUM_BYTES)).hexdigest()

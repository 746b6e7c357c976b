"""Which player a net file is for, and whether it fits a game.

Net modules are imported only when needed: most players use no net.
"""

from __future__ import annotations

import functools
import hashlib
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

NETS_CACHED = 4  # nets that players keep loaded, the most recently used
CHECKSUM_BYTES = 6  # enough to distinguish a user's nets; not secure against forgery


def predicts_results(file: NetFile) -> bool:
    """Whether the values of the net in a file are results of games, from -1 to 1."""
    # The value head of a DQN is the mean of its Q-values, not an expected result.
    return file.config.predicts_results and file.training.get("method") != "dqn"


def player_for(file: NetFile) -> str:
    """The name of the player that a net is for."""
    from boardwright.nets.config import EvaluationConfig

    method = file.training.get("method")
    if isinstance(file.config, EvaluationConfig):
        return "alphabeta"
    if method in ("dqn", "ppo"):
        return method
    return "alphazero" if file.config.predicts_results else "net"


def check_player(player: str, file: NetFile, net: str) -> None:
    """Raises NetError if a player other than alpha-beta cannot use a net; `net` is its name in the spec."""
    from boardwright.nets.config import without_policy

    meant_for, method = player_for(file), file.training.get("method")
    instead = f"{meant_for}:net={net}"
    if meant_for == "alphabeta":
        raise without_policy(f"net {net!r}", net)
    if player == "alphazero":
        if not predicts_results(file):
            reason = "its value is not a game result in [-1, 1], which a search needs"
            raise NetError(f"net {net!r}: {reason}: use {instead}")
    elif method == "dqn" if player == "net" else method != player:
        trained = method or "an unknown method"
        raise NetError(f"net {net!r}: trained by {trained}, not for {player!r}: use {instead}")


def check_net(player: str, path: Path, game: Game) -> None:
    """Raises NetError if a file holds no net for a game, its rules and a player. Faster than making the player."""
    from boardwright.nets import netfile

    file = netfile.read(path)
    if player == "alphabeta":
        check_evaluation(file, game)
        return
    netfile.check_game(file, game)
    check_player(player, file, str(path))
    netfile.check_fit(file, game_for_net(file, game))


def check_evaluation(file: NetFile, game: Game) -> None:
    """Raises NetError for a net that cannot evaluate a game's positions for alpha-beta; other rules are accepted."""
    from boardwright.nets import netfile

    netfile.check_game(file, game)
    if player_for(file) != "alphabeta":
        raise NetError(
            f"net file {file.path}: no evaluation network, which alpha-beta needs: "
            f"use {player_for(file)}:net={file.path}"
        )
    if file.observation != game.evaluation_observation:
        raise NetError(
            f"net file {file.path}: observation {file.observation!r}, but alpha-beta in {game.name} needs "
            f"{game.evaluation_observation!r}: train a net with that observation"
        )
    netfile.check_interface(file, game_for_net(file, game), "train it again")


def game_for_net(file: NetFile, game: Game) -> Game:
    """The game with the net's kind of observation, if it has that one; else the game itself."""
    return registry.game(game.name, game.rules, file.observation) if file.observation in game.observations else game


def file_stamp(path: Path) -> tuple[int, int, int] | None:
    """Inode, time and size of a file, to detect changes; None if it cannot be read (reading it reports the error)."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def net_checksum(spec: str) -> str:
    """Checksum of a player's net, 12 hex digits; empty if the player has no net or the file is missing.

    The file that a spec names may change, so stored games record the checksum too.
    """
    _, given = split(spec)
    if "net" not in given:
        return ""
    try:
        path = shipped.find(given["net"])
        return _checksum(path, file_stamp(path))
    except (NetError, OSError):  # making the player reports it
        return ""


@functools.lru_cache(maxsize=1024)
def _checksum(path: Path, stamp: object) -> str:
    """Checksum of a file; `stamp` changes when the file does."""
    with open_ordinary(path) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=CHECKSUM_BYTES)).hexdigest()

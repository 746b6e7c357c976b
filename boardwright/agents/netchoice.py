"""Which player the net in a file is for, and whether it fits a game; nothing here makes a player.

Nothing is imported before a net is asked for: most players have none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boardwright.errors import NetError
from boardwright.games import registry
from boardwright.games.base import Game

if TYPE_CHECKING:
    from boardwright.nets.netfile import NetFile

NETS_KEPT = 4  # by players that read nets, of those that were asked for last


def player_for(file: NetFile) -> str:
    """The name of the player that a net is for: by its kind, and by the method that trained it."""
    from boardwright.nets.config import EvaluationConfig

    method = file.training.get("method")
    if isinstance(file.config, EvaluationConfig):
        return "alphabeta"
    if method in ("dqn", "ppo"):
        return method
    return "zero" if file.config.foretells_results else "net"


def check_net(player: str, path: Path, game: Game) -> None:
    """Raises NetError for a file that holds no net of a game and its rules, or none such as a player could ask.

    Takes less than making the player, who will say the rest.
    """
    from boardwright.nets import netfile
    from boardwright.nets.config import without_policy

    file = netfile.read(path)
    if player == "alphabeta":
        check_evaluation(file, game)
        return
    netfile.check_game(file, game)
    if player_for(file) == "alphabeta":
        raise without_policy(f"net file {path}", path)
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
    netfile.check_interface(file, as_observed(file, game), "train it anew")


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

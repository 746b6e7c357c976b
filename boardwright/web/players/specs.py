"""Players as clients may name them: no path, no command, and no more than their share of the machine.

A net is one that ships, by its name, or that of a training run, `run/ID`, with an id that the server itself gave it.
So whatever a client writes, only files that the server found by itself are ever opened.
"""

from collections.abc import Mapping
from pathlib import Path

from boardwright.agents.netchoice import check_net, net_checksum
from boardwright.agents.netplayers import NET
from boardwright.agents.players import player_of, players_of
from boardwright.agents.specs import Player, split, values
from boardwright.errors import BoardwrightError, NetError, UnknownNameError
from boardwright.games.base import Game
from boardwright.nets import shipped
from boardwright.web.settings import Settings
from boardwright.web.training.runs import best_net, find_runs

RUN = "run/"  # before the id of a run, where a net is asked for
FORBIDDEN = ("external",)  # players that run programs
# What `net=` is to clients, and its form: elsewhere it may be a path.
NET_WORDS = ("the net: the name of one that ships, or run/ID of a training run", "NAME")


def playable(player: Player) -> bool:
    """Whether clients may ask for a kind of player at all."""
    return player.name not in FORBIDDEN


def run_nets(settings: Settings) -> dict[str, Path]:
    """The net that plays of every training run, by the name that stands for it in a spec."""
    found = {f"{RUN}{run.id}": best_net(run) for run in find_runs(settings.runs)}
    return {name: path for name, path in found.items() if path is not None}


def resolved(spec: str, game: Game, settings: Settings) -> str:
    """The spec a worker makes the player from; raises BoardwrightError for what clients may not ask."""
    name, given = split(spec)
    try:
        player = player_of(spec, game)
    except UnknownNameError:
        raise UnknownNameError("player", name, {known.name for known in players_of(game) if playable(known)}) from None
    if not playable(player):
        raise BoardwrightError(f"player {player.name!r} runs a program on the server: it plays from the terminal only")
    _check_bounds(spec, given, settings)
    if given.get("tables", "off") != "off":
        raise BoardwrightError(f"player {spec!r}: tables= must be off or left out: folders are the server's own affair")
    if "net" in given:
        given["net"] = _net(given["net"], settings)
    elif NET in player.options:  # rather than one that may be left out
        ships = ", ".join(shipped.names()) or "none"
        raise BoardwrightError(
            f"player {spec!r} needs a net, net=NAME: one that ships ({ships}) or a training run's, run/ID"
        )
    values(player, spec, {key: text for key, text in given.items() if key not in ("net", "tables")})
    options = ",".join(f"{key}={text}" for key, text in given.items())
    return f"{name}:{options}" if options else name


def check_fits(spec: str, game: Game, settings: Settings) -> None:
    """Raises BoardwrightError for a player whose net is of another game or other rules, or cannot be read.

    Reads the net: not for the event loop, and not for every move.
    """
    player, given = split(resolved(spec, game, settings))
    if "net" not in given:
        return
    try:
        check_net(player, shipped.find(given["net"]), game)
    except NetError as error:
        raise NetError(without_paths(str(error), settings)) from error


def net_now(spec: str, game: Game, settings: Settings) -> str:
    """Checksum of the net that a player would use now; empty for none."""
    try:
        return net_checksum(resolved(spec, game, settings))
    except BoardwrightError:  # its run has gone
        return ""


def without_paths(text: str, settings: Settings) -> str:
    """What is said of nets, with each named as clients name it: where files lie is nobody's business."""
    places = {str(path.resolve()): name for name, path in run_nets(settings).items()}
    places |= {str(shipped.find(name)): name for name in shipped.names()}
    if settings.runs is not None:
        places[f"{settings.runs.resolve()}/"] = RUN  # of a run that has just gone
    for path, name in places.items():
        text = text.replace(path, name)
    return text


def _net(text: str, settings: Settings) -> str:
    """What `net=` is to be for the worker."""
    if text in shipped.names():
        return text
    nets = run_nets(settings)
    if text not in nets:
        raise UnknownNameError("net", text, (*shipped.names(), *nets))
    return str(nets[text].resolve())


def _check_bounds(spec: str, given: Mapping[str, str], settings: Settings) -> None:
    bounds = {
        "threads": settings.worker_threads,
        "hash": settings.table_megabytes,
        "memory": settings.table_megabytes,
        "batch": 64,
    }
    for option, most in bounds.items():
        text = given.get(option, "")
        if text.isascii() and text.isdigit() and (len(text) > 9 or int(text) > most):
            raise BoardwrightError(f"player {spec!r}: {option}= may be at most {most} on this server")

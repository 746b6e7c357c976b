"""Games, rule sets and player specs that clients may name: no files, no commands, and bounded resources.

Rule sets are the shipped ones. A net is either a shipped one, by name, or that of a training run, `run/ID`, with an id
made by the server. So a client can only make the server open files that the server itself found.
"""

import contextlib
from pathlib import Path

from boardwright.agents.netchoice import check_net, net_checksum
from boardwright.agents.netplayers import NET
from boardwright.agents.players import player_of, players_of
from boardwright.agents.specs import Player, split, values
from boardwright.errors import BoardwrightError, NetError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import Game, Rules
from boardwright.nets import shipped
from boardwright.web.server.http import NotFoundError
from boardwright.web.settings import Settings
from boardwright.web.training.runs import best_net, find_run, find_runs

RUN = "run/"  # prefix of a run id in `net=`
# Help and form of `net=` for clients; on the command line it may also be a path.
NET_HELP = ("the net: the name of one that ships, or run/ID of a training run", "NAME")


def bound_game(name: str, rules: str | None) -> Game:
    """A game under one of its shipped rule sets, the default for None; raises UnknownNameError."""
    known = registry.game_class(name).rule_sets()
    rules = registry.current_rule_name(name, rules)
    if rules is not None and rules not in known:
        raise UnknownNameError(f"rule set of {name}", rules, known)
    return registry.game(name, rules)


def is_shipped(game: str, rules: Rules) -> bool:
    """Whether a rule set equals the shipped one of its name, so that the name is enough to replay a game."""
    return registry.game_class(game).rule_sets().get(rules.name) == rules


def is_playable(player: Player) -> bool:
    """Whether clients may use a kind of player: it must not run programs."""
    return player.name != "external"


def run_nets(settings: Settings) -> dict[str, Path]:
    """The best net of every training run, by its name in specs."""
    found = {f"{RUN}{run.id}": best_net(run) for run in find_runs(settings.runs)}
    return {name: path for name, path in found.items() if path is not None}


def resolve(spec: str, game: Game, settings: Settings) -> str:
    """The spec that a worker makes the player from; raises BoardwrightError for one that clients may not use."""
    name, given = split(spec)
    try:
        player = player_of(spec, game)
    except UnknownNameError:
        known = {player.name for player in players_of(game) if is_playable(player)}
        raise UnknownNameError("player", name, known) from None
    if not is_playable(player):
        raise BoardwrightError(
            f"player {player.name!r} runs a program on the server: it is available on the command line only"
        )
    megabytes = settings.table_megabytes
    bounds = {"threads": settings.worker_threads, "hash": megabytes, "memory": megabytes, "batch": 64}
    for option, most in bounds.items():
        text = given.get(option, "")
        if text.isascii() and text.isdigit() and (len(text) > 9 or int(text) > most):
            raise BoardwrightError(f"player {spec!r}: {option}= may be at most {most} on this server")
    if given.get("tables", "off") != "off":
        raise BoardwrightError(f"player {spec!r}: tables= must be off or left out on this server")
    net = given.get("net")
    if net is not None and net not in shipped.names():
        path = None
        if net.startswith(RUN):  # looks at no other run, since every move of a game needs it
            with contextlib.suppress(NotFoundError):
                path = best_net(find_run(settings.runs, net.removeprefix(RUN)))
        if path is None:
            raise UnknownNameError("net", net, (*shipped.names(), *run_nets(settings)))
        given["net"] = str(path.resolve())
    if net is None and NET in player.options:  # where the net is required
        ships = ", ".join(shipped.names()) or "none"
        raise BoardwrightError(
            f"player {spec!r} needs a net, net=NAME: a shipped one ({ships}) or run/ID for a training run"
        )
    values(player, spec, {key: text for key, text in given.items() if key not in ("net", "tables")})
    options = ",".join(f"{key}={text}" for key, text in given.items())
    return f"{name}:{options}" if options else name


def check_fits(spec: str, game: Game, settings: Settings) -> None:
    """Raises BoardwrightError if the player's net is for another game or other rules, or cannot be read.

    It reads the net: do not call it on the event loop or for every move.
    """
    player, given = split(resolve(spec, game, settings))
    if "net" not in given:
        return
    try:
        check_net(player, shipped.find(given["net"]), game)
    except NetError as error:
        raise NetError(hide_paths(str(error), settings)) from error


def current_net(spec: str, game: Game, settings: Settings) -> str:
    """Checksum of the net that a player would use now; empty if it has none."""
    try:
        return net_checksum(resolve(spec, game, settings))
    except BoardwrightError:  # its run was deleted
        return ""


def hide_paths(text: str, settings: Settings) -> str:
    """A message with the paths of nets replaced by their names: it never reveals file paths to clients."""
    places = {str(path.resolve()): name for name, path in run_nets(settings).items()}
    places |= {str(shipped.find(name)): name for name in shipped.names()}
    if settings.runs is not None:
        places[f"{settings.runs.resolve()}/"] = RUN  # of a run deleted just now
    for path, name in places.items():
        text = text.replace(path, name)
    return text

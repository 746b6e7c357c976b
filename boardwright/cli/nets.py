"""List the nets that ship with the package, or describe one of them or any net file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tyro.conf import Positional

from boardwright.agents.netchoice import player_for
from boardwright.cli.common import JsonOption, print_json
from boardwright.nets import netfile, shipped
from boardwright.nets.config import options_of
from boardwright.nets.netfile import NetFile


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which net."""

    net: Positional[str | None] = None  # Name of a net that ships, or path of a net file. Default: all that ship.


def run(options: Options) -> None:
    """Prints one line per net or a description of one, or JSON `{nets: [{name, game, rules, …}]}`."""
    names = shipped.names() if options.net is None else [options.net]
    found = {name: netfile.read(shipped.find(name)) for name in names}
    if options.json:
        print_json({"nets": [_fields(name, net) for name, net in found.items()]})
    elif options.net is not None:
        print(_describe(options.net, found[options.net]))
    else:
        print("\n".join(_line(name, net) for name, net in found.items()) or "no nets ship with this version")


def _fields(name: str, net: NetFile) -> dict[str, Any]:
    return {
        "name": name,
        "file": str(net.path),
        "bytes": net.path.stat().st_size,
        "game": net.game,
        "rules": net.rules["name"],
        "observation": net.observation,
        "architecture": options_of(net.config),
        "player": _player(name, net),
        "training": dict(net.training),
    }


def _line(name: str, net: NetFile) -> str:
    training = net.training
    parts = [f"{net.game} {net.rules['name']}", net.config.size, f"{net.path.stat().st_size / 1e6:.2f} MB"]
    parts += [f"{training['frames']:,} frames"] if "frames" in training else []
    parts += [f"{training['device_minutes']:g} minutes"] if training.get("device_minutes") is not None else []
    parts += [f"Elo {training['elo'][-1]['elo']:.0f}"] if training.get("elo") else []
    return f"{name}: {', '.join(parts)}"


def _describe(name: str, net: NetFile) -> str:
    """Everything but the weights, one item per line."""
    training = dict(net.training)
    curve, config = training.pop("elo", []), training.pop("config", {})
    lines = [_line(name, net), f"file: {net.path}", f"player: {_player(name, net)}", f"observation: {net.observation}"]
    for key, value in training.items():
        if value not in (None, []):
            label = "training minutes" if key == "device_minutes" else key.replace("_", " ")
            lines.append(f"{label}: {_text(value)}")
    lines += [
        f"Elo after iteration {at['iteration']} ({at['frames']:,} frames): "
        f"{at['elo']:.0f}, 95 % interval {at['low']:.0f} to {at['high']:.0f}"
        for at in curve
    ]
    lines += [f"setting {path}: {_text(value)}" for path, value in _settings(config).items()]
    return "\n".join(lines)


def _player(name: str, net: NetFile) -> str:
    """The spec of the player that a net is for."""
    return f"{player_for(net)}:net={name}"


def _settings(config: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Settings by their path, as in `train --set PATH=VALUE`."""
    flat: dict[str, Any] = {}
    for name, value in config.items():
        flat |= _settings(value, f"{path}{name}.") if isinstance(value, dict) else {f"{path}{name}": value}
    return flat


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

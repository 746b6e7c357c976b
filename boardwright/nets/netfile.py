"""Net files: safetensors, with a JSON header in the metadata that describes the net and its game.

The header, under the one key `boardwright`, holds the format's version, architecture, game, rule set with
all its options, observation and its planes, number of actions, where the net comes from, and a checksum
over all of that and the weights. The weights of `layout.py` are stored with `places`, the order of
the policy's outputs, so that a graph for play needs nothing but the file. See docs/reference/nets.md.

Reading takes numpy and safetensors alone, and nothing in a file is ever run.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors
import safetensors.numpy

from boardwright.atomicfile import write_atomic
from boardwright.errors import BoardwrightError, NetError, reraise_as
from boardwright.games import registry, rulefile
from boardwright.games.base import Game
from boardwright.nets.config import Architecture, EvaluationConfig, NetConfig, config_of, options_of
from boardwright.nets.layout import Interface, interface_of, table_of, weight_shapes

VERSION = 1
KEY = "boardwright"  # of the header in the metadata
PLACES = "places"  # the only tensor that is not a weight
MAX_HEADER_BYTES = 1 << 20
MAX_BYTES = 1 << 30
AGAIN = "copy or train it again"
HEADER = {  # what a reader relies on
    "architecture": dict,
    "game": str,
    "rules": dict,
    "observation": str,
    "observation_shape": list,
    "planes": list,
    "policy_planes": int | None,
    "actions": int,
    "training": dict,
}


@dataclass(frozen=True, eq=False)
class NetFile:
    """The contents of a net file."""

    path: Path
    config: Architecture
    interface: Interface
    game: str
    rules: Mapping[str, Any]  # every option of the rule set
    observation: str
    planes: tuple[str, ...]  # what each plane of an observation shows
    training: Mapping[str, Any]  # provenance: settings, iteration, frames
    weights: Mapping[str, np.ndarray]  # float32, by the names of `layout.py`


def write(
    path: Path,
    *,
    config: Architecture,
    game: Game,
    weights: Mapping[str, np.ndarray],
    training: Mapping[str, Any],
    storage: Literal["float32", "bfloat16"] = "float32",
) -> None:
    """Writes a net atomically; kernels in bfloat16 take half the space."""
    interface = interface_of(config, game)
    shapes = {name: weight.shape for name, weight in weights.items()}
    if shapes != weight_shapes(config, interface):
        raise NetError(f"net file {path}: the weights are not those of a {config.size} net of {game.name}")
    tensors = {name: _encode(name, weight, storage) for name, weight in weights.items()}
    tensors[PLACES] = interface.places
    header = {
        "version": VERSION,
        "architecture": options_of(config),
        "game": game.name,
        "rules": dataclasses.asdict(game.rules),
        "observation": game.observation,
        "observation_shape": game.observation_shape,
        "planes": game.planes,
        "policy_planes": interface.policy_planes,
        "actions": game.num_actions,
        "training": dict(training),
    }
    with reraise_as(NetError, f"net file {path}: its training record is not JSON", TypeError, ValueError):
        text = _canonical(header)
        header["sha256"] = _checksum(text, ((name, array.tobytes()) for name, array in tensors.items()))
        data = safetensors.numpy.save(tensors, {KEY: _canonical(header)})
    if int.from_bytes(data[:8], "little") > MAX_HEADER_BYTES:
        raise NetError(f"net file {path}: its training record has more than {MAX_HEADER_BYTES} bytes")
    with reraise_as(NetError, f"cannot write net file {path}"):
        write_atomic(path, data)


def read(path: Path, *, game: Game | None = None) -> NetFile:
    """The net in a file, checked against a game if one is given; raises NetError."""
    header, stored = _read(path)
    try:
        net = _net(path, header, stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise NetError(f"net file {path}: its header is incomplete or malformed ({error}): {AGAIN}") from error
    if game is not None:
        check_fit(net, game)
    return net


def game_of(net: NetFile) -> Game:
    """The game a net was made for, under its rule set and observation."""
    return _game(net.path, net.game, net.rules, net.observation)


def check_fit(net: NetFile, game: Game) -> None:
    """Raises NetError for a net that was not made for a game, its rules and its observation."""
    check_game(net, game)
    own, differing = game_of(net), differing_rules(net, game)
    if differing:
        raise NetError(
            f"net file {net.path}: made for rules {own.rules.name!r} ({', '.join(differing)}), not "
            f"{game.rules.name!r}: play those rules, or choose a net trained for these"
        )
    if net.observation != game.observation:
        raise NetError(
            f"net file {net.path}: made for observation {net.observation!r}, not {game.observation!r}: use "
            f"observation {net.observation!r}"
        )
    check_interface(net, game, "train it again")


def differing_rules(net: NetFile, game: Game) -> list[str]:
    """The options of a net's rules that differ from those of a game, as `option=value` of the net."""
    own = game_of(net)
    return [
        f"{field.name}={rulefile.value_text(getattr(own.rules, field.name))}"
        for field in dataclasses.fields(game.rules)
        if field.name != "name" and getattr(own.rules, field.name) != getattr(game.rules, field.name)
    ]


def check_interface(net: NetFile, game: Game, remedy: str) -> None:
    """Raises NetError for a net with other planes or actions than a game, under any rules."""
    check_game(net, game)
    expected = interface_of(net.config, game)
    if (
        net.planes != game.planes
        or net.interface.observation_shape != expected.observation_shape
        or net.interface.policy_planes != expected.policy_planes
        or not np.array_equal(net.interface.places, expected.places)
    ):
        raise NetError(
            f"net file {net.path}: made for other planes or actions than {game.name} {game.rules.name} has in this "
            f"version: {remedy}"
        )


def check_game(net: NetFile, game: Game) -> None:
    """Raises NetError for a net of another game."""
    if net.game != game.name:
        raise NetError(f"net file {net.path}: made for {net.game}, not {game.name}: choose a net of {game.name}")


def _game(path: Path, name: str, rules: Mapping[str, Any], observation: str) -> Game:
    with reraise_as(NetError, f"net file {path}: made for an unknown game or rule set", BoardwrightError):
        return registry.game(name, rules, observation)


def _net(path: Path, header: Mapping[str, Any], stored: Mapping[str, np.ndarray]) -> NetFile:
    with reraise_as(NetError, f"net file {path}", BoardwrightError):
        config = config_of(header["architecture"])
    for key, kind in HEADER.items():
        if not isinstance(header[key], kind):
            raise TypeError(key)
    places, actions, planes = stored.get(PLACES), header["actions"], header["policy_planes"]
    shape = tuple(header["observation_shape"])
    if len(shape) != 3 or any(type(number) is not int or number < 1 for number in (*shape, actions, planes or 1)):
        raise TypeError("observation_shape")
    placed = 0 if isinstance(config, EvaluationConfig) else actions
    if places is None or places.shape != (2, placed) or places.dtype != np.int32:
        raise NetError(
            f"net file {path}: its tensor {PLACES!r} is missing or not int32 of shape (2, {placed}): {AGAIN}"
        )
    table = None
    if isinstance(config, NetConfig) and config.policy == "table":
        table = table_of(_game(path, header["game"], header["rules"], header["observation"]))
    interface = Interface(shape, planes, places, table)
    if np.any((places < 0) | (places >= interface.policy_outputs)) or shape[2] != len(header["planes"]):
        raise NetError(
            f"net file {path}: its tensor {PLACES!r} or its planes do not match the shapes in its header: {AGAIN}"
        )
    weights = {name: array for name, array in stored.items() if name != PLACES}
    expected = weight_shapes(config, interface)
    for name in sorted(expected.keys() | weights.keys()):
        found = weights[name].shape if name in weights else None
        if found != expected.get(name):
            raise NetError(
                f"net file {path}: weight {name} is {found or 'missing'} where a {config.size} net has "
                f"{expected.get(name) or 'none'}: {AGAIN}"
            )
        if weights[name].dtype != np.float32:
            raise NetError(f"net file {path}: weight {name} is not float32 or bfloat16: {AGAIN}")
        if not np.isfinite(weights[name]).all():
            raise NetError(f"net file {path}: weight {name} is not finite: its training failed, use an earlier net")
    return NetFile(
        path=path,
        config=config,
        interface=interface,
        game=header["game"],
        rules=registry.with_current_name(header["game"], header["rules"]),
        observation=header["observation"],
        planes=tuple(header["planes"]),
        training=header["training"],
        weights=weights,
    )


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the tensors of an undamaged file."""
    with reraise_as(NetError, f"cannot read net file {path}"):
        if path.exists() and not path.is_file():
            raise NetError(f"net file {path}: not an ordinary file")
        if path.stat().st_size > MAX_BYTES:
            raise NetError(f"net file {path}: larger than {MAX_BYTES} bytes, the maximum of a net file")
        data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > MAX_HEADER_BYTES or len(data) < 8 + length:
        raise NetError(f"net file {path}: not a net, or only part of one: {AGAIN}")
    try:
        metadata = json.loads(data[8 : 8 + length])["__metadata__"]
        header = json.loads(metadata[KEY])
        version, checksum = header["version"], header.pop("sha256")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NetError(f"net file {path}: it has no Boardwright header: not a net, or damaged: {AGAIN}") from error
    if version != VERSION:
        raise NetError(f"net file {path}: of format {version!r}, this version reads {VERSION}: update Boardwright")
    try:
        entries = safetensors.deserialize(data)
        raw = {name: bytes(entry["data"]) for name, entry in entries}
        whole = _checksum(_canonical(header), raw.items()) == checksum
        tensors = {name: _decode(entry["dtype"], raw[name]).reshape(entry["shape"]) for name, entry in entries}
    except (safetensors.SafetensorError, ValueError, RecursionError) as error:
        raise NetError(f"net file {path}: damaged or cut off ({error}): {AGAIN}") from error
    if not whole:
        raise NetError(f"net file {path}: damaged, its checksum is wrong: {AGAIN}")
    return header, tensors


def _encode(name: str, weight: np.ndarray, storage: str) -> np.ndarray:
    weight = np.ascontiguousarray(weight, np.float32)
    if storage == "float32" or not name.endswith("/kernel"):  # biases and statistics are few
        return weight
    import ml_dtypes  # comes with JAX

    return weight.astype(ml_dtypes.bfloat16)


def _decode(dtype: str, data: bytes) -> np.ndarray:
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    if dtype not in ("F32", "I32"):
        raise ValueError(f"numbers of type {dtype}")
    return np.frombuffer(data, "<f4" if dtype == "F32" else "<i4")


def _checksum(header: str, tensors: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256(header.encode())
    for name, data in sorted(tensors):
        digest.update(f"\n{name} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)

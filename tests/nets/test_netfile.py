"""Net files: what is written is read, what does not fit or is damaged is refused in one line."""

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import scrambled
from variations import EVALUATION, EVERYTHING, GAMES, PLAIN

import boardwright
from boardwright.errors import NetError
from boardwright.nets import netfile
from boardwright.nets.config import NetConfig

DRAUGHTS = boardwright.game("draughts")


def one_line(path: Path, complaint: str, **options) -> str:
    with pytest.raises(NetError, match=complaint) as caught:
        netfile.read(path, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert str(path) in text
    return text


def header_and_tensors(path: Path) -> tuple[dict, dict[str, np.ndarray]]:
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    return json.loads(metadata["boardwright"]), safetensors.numpy.load(data)


def rewrite(path: Path, header: dict, tensors: dict[str, np.ndarray]) -> None:
    """Changes a file and corrects its checksum, as an attacker could."""
    header.pop("sha256", None)
    text = netfile._canonical(header)  # pyright: ignore[reportPrivateUsage]
    raw = ((name, array.tobytes()) for name, array in tensors.items())
    header["sha256"] = netfile._checksum(text, raw)  # pyright: ignore[reportPrivateUsage]
    path.write_bytes(safetensors.numpy.save(tensors, {"boardwright": json.dumps(header)}))


@pytest.mark.parametrize("name", GAMES)
def test_net_survives_a_round_trip(name: str, tmp_path: Path) -> None:
    game = boardwright.game(name)
    path = scrambled.net_file(tmp_path, EVERYTHING, game)
    net = netfile.read(path, game=game)
    assert (net.config, net.game, net.observation, net.planes) == (EVERYTHING, name, game.observation, game.planes)
    assert net.training == {"steps": 7}
    assert netfile.game_of(net).rules == game.rules
    assert net.interface.observation_shape == game.observation_shape
    weights = scrambled.weights(EVERYTHING, game)
    assert net.weights.keys() == weights.keys()
    assert all(np.array_equal(net.weights[key], weight) for key, weight in weights.items())
    assert list(tmp_path.iterdir()) == [path]


def test_evaluation_net_survives_a_round_trip(tmp_path: Path) -> None:
    """It has no policy, though its header says how many actions the game has."""
    game = boardwright.game("draughts", observation="paper")
    path, weights = scrambled.net_file(tmp_path, EVALUATION, game), scrambled.weights(EVALUATION, game)
    net = netfile.read(path, game=game)
    assert (net.config, net.interface.num_actions, net.interface.policy_planes) == (EVALUATION, 0, None)
    assert header_and_tensors(path)[0]["actions"] == game.num_actions
    assert net.weights.keys() == weights.keys()
    assert all(np.array_equal(net.weights[key], weight) for key, weight in weights.items())
    short = netfile.read(scrambled.net_file(tmp_path, EVALUATION, game, storage="bfloat16"), game=game)
    for name, weight in weights.items():
        rounded = not np.array_equal(short.weights[name], weight)
        assert rounded == name.endswith("/kernel")  # biases, too, have an axis of phases, and are kept whole
        np.testing.assert_allclose(short.weights[name], weight, rtol=2**-8)


def test_evaluation_net_with_a_policy_is_refused(tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, EVALUATION, DRAUGHTS)
    header, tensors = header_and_tensors(path)
    rewrite(path, header, {**tensors, "places": np.zeros((2, DRAUGHTS.num_actions), np.int32)})
    one_line(path, r"not int32 of shape \(2, 0\)")


def test_same_net_gives_the_same_bytes(tmp_path: Path) -> None:
    assert (
        scrambled.net_file(tmp_path, PLAIN, DRAUGHTS).read_bytes()
        == scrambled.net_file(tmp_path, PLAIN, DRAUGHTS).read_bytes()
    )


def test_bfloat16_halves_kernels_and_rounds_them(tmp_path: Path) -> None:
    config = NetConfig(blocks=1, width=32)
    whole = scrambled.net_file(tmp_path, config, DRAUGHTS).stat().st_size
    path = scrambled.net_file(tmp_path, config, DRAUGHTS, storage="bfloat16")
    assert path.stat().st_size < 0.65 * whole
    net = netfile.read(path, game=DRAUGHTS)
    for name, weight in scrambled.weights(config, DRAUGHTS).items():
        assert net.weights[name].dtype == np.float32
        np.testing.assert_allclose(net.weights[name], weight, rtol=2**-8 if weight.ndim > 1 else 0)


def test_custom_rules_and_their_names(tmp_path: Path) -> None:
    """Options count, names do not."""
    own = boardwright.game("tablut", {"name": "mine", "base": "tablutzero", "camps": [["a5", "b5"]], "max_plies": 50})
    net = netfile.read(scrambled.net_file(tmp_path, PLAIN, own), game=own)
    assert netfile.game_of(net).rules == own.rules
    renamed = boardwright.game("tablut", dataclasses.replace(own.rules, name="yours"))
    netfile.check_fit(net, renamed)


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        (boardwright.game("tablut"), "made for draughts, not tablut: choose a net of tablut"),
        (boardwright.game("draughts", "paper"), r"rules 'wcdf' \(max_quiet_plies=80.*max_plies=none\), not 'paper'"),
        (boardwright.game("draughts", observation="full-2"), "observation 'full', not 'full-2'"),
    ],
)
def test_net_that_does_not_fit_is_refused(other, complaint: str, tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    one_line(path, complaint, game=other)
    netfile.read(path)


def test_another_numbering_of_actions_is_refused(tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    header, tensors = header_and_tensors(path)
    rewrite(path, header, {**tensors, "places": tensors["places"][::-1].copy()})
    one_line(path, "other planes or actions than draughts wcdf has", game=DRAUGHTS)


@pytest.mark.parametrize("kept", [0, 5, 8, 100, 3000, -1])
def test_truncated_files_are_refused(kept: int, tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    path.write_bytes(path.read_bytes()[:kept])
    one_line(path, "copy or train it again")


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    header = int.from_bytes(good[:8], "little")
    for place in (*rng.integers(0, 8 + header, 60), *rng.integers(8 + header, len(good), 60)):
        if good[place] == ord(" "):  # nothing but padding
            continue
        bad = bytearray(good)
        bad[place] ^= 1 << int(rng.integers(0, 8))
        path.write_bytes(bad)
        one_line(path, "net")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"version": 2}, "of format 2, this version reads 1: update"),
        ({"architecture": {"blocks": 10**9}}, "blocks: expected a whole number"),
        ({"architecture": {"blocks": 2, "width": 8}}, "is missing where a 2x8 net has"),
        ({"architecture": None}, "malformed"),
        ({"rules": "rules.toml"}, r"malformed \(rules\)"),
        ({"game": ["draughts"]}, "malformed"),
        ({"training": None}, "malformed"),
        ({"observation_shape": [8]}, "malformed"),
        ({"observation_shape": [8, 8, -8]}, "malformed"),
        ({"observation_shape": ["8", 8, 8]}, "malformed"),
        ({"actions": 4}, r"not int32 of shape \(2, 4\)"),
        ({"policy_planes": 1}, "do not match the shapes"),
        ({"planes": ["one"]}, "do not match the shapes"),
    ],
)
def test_inconsistent_headers_are_refused(change: dict, complaint: str, tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    header, tensors = header_and_tensors(path)
    rewrite(path, {**header, **change}, tensors)
    one_line(path, complaint)


def test_unknown_games_and_rules_are_refused(tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    header, tensors = header_and_tensors(path)
    for change in ({"game": "go"}, {"rules": {"flying_kings": True}}, {"observation": "blind"}):
        rewrite(path, {**header, **change}, tensors)
        with pytest.raises(NetError, match="made for an unknown game or rule set") as caught:
            netfile.game_of(netfile.read(path))
        assert str(path) in str(caught.value)


def test_non_finite_weights_are_refused(tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    header, tensors = header_and_tensors(path)
    name = "params/stem/norm/bias"
    rewrite(path, header, {**tensors, name: np.full_like(tensors[name], np.nan)})
    one_line(path, f"weight {name} is not finite")
    for wrong in (np.nan, np.inf):
        weights = tensors[name].copy()
        weights[-1] = wrong  # alone
        rewrite(path, header, {**tensors, name: weights})
        one_line(path, f"weight {name} is not finite")
    rewrite(path, header, {**tensors, name: tensors[name].astype(np.float64)})
    one_line(path, "numbers of type F64")
    rewrite(path, header, {**tensors, name: tensors[name].view(np.int32)})
    one_line(path, f"weight {name} is not float32")
    rewrite(path, header, {**tensors, "more": tensors[name]})
    one_line(path, "weight more is")


def test_overlong_header_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.net"
    path.write_bytes((1 << 60).to_bytes(8, "little") + b"{")
    one_line(path, "not a net")
    path.write_bytes((1 << 20).to_bytes(8, "little") + b"[" * (1 << 20))
    one_line(path, "no Boardwright header")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    path.write_bytes(safetensors.numpy.save({"a": np.zeros(3)}))
    one_line(path, "no Boardwright header")
    one_line(tmp_path / "none.net", "No such file")
    one_line(tmp_path, "not an ordinary file")
    os.mkfifo(tmp_path / "pipe")
    one_line(tmp_path / "pipe", "not an ordinary file")


def test_invalid_nets_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "net"
    weights = scrambled.weights(PLAIN, DRAUGHTS)

    def write(where: Path, **changes) -> None:
        netfile.write(where, **{"config": PLAIN, "game": DRAUGHTS, "weights": weights, "training": {}, **changes})

    for changes, complaint in (
        ({"config": EVERYTHING}, "not those of a 3x10 net of draughts"),
        ({"training": {"loss": float("nan")}}, "not JSON"),
        ({"training": {"what": object()}}, "not JSON"),
        ({"training": {"log": "x" * (1 << 20)}}, "its training record has more than"),
    ):
        with pytest.raises(NetError, match=complaint):
            write(path, **changes)
    with pytest.raises(NetError, match="cannot write net file"):
        write(tmp_path / "nowhere" / "net")
    assert not any(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scrambled.net_file(tmp_path, PLAIN, DRAUGHTS)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NetError, match="No space left on device"):
        scrambled.net_file(tmp_path, EVERYTHING, DRAUGHTS)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]

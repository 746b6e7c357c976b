"""Nets are identified by their checksums, not by the names of their files."""

import shutil
from pathlib import Path

import pytest
from stub_nets import net_file

import boardwright
from boardwright.agents import netchoice
from boardwright.agents.netchoice import net_checksum
from boardwright.nets import shipped


def test_checksum_depends_on_the_contents_of_the_file_only(tmp_path: Path) -> None:
    path = net_file(tmp_path, boardwright.game("tablut"))
    one = net_checksum(f"alphazero:net={path},sims=4")
    assert len(one) == 12
    shutil.copy(path, tmp_path / "copy.net")
    assert net_checksum(f"net:net={tmp_path}/copy.net") == one  # what is in it counts, not its name or its player
    net_file(tmp_path, boardwright.game("tablut"), method="ppo").replace(path)
    assert net_checksum(f"alphazero:net={path},sims=4") not in ("", one)
    name = shipped.names()[0]
    assert net_checksum(f"net:net={name}") == net_checksum(f"net:net={shipped.find(name)}") != ""


@pytest.mark.parametrize(
    "spec", ["random", "mc:sims=4", "alphazero:net=nowhere.net", "net:net=.", "external:cmd=x,net=y"]
)
def test_players_without_a_net_have_none(spec: str) -> None:
    assert net_checksum(spec) == ""


def test_unchanged_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = net_file(tmp_path, boardwright.game("tablut"))
    first = net_checksum(f"net:net={path}")
    monkeypatch.setattr(netchoice.hashlib, "file_digest", pytest.fail)
    assert net_checksum(f"alphazero:net={path}") == first

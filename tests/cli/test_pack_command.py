"""`boardwright pack`, `unpack`, `ship` and `nets` as commands, and `train --minutes`, without training anything."""

import dataclasses
import json
import time
from pathlib import Path
from typing import Any

import pytest
from planted_package import EVALUATION, plant_shipped_net

from boardwright.cli import train
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.run import checkpoint, config_file, portable_state
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import Metrics
from boardwright.learn.run.progress import Progress
from boardwright.nets import shipped


def make_run(folder: Path) -> Path:
    folder.mkdir()
    config_file.store(folder, "alphazero", PRESETS["draughts-tiny"])
    with Metrics(folder) as metrics:
        metrics.log(1, 256, {"time/device_seconds": 2.0})
    meta = {"progress": dataclasses.asdict(Progress(iteration=1, frames=256))}
    checkpoint.write(folder / portable_state.NAME, {}, meta)
    return folder


def test_packed_run_is_unpacked(tmp_path: Path, boardwright: Any) -> None:
    status, out, err = boardwright("pack", make_run(tmp_path / "run"), tmp_path / "file")
    assert (status, err) == (0, "")
    assert "metrics.sqlite: " in out
    assert out.endswith("after iteration 1 and 256 frames\n")
    status, out, err = boardwright("unpack", tmp_path / "file", tmp_path / "new")
    assert (status, err) == (0, "")
    assert out.endswith(f"\nresume with: boardwright train alphazero draughts --out {tmp_path / 'new'}\n")
    assert (tmp_path / "new" / "config.json").read_bytes() == (tmp_path / "run" / "config.json").read_bytes()
    status, out, err = boardwright("unpack", tmp_path / "file", tmp_path / "other", "--json")
    report = json.loads(out)
    assert (report["iteration"], report["frames"], report["parts"], report["nets"]) == (1, 256, 1, [])
    assert report["bytes"] == (tmp_path / "file").stat().st_size


def test_run_is_unpacked_into_the_current_folder(
    tmp_path: Path, boardwright: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    boardwright("pack", make_run(tmp_path / "run"), tmp_path / "file")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    status, _, err = boardwright("unpack", "../file", ".")
    assert (status, err) == (0, "")
    assert Path.cwd() == tmp_path / "here"
    assert Path("config.json").read_bytes() == (tmp_path / "run" / "config.json").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["pack", "{tmp}/none", "{tmp}/file"], "is not a run folder"),
        (["pack", "{tmp}/run", "{tmp}/file", "--nets", "0"], "--nets must be from 1 to 1000, not 0"),
        (["pack", "{tmp}/run", "{tmp}/none/file"], "cannot write"),
        (["unpack", "{tmp}/none", "{tmp}/new"], "cannot be read: No such file"),
        (["unpack", "{tmp}/run/metrics.sqlite", "{tmp}/new"], "is damaged"),
        (["ship", "{tmp}/run", "name"], "holds no nets"),
        (["nets", "nobody"], "no such file, and no net of that name ships"),
        (["train", "alphazero", "draughts", "--minutes", "0", "--out", "{tmp}/new"], "--minutes 0: expected more"),
    ],
)
def test_bad_arguments_give_one_line_errors(
    tmp_path: Path, boardwright: Any, arguments: list[str], complaint: str
) -> None:
    make_run(tmp_path / "run")
    status, out, err = boardwright(*(argument.format(tmp=tmp_path) for argument in arguments))
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("run/state.safetensors", "is inside the run's folder: give a file elsewhere"),
        ("run/config.json", "is inside the run's folder"),
        ("run/nets/best.net", "is inside the run's folder"),
        ("run/new.pack", "is inside the run's folder"),
        ("run/../link/new.pack", "is inside the run's folder"),
        ("to-config", "is inside the run's folder"),
        ("notes.txt", "it exists and is not a packed run: give another file"),
        ("state.safetensors", "it exists and is not a packed run"),
        ("elsewhere", "it exists and is not a packed run"),
    ],
)
def test_pack_overwrites_packs_only(tmp_path: Path, boardwright: Any, file: str, complaint: str) -> None:
    run = make_run(tmp_path / "run")
    (run / "nets").mkdir()
    (run / "nets" / "best.net").write_text("a net")
    (tmp_path / "link").symlink_to(run)
    (tmp_path / "to-config").symlink_to(run / "config.json")
    (tmp_path / "notes.txt").write_text("notes")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state.safetensors").write_bytes((run / "state.safetensors").read_bytes())

    def everything() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    before = everything()
    status, out, err = boardwright("pack", tmp_path / "run", tmp_path / file)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err
    assert everything() == before
    for _ in range(2):  # a pack takes the place of an earlier one
        assert boardwright("pack", tmp_path / "run", tmp_path / "new.pack")[0] == 0


def test_nets_without_shipped_nets(tmp_path: Path, boardwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    assert boardwright("nets") == (0, "no nets ship with this version\n", "")
    assert boardwright("nets", "--json") == (0, '{"nets": []}\n', "")


def test_nets_are_listed_with_their_player(tmp_path: Path, boardwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    plant_shipped_net(tmp_path, "eyes", "draughts", method="alphabeta", config=EVALUATION)
    plant_shipped_net(tmp_path, "laps", "tablut", method="alphazero")
    status, out, err = boardwright("nets")
    assert (status, err) == (0, "")
    assert out.startswith("eyes: draughts wcdf, evaluation 8-4, 0.01 MB\nlaps: ")
    assert "\nplayer: alphabeta:net=eyes\nobservation: paper\n" in boardwright("nets", "eyes")[1]
    report = json.loads(boardwright("nets", "--json")[1])["nets"]
    assert [net["player"] for net in report] == ["alphabeta:net=eyes", "alphazero:net=laps"]


def test_run_stopped_by_minutes_exits_with_0(tmp_path: Path, boardwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that was interrupted has: schedulers look at that."""

    def trained(options: train.Options, folder: Path, config: Any, watch: RunObserver) -> Progress:
        del options, folder, config
        patience = time.monotonic() + 60
        while not watch.stopped():
            assert time.monotonic() < patience
        return Progress(iteration=1)

    monkeypatch.setattr(train, "_train", trained)
    monkeypatch.setattr(train, "cache_compilations", lambda folder: None)
    command = ["train", "alphazero", "draughts", "--preset", "draughts-tiny", "--out", tmp_path]
    assert boardwright(*command, "--minutes", "0.01")[0] == 0

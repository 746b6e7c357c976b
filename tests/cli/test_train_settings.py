"""`boardwright train` without settings resumes the run in a folder with its own; nothing is trained here."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from test_pack_command import make_run

from boardwright.cli import train
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.run import config_file, settings
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.progress import Progress

OTHER = settings.apply(PRESETS["draughts-tiny"], ["iterations=7", "rules=paper", "seed=3"])


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings that runs would have been trained with."""
    configs: list[Any] = []

    def trained(options: train.Options, folder: Path, config: Any, watch: RunObserver) -> Progress:
        del watch
        config_file.check(folder, options.method, config)
        configs.append(config)
        return Progress(iteration=config.iterations)

    monkeypatch.setattr(train, "_train", trained)
    monkeypatch.setattr(train, "cache_compilations", lambda folder: None)
    return configs


def test_resumed_run_keeps_its_settings(tmp_path: Path, boardwright: Any, report: list[Any]) -> None:
    config_file.store(tmp_path, "alphazero", OTHER)
    for more in ([], ["--minutes", "9"], ["--seed", "3", "--rules", "paper"]):
        status, out, err = boardwright("train", "alphazero", "draughts", "--out", tmp_path, *more)
        assert (status, err, report[-1]) == (0, "", OTHER)
        assert out.splitlines()[0] == f"using the settings in {tmp_path / 'config.json'}"
    status, out, _ = boardwright("train", "alphazero", "draughts", "--out", tmp_path / "new")
    assert (status, report[-1]) == (0, PRESETS["draughts-laptop"])
    assert "settings" not in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["alphazero", "draughts", "--preset", "draughts-laptop"], "holds a run with other settings"),
        (["alphazero", "draughts", "--set", "iterations=7"], "holds a run with other settings"),
        (["alphazero", "draughts", "--seed", "4"], "holds a run with other settings (seed is 3 there and 4 here)"),
        (["alphazero", "tablut"], "(game is 'draughts' there and 'tablut' here)"),
        (["ppo", "draughts"], "(method is 'alphazero' there and 'ppo' here)"),
    ],
)
def test_other_settings_for_a_run_are_refused(
    tmp_path: Path, boardwright: Any, report: list[Any], arguments: list[str], complaint: str
) -> None:
    config_file.store(tmp_path, "alphazero", OTHER)
    status, _, err = boardwright("train", *arguments, "--out", tmp_path)
    assert (status, report, len(err.splitlines())) == (2, [], 1)
    assert complaint in err


def test_invalid_settings_give_one_line_errors(tmp_path: Path, boardwright: Any, report: list[Any]) -> None:
    there = config_file.contents("alphazero", OTHER)
    path = tmp_path / config_file.NAME
    for text, complaint in (
        ("no JSON", "config.json cannot be read"),
        ("[]", "config.json contains no settings"),
        (json.dumps(there | {"blocks": 3}), f"{path}: unknown setting 'blocks'"),
        (json.dumps(there | {"iterations": "many"}), f"{path}: setting iterations"),
    ):
        path.write_text(text)
        status, _, err = boardwright("train", "alphazero", "draughts", "--out", tmp_path)
        assert (status, report, len(err.splitlines())) == (2, [], 1)
        assert complaint in err


def test_settings_missing_in_old_configs_have_defaults(tmp_path: Path, boardwright: Any, report: list[Any]) -> None:
    there = config_file.contents("alphazero", OTHER)
    del there["tablebase_dir"]
    (tmp_path / config_file.NAME).write_text(json.dumps(there))
    assert boardwright("train", "alphazero", "draughts", "--out", tmp_path)[0] == 0
    assert report == [OTHER]


def test_command_printed_by_unpack_resumes(tmp_path: Path, boardwright: Any, report: list[Any]) -> None:
    boardwright("pack", make_run(tmp_path / "run"), tmp_path / "file")
    _, out, _ = boardwright("unpack", tmp_path / "file", tmp_path / "some where")
    (line,) = [line for line in out.splitlines() if line.startswith("resume with: ")]
    program, *arguments = shlex.split(line.removeprefix("resume with: "))
    assert program == "boardwright"
    assert boardwright(*arguments)[0] == 0
    assert report == [PRESETS["draughts-tiny"]]


def test_help_settings_lists_every_setting(boardwright: Any) -> None:
    status, out, err = boardwright("train", "alphazero", "draughts", "--help-settings", "--set", "learner.steps=7")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert "learner.steps=7 (1 to 1e+06): steps per iteration" in lines
    assert "search.kind=gumbel (gumbel | puct): search of self-play: Gumbel AlphaZero or PUCT" in lines
    status, out, err = boardwright("train", "alphazero", "draughts", "--help-settings", "--json")
    listed = json.loads(out)
    assert (status, err, len(listed["settings"])) == (0, "", len(lines))
    (steps,) = (row for row in listed["settings"] if row["name"] == "learner.steps")
    assert (steps["value"], steps["low"], steps["high"]) == (PRESETS["draughts-laptop"].learner.steps, 1, 10**6)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "--out FOLDER is required: name a folder for the run"),
        (["--json"], "--json needs --help-settings"),
        (
            ["--help-settings", "--set", "learner.step=7"],
            "unknown setting 'learner.step': did you mean 'learner.steps'?",
        ),
    ],
)
def test_train_without_a_folder_is_refused(boardwright: Any, arguments: list[str], complaint: str) -> None:
    status, out, err = boardwright("train", "alphazero", "draughts", *arguments)
    assert (status, out) == (2, "")
    assert complaint in err

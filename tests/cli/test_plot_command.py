"""`boardwright plot` on runs that were made up."""

import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from boardwright.arena.positions import boards_for
from boardwright.learn.run.loop import train
from boardwright.learn.run.metrics import Metrics
from boardwright.learn.vae.config import PRESETS
from boardwright.learn.vae.method import VAE


def plot(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "boardwright"), "plot", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def make_run(folder: Path, slope: float) -> Path:
    folder.mkdir(parents=True)
    with Metrics(folder) as metrics:
        for iteration in range(1, 31):
            scalars = {
                "loss/total": math.nan if iteration == 7 else 3 - slope * iteration / 30,
                "selfplay/role0_wins": 0.5,
                "selfplay/role1_wins": 0.3,
                "selfplay/draws": 0.2,
                "something/else": 1.0,
                "time/device_seconds": 90.0 * iteration / slope,
            }
            metrics.log(iteration, 4096 * iteration, scalars)
            if iteration % 10 == 0:
                elo = slope * iteration
                bounds = {"evaluation/elo_low": elo - 20, "evaluation/elo_high": elo + 20}
                metrics.log(iteration, 4096 * iteration, {"evaluation/elo": elo, **bounds})
    return folder


def test_metrics_of_a_run_are_drawn(tmp_path: Path) -> None:
    run = make_run(tmp_path / "tablut-paper", 1.0)
    done = plot(run)
    assert (done.returncode, done.stderr) == (0, "")
    written = sorted(path.name for path in (run / "plots").iterdir())
    assert written == ["elo.svg", "index.html", "loss-total.svg", "outcomes.svg"]
    assert all(f"{run / 'plots' / name}: " in done.stdout for name in written)
    assert "skipped, no metrics for: against-random, loss-policy, " in done.stdout
    page = (run / "plots" / "index.html").read_text(encoding="utf-8")
    assert page.count("<img ") == 3
    assert "<h1>tablut-paper</h1>" in page
    loss = ET.fromstring((run / "plots" / "loss-total.svg").read_text(encoding="utf-8"))
    (raw,) = [element for element in loss.iter() if "data-raw" in element.attrib]
    assert raw.attrib["d"].count("M") == 2  # a gap at the iteration that was not a number


def test_runs_are_drawn_over_gpu_minutes(tmp_path: Path) -> None:
    """The same iterations in half the time end in the middle of the axis."""
    runs = make_run(tmp_path / "slow", 1.0), make_run(tmp_path / "fast", 2.0)
    done = plot(*runs, "--x", "minutes", "--out", tmp_path / "both")
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "both" / "elo.svg").read_text(encoding="utf-8")
    assert "GPU-minutes" in text
    ends = {
        element.attrib["data-line"]: float(element.attrib["d"].replace("L", " ").replace("M", " ").split()[-2])
        for element in ET.fromstring(text).iter()
        if "data-line" in element.attrib
    }
    left, right = 64, 740
    assert ends["slow"] == pytest.approx(right, abs=1)
    assert ends["fast"] == pytest.approx((left + right) / 2, abs=1)


def test_several_runs_are_drawn_together(tmp_path: Path) -> None:
    runs = make_run(tmp_path / "a" / "run", 1.0), make_run(tmp_path / "b" / "run", 2.0)
    assert "several runs need --out FOLDER" in plot(*runs).stderr
    done = plot(*runs, "--out", tmp_path / "new" / "both", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert answer["figures"] == ["elo", "outcomes", "loss-total"]
    assert "loss-policy" in answer["skipped"]
    elo = ET.fromstring((tmp_path / "new" / "both" / "elo.svg").read_text(encoding="utf-8"))
    named = [element.attrib["data-line"] for element in elo.iter() if "data-line" in element.attrib]
    assert named == [str(run) for run in runs]
    assert len([element for element in elo.iter() if "data-band" in element.attrib]) == 2
    assert not (runs[0] / "plots").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "give the folder of a training run"),
        (["{tmp}"], "is not a run folder, it has no metrics.sqlite: give the --out of a training run"),
        (["{tmp}/empty"], "nothing to draw yet"),
        (["{tmp}/run", "{tmp}/run", "--out", "{tmp}/x"], "run is given twice"),
        (["{tmp}/run", "--out", "{tmp}/run/metrics.sqlite"], "cannot write into"),
        (["{tmp}/old", "--x", "minutes"], "old has no minutes in its metrics: use --x frames"),
    ],
)
def test_bad_arguments_give_one_line_errors(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    make_run(tmp_path / "run", 1.0)
    (tmp_path / "empty").mkdir()
    Metrics(tmp_path / "empty").close()
    (tmp_path / "old").mkdir()
    with Metrics(tmp_path / "old") as metrics:
        metrics.log(1, 10, {"loss/total": 1.0})
    done = plot(*(argument.format(tmp=tmp_path) for argument in arguments))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert complaint in done.stderr


def test_plots_need_no_jax() -> None:
    code = "import sys, boardwright.cli.plot; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_codes_of_a_vae_are_drawn(tmp_path: Path) -> None:
    config = PRESETS["cathedral-tiny"]
    train(VAE(config, boards_for(config, tmp_path)), tmp_path)
    done = plot(str(tmp_path), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(done.stdout)["figures"]
    assert {"vae-loss", "reconstruction", "codes-by-ply", "codes-by-result"} <= set(figures)
    page = (tmp_path / "plots" / "index.html").read_text(encoding="utf-8")
    for figure in figures:
        assert f'src="{figure}.svg"' in page
        ET.fromstring((tmp_path / "plots" / f"{figure}.svg").read_text(encoding="utf-8"))

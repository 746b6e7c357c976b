"""Plot the metrics of training runs: strength, outcomes, losses and more."""

import importlib.util
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional

from boardwright.cli.common import FOLDER, JsonOption, print_json, value, write_text
from boardwright.errors import BoardwrightError, printable
from boardwright.learn.reporting.figures import FIGURES, chart
from boardwright.learn.run.metrics import read_metrics
from boardwright.learn.vae.config import BOARDS_FILE, VAE_FILE
from boardwright.papers.report import fill_template
from boardwright.views.chart import Chart, render


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which runs."""

    runs: Annotated[tuple[Path, ...], Positional, value("RUN [RUN …]")]
    """Folders of training runs, drawn in the same figures."""
    out: FOLDER[Path | None] = None  # Folder for the figures, made if missing. Default: `plots` in the run's folder.
    x: Literal["frames", "iterations", "minutes"] = "frames"
    """The x axis: frames (moves played), iterations, or GPU-minutes of self-play and learning."""


def run(options: Options) -> None:
    """Writes one SVG per figure and an `index.html`; prints their names, or JSON `{folder, page, figures, skipped}`."""
    if not options.runs:
        raise BoardwrightError("plot: give the folder of a training run")
    first = options.runs[0]
    if options.out is None and len(options.runs) > 1:
        raise BoardwrightError("plot: several runs need --out FOLDER for their figures")
    histories = {name: read_metrics(folder) for name, folder in _by_name(options.runs).items()}
    for name, history in histories.items():
        if options.x == "minutes" and history.scalars and "time/device_seconds" not in history.scalars:
            raise BoardwrightError(f"{name} has no minutes in its metrics: use --x frames")
    charts = {figure.name: chart(figure, histories, options.x) for figure in FIGURES}
    pictures = {name: drawing for name, drawing in charts.items() if drawing is not None}
    skipped = [name for name, drawing in charts.items() if drawing is None]
    if not pictures:
        raise BoardwrightError(f"{first}: nothing to draw yet: wait until the run has logged an iteration")
    out = options.out or first / "plots"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BoardwrightError(f"cannot write into {out}: {error.strerror}") from error
    if len(options.runs) == 1:
        pictures |= _codes(first)
    for name, picture in pictures.items():
        write_text(out / f"{name}.svg", render(picture))
    images = (f'<img src="{name}.svg" alt="{escape(picture.title)}">' for name, picture in pictures.items())
    page = fill_template(__file__, "plot.html", title=escape(", ".join(histories)), figures="\n".join(images))
    write_text(out / "index.html", page)
    if options.json:
        made = {"folder": str(out), "page": str(out / "index.html"), "figures": list(pictures)}
        print_json({**made, "skipped": skipped})
        return
    for name, picture in pictures.items():
        print(f"{out / f'{name}.svg'}: {picture.title}")
    print(f"{out / 'index.html'}: all {len(pictures)} figures on one page")
    if skipped:
        print(f"skipped, no metrics for: {', '.join(skipped)}")


def _by_name(runs: tuple[Path, ...]) -> dict[str, Path]:
    """The runs by the names of their folders, or by their paths where two have the same name."""
    short = [printable(folder.resolve().name) for folder in runs]
    names = short if len(set(short)) == len(short) else [printable(str(folder)) for folder in runs]
    named = dict(zip(names, runs, strict=True))
    if len(named) < len(runs):
        twice = next(name for name in names if names.count(name) > 1)
        raise BoardwrightError(f"plot: {twice} is given twice")
    return named


def _codes(run: Path) -> dict[str, Chart]:
    """By name of a figure: the codes of boards, if the run trained an auto-encoder and JAX is installed."""
    boards_file, vae_file = run / BOARDS_FILE, run / "nets" / VAE_FILE
    if not (boards_file.exists() and vae_file.exists() and importlib.util.find_spec("jax")):
        return {}
    from boardwright.learn.shared import boards, encoder_file
    from boardwright.learn.vae import latents

    learned_from = boards.load(boards_file)
    return {} if learned_from is None else latents.charts(encoder_file.read(vae_file), learned_from)

"""Write what a training run needs to go on elsewhere into one file: all but its replay and the games under way.

It holds the run as of the end of its last iteration. `boardwright unpack` makes a run's folder of it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from boardwright.cli.common import in_range, print_json

if TYPE_CHECKING:
    from boardwright.learn.run.packing import Packed

MOST_NETS = 1000


@dataclass(frozen=True, kw_only=True)
class Options:
    """Which run, and the file."""

    run: Annotated[Path, tyro.conf.Positional]
    """Folder of a training run, which may be under way."""
    file: Annotated[Path, tyro.conf.Positional]
    """The file to write."""
    nets: Annotated[int, tyro.conf.arg(metavar="N")] = 4
    """Most past nets that go along, the newest among them: opponents for contests and leagues to come."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints what went in and how large it is, or JSON `{file, bytes, iteration, frames, parts, nets, files}`."""
    in_range("--nets", options.nets, 1, MOST_NETS)
    from boardwright.learn.run import packing

    packed = packing.pack(options.run, options.file, nets=options.nets)
    show(options.file, packed, as_json=options.json)


def show(file: Path, packed: "Packed", *, as_json: bool) -> None:
    """Tells what a packed file holds."""
    size, at = file.stat().st_size, packed.progress
    if as_json:
        fields = {"file": str(file), "bytes": size, "iteration": at.iteration, "frames": at.frames, "parts": at.parts}
        print_json(fields | {"nets": list(packed.nets), "files": packed.sizes})
        return
    for name, (whole, inside) in packed.sizes.items():
        print(f"{name}: {inside / 1e6:.2f} MB of {whole / 1e6:.2f}")
    print(f"{file}: {size / 1e6:.2f} MB, after iteration {at.iteration} and {at.frames:,} frames")

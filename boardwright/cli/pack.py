"""Write a training run to one file, to resume it on another machine with `boardwright unpack`.

The file holds the run after its last complete iteration, without the replay buffer and unfinished games.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tyro.conf import Positional

from boardwright.cli.common import JsonOption, N, in_range, print_json

if TYPE_CHECKING:
    from boardwright.learn.run.packing import Packed

MAX_NETS = 1000


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which run, and the file."""

    run: Positional[Path]  # Folder of a training run; the run may be in progress.
    file: Positional[Path]  # The file to write.
    nets: N[int] = 4
    """How many past checkpoints to include, the newest and others spread evenly: opponents for evaluation and league
    games."""


def run(options: Options) -> None:
    """Prints the packed files and their sizes, or JSON `{file, bytes, iteration, frames, parts, nets, files}`."""
    in_range("--nets", options.nets, 1, MAX_NETS)
    from boardwright.learn.run import packing

    packed = packing.pack(options.run, options.file, nets=options.nets)
    show(options.file, packed, as_json=options.json)


def show(file: Path, packed: "Packed", *, as_json: bool) -> None:
    """Prints the contents of a packed file."""
    size, at = file.stat().st_size, packed.progress
    if as_json:
        fields = {"file": str(file), "bytes": size, "iteration": at.iteration, "frames": at.frames, "parts": at.parts}
        print_json(fields | {"nets": list(packed.nets), "files": packed.sizes})
        return
    for name, (whole, inside) in packed.sizes.items():
        print(f"{name}: {whole / 1e6:.2f} MB, packed to {inside / 1e6:.2f} MB")
    print(f"{file}: {size / 1e6:.2f} MB, after iteration {at.iteration} and {at.frames:,} frames")

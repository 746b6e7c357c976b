"""Make a run's folder of a file that `boardwright pack` wrote; `boardwright train` goes on there, as is then printed.

Its games begin anew, and fill the replay again.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from boardwright.cli.pack import show


@dataclass(frozen=True, kw_only=True)
class Options:
    """Which file, and the folder."""

    file: Annotated[Path, tyro.conf.Positional]
    """A file that `boardwright pack` wrote."""
    run: Annotated[Path, tyro.conf.Positional]
    """The folder to make."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints what came out, or the JSON of `boardwright pack`."""
    from boardwright.learn.run import packing

    packed = packing.unpack(options.file, options.run)
    show(options.file, packed, as_json=options.json)
    if not options.json:
        what = [str(packed.config.get(name)) for name in ("method", "game")]
        print(f"goes on with: {shlex.join(['boardwright', 'train', *what, '--out', str(options.run)])}")

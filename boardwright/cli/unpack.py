"""Restore the folder of a packed training run, and print the command that resumes it.

The resumed run starts new games and refills its replay buffer.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

from boardwright.cli.common import JsonOption
from boardwright.cli.pack import show


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which file, and the folder."""

    file: Positional[Path]  # A file that `boardwright pack` wrote.
    run: Positional[Path]  # The folder to make.


def run(options: Options) -> None:
    """Prints the restored files and their sizes, or the JSON of `boardwright pack`."""
    from boardwright.learn.run import packing

    packed = packing.unpack(options.file, options.run)
    show(options.file, packed, as_json=options.json)
    if not options.json:
        what = [str(packed.config.get(name)) for name in ("method", "game")]
        print(f"resume with: {shlex.join(['boardwright', 'train', *what, '--out', str(options.run)])}")

"""Add a net of a training run to the package, in bfloat16 and with a record of its training.

`boardwright nets` lists the shipped nets; players find them by name, as in `alphazero:net=NAME`.
"""

from dataclasses import dataclass
from pathlib import Path

from tyro.conf import Positional

from boardwright.cli.common import FOLDER, JsonOption, N, print_json
from boardwright.nets import shipped


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which net of which run, and its name."""

    run: Positional[Path]  # Folder of a training run.
    name: Positional[str]  # Name of the net; replaces a net of that name for the same game and rules.
    iteration: N[int | None] = None  # The net of iteration N. Default: the run's best, `nets/best.net`.
    out: FOLDER[Path | None] = None  # Folder to write to instead of the package's.


def run(options: Options) -> None:
    """Prints the file, its size and the size of all nets in the folder, or JSON `{file, bytes, all_bytes}`."""
    from boardwright.learn.reporting import shipping

    path = shipping.ship(options.run, options.name, iteration=options.iteration, folder=options.out)
    size = path.stat().st_size
    total = sum(other.stat().st_size for other in path.parent.glob(f"*{shipped.SUFFIX}"))
    if options.json:
        print_json({"file": str(path), "bytes": size, "all_bytes": total})
    else:
        print(f"{path}: {size / 1e6:.2f} MB; all nets in the folder: {total / 1e6:.2f} MB")

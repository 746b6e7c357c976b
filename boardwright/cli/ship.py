"""Put a net of a training run among those that ship with the package, half as long, with where it comes from.

`boardwright nets` lists them; players find them by name, as in `alphazero:net=NAME`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from boardwright.cli.common import print_json
from boardwright.nets import shipped


@dataclass(frozen=True, kw_only=True)
class Options:
    """Which net of which run, and its name."""

    run: Annotated[Path, tyro.conf.Positional]
    """Folder of a training run."""
    name: Annotated[str, tyro.conf.Positional]
    """What the net is to be called; one of that name, for the same game and rules, is replaced."""
    iteration: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """The net after so many iterations. Default: the one that plays, `nets/best.net`."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Where it goes instead of the package's folder."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints the file and how large it and all beside it are, or JSON `{file, bytes, all_bytes}`."""
    from boardwright.learn.reporting import shipping

    path = shipping.ship(options.run, options.name, iteration=options.iteration, folder=options.out)
    size = path.stat().st_size
    together = sum(other.stat().st_size for other in path.parent.glob(f"*{shipped.SUFFIX}"))
    if options.json:
        print_json({"file": str(path), "bytes": size, "all_bytes": together})
    else:
        print(f"{path}: {size / 1e6:.2f} MB; all nets there: {together / 1e6:.2f} MB")

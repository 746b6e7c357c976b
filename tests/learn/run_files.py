"""The files of a training run, for comparisons of runs. Not a test itself."""

from pathlib import Path

from boardwright.learn.run import arrayfile, checkpoint


def checkpoint_arrays(folder: Path) -> dict[str, bytes]:
    """Every array of the last checkpoint, by name."""
    found = checkpoint.find_checkpoints(folder / "checkpoints")
    file = arrayfile.read(found[max(found)])
    data = file.path.read_bytes()
    places = {name: place for name, place in file.offsets.items() if name != arrayfile.CHECKSUM}
    return {name: data[begin:end] for name, (begin, end) in places.items()}

"""The nets that ship with the package, by name."""

from pathlib import Path

from boardwright.errors import NetError

FOLDER = Path(__file__).parent / "data"
SUFFIX = ".safetensors"


def names() -> list[str]:
    """The names of all that ship."""
    return sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))


def find(text: str) -> Path:
    """The file a text means: one that ships, by its bare name, or else a path; raises NetError."""
    if text in names():
        return FOLDER / f"{text}{SUFFIX}"
    if not Path(text).is_file():
        shipped = ", ".join(names()) or "none"
        raise NetError(f"net {text!r}: no such file, and no net of that name ships; these do: {shipped}")
    return Path(text)


def name_of(path: Path) -> str:
    """The inverse of `find`: the name of a shipped net, else the path."""
    return path.stem if path.parent == FOLDER and path.suffix == SUFFIX else str(path)

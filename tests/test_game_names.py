"""Generic packages know no game by name: what belongs to one game is in its folder, found through the registry."""

import re
from pathlib import Path

import pytest

import boardwright
from boardwright.games.registry import game_class, game_names

ROOT = Path(boardwright.__file__).parent
PACKAGES = ("agents", "arena", "cli", "protocols", "records")
PAPERS = "paper"  # commands of the papers, which are named after them


@pytest.mark.parametrize("package", PACKAGES)
def test_generic_package_names_no_game_and_no_protocol_of_one(package: str) -> None:
    protocols = {protocol for name in game_names() for protocol in game_class(name).protocols}
    files = [path for path in sorted((ROOT / package).rglob("*.py")) if not path.name.startswith(PAPERS)]
    assert files
    pattern = re.compile("|".join([*game_names(), *(rf"\b{name}\b" for name in sorted(protocols))]), re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found

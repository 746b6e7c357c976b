"""The two paths of docs/guides/how-it-works.md name code that exists, in at most 20 steps each."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "guides" / "how-it-works.md").read_text()
PACKAGE = ROOT / "boardwright"


def steps(title: str) -> list[str]:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. ((?:.|\n(?!\d+\. |\n))+)", section, flags=re.MULTILINE)


PATHS = {title: steps(title) for title in ("From a self-play move to a trained net", "From a click to an answer")}
SOURCES = "\n".join(path.read_text() for pattern in ("*.py", "*.js") for path in PACKAGE.rglob(pattern))


@pytest.mark.parametrize("title", PATHS)
def test_path_has_at_most_20_steps(title: str) -> None:
    assert 10 <= len(PATHS[title]) <= 20


@pytest.mark.parametrize("step", [step for path in PATHS.values() for step in path], ids=lambda step: step[:40])
def test_step_names_code_that_exists(step: str) -> None:
    """A name is a file of the package, `module.function`, `Class.method`, or a function, class or variable."""
    names = re.findall(r"`([^`]+)`", step)
    for name in names:
        if name.startswith("--"):
            continue
        if name.endswith((".py", ".js")):
            assert list(PACKAGE.rglob(name)), name
            continue
        module, _, attribute = name.rpartition(".")
        if "/" in module:
            text = (PACKAGE / f"{module}.py").read_text()
            assert re.search(rf"\b(def|class) {attribute}\b", text), name
        else:
            assert re.search(rf"\b(def|class|function|const) {attribute}\b|\b{attribute}[:(]", SOURCES), name

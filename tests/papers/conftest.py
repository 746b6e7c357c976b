"""What tests of papers share."""

import dataclasses
from collections.abc import Iterator

import pytest

from boardwright.learn.alphazero.config import PRESETS


@pytest.fixture(autouse=True, scope="module")
def our_run_has_60_iterations() -> Iterator[None]:
    """Of the runs that are made up; how many the preset really has is a matter of what pays."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PRESETS, "tablut-fast", dataclasses.replace(PRESETS["tablut-fast"], iterations=60))
        yield

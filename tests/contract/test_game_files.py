"""Rules that the game files of every game keep."""

from types import ModuleType

import pytest

from boardwright.errors import GameFileError
from boardwright.games import gamefile as common
from boardwright.games.cathedral import gamefile as cathedral
from boardwright.games.draughts import gamefile as draughts
from boardwright.games.tablut.opentafl import gamefile as tablut


@pytest.mark.parametrize("gamefile", [cathedral, draughts, tablut], ids=["cathedral", "draughts", "tablut"])
def test_oversized_file_is_refused_unread(gamefile: ModuleType) -> None:
    with pytest.raises(GameFileError, match="more than 16777216 characters"):
        gamefile.read_all(" " * (common.MAX_CHARACTERS + 1))
    assert gamefile.read_all(" \n" * 1000) == ([], [])

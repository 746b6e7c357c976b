"""The options that join several processes are checked first."""

import pytest

from boardwright.errors import RunError
from boardwright.learn.distributed import processes


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("node1", 2, 0), "--coordinator node1: expected HOST:PORT"),
        ((":12355", 2, 0), "--coordinator :12355: expected HOST:PORT"),
        (("node1:123456", 2, 0), "--coordinator node1:123456: expected HOST:PORT"),
        (("node1:12355", 0, 0), "--processes 0: expected at least 1"),
        (("node1:12355", 2, 2), "--process 2: expected a number from 0 to 1"),
        (("node1:12355", 2, -1), "--process -1: expected a number from 0 to 1"),
    ],
)
def test_invalid_arguments_are_refused_before_joining(arguments: tuple[str, int, int], complaint: str) -> None:
    with pytest.raises(RunError, match=complaint):
        processes.join(*arguments)

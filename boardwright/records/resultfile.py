"""Results of games as a table, for rating players whose games were played elsewhere.

    first,second,result
    Ana,Berg,first
    Berg,Ana,draw

`first` and `second` are the players of the two roles, `result` is `first`, `second` or `draw`. Other columns
are passed over.
"""

import csv
import io
from collections.abc import Iterator

from boardwright.agents.specs import current_spec
from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW
from boardwright.stats.pairings import Encounter

COLUMNS = ("first", "second", "result")
RESULTS = {"first": 0, "second": 1, "draw": DRAW}


def read_results(data: bytes, name: str) -> list[Encounter]:
    """The games of a CSV file; raises BoardwrightError with the line. `name` is what messages call the file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BoardwrightError(f"{name}: not UTF-8 text: save it as CSV with UTF-8") from error
    rows = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        header = [column.strip() for column in rows.fieldnames or ()]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise BoardwrightError(f"{name}: no column {missing[0]!r}: the first line must be {','.join(COLUMNS)}")
        rows.fieldnames = header
        return list(_encounters(rows, name))
    except csv.Error as error:
        raise BoardwrightError(f"{name}, line {rows.line_num}: {error}") from error


def _encounters(rows: "csv.DictReader[str]", name: str) -> Iterator[Encounter]:
    for row in rows:
        first, second, result = ((row[column] or "").strip() for column in COLUMNS)
        if not first or not second:
            raise BoardwrightError(f"{name}, line {rows.line_num}: a player has no name")
        if not (first + second).isprintable():
            raise BoardwrightError(f"{name}, line {rows.line_num}: a player's name cannot be printed")
        if result not in RESULTS:
            raise BoardwrightError(f"{name}, line {rows.line_num}: result {result!r} is not first, second or draw")
        yield Encounter(current_spec(first), current_spec(second), RESULTS[result])

"""What a rule set may be called: names go into files, tables and terminals."""

from boardwright.errors import RulesError

LONGEST = 60


def check_name(name: str) -> None:
    """Raises RulesError for a name that is empty, too long or not printable."""
    if not (name and name.isprintable() and len(name) <= LONGEST):
        raise RulesError(f"rule set name {name[:80]!r}: expected 1 to {LONGEST} printable characters")

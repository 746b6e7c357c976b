"""What reports of replayed papers have in common as Markdown."""

Rows = list[tuple[str, ...]]


def table(rows: Rows) -> list[str]:
    """Lines of a table, whose head comes first."""
    head, *lines = rows
    return ["| " + " | ".join(cells) + " |" for cells in (head, ("---",) * len(head), *lines)]

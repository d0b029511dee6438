"""Plain HTML tables, which a notebook shows: whatever stands in a cell is text, never markup.

A notebook executes what it displays, and names, ids and proposed answers come from outside.
"""

from collections.abc import Iterable, Sequence

from .errors import printable


def html_table(heading: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return an HTML table of texts, each escaped and read from left to right, names aside.

    Args:
        heading: the columns' names, in the order of a row's cells.
        rows: the cells of each row.
        caption: what stands above the table; empty for nothing.
    """
    head = "".join(f"<th>{_text(name)}</th>" for name in heading)
    body = "".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>" for cells in rows
    )
    above = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str) -> str:
    import html  # its list of entities, which no command needs

    # A name written from right to left must not reorder the sentence or the cells beside it.
    return f'<bdi dir="ltr">{html.escape(printable(text))}</bdi>' if text else ""

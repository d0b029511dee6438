"""Text in lines of so many columns of a terminal, where some characters take two and some none."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells
from rich.text import Text


def folded(text: str, width: int, *, style: str = "") -> Iterator[Text]:
    """Yield a text in lines of at most `width` columns, broken between words where that can be.

    Lines after the first are indented by two more columns than the first one is.
    """
    words = text.lstrip(" ").split(" ")
    indent = " " * (len(text) - len(text.lstrip(" ")))
    line, further = indent, f"{indent}  "
    is_empty = True
    for word in words:
        gap = "" if is_empty else " "
        if cell_len(line + gap + word) <= width:
            line += gap + word
        else:
            if not is_empty:
                yield Text(line, style=style)
                line = further
            *whole, word = chop_cells(word, width - len(further)) or [""]
            for piece in whole:
                yield Text(line + piece, style=style)
                line = further
            line += word
        is_empty = False
    yield Text(line, style=style)


def flowed(parts: Sequence[Text], width: int, gap: str = "  ") -> Iterator[Text]:
    """Yield parts in lines of at most `width` columns; a part is never broken."""
    line = Text()
    for part in parts:
        if line and line.cell_len + len(gap) + part.cell_len > width:
            yield line
            line = Text()
        if line:
            line.append(gap)
        line.append_text(part)
    yield line

"""Folded text: no line is too wide in columns, and nothing of the text is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from meeting_slot.pictures.folding import flowed, folded

WORDS = st.lists(st.text("ab山👩ש", min_size=1, max_size=30), min_size=1, max_size=12)


@given(WORDS, st.integers(0, 6), st.integers(20, 90))
def test_no_line_is_wider_and_no_character_is_lost(
    words: list[str], indent: int, width: int
) -> None:
    text = " " * indent + " ".join(words)
    lines = [line.plain for line in folded(text, width)]
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(words)
    assert all(line.startswith(" " * indent) for line in lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "  three"]),
        ("  one two three", ["  one two", "    three"]),
        ("abcdefghijklmnop", ["abcdefgh", "  ijklmnop"]),
        ("a 山山山山山", ["a", "  山山山山", "  山"]),
        ("", [""]),
    ],
)
def test_lines_break_between_words_where_that_can_be(text: str, lines: list[str]) -> None:
    assert [line.plain for line in folded(text, 10)] == lines


@given(WORDS, st.integers(60, 90))
def test_parts_are_never_broken(words: list[str], width: int) -> None:
    lines = [line.plain for line in flowed([Text(word) for word in words], width)]
    assert all(cell_len(line) <= width for line in lines)
    assert [word for line in lines for word in line.split("  ")] == words

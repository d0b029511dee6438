"""The four tools: their exact text, and one line that helps for whatever else they are asked."""

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from meeting_slot import (
    World,
    get_busy,
    get_timezone,
    get_working_hours,
    list_attendees,
    parse_world,
)
from tests.conftest import unprintable
from tests.world_objects import attendee_object, json_values, names, world_object

NFC = unicodedata.normalize("NFC", "Zoë")
NFD = unicodedata.normalize("NFD", "Zoë")

OFFICE = parse_world(
    world_object(
        attendee_object(
            NFC,
            "America/New_York",
            weekdays=(4, 0, 2),
            busy={
                "2024-03-12": "12:00-13:00",
                "2024-03-11": "15:00-16:00 09:00-12:00 11:00-11:00 10:00-13:30 15:00-16:00",
                "2024-03-13": "",
            },
        ),
        attendee_object("Ann Lee", "Pacific/Auckland", "00:00-24:00", (0, 1, 2, 3, 4, 5, 6)),
        attendee_object("Straße", "US/Eastern", busy={"2024-03-11": "22:00-24:00"}),
    )
)

THE_THREE = f"the attendees are {NFC}, Ann Lee, Straße"

by_name = pytest.mark.parametrize(
    "tool",
    [get_timezone, get_working_hours, lambda world, name: get_busy(world, name, "2024-03-11")],
    ids=["get_timezone", "get_working_hours", "get_busy"],
)
Tool = Callable[[World, Any], str]


def assert_one_short_line_that_says_error(text: str) -> None:
    assert text.startswith("error: ")
    assert text.splitlines() == [text]
    assert not unprintable(text)
    assert len(text) < 2_000


def test_list_attendees_gives_the_names_in_the_world_s_order() -> None:
    assert list_attendees(OFFICE) == f'["{NFC}", "Ann Lee", "Straße"]'


def test_get_timezone_gives_the_zone_as_plain_text_as_the_world_names_it() -> None:
    assert get_timezone(OFFICE, NFC) == "America/New_York"
    assert get_timezone(OFFICE, "Straße") == "US/Eastern"


def test_get_working_hours_names_the_weekdays_from_0_for_monday() -> None:
    assert get_working_hours(OFFICE, NFC) == (
        '{"start": "09:00", "end": "17:00", "weekdays": [0, 2, 4], '
        '"weekday_names": ["Monday", "Wednesday", "Friday"]}'
    )
    assert get_working_hours(OFFICE, "Ann Lee") == (
        '{"start": "00:00", "end": "24:00", "weekdays": [0, 1, 2, 3, 4, 5, 6], '
        '"weekday_names": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", '
        '"Sunday"]}'
    )


def test_get_busy_gives_unsorted_overlapping_repeated_and_empty_blocks_sorted_and_whole() -> None:
    assert get_busy(OFFICE, NFC, "2024-03-11") == (
        '[{"start": "09:00", "end": "12:00"}, {"start": "10:00", "end": "13:30"}, '
        '{"start": "11:00", "end": "11:00"}, {"start": "15:00", "end": "16:00"}, '
        '{"start": "15:00", "end": "16:00"}]'
    )


def test_get_busy_writes_the_end_of_the_day_as_24_00() -> None:
    assert get_busy(OFFICE, "Straße", "2024-03-11") == '[{"start": "22:00", "end": "24:00"}]'


@pytest.mark.parametrize("date", ["2024-03-13", "2024-03-14", "1969-12-31", "2101-01-01"])
def test_get_busy_on_a_real_date_without_blocks_is_an_empty_list(date: str) -> None:
    assert get_busy(OFFICE, NFC, date) == "[]"


def test_get_busy_goes_by_the_local_date_not_the_utc_date() -> None:
    # 09:00 on Tuesday 12 March in Auckland (UTC+13) is 20:00Z on Monday the 11th.
    auckland = attendee_object("Ari", "Pacific/Auckland", busy={"2024-03-12": "09:00-10:00"})
    # 20:00 on Monday 11 March in Honolulu (UTC-10) is 06:00Z on Tuesday the 12th.
    honolulu = attendee_object("Kai", "Pacific/Honolulu", busy={"2024-03-11": "20:00-21:00"})
    world = parse_world(world_object(auckland, honolulu))
    assert get_busy(world, "Ari", "2024-03-11") == "[]"
    assert get_busy(world, "Ari", "2024-03-12") == '[{"start": "09:00", "end": "10:00"}]'
    assert get_busy(world, "Kai", "2024-03-11") == '[{"start": "20:00", "end": "21:00"}]'
    assert get_busy(world, "Kai", "2024-03-12") == "[]"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (f" {NFC}\n", NFC),
        (NFC.upper(), NFC),
        (NFC.lower(), NFC),
        (NFD, NFC),
        (NFD.upper(), NFC),
        (f"\t{NFD.lower()} ", NFC),
        ("ANN LEE", "Ann Lee"),
        ("  ann lee  ", "Ann Lee"),
        ("STRASSE", "Straße"),
    ],
)
@by_name
def test_letter_case_surrounding_spaces_and_composition_of_a_name_are_forgiven(
    tool: Tool, asked: str, name: str
) -> None:
    assert tool(OFFICE, asked) == tool(OFFICE, name)
    assert not tool(OFFICE, asked).startswith("error: ")


@given(st.lists(names, min_size=1, max_size=1), st.integers(0, 3))
@settings(deadline=None, derandomize=True)
def test_every_attendee_is_found_by_the_listed_name(cast: list[str], spaces: int) -> None:
    world = parse_world(world_object(*(attendee_object(name, "Asia/Tokyo") for name in cast)))
    for name in json.loads(list_attendees(world)):
        assert get_timezone(world, " " * spaces + name + " " * spaces) == "Asia/Tokyo"


def test_a_name_in_another_form_than_the_world_s_own_is_found_in_a_decomposed_world_too() -> None:
    world = parse_world(world_object(attendee_object(NFD, "Asia/Tokyo")))
    assert list_attendees(world) == f'["{NFD}"]'
    assert get_timezone(world, NFC) == get_timezone(world, NFC.upper()) == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("Bob", '"Bob"'),
        ("", '""'),
        ("Ann", '"Ann"'),
        ("Ann  Lee", '"Ann  Lee"'),
        ("Zoe", '"Zoe"'),
        ("Bob\nAnn", r'"Bob\nAnn"'),
        ("\u202eboB\x7f\ud800", r'"\u202eboB\u007f\ud800"'),
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (7.5, "7.5"),
        ([NFC], "a list"),
        ({"name": NFC}, "an object"),
    ],
)
@by_name
def test_an_unknown_name_is_an_error_that_names_those_known(
    tool: Tool, asked: Any, shown: str
) -> None:
    assert tool(OFFICE, asked) == f"error: there is no attendee {shown}; {THE_THREE}"


@by_name
def test_a_name_of_10_000_characters_gives_one_short_line(tool: Tool) -> None:
    text = tool(OFFICE, "Ann Lee" * 1_429)
    assert_one_short_line_that_says_error(text)
    assert len(text) < 200
    assert text.endswith(THE_THREE)


@by_name
def test_of_1_000_attendees_an_error_names_20_and_says_how_many_more(tool: Tool) -> None:
    cast = [f"{number:04}" + "n" * 60 for number in range(1_000)]
    world = parse_world(world_object(*(attendee_object(name) for name in cast)))
    text = tool(world, "Bob")
    assert_one_short_line_that_says_error(text)
    known = ", ".join(cast[:20])
    assert text == (
        f'error: there is no attendee "Bob"; the attendees are {known} '
        "and 980 more (list_attendees has all)"
    )
    assert json.loads(list_attendees(world)) == cast


def test_of_20_attendees_an_error_names_all() -> None:
    cast = [f"Person {number}" for number in range(20)]
    world = parse_world(world_object(*(attendee_object(name) for name in cast)))
    assert get_timezone(world, "Bob").endswith(f"; the attendees are {', '.join(cast)}")


@pytest.mark.parametrize(
    ("date", "shown"),
    [
        ("2025-02-30", '"2025-02-30"'),
        ("2025-02-29", '"2025-02-29"'),
        ("20250602", '"20250602"'),
        ("2025-W23-1", '"2025-W23-1"'),
        ("2025-153", '"2025-153"'),
        (" 2025-06-02", '" 2025-06-02"'),
        ("2025-06-02 ", '"2025-06-02 "'),
        ("2025-06-02\n", r'"2025-06-02\n"'),
        ("2025-6-2", '"2025-6-2"'),
        ("02/06/2025", '"02/06/2025"'),
        ("June 2, 2025", '"June 2, 2025"'),
        ("2025-06-02T09:00:00Z", '"2025-06-02T09:00:00Z"'),
        (
            "\u0662\u0660\u0662\u0665-\u0660\u0666-\u0660\u0662",
            '"\u0662\u0660\u0662\u0665-\u0660\u0666-\u0660\u0662"',
        ),
        ("", '""'),
        (20250602, "20250602"),
        (None, "null"),
        (["2025-06-02"], "a list"),
        ({"date": "2025-06-02"}, "an object"),
        (False, "false"),
    ],
)
def test_a_malformed_date_is_an_error_and_never_an_empty_list(date: Any, shown: str) -> None:
    assert get_busy(OFFICE, "Ann Lee", date) == (
        f"error: the date must be a real one written YYYY-MM-DD, got {shown}"
    )


def test_a_date_of_10_000_characters_gives_one_short_line() -> None:
    text = get_busy(OFFICE, "Ann Lee", "2025-06-02" * 1_000)
    assert_one_short_line_that_says_error(text)
    assert len(text) < 200


def test_an_unknown_name_is_named_before_a_malformed_date() -> None:
    assert get_busy(OFFICE, "Bob", "tomorrow") == (
        f'error: there is no attendee "Bob"; {THE_THREE}'
    )


odd_arguments = (
    json_values
    | st.binary(max_size=12)
    | st.tuples(json_values)
    | st.sets(st.integers(), max_size=2)
    | st.complex_numbers()
    | st.floats()
    | st.builds(object)
    | st.text(max_size=12)
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(odd_arguments)
@example(10**5_000)
@example(tuple("2025-06-02"))
@example(({(1, 2): 3},))
@example(b"2025-06-02")
@example("\ud800")
def test_whatever_the_arguments_are_the_tools_return_a_line_of_error(odd: Any) -> None:
    for text in (
        get_timezone(OFFICE, odd),
        get_working_hours(OFFICE, odd),
        get_busy(OFFICE, odd, "2024-03-11"),
        get_busy(OFFICE, "Ann Lee", odd),
        get_busy(OFFICE, odd, odd),
    ):
        assert_one_short_line_that_says_error(text)


def test_the_names_in_an_error_are_escaped_where_they_hold_a_line_separator() -> None:
    world = parse_world(world_object(attendee_object("Ann\u2028Lee")))
    assert get_timezone(world, "Bob") == (
        r'error: there is no attendee "Bob"; the attendees are Ann\u2028Lee'
    )

"""Dates, offsets and proposed answers against `datetime`, and by hand."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meeting_slot.errors import UnreadableAnswer
from meeting_slot.instants import (
    TIMES_OF_DAY,
    WEEKDAY_NAMES,
    answer_text,
    day_text,
    first_day_of,
    instant_text,
    offset_text,
    parse_answer,
    parse_day,
    time_text,
    weekday_of,
    year_of,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
untimed = settings(deadline=None, derandomize=True, max_examples=300)


def utc_minute(year: int, month: int, day: int, hour: int, minute: int) -> int:
    return (datetime(year, month, day, hour, minute, tzinfo=UTC) - EPOCH) // MINUTE


@untimed
@given(st.dates())
def test_a_day_is_a_count_of_days_since_1970(drawn: date) -> None:
    day = (drawn - EPOCH.date()).days
    assert parse_day(drawn.isoformat()) == day
    assert day_text(day) == drawn.isoformat()
    assert weekday_of(day) == drawn.weekday()
    assert year_of(day) == drawn.year
    assert first_day_of(drawn.year) == (date(drawn.year, 1, 1) - EPOCH.date()).days


@pytest.mark.parametrize(
    ("text", "day", "weekday"),
    [
        ("1970-01-01", 0, "Thursday"),
        ("1970-01-02", 1, "Friday"),
        ("1969-12-31", -1, "Wednesday"),
        ("1969-12-28", -4, "Sunday"),
        ("1969-12-22", -10, "Monday"),
        ("2000-02-29", 30 * 365 + 7 + 31 + 28, "Tuesday"),
        ("2024-03-11", 54 * 365 + 13 + 31 + 29 + 10, "Monday"),
        ("0001-01-01", -719_162, "Monday"),
    ],
)
def test_days_by_hand_before_1970_too(text: str, day: int, weekday: str) -> None:
    assert parse_day(text) == day
    assert day_text(day) == text
    assert WEEKDAY_NAMES[weekday_of(day)] == weekday


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025-02-30",
        "2025-02-29",
        "2025-13-01",
        "2025-00-10",
        "0000-01-01",
        "20250602",
        "2025-W23-1",
        "2025-153",
        "2025-6-2",
        "2025-06-2",
        " 2025-06-02",
        "2025-06-02 ",
        "2025-06-02\n",
        "2025/06/02",
        "02-06-2025",
        "-025-06-02",
        "+025-06-02",
        "2025-+6-02",
        "2025- 6-02",
        "\u0662\u0660\u0662\u0665-\u0660\u0666-\u0660\u0662",
        "\uff12\uff10\uff12\uff15-06-02",
        "2025\u221206\u221202",
        "2025-06-02T00:00",
    ],
)
def test_a_day_that_is_not_a_real_date_written_so_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the reader writes the message)
        parse_day(text)


@untimed
@given(st.datetimes(timezones=st.just(UTC)))
def test_instant_text_is_the_utc_reading_with_no_seconds(drawn: datetime) -> None:
    instant = (drawn - EPOCH) // MINUTE
    assert instant_text(instant) == drawn.replace(second=0, microsecond=0).isoformat()[:19] + "Z"


def test_instant_text_by_hand() -> None:
    assert instant_text(0) == "1970-01-01T00:00:00Z"
    assert instant_text(-1) == "1969-12-31T23:59:00Z"
    assert instant_text(1440 * 366 - 1) == "1971-01-01T23:59:00Z"


def test_answer_text_of_no_start_is_none_in_capitals() -> None:
    assert answer_text(None) == "NONE"
    assert answer_text(0) == "1970-01-01T00:00:00Z"


def test_times_of_day_run_to_24_00_and_are_written_with_two_digits() -> None:
    assert len(TIMES_OF_DAY) == 24 * 60 + 1
    assert (TIMES_OF_DAY["00:00"], TIMES_OF_DAY["09:05"], TIMES_OF_DAY["24:00"]) == (0, 545, 1440)
    assert all(time_text(minute) == text for text, minute in TIMES_OF_DAY.items())


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (0, "UTC+00:00"),
        (60, "UTC+01:00"),
        (5 * 60 + 45, "UTC+05:45"),
        (14 * 60, "UTC+14:00"),
        (-1, "UTC-00:01"),
        (-45, "UTC-00:45"),
        (-(2 * 60 + 30), "UTC-02:30"),
        (-(3 * 60 + 15), "UTC-03:15"),
        (-12 * 60, "UTC-12:00"),
    ],
)
def test_an_offset_is_written_with_its_sign_and_minutes(offset: int, text: str) -> None:
    assert offset_text(offset) == text


@pytest.mark.parametrize(
    ("text", "minute"),
    [
        ("2024-03-11T13:00:00Z", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00Z", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11 13:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11t13:00:00z", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11 13:00 UTC", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00:00.0Z", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00:00.000Z", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00:00.000000000Z", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00:00+00:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T13:00:00-00:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T09:00:00-04:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T09:00:00-0400", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T09:00-04", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11 09:00:00 -04:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T18:45:00.000+05:45", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T09:30:00-03:30", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-12T03:00:00+14:00", utc_minute(2024, 3, 11, 13, 0)),
        ("2024-03-11T00:30:00+01:00", utc_minute(2024, 3, 10, 23, 30)),
        ("2024-12-31T23:30:00-01:00", utc_minute(2025, 1, 1, 0, 30)),
        ("1969-12-31T23:59:00Z", -1),
        ("1970-01-01T00:00+00:01", -1),
        ("2100-12-31T23:59:00Z", utc_minute(2100, 12, 31, 23, 59)),
        (" 2024-03-11T13:00:00Z\n", utc_minute(2024, 3, 11, 13, 0)),
        ("`2024-03-11T13:00:00Z`", utc_minute(2024, 3, 11, 13, 0)),
        ("```2024-03-11T13:00:00Z```", utc_minute(2024, 3, 11, 13, 0)),
        ("\n```\n2024-03-11T13:00:00Z\n```\n", utc_minute(2024, 3, 11, 13, 0)),
        ("` 2024-03-11T13:00:00Z `", utc_minute(2024, 3, 11, 13, 0)),
    ],
)
def test_every_notation_of_an_instant_is_read_as_its_utc_minute(text: str, minute: int) -> None:
    assert parse_answer(text) == (minute, 0)


@untimed
@given(
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)),
    st.integers(-14 * 60, 14 * 60),
    st.sampled_from(["T", " ", "t"]),
    st.sampled_from(["", ":00", ":00.000"]),
    st.sampled_from(["", "`", "```\n"]),
)
def test_an_instant_in_any_offset_is_the_minute_that_datetime_says(
    local: datetime, offset: int, between: str, seconds: str, quote: str
) -> None:
    local = local.replace(second=0, microsecond=0)
    sign, distance = "-" if offset < 0 else "+", abs(offset)
    text = (
        f"{local:%Y-%m-%d}".rjust(10, "0")
        + f"{between}{local:%H:%M}{seconds}{sign}{distance // 60:02}:{distance % 60:02}"
    )
    aware = local.replace(tzinfo=timezone(timedelta(minutes=offset)))
    assert parse_answer(quote + text + quote[::-1]) == ((aware - EPOCH) // MINUTE, 0)


@pytest.mark.parametrize(
    "text", ["NONE", "none", "None", "nOnE", " NONE\n", "`none`", "```\nNONE```"]
)
def test_none_is_read_in_any_case(text: str) -> None:
    assert parse_answer(text) is None


@pytest.mark.parametrize(
    ("text", "nanosecond"),
    [
        ("2024-03-11T13:00:01Z", 1_000_000_000),
        ("2024-03-11T13:00:59Z", 59_000_000_000),
        ("2024-03-11T13:00:00.5Z", 500_000_000),
        ("2024-03-11T13:00:00.001Z", 1_000_000),
        ("2024-03-11T13:00:00.000000001Z", 1),
        ("2024-03-11T09:00:30-04:00", 30_000_000_000),
    ],
)
def test_an_instant_inside_a_minute_is_read_and_is_not_whole(text: str, nanosecond: int) -> None:
    read = parse_answer(text)
    assert read == (utc_minute(2024, 3, 11, 13, 0), nanosecond)
    assert read is not None
    assert not read.whole


def test_an_instant_at_the_start_of_its_minute_is_whole() -> None:
    read = parse_answer("2024-03-11T13:00:00.000Z")
    assert read is not None
    assert read.whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "``",
        "N/A",
        "no",
        "nones",
        "13:00",
        "2024-03-11",
        "2024-03-11T",
        "2024-03-11T13",
        "2024-03-11T13Z",
        "2024-03-11T1:00Z",
        "2024-03-11T13:0Z",
        "2024-03-11T24:00:00Z",
        "2024-03-11T13:60Z",
        "2024-03-11T13:00:60Z",
        "2024-03-11T13:00:00.Z",
        "2024-03-11T13:00:00.+00:00",
        "2024-03-11T13:00:00+24:00",
        "2024-03-11T13:00:00+01:60",
        "2024-03-11T13:00:00+1:00",
        "2024-03-11T13:00:00+",
        "2024-03-11T13:00:00ZZ",
        "2024-03-11T13:00:00Z+00:00",
        "2024-03-11T13:00:00 America/New_York",
        "2024-02-30T13:00:00Z",
        "2024-3-11T13:00:00Z",
        "0000-01-01T00:00:00Z",
        "20240311T130000Z",
        "2024-W11-1T13:00:00Z",
        "1710162000",
        "2024-03-11T13:00:00Z.",
        "2024-03-11T13:00:00Z or NONE",
        "2024-03-11T13:00:00Z 2024-03-11T13:00:00Z",
        "the answer is 2024-03-11T13:00:00Z",
        "**2024-03-11T13:00:00Z**",
        "\u0662\u0660\u0662\u0664-03-11T13:00:00Z",
        "2024-03-11T1\uff13:00:00Z",
        "2024-03-11T13:0\u0660Z",
        "2024-03-11T13:00:00.\u0660Z",
        "2024-03-11T13:00:00+0\u0661:00",
        # their UTC dates are in the years 0 and 10000, which no date can be written for
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:00-00:01",
    ],
)
def test_text_that_is_no_instant_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableAnswer, match="is neither an instant such as"):
        parse_answer(text)


def test_the_message_for_an_unreadable_answer_is_one_short_line() -> None:
    with pytest.raises(UnreadableAnswer) as caught:
        parse_answer("no\nidea\u202e " * 100_000)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()

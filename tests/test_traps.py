"""Known traps, each with an answer derived by hand; the docstring says why it is right.

Gold and oracle both have to give it, so that a mistake they share would show.
"""

import pytest

from meeting_slot.sweep import gold_earliest
from tests import oracle
from tests.oracle import Attendee, Block

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)


def attendee(
    timezone: str,
    hours: str = "00:00-24:00",
    weekdays: tuple[int, ...] = tuple(range(7)),
    busy: dict[str, list[str]] | None = None,
) -> Attendee:
    """Return an attendee, named after the zone; hours and blocks are written "HH:MM-HH:MM"."""
    start, end = hours.split("-")
    return {
        "name": timezone,
        "timezone": timezone,
        "working_hours": {"start": start, "end": end, "weekdays": list(weekdays)},
        "busy": {day: [block(span) for span in spans] for day, spans in (busy or {}).items()},
    }


def block(span: str) -> Block:
    start, end = span.split("-")
    return {"start": start, "end": end}


def assert_answer(
    answer: str, *attendees: Attendee, duration: int, window_start: str, window_days: int = 1
) -> None:
    """Assert an answer ("NONE", or "YYYY-MM-DDTHH:MMZ" without its seconds) of gold and oracle."""
    value = answer if answer == "NONE" else answer.replace("Z", ":00Z")
    cast = list(attendees)
    assert gold_earliest({"attendees": cast}, duration, window_start, window_days) == value
    assert (
        oracle.answer(
            {
                "request": {
                    "duration_minutes": duration,
                    "window_start": window_start,
                    "window_days": window_days,
                },
                "attendees": cast,
            }
        )
        == value
    )


@pytest.mark.parametrize(("duration", "answer"), [(120, "2024-03-10T07:00Z"), (121, "NONE")])
def test_hours_that_begin_in_a_gap_begin_after_it(duration: int, answer: str) -> None:
    """New York skips 02:00-03:00 at 07:00Z: hours 02:00-05:00 are 03:00-05:00, 07:00Z-09:00Z."""
    ava = attendee("America/New_York", "02:00-05:00")
    assert_answer(answer, ava, duration=duration, window_start="2024-03-10")


def test_a_block_only_inside_a_gap_blocks_nothing() -> None:
    """01:30 in New York is 06:30Z; half an hour later it is 03:00, and 02:00-03:00 never comes."""
    ava = attendee("America/New_York", "01:30-05:00", busy={"2024-03-10": ["02:00-03:00"]})
    assert_answer("2024-03-10T06:30Z", ava, duration=60, window_start="2024-03-10")


def test_a_block_that_begins_in_a_gap_blocks_what_follows_the_gap() -> None:
    """Of 02:30-03:15 only 03:00-03:15 comes, 07:00Z-07:15Z; 06:30Z-07:00Z is half an hour."""
    ava = attendee("America/New_York", "01:30-05:00", busy={"2024-03-10": ["02:30-03:15"]})
    assert_answer("2024-03-10T07:15Z", ava, duration=60, window_start="2024-03-10")


@pytest.mark.parametrize(
    ("busy", "duration", "answer"),
    [
        ([], 30, "2024-11-03T05:00Z"),
        (["01:00-01:30"], 30, "2024-11-03T05:30Z"),
        ([], 120, "2024-11-03T05:00Z"),
        ([], 121, "NONE"),
    ],
)
def test_a_repeated_hour_is_two_hours_of_meeting_time(
    busy: list[str], duration: int, answer: str
) -> None:
    """New York reads 01:00-02:00 from 05:00Z to 06:00Z and again until 07:00Z, without a break."""
    ava = attendee("America/New_York", "01:00-02:00", busy={"2024-11-03": busy})
    assert_answer(answer, ava, duration=duration, window_start="2024-11-03")


def test_a_meeting_can_lie_in_the_second_pass_alone() -> None:
    """06:10Z-06:50Z, all that the other has, reads 01:10-01:50 for the second time in New York."""
    ava, uri = attendee("America/New_York", "01:00-02:00"), attendee("Etc/UTC", "06:10-06:50")
    assert_answer("2024-11-03T06:10Z", ava, uri, duration=30, window_start="2024-11-03")


@pytest.mark.parametrize(("duration", "answer"), [(40, "2024-11-03T05:40Z"), (41, "NONE")])
def test_a_meeting_can_span_both_passes_between_the_two_times_of_a_block(
    duration: int, answer: str
) -> None:
    """Free: 20 minutes before 01:20, then 01:40-02:00 with 01:00-01:20 again, 05:40Z-06:20Z."""
    ava = attendee("America/New_York", "01:00-02:00", busy={"2024-11-03": ["01:20-01:40"]})
    assert_answer(answer, ava, duration=duration, window_start="2024-11-03")


def test_a_block_on_a_repeated_hour_blocks_both_passes() -> None:
    """With 01:00-02:00 busy twice, 01:30-02:30 leaves 02:00-02:30 EST, 07:00Z-07:30Z."""
    ava = attendee("America/New_York", "01:30-02:30", busy={"2024-11-03": ["01:00-02:00"]})
    assert_answer("2024-11-03T07:00Z", ava, duration=30, window_start="2024-11-03")


@pytest.mark.parametrize(("window_days", "answer"), [(3, "NONE"), (10, "2012-01-05T19:00Z")])
def test_a_skipped_local_day_never_comes(window_days: int, answer: str) -> None:
    """Apia had no Friday 2011-12-30; the next Friday's 09:00, at +14:00, is Thursday 19:00Z."""
    sina = attendee("Pacific/Apia", "09:00-17:00", (FRIDAY,))
    assert_answer(answer, sina, duration=30, window_start="2011-12-29", window_days=window_days)


def test_a_meeting_can_cross_a_skipped_local_day() -> None:
    """Thursday 23:00 at -10:00 is 09:00Z; Saturday follows at 10:00Z. A block on Friday is void."""
    busy = {"2011-12-29": ["00:00-23:00"], "2011-12-30": ["00:00-24:00"]}
    sina = attendee("Pacific/Apia", weekdays=(THURSDAY, SATURDAY), busy=busy)
    assert_answer("2011-12-30T09:00Z", sina, duration=120, window_start="2011-12-29", window_days=3)


@pytest.mark.parametrize(
    ("duration", "answer"), [(60, "2024-03-31T00:30Z"), (61, "2024-03-31T22:30Z")]
)
def test_a_gap_of_two_hours(duration: int, answer: str) -> None:
    """Troll goes from 00:59 to 03:00 at 01:00Z, so that 00:30-03:30 is one hour, 00:30Z-01:30Z.

    The next day's 00:30, at +02:00, is 22:30Z of the same UTC day.
    """
    liv = attendee("Antarctica/Troll", "00:30-03:30")
    assert_answer(answer, liv, duration=duration, window_start="2024-03-31")


@pytest.mark.parametrize(("duration", "answer"), [(240, "2024-10-26T23:00Z"), (241, "NONE")])
def test_a_repeat_of_two_hours(duration: int, answer: str) -> None:
    """Troll reads 01:00-03:00 at +02:00 from 23:00Z and at +00:00 from 01:00Z to 03:00Z."""
    liv = attendee("Antarctica/Troll", "01:00-03:00")
    assert_answer(answer, liv, duration=duration, window_start="2024-10-26", window_days=2)


@pytest.mark.parametrize(
    ("duration", "answer"), [(30, "2024-10-05T15:30Z"), (31, "2024-10-06T15:00Z")]
)
def test_a_gap_of_half_an_hour(duration: int, answer: str) -> None:
    """Lord Howe goes from 02:00 +10:30 to 02:30 +11:00 at 15:30Z: 30 minutes are left of the hour.

    The next day's 02:00, at +11:00, is 15:00Z.
    """
    kim = attendee("Australia/Lord_Howe", "02:00-03:00")
    assert_answer(answer, kim, duration=duration, window_start="2024-10-05", window_days=2)


@pytest.mark.parametrize(("duration", "answer"), [(60, "2024-04-06T14:30Z"), (61, "NONE")])
def test_a_repeat_of_half_an_hour(duration: int, answer: str) -> None:
    """Lord Howe reads 01:30-02:00 at +11:00 from 14:30Z and at +10:30 from 15:00Z to 15:30Z."""
    kim = attendee("Australia/Lord_Howe", "01:30-02:00")
    assert_answer(answer, kim, duration=duration, window_start="2024-04-06", window_days=2)


@pytest.mark.parametrize(
    ("duration", "answer"), [(60, "2024-03-10T05:00Z"), (61, "2024-03-11T04:00Z")]
)
def test_a_day_without_a_midnight(duration: int, answer: str) -> None:
    """Havana's 2024-03-10 begins at 01:00, at 05:00Z; the day after begins at 00:00 -04:00."""
    leo = attendee("America/Havana", "00:00-02:00")
    assert_answer(answer, leo, duration=duration, window_start="2024-03-10", window_days=2)


def test_a_meeting_can_cross_a_midnight_that_is_skipped() -> None:
    """Havana's Saturday 23:30 at -05:00 is 04:30Z; Sunday 01:00 follows it at 05:00Z."""
    leo = attendee("America/Havana", busy={"2024-03-09": ["00:00-23:30"]})
    assert_answer("2024-03-10T04:30Z", leo, duration=60, window_start="2024-03-10")


@pytest.mark.parametrize(("duration", "answer"), [(120, "2024-11-03T04:00Z"), (121, "NONE")])
def test_a_first_hour_of_the_day_that_is_repeated(duration: int, answer: str) -> None:
    """Havana's Sunday reads 00:00-01:00 at -04:00 from 04:00Z and at -05:00 until 06:00Z."""
    leo = attendee("America/Havana", "00:00-01:00", (SUNDAY,))
    assert_answer(answer, leo, duration=duration, window_start="2024-11-03")


@pytest.mark.parametrize(
    ("window_start", "answer"),
    [
        ("2024-03-08", "2024-03-08T08:00Z"),
        ("2024-03-11", "2024-03-11T09:00Z"),
        ("2024-04-12", "2024-04-12T09:00Z"),
        ("2024-04-15", "2024-04-15T08:00Z"),
    ],
)
def test_clocks_that_go_back_for_ramadan(window_start: str, answer: str) -> None:
    """Casablanca is at +01:00, but at +00:00 from 2024-03-10 to 2024-04-14, around Ramadan."""
    sara = attendee("Africa/Casablanca", "09:00-09:30")
    assert_answer(answer, sara, duration=30, window_start=window_start)


@pytest.mark.parametrize(("duration", "answer"), [(120, "2024-03-10T01:00Z"), (121, "NONE")])
def test_a_repeated_hour_where_the_clocks_go_back_in_spring(duration: int, answer: str) -> None:
    """Casablanca reads 02:00-03:00 at +01:00 from 01:00Z and at +00:00 from 02:00Z to 03:00Z."""
    sara = attendee("Africa/Casablanca", "02:00-03:00")
    assert_answer(answer, sara, duration=duration, window_start="2024-03-10")


@pytest.mark.parametrize(
    ("window_start", "answer"),
    [("2024-01-15", "2024-01-15T09:00Z"), ("2024-07-15", "2024-07-15T08:00Z")],
)
def test_winter_time_that_is_flagged_as_negative_daylight_saving(
    window_start: str, answer: str
) -> None:
    """Dublin's standard time is +01:00, in summer; its "daylight saving" is winter at +00:00."""
    nora = attendee("Europe/Dublin", "09:00-17:00")
    assert_answer(answer, nora, duration=30, window_start=window_start)


@pytest.mark.parametrize(("duration", "answer"), [(120, "2024-10-27T00:00Z"), (121, "NONE")])
def test_a_repeated_hour_where_winter_is_flagged(duration: int, answer: str) -> None:
    """Dublin reads 01:00-02:00 at +01:00 from 00:00Z and at +00:00 from 01:00Z to 02:00Z."""
    nora = attendee("Europe/Dublin", "01:00-02:00")
    assert_answer(answer, nora, duration=duration, window_start="2024-10-27")


@pytest.mark.parametrize(("duration", "answer"), [(360, "2018-03-10T14:00Z"), (361, "NONE")])
def test_clocks_that_go_back_three_hours(duration: int, answer: str) -> None:
    """Casey reads 01:00-04:00 at +11:00 from 14:00Z and at +08:00 from 17:00Z to 20:00Z."""
    finn = attendee("Antarctica/Casey", "01:00-04:00")
    assert_answer(answer, finn, duration=duration, window_start="2018-03-10")


def test_clocks_that_go_back_three_hours_into_the_day_before() -> None:
    """Casey's Thursday ends at 13:00Z, at +11:00, and comes back at 15:00Z, 23:00 at +08:00."""
    finn = attendee("Antarctica/Casey", weekdays=(THURSDAY,))
    uri = attendee("Etc/UTC", "14:00-18:00")
    assert_answer("2010-03-04T15:00Z", finn, uri, duration=60, window_start="2010-03-04")
    assert_answer("NONE", finn, uri, duration=61, window_start="2010-03-04")


@pytest.mark.parametrize(
    ("duration", "answer"), [(1, "2010-11-07T02:30Z"), (2, "2010-11-07T03:30Z")]
)
def test_a_day_that_begins_twice(duration: int, answer: str) -> None:
    """St John's Sunday has one minute, 00:00 at 02:30Z, before 00:01 turns into Saturday 23:01.

    It begins anew at 03:30Z, at -03:30.
    """
    joan = attendee("America/St_Johns", weekdays=(SUNDAY,))
    assert_answer(answer, joan, duration=duration, window_start="2010-11-07")


@pytest.mark.parametrize(("duration", "answer"), [(59, "2010-11-07T02:31Z"), (60, "NONE")])
def test_a_day_that_comes_back(duration: int, answer: str) -> None:
    """St John's Saturday ends at 02:30Z and comes back from 02:31Z, 23:01, to 03:30Z."""
    joan, uri = (
        attendee("America/St_Johns", weekdays=(SATURDAY,)),
        attendee("Etc/UTC", "02:00-04:00"),
    )
    assert_answer(answer, joan, uri, duration=duration, window_start="2010-11-07")


@pytest.mark.parametrize(("duration", "answer"), [(60, "2010-03-14T03:30Z"), (61, "NONE")])
def test_a_gap_that_begins_one_minute_after_midnight(duration: int, answer: str) -> None:
    """St John's reads 00:00 at 03:30Z, then 01:01: 00:00-02:00 is 1 minute and 59 more."""
    joan = attendee("America/St_Johns", "00:00-02:00")
    assert_answer(answer, joan, duration=duration, window_start="2010-03-14")


@pytest.mark.parametrize(
    ("hours", "weekdays", "answer"),
    [
        ("00:00-24:00", (WEDNESDAY, THURSDAY), "2024-05-15T14:30Z"),
        ("00:00-24:00", (WEDNESDAY, FRIDAY), "NONE"),
        ("00:00-24:00", (TUESDAY, THURSDAY), "NONE"),
        ("00:00-23:59", (WEDNESDAY, THURSDAY), "NONE"),
        ("00:01-24:00", (WEDNESDAY, THURSDAY), "NONE"),
    ],
)
def test_a_meeting_crosses_a_local_midnight_if_both_sides_are_free(
    hours: str, weekdays: tuple[int, ...], answer: str
) -> None:
    """14:30Z-15:30Z, all that the other has, is Wednesday 23:30 to Thursday 00:30 in Tokyo."""
    rin, uri = attendee("Asia/Tokyo", hours, weekdays), attendee("Etc/UTC", "14:30-15:30")
    assert_answer(answer, rin, uri, duration=60, window_start="2024-05-15")


@pytest.mark.parametrize(("duration", "answer"), [(120, "2024-05-15T13:00Z"), (121, "NONE")])
def test_a_meeting_can_end_exactly_at_local_midnight(duration: int, answer: str) -> None:
    """Tokyo's Wednesday 22:00-24:00 is 13:00Z-15:00Z, and Thursday is off."""
    rin = attendee("Asia/Tokyo", "22:00-24:00", (WEDNESDAY,))
    assert_answer(answer, rin, duration=duration, window_start="2024-05-15")


@pytest.mark.parametrize(("duration", "answer"), [(480, "1972-01-05T09:45Z"), (481, "NONE")])
def test_an_offset_with_seconds_is_read_floored(duration: int, answer: str) -> None:
    """Monrovia was at -00:44:30: 09:44Z reads 08:59:30, 09:45Z 09:00:30 and 17:45Z 17:00:30."""
    mary = attendee("Africa/Monrovia", "09:00-17:00")
    assert_answer(answer, mary, duration=duration, window_start="1972-01-05")


def test_the_last_hour_before_an_offset_with_seconds_ends_is_a_whole_one() -> None:
    """Monrovia reads 23:00:30 at 23:45Z and 23:59:30 at 00:44Z, before 00:45 at 00:45Z."""
    mary = attendee("Africa/Monrovia", "23:00-24:00")
    assert_answer("1972-01-06T23:45Z", mary, duration=60, window_start="1972-01-06")


@pytest.mark.parametrize(("duration", "answer"), [(15, "1972-01-07T00:45Z"), (16, "NONE")])
def test_a_gap_that_begins_in_the_middle_of_a_minute(duration: int, answer: str) -> None:
    """Monrovia's 1972-01-07 began at 00:44:30Z, read 00:44:30: whole minutes from 00:45Z on."""
    mary = attendee("Africa/Monrovia", "00:00-01:00")
    assert_answer(answer, mary, duration=duration, window_start="1972-01-07")


@pytest.mark.parametrize(
    ("busy", "answer"),
    [
        ({"2024-05-15": ["00:00-23:59"]}, "2024-05-15T23:59Z"),
        ({"2024-05-15": ["00:00-24:00"]}, "NONE"),
        ({"2024-05-15": ["00:00-23:59"], "2024-05-16": ["00:28-00:29"]}, "NONE"),
    ],
)
def test_the_start_lies_in_the_window_and_the_end_may_pass_it(
    busy: dict[str, list[str]], answer: str
) -> None:
    """23:59Z is the window's last start; its half hour runs to 00:29Z of the next day."""
    uri = attendee("Etc/UTC", busy=busy)
    assert_answer(answer, uri, duration=30, window_start="2024-05-15")


def test_the_first_window_begins_in_the_local_year_1969() -> None:
    """1970-01-01T00:00Z is 1969-12-31 19:00 in New York, where that date's block counts."""
    ava = attendee("America/New_York", busy={"1969-12-31": ["19:00-19:30"]})
    assert_answer("1970-01-01T00:30Z", ava, duration=30, window_start="1970-01-01")


def test_the_last_window_ends_in_the_local_year_2101() -> None:
    """Saturday 2101-01-01 begins at 10:00Z in Kiritimati, at +14:00, and is one whole day."""
    tia = attendee("Pacific/Kiritimati", weekdays=(SATURDAY,))
    assert_answer("2100-12-31T10:00Z", tia, duration=1440, window_start="2100-12-31")

"""Verdicts: each reason once in its exact words, and the words and the JSON saying the same."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from meeting_slot import UnreadableAnswer, World, iana_release, parse_world, verify
from meeting_slot.verdict import StaleRecord, verify_recorded
from meeting_slot.zones import names as zone_names
from tests import oracle
from tests.strategies import worlds
from tests.world_objects import attendee_object, world_object

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
OTHER_RELEASE = "1999z"
WIDEST = 80
LONG_NAME = "N" * 20
"""The longest name for which lines fit."""


def london(**others: Any) -> World:
    """Return Ava in London (UTC+0 until 31 March 2024) for Friday 8 to Monday 11 March.

    Busy on Friday until 16:00, so the answer is 2024-03-08T16:00:00Z.
    """
    ava = attendee_object("Ava", "Europe/London", busy={"2024-03-08": "09:00-12:30 12:00-16:00"})
    return parse_world(world_object(ava, window_start="2024-03-08", window_days=4, **others))


NEVER = parse_world(
    world_object(
        attendee_object("Ava", "Europe/London", "09:00-10:00"),
        attendee_object("Ben", "Europe/London", "10:00-11:00"),
    )
)


def said(world: World, proposed: str) -> tuple[list[str], dict[str, Any]]:
    """Return a wrong answer's lines after the first, and its reason as JSON."""
    verdict = verify(world, proposed)
    assert not verdict.correct
    first, *others = verdict.lines()
    assert first == f"wrong: {proposed}"
    row = verdict.to_json()
    assert json.loads(json.dumps(row)) == row
    assert (row["proposed"], row["correct"], row["answer"]) == (proposed, False, verdict.answer)
    return others, row["reason"]


def hit(local: str, offset: str, timezone: str, at: str) -> list[str]:
    """Return the two lines that say where a conflict is, in local time and in UTC."""
    return [
        f"      at {local} in {timezone}, {offset}",
        f"      which is {at}",
    ]


# A right answer


@pytest.mark.parametrize(
    "proposed", ["2024-03-08T16:00:00Z", "2024-03-08T17:00+01:00", "`2024-03-08 16:00`"]
)
def test_a_right_answer_is_correct_in_one_line_in_any_notation(proposed: str) -> None:
    verdict = verify(london(), proposed)
    assert verdict.correct
    assert verdict.lines() == ["correct: 2024-03-08T16:00:00Z"]
    assert verdict.to_json() == {
        "proposed": proposed,
        "correct": True,
        "answer": "2024-03-08T16:00:00Z",
        "reason": None,
    }


@pytest.mark.parametrize("proposed", ["NONE", "none"])
def test_none_is_correct_where_there_is_no_start(proposed: str) -> None:
    assert verify(NEVER, proposed).correct
    assert verify(NEVER, proposed).lines() == ["correct: NONE"]


# Each kind of reason


@pytest.mark.parametrize("proposed", ["2024-03-07T23:59:00Z", "2024-03-12T00:00:00Z"])
def test_a_start_outside_the_window(proposed: str) -> None:
    lines, reason = said(london(), proposed)
    assert lines == [
        "  the start lies outside the window, which runs from 2024-03-08T00:00:00Z",
        "      to before 2024-03-12T00:00:00Z",
        "  the right answer is 2024-03-08T16:00:00Z",
    ]
    assert reason == {
        "kind": "outside window",
        "start": proposed,
        "window_start": "2024-03-08T00:00:00Z",
        "window_end": "2024-03-12T00:00:00Z",
    }


def test_a_day_off() -> None:
    lines, reason = said(london(), "2024-03-10T11:00:00Z")
    assert lines == [
        "  Ava has Sun 2024-03-10 off (works Mon Tue Wed Thu Fri)",
        *hit("Sun 2024-03-10 11:00", "UTC+00:00", "Europe/London", "2024-03-10T11:00:00Z"),
        "  the right answer is 2024-03-08T16:00:00Z",
    ]
    assert reason == {
        "kind": "conflicts",
        "start": "2024-03-10T11:00:00Z",
        "conflicts": [
            {
                "attendee": "Ava",
                "timezone": "Europe/London",
                "at": "2024-03-10T11:00:00Z",
                "local": "2024-03-10T11:00",
                "offset_minutes": 0,
                "cause": "day off",
                "block": None,
                "hours": ["09:00", "17:00"],
                "weekdays": [0, 1, 2, 3, 4],
            }
        ],
    }


def test_outside_the_working_hours_from_the_minute_the_meeting_runs_over() -> None:
    lines, reason = said(london(), "2024-03-08T16:31:00Z")
    assert lines == [
        "  Ava works 09:00-17:00, not at 17:00",
        *hit("Fri 2024-03-08 17:00", "UTC+00:00", "Europe/London", "2024-03-08T17:00:00Z"),
        "  the right answer is 2024-03-08T16:00:00Z",
    ]
    (conflict,) = reason["conflicts"]
    assert (conflict["cause"], conflict["local"]) == ("outside hours", "2024-03-08T17:00")
    assert (conflict["at"], conflict["block"]) == ("2024-03-08T17:00:00Z", None)


def test_a_busy_block_the_first_of_those_that_are_hit() -> None:
    lines, reason = said(london(), "2024-03-08T12:10:00Z")
    assert lines == [
        "  Ava is busy 09:00-12:30 on Fri 2024-03-08",
        *hit("Fri 2024-03-08 12:10", "UTC+00:00", "Europe/London", "2024-03-08T12:10:00Z"),
        "  the right answer is 2024-03-08T16:00:00Z",
    ]
    (conflict,) = reason["conflicts"]
    assert (conflict["cause"], conflict["block"]) == ("busy", ["09:00", "12:30"])


def test_of_two_blocks_that_touch_the_one_hit_is_the_one_that_begins_then() -> None:
    ava = attendee_object("Ava", busy={"2024-03-11": "09:00-12:00 12:00-16:00"})
    lines, reason = said(parse_world(world_object(ava)), "2024-03-11T12:00:00Z")
    assert lines[0] == "  Ava is busy 12:00-16:00 on Mon 2024-03-11"
    assert reason["conflicts"][0]["block"] == ["12:00", "16:00"]


def test_a_valid_start_that_is_not_the_earliest() -> None:
    lines, reason = said(london(), "2024-03-11T09:00:00Z")
    assert lines == [
        "  everyone is free then, but there is an earlier start",
        "  the right answer is 2024-03-08T16:00:00Z",
    ]
    assert reason == {
        "kind": "not earliest",
        "start": "2024-03-11T09:00:00Z",
        "earliest": "2024-03-08T16:00:00Z",
    }


def test_none_where_there_is_a_start() -> None:
    lines, reason = said(london(), "none")
    assert lines == ["  there is a valid start", "  the right answer is 2024-03-08T16:00:00Z"]
    assert reason == {"kind": "start exists", "earliest": "2024-03-08T16:00:00Z"}


@pytest.mark.parametrize("proposed", ["2024-03-08T16:00:30Z", "2024-03-08T17:00:00.001+01:00"])
def test_an_instant_inside_a_minute_even_that_of_the_answer(proposed: str) -> None:
    lines, reason = said(london(), proposed)
    assert lines == [
        "  a start is a whole minute; this one lies inside 2024-03-08T16:00:00Z",
        "  the right answer is 2024-03-08T16:00:00Z",
    ]
    assert reason == {"kind": "not a whole minute", "minute": "2024-03-08T16:00:00Z"}


def test_an_instant_where_the_right_answer_is_none() -> None:
    lines, _ = said(NEVER, "2024-03-11T09:00:00Z")
    assert lines == [
        "  Ben works 10:00-11:00, not at 09:00",
        *hit("Mon 2024-03-11 09:00", "UTC+00:00", "Europe/London", "2024-03-11T09:00:00Z"),
        "  the right answer is NONE",
    ]


# Who is named, and where


def test_each_attendee_who_is_not_free_is_named_with_the_first_minute_hit_in_local_time() -> None:
    world = parse_world(
        world_object(
            attendee_object("Ava", "America/New_York"),
            attendee_object("Ben", "UTC"),
            attendee_object("Chen", "Asia/Kathmandu", busy={"2024-03-11": "16:50-16:55"}),
            duration_minutes=60,
        )
    )
    # 11:00Z is 07:00 in New York (UTC-4) and 16:45 in Kathmandu (UTC+5:45)
    lines, reason = said(world, "2024-03-11T11:00:00Z")
    assert lines == [
        "  Ava works 09:00-17:00, not at 07:00",
        *hit("Mon 2024-03-11 07:00", "UTC-04:00", "America/New_York", "2024-03-11T11:00:00Z"),
        "  Chen is busy 16:50-16:55 on Mon 2024-03-11",
        *hit("Mon 2024-03-11 16:50", "UTC+05:45", "Asia/Kathmandu", "2024-03-11T11:05:00Z"),
        "  the right answer is NONE",
    ]
    assert [
        (each["attendee"], each["local"], each["offset_minutes"], each["at"])
        for each in reason["conflicts"]
    ] == [
        ("Ava", "2024-03-11T07:00", -240, "2024-03-11T11:00:00Z"),
        ("Chen", "2024-03-11T16:50", 345, "2024-03-11T11:05:00Z"),
    ]


def test_the_weekday_and_the_block_are_those_of_the_local_date() -> None:
    world = parse_world(
        world_object(
            attendee_object("Ari", "Pacific/Auckland", busy={"2024-03-12": "09:00-10:00"}),
        )
    )
    # Monday 20:00Z is Tuesday 09:00 in Auckland, UTC+13
    lines, reason = said(world, "2024-03-11T20:00:00Z")
    assert lines[:3] == [
        "  Ari is busy 09:00-10:00 on Tue 2024-03-12",
        *hit("Tue 2024-03-12 09:00", "UTC+13:00", "Pacific/Auckland", "2024-03-11T20:00:00Z"),
    ]
    assert reason["conflicts"][0]["local"] == "2024-03-12T09:00"


@pytest.mark.parametrize(
    ("proposed", "offset", "minutes"),
    [
        ("2024-11-03T05:30:00Z", "UTC-04:00", -240),
        ("2024-11-03T06:30:00Z", "UTC-05:00", -300),
    ],
    ids=["first pass", "second pass"],
)
def test_a_conflict_in_the_repeated_hour_shows_the_offset_of_its_pass(
    proposed: str, offset: str, minutes: int
) -> None:
    # New York goes back from 02:00 (UTC-4) to 01:00 (UTC-5) at 06:00Z: 01:30 occurs twice
    ava = attendee_object(
        "Ava", "America/New_York", "00:00-24:00", (6,), {"2024-11-03": "01:30-01:40"}
    )
    world = parse_world(world_object(ava, window_start="2024-11-03"))
    lines, reason = said(world, proposed)
    assert lines[:3] == [
        "  Ava is busy 01:30-01:40 on Sun 2024-11-03",
        *hit("Sun 2024-11-03 01:30", offset, "America/New_York", proposed),
    ]
    (conflict,) = reason["conflicts"]
    assert (conflict["local"], conflict["offset_minutes"]) == ("2024-11-03T01:30", minutes)
    assert conflict["at"] == proposed


def test_the_words_name_ten_attendees_and_count_the_others_and_the_json_names_all() -> None:
    cast = [attendee_object(f"Person {number}", hours="09:00-10:00") for number in range(13)]
    lines, reason = said(parse_world(world_object(*cast)), "2024-03-11T10:00:00Z")
    named = [line.split(" works ")[0].strip() for line in lines if " works " in line]
    assert named == [f"Person {number}" for number in range(10)]
    assert lines[-2:] == [
        "  and 3 more attendees are not free",
        "  the right answer is 2024-03-11T09:00:00Z",
    ]
    assert [each["attendee"] for each in reason["conflicts"]] == [
        f"Person {number}" for number in range(13)
    ]


# Words and JSON


def words(reason: dict[str, Any]) -> list[str]:
    """Return what the lines must say of the conflicts, from nothing but the facts of the JSON."""
    lines: list[str] = []
    for each in reason["conflicts"][:10]:
        day, minute = each["local"].split("T")
        day = f"{WEEKDAYS[date.fromisoformat(day).weekday()]} {day}"
        if each["cause"] == "busy":
            what = f"is busy {'-'.join(each['block'])} on {day}"
        elif each["cause"] == "outside hours":
            what = f"works {'-'.join(each['hours'])}, not at {minute}"
        else:
            listed = " ".join(WEEKDAYS[weekday] for weekday in each["weekdays"])
            what = f"has {day} off (works {listed})"
        hours, minutes = divmod(abs(each["offset_minutes"]), 60)
        offset = f"UTC{'-' if each['offset_minutes'] < 0 else '+'}{hours:02}:{minutes:02}"
        lines.append(f"  {each['attendee']} {what}")
        lines += hit(f"{day} {minute}", offset, each["timezone"], each["at"])
    return lines


@settings(
    deadline=None,
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(worlds(), st.integers(0, 14_399))
def test_the_words_and_the_json_name_the_same_attendees_local_times_and_blocks(
    drawn: oracle.World, number: int
) -> None:
    window = oracle.window(drawn)
    proposed = oracle.instant_text(window[number % len(window)])
    verdict = verify(parse_world(dict(drawn)), proposed)
    reason = verdict.to_json()["reason"]
    event("right" if reason is None else reason["kind"])
    if reason is None or reason["kind"] != "conflicts":
        return
    assert verdict.lines() == [
        f"wrong: {proposed}",
        *words(reason),
        f"  the right answer is {verdict.answer}",
    ]


# Every verdict can be printed


@pytest.mark.parametrize("zone", sorted(zone_names(), key=lambda name: (len(name), name))[-3:])
@pytest.mark.parametrize(
    ("proposed", "cause"),
    [
        ("2024-03-11T08:00:00Z", "outside hours"),
        ("2024-03-11T18:00:00Z", "busy"),
        ("2024-03-10T18:00:00Z", "day off"),
    ],
)
def test_lines_fit_80_columns_for_a_name_of_20_characters_in_any_zone(
    zone: str, proposed: str, cause: str
) -> None:
    busy = {"2024-03-11": "09:00-17:00"}
    attendee = attendee_object(LONG_NAME, zone, weekdays=(0, 1, 2, 3, 4, 5), busy=busy)
    world = parse_world(world_object(attendee, window_start="2024-03-08", window_days=4))
    verdict = verify(world, proposed)
    assert verdict.to_json()["reason"]["conflicts"][0]["cause"] == cause
    assert [line for line in verdict.lines() if len(line) > WIDEST] == []


@pytest.mark.parametrize(
    "proposed",
    [
        "2024-03-08T16:00:00Z",
        "2024-03-11T09:00:00Z",
        "2024-03-07T23:59:00.000000000-00:00",
        "2024-03-08T16:00:00.000000001+00:00",
        "NONE",
    ],
)
def test_the_other_lines_fit_80_columns_too(proposed: str) -> None:
    assert all(len(line) <= WIDEST for line in verify(london(), proposed).lines())


@pytest.mark.parametrize(
    "proposed",
    ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "\n```\n2024-03-08T15:00:00Z\n```\n"],
)
def test_a_far_or_padded_instant_is_wrong_in_printable_lines(proposed: str) -> None:
    verdict = verify(london(), proposed)
    assert not verdict.correct
    assert all(line.isprintable() for line in verdict.lines())
    assert json.loads(json.dumps(verdict.to_json()))["correct"] is False


@pytest.mark.parametrize(
    "proposed",
    ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:30-00:01", "9999-12-31T23:59:00-23:59"],
)
def test_an_instant_whose_utc_date_cannot_be_written_is_unreadable(proposed: str) -> None:
    with pytest.raises(UnreadableAnswer):
        verify(london(), proposed)


@pytest.mark.parametrize("proposed", ["", "soon", "2024-03-08", "16:00", "2024-02-30T09:00Z"])
def test_text_that_is_no_instant_is_unreadable(proposed: str) -> None:
    with pytest.raises(UnreadableAnswer):
        verify(london(), proposed)


# Recorded answers


def test_a_world_without_a_recorded_answer_has_no_verdict_on_it() -> None:
    assert verify_recorded(london()) is None
    assert verify_recorded(london(meta={"iana": OTHER_RELEASE})) is None


@pytest.mark.parametrize("release", [iana_release(), OTHER_RELEASE])
@pytest.mark.parametrize("recorded", ["2024-03-08T16:00:00Z", "2024-03-08T17:00:00+01:00"])
def test_a_recorded_answer_that_is_right_is_right_under_any_release(
    recorded: str, release: str
) -> None:
    verdict = verify_recorded(london(answer=recorded, meta={"iana": release}))
    assert verdict is not None
    assert verdict.correct


@pytest.mark.parametrize(
    "meta", [{"iana": iana_release()}, {"iana": None}, {}, {"hardness": 0.5}, None]
)
def test_a_recorded_answer_that_is_wrong_is_wrong_under_the_same_release_or_none_recorded(
    meta: dict[str, Any] | None,
) -> None:
    others = {} if meta is None else {"meta": meta}
    verdict = verify_recorded(london(answer="2024-03-11T09:00:00Z", **others))
    assert verdict is not None
    assert not verdict.correct
    assert verdict == verify(london(), "2024-03-11T09:00:00Z")


def test_a_recorded_answer_that_another_release_made_wrong_names_both_releases() -> None:
    world = london(id="w", answer="2024-03-11T09:00:00Z", meta={"iana": OTHER_RELEASE})
    with pytest.raises(StaleRecord) as caught:
        verify_recorded(world)
    assert str(caught.value) == (
        f"w: the recorded answer 2024-03-11T09:00:00Z was written under IANA release "
        f"{OTHER_RELEASE}; under {iana_release()} it is 2024-03-08T16:00:00Z"
    )


@pytest.mark.parametrize("odd", ["", "x" * 10_000, "a\nb", "\u202e"])
def test_an_odd_release_is_another_one_and_is_named_in_one_line(odd: str) -> None:
    with pytest.raises(StaleRecord) as caught:
        verify_recorded(london(answer="NONE", meta={"iana": odd}))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


def test_a_recorded_answer_with_line_ends_is_named_in_one_line() -> None:
    with pytest.raises(StaleRecord) as caught:
        verify_recorded(london(answer="```\nNONE\n```", meta={"iana": OTHER_RELEASE}))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("release", [["2020a"], {}, 0, False, None])
def test_a_release_that_is_no_text_counts_as_none_recorded(release: object) -> None:
    world = london(answer="NONE", meta={"iana": release})
    verdict = verify_recorded(world)
    assert verdict is not None
    assert not verdict.correct

"""The world format: each rule on both sides of its bound, with the path that its message names."""

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from meeting_slot import WorldError, content_hash, parse_world
from meeting_slot.parsing import parse_proposal
from tests.conftest import a_world, unprintable

MOST_CHARACTERS = 300
"""In the message of an error, however long the value is."""

FRIDAY = "2024-03-08"
BUSY = 'attendees[0].busy["2024-03-08"]'
HOURS = "attendees[0].working_hours"
ATTENDEE = ("attendees", 0)
Key = str | int


def changed(place: tuple[Key, ...], value: object) -> dict[str, Any]:
    """Return the sample world with the value at a place, a path of keys, replaced or added."""
    world: Any = a_world()
    parent = world
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    assert isinstance(world, dict)
    return world


def without(place: tuple[Key, ...]) -> dict[str, Any]:
    """Return the sample world with the member at a place left out."""
    world: Any = a_world()
    parent = world
    for key in place[:-1]:
        parent = parent[key]
    del parent[place[-1]]
    assert isinstance(world, dict)
    return world


def refusal(world: object) -> WorldError:
    """Return the error that refuses a world, its message one short printable line."""
    with pytest.raises(WorldError) as refused:
        parse_world(world)
    error = refused.value
    check_message(error)
    return error


def check_message(error: WorldError) -> None:
    """Check that an error's message is one short printable line that begins with its path."""
    message = str(error)
    assert message.splitlines() == [message]
    assert not unprintable(message)
    assert len(message) < MOST_CHARACTERS
    assert message == (f"{error.path}: {error.problem}" if error.path else error.problem)


# Request


@pytest.mark.parametrize("minutes", [1, 1440])
def test_duration_may_be_1_to_1440_minutes(minutes: int) -> None:
    world = parse_world(changed(("request", "duration_minutes"), minutes))
    assert world.request.duration_minutes == minutes


@pytest.mark.parametrize("minutes", [0, 1441, -1])
def test_duration_outside_1_to_1440_is_refused(minutes: int) -> None:
    error = refusal(changed(("request", "duration_minutes"), minutes))
    assert error.path == "request.duration_minutes"
    assert error.problem == f"expected a whole number from 1 to 1440, got {minutes}"


@pytest.mark.parametrize("days", [1, 366])
def test_window_may_have_1_to_366_days(days: int) -> None:
    assert parse_world(changed(("request", "window_days"), days)).request.window_days == days


@pytest.mark.parametrize("days", [0, 367])
def test_window_outside_1_to_366_days_is_refused(days: int) -> None:
    error = refusal(changed(("request", "window_days"), days))
    assert error.path == "request.window_days"
    assert error.problem == f"expected a whole number from 1 to 366, got {days}"


def window(start: object, days: object) -> dict[str, Any]:
    """Return the sample world with another window."""
    request = {"duration_minutes": 30, "window_start": start, "window_days": days}
    return a_world(request=request)


@pytest.mark.parametrize(
    ("start", "days", "first_day"),
    [
        ("1970-01-01", 1, 0),
        ("2100-12-31", 1, 47_846),  # 131 years of 365 days and 32 leap days, less one
        ("2099-12-31", 366, 47_481),  # 2100 is no leap year: this ends on 2100-12-31
        ("2024-02-29", 1, 19_782),
    ],
)
def test_window_may_lie_anywhere_from_1970_to_2100(start: str, days: int, first_day: int) -> None:
    request = parse_world(window(start, days)).request
    assert (request.window_start, request.window_days) == (first_day, days)


@pytest.mark.parametrize("start", ["1969-12-31", "2101-01-01", "0001-01-01", "9999-12-31"])
def test_window_that_starts_outside_1970_to_2100_is_refused(start: str) -> None:
    error = refusal(window(start, 1))
    assert error.path == "request.window_start"
    assert error.problem == f'expected a date from 1970-01-01 to 2100-12-31, got "{start}"'


@pytest.mark.parametrize(
    ("start", "days", "last"), [("2100-12-31", 2, "2101-01-01"), ("2100-01-01", 366, "2101-01-01")]
)
def test_window_that_ends_after_2100_is_refused(start: str, days: int, last: str) -> None:
    error = refusal(window(start, days))
    assert error.path == "request.window_days"
    assert error.problem == f"the window ends on {last}, after 2100-12-31"


NOT_WHOLE_NUMBERS: list[Any] = [
    *[True, False, 30.0, 1.5, float("inf"), "30", "", None, [], [30], {}],
    pytest.param(10**5000, id="5001 digits"),
    pytest.param(-(10**5000), id="minus 5001 digits"),
]


@pytest.mark.parametrize("value", NOT_WHOLE_NUMBERS)
@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("request", "duration_minutes"), "request.duration_minutes"),
        (("request", "window_days"), "request.window_days"),
        ((*ATTENDEE, "working_hours", "weekdays", 1), f"{HOURS}.weekdays[1]"),
    ],
)
def test_number_is_a_whole_number_and_nothing_like_it(
    place: tuple[Key, ...], path: str, value: object
) -> None:
    error = refusal(changed(place, value))
    assert error.path == path
    assert error.problem.startswith("expected a whole number from ")


NOT_DATES = [
    "2023-02-29",
    "2100-02-29",
    "2024-00-10",
    "2024-13-01",
    "2024-04-31",
    "24-03-08",
    "2024-3-8",
    "20240308",
    "2024-W10-5",
    "2024-068",
    "2024/03/08",
    "2024-03-08T00:00",
    "2024-03-08 ",
    " 2024-03-8",
    "+024-03-08",
    "2024-03-0\u0668",  # an Arabic-Indic eight
    "\uff12\uff10\uff12\uff14-\uff10\uff13-\uff10\uff18",  # full-width digits
    "0000-01-01",
    "",
]


@pytest.mark.parametrize("text", NOT_DATES)
def test_window_start_is_a_real_date_written_yyyy_mm_dd(text: str) -> None:
    error = refusal(window(text, 1))
    assert error.path == "request.window_start"
    assert error.problem.startswith("expected a real date YYYY-MM-DD, got ")


@pytest.mark.parametrize("value", [None, 20240308, 2024.5, True, ["2024-03-08"], {}])
def test_window_start_is_a_string(value: object) -> None:
    error = refusal(window(value, 1))
    assert error.path == "request.window_start"
    assert error.problem.startswith("expected a string, got ")


# Attendees and names


def cast(names: list[str]) -> dict[str, Any]:
    """Return the sample world with attendees of these names."""
    ava = a_world()["attendees"][0]
    return a_world(attendees=[ava | {"name": name} for name in names])


@pytest.mark.parametrize("count", [1, 1000])
def test_attendees_may_be_1_to_1000_and_keep_their_order(count: int) -> None:
    names = [f"P{i}" for i in reversed(range(count))]
    assert [attendee.name for attendee in parse_world(cast(names)).attendees] == names


@pytest.mark.parametrize("count", [0, 1001])
def test_attendees_outside_1_to_1000_are_refused(count: int) -> None:
    error = refusal(cast([f"P{i}" for i in range(count)]))
    assert error.path == "attendees"
    assert error.problem == f"expected 1 to 1000 attendees, got {count}"


GOOD_NAMES = [
    "A",
    "A" * 64,
    "\U0001f600" * 64,  # code points are counted, not UTF-16 units or bytes
    "Zo\u00eb",
    "Zoe\u0308",
    "Ava  B.  C",
    "\U0001f469\u200d\U0001f4bb",  # a zero-width joiner is no control character
    '"quoted" \\',
    "[bold]Ava[/bold]",
    "NONE",
]


@pytest.mark.parametrize("name", GOOD_NAMES, ids=ascii)
def test_name_is_kept_as_it_was_written(name: str) -> None:
    assert parse_world(cast([name])).attendees[0].name == name


BAD_NAMES = [
    ("A" * 65, "a name has at most 64 characters, not 65"),
    ("\U0001f600" * 65, "a name has at most 64 characters, not 65"),
    ("", "a name must not be blank"),
    ("\t\n", "a name must not be blank"),
    ("\u3000", "a name must not be blank"),
    (" Ava", "a name must not start or end with white space"),
    ("Ava ", "a name must not start or end with white space"),
    ("\u3000Ava", "a name must not start or end with white space"),
    ("Ava\u00a0", "a name must not start or end with white space"),
    ("A\tva", "a name must not hold the control character U+0009"),
    ("Ava\n", "a name must not hold the control character U+000A"),
    ("A\x1b[31mva", "a name must not hold the control character U+001B"),
    ("A\x7fva", "a name must not hold the control character U+007F"),
    ("A\x85va", "a name must not hold the control character U+0085"),
    ("A\ud800va", "a name must not hold the control character U+D800"),
    ("Ava\udfff", "a name must not hold the control character U+DFFF"),
    *[
        (f"A{control}va", f"a name must not hold the control character U+{ord(control):04X}")
        for control in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    ],
]


@pytest.mark.parametrize(("name", "problem"), BAD_NAMES, ids=ascii)
def test_name_that_is_blank_long_or_could_forge_output_is_refused(name: str, problem: str) -> None:
    error = refusal(cast(["Ben", name]))
    assert error.path == "attendees[1].name"
    assert error.problem.startswith(f"{problem}, got ")


@pytest.mark.parametrize("value", [None, 7, True, ["Ava"], {}])
def test_name_is_a_string(value: object) -> None:
    error = refusal(changed((*ATTENDEE, "name"), value))
    assert error.path == "attendees[0].name"
    assert error.problem.startswith("expected a string, got ")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ava", "Ava"),
        ("Ava", "aVA"),
        ("Stra\u00dfe", "STRASSE"),  # case folding, more than lower case
        ("\ufb01n", "FIN"),
        (
            "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
            "\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3",
        ),
        ("Zo\u00eb", "Zoe\u0308"),
        ("Zo\u00eb", "ZOE\u0308"),
        ("\u212bsa", "\u00e5sa"),  # the sign for angstrom is a letter after NFC
    ],
    ids=ascii,
)
def test_names_that_are_one_after_nfc_and_case_folding_are_refused(first: str, second: str) -> None:
    error = refusal(cast(["Ben", first, "Cleo", second]))
    assert error.path == "attendees[3].name"
    assert "is the same name as attendees[1].name" in error.problem


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ava", "Ava2"), ("Ava", "\u0410va"), ("2", "\u00b2"), ("Ava B", "AvaB")],
    ids=ascii,
)
def test_names_that_only_look_alike_are_two_names(first: str, second: str) -> None:
    assert len(parse_world(cast([first, second])).attendees) == 2


# Working hours


def hours(start: object, end: object) -> dict[str, Any]:
    """Return the sample world with other working hours of the first attendee."""
    return changed(
        (*ATTENDEE, "working_hours"), {"start": start, "end": end, "weekdays": [6, 0, 3]}
    )


@pytest.mark.parametrize(
    ("start", "end", "minutes"),
    [
        ("00:00", "24:00", (0, 1440)),
        ("23:59", "24:00", (1439, 1440)),
        ("00:00", "00:01", (0, 1)),
        ("09:05", "17:30", (545, 1050)),
    ],
)
def test_hours_may_end_at_24_00(start: str, end: str, minutes: tuple[int, int]) -> None:
    found = parse_world(hours(start, end)).attendees[0].working_hours
    assert (found.start, found.end) == minutes


@pytest.mark.parametrize(
    ("start", "end"), [("09:00", "09:00"), ("17:00", "09:00"), ("22:00", "06:00")]
)
def test_hours_that_are_empty_or_wrap_past_midnight_are_refused(start: str, end: str) -> None:
    error = refusal(hours(start, end))
    assert error.path == HOURS
    assert error.problem == (
        f"expected start before end (hours do not wrap past midnight), got {start} to {end}"
    )


def test_weekdays_are_sorted() -> None:
    assert parse_world(hours("09:00", "17:00")).attendees[0].working_hours.weekdays == (0, 3, 6)


@pytest.mark.parametrize(
    ("weekdays", "path", "problem"),
    [
        ([], "weekdays", "expected at least one weekday, got none"),
        (None, "weekdays", "expected a list, got null"),
        (3, "weekdays", "expected a list, got 3"),
        ("0", "weekdays", 'expected a list, got "0"'),
        ({"0": 1}, "weekdays", "expected a list, got an object"),
        ([0, 6, 0], "weekdays[2]", "weekday 0 is listed twice"),
        (
            [0, -1],
            "weekdays[1]",
            "expected a whole number from 0 to 6 (0 is Monday, 6 is Sunday), got -1",
        ),
        (
            [7],
            "weekdays[0]",
            "expected a whole number from 0 to 6 (0 is Monday, 6 is Sunday), got 7",
        ),
    ],
)
def test_weekdays_are_at_least_one_of_0_to_6_and_none_twice(
    weekdays: object, path: str, problem: str
) -> None:
    error = refusal(changed((*ATTENDEE, "working_hours", "weekdays"), weekdays))
    assert (error.path, error.problem) == (f"{HOURS}.{path}", problem)


NOT_TIMES = [
    "9:00",
    "09:0",
    "0900",
    "09.00",
    "09:60",
    "09:00:00",
    "09:00Z",
    "9:00 AM",
    " 09:00",
    "09:00 ",
    "-1:00",
    "+9:00",
    "24:01",
    "25:00",
    "\u0660\u0669:\u0660\u0660",  # Arabic-Indic digits
    "",
]
NO_STRINGS: list[object] = [540, 9.5, None, True, ["09:00"], {}]
TIME_PLACES = [
    pytest.param((*ATTENDEE, "working_hours", "start"), f"{HOURS}.start", id="hours start"),
    pytest.param((*ATTENDEE, "working_hours", "end"), f"{HOURS}.end", id="hours end"),
    pytest.param((*ATTENDEE, "busy", FRIDAY, 0, "start"), f"{BUSY}[0].start", id="block start"),
    pytest.param((*ATTENDEE, "busy", FRIDAY, 0, "end"), f"{BUSY}[0].end", id="block end"),
]


@pytest.mark.parametrize("value", [*NOT_TIMES, *NO_STRINGS], ids=ascii)
@pytest.mark.parametrize(("place", "path"), TIME_PLACES)
def test_time_of_day_is_written_hh_mm(place: tuple[Key, ...], path: str, value: object) -> None:
    error = refusal(changed(place, value))
    assert error.path == path
    if isinstance(value, str):
        latest = "24:00" if path.endswith("end") else "23:59"
        assert error.problem.startswith(f"expected a time HH:MM from 00:00 to {latest}, got ")
    else:
        assert error.problem.startswith("expected a string, got ")


@pytest.mark.parametrize(
    ("world", "path"),
    [
        (hours("24:00", "24:00"), f"{HOURS}.start"),
        (
            changed((*ATTENDEE, "busy", FRIDAY, 0), {"start": "24:00", "end": "24:00"}),
            f"{BUSY}[0].start",
        ),
    ],
)
def test_24_00_is_no_start(world: dict[str, Any], path: str) -> None:
    error = refusal(world)
    assert error.path == path
    assert error.problem == 'expected a time HH:MM from 00:00 to 23:59, got "24:00"'


# Busy blocks


def busy(value: object) -> dict[str, Any]:
    """Return the sample world with another busy calendar of the first attendee."""
    return changed((*ATTENDEE, "busy"), value)


def block(start: object, end: object) -> dict[str, object]:
    """Return a busy block."""
    return {"start": start, "end": end}


def blocks_of(world: dict[str, Any]) -> list[tuple[int, tuple[tuple[int, int], ...]]]:
    """Return the first attendee's blocks by day, in their order, as read."""
    return list(parse_world(world).attendees[0].busy.items())


def test_missing_busy_is_free() -> None:
    assert blocks_of(without((*ATTENDEE, "busy"))) == blocks_of(busy({})) == []


def test_blocks_may_overlap_touch_repeat_be_unsorted_and_lie_outside_the_hours() -> None:
    written = [
        block("12:00", "13:00"),
        block("09:00", "10:00"),
        block("09:30", "12:00"),
        block("09:00", "10:00"),
        block("00:00", "01:00"),
        block("23:00", "24:00"),
    ]
    blocks = ((0, 60), (540, 600), (540, 600), (570, 720), (720, 780), (1380, 1440))
    assert blocks_of(busy({FRIDAY: written})) == [(19_790, blocks)]  # 2024-02-29 is day 19,782


@pytest.mark.parametrize(
    ("start", "end", "minutes"),
    [
        ("00:00", "00:00", (0, 0)),
        ("12:00", "12:00", (720, 720)),
        ("23:59", "23:59", (1439, 1439)),
        ("00:00", "24:00", (0, 1440)),
    ],
)
def test_block_may_be_empty_or_end_at_24_00(start: str, end: str, minutes: tuple[int, int]) -> None:
    assert blocks_of(busy({FRIDAY: [block(start, end)]})) == [(19_790, (minutes,))]


def test_blocks_may_stand_on_any_real_date_and_dates_are_sorted() -> None:
    dates = ["9999-12-31", "2024-03-08", "2011-12-30", "1970-01-01", "1969-12-31", "0001-01-01"]
    days = [day for day, _ in blocks_of(busy({date: [] for date in dates}))]
    assert days == [-719_162, -1, 0, 15_338, 19_790, 2_932_896]


def test_block_may_stand_on_a_date_that_never_occurs_there() -> None:
    attendee = a_world()["attendees"][0] | {"timezone": "Pacific/Apia"}
    attendee["busy"] = {"2011-12-30": [block("09:00", "10:00")]}  # skipped at the date line
    assert blocks_of(a_world(attendees=[attendee])) == [(15_338, ((540, 600),))]


@pytest.mark.parametrize(
    "key", [*NOT_DATES, "2024-03-08\u202e", "x" * 10_000], ids=lambda k: ascii(k[:20])
)
def test_busy_is_keyed_by_real_dates(key: str) -> None:
    error = refusal(busy({FRIDAY: [], key: []}))
    assert error.path.startswith("attendees[0].busy[")
    assert error.problem == "the key is not a real date YYYY-MM-DD"


@pytest.mark.parametrize(
    ("value", "path", "problem"),
    [
        (None, "attendees[0].busy", "expected an object keyed by local date, got null"),
        ([], "attendees[0].busy", "expected an object keyed by local date, got a list"),
        ({FRIDAY: None}, BUSY, "expected a list, got null"),
        ({FRIDAY: {}}, BUSY, "expected a list, got an object"),
        ({FRIDAY: "09:00-10:00"}, BUSY, 'expected a list, got "09:00-10:00"'),
        ({FRIDAY: [None]}, f"{BUSY}[0]", "expected an object, got null"),
        ({FRIDAY: ["09:00"]}, f"{BUSY}[0]", 'expected an object, got "09:00"'),
        ({FRIDAY: [["09:00", "10:00"]]}, f"{BUSY}[0]", "expected an object, got a list"),
        (
            {FRIDAY: [block("09:00", "10:00"), block("11:00", "10:59")]},
            f"{BUSY}[1]",
            "expected start not after end (a block does not wrap past midnight), "
            "got 11:00 to 10:59",
        ),
    ],
)
def test_busy_is_an_object_of_lists_of_blocks_that_do_not_wrap(
    value: object, path: str, problem: str
) -> None:
    error = refusal(busy(value))
    assert (error.path, error.problem) == (path, problem)


def test_path_says_which_attendee_date_block_and_end() -> None:
    error = refusal(changed(("attendees", 1, "busy", FRIDAY, 0, "end"), "25:00"))
    assert str(error) == (
        'attendees[1].busy["2024-03-08"][0].end: '
        'expected a time HH:MM from 00:00 to 24:00, got "25:00"'
    )


# Keys

LEVELS = [
    pytest.param((), "", id="world"),
    pytest.param(("request",), "request", id="request"),
    pytest.param(("attendees", 1), "attendees[1]", id="attendee"),
    pytest.param(("attendees", 1, "working_hours"), "attendees[1].working_hours", id="hours"),
    pytest.param(
        ("attendees", 1, "busy", FRIDAY, 0), 'attendees[1].busy["2024-03-08"][0]', id="block"
    ),
]


@pytest.mark.parametrize(("place", "path"), LEVELS)
def test_unknown_key_is_refused_at_every_level(place: tuple[Key, ...], path: str) -> None:
    error = refusal(changed((*place, "colour"), "red"))
    assert error.path == path
    assert error.problem.startswith('unknown key "colour" (known are ')


@pytest.mark.parametrize(
    ("place", "key", "meant"),
    [
        ((), "anwser", "answer"),
        ((), "Meta", "meta"),
        ((), "attendee", "attendees"),
        (("request",), "duration", "duration_minutes"),
        (("attendees", 1), "time_zone", "timezone"),
        (("attendees", 1), "bussy", "busy"),
        (("attendees", 1, "working_hours"), "weekday", "weekdays"),
        (("attendees", 1, "busy", FRIDAY, 0), "strat", "start"),
    ],
)
def test_misspelt_key_gets_a_did_you_mean(place: tuple[Key, ...], key: str, meant: str) -> None:
    error = refusal(changed((*place, key), None))
    assert error.problem == f'unknown key "{key}" (did you mean {meant}?)'


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("request",), "request"),
        (("attendees",), "attendees"),
        (("request", "duration_minutes"), "request.duration_minutes"),
        (("request", "window_start"), "request.window_start"),
        (("request", "window_days"), "request.window_days"),
        (("attendees", 1, "name"), "attendees[1].name"),
        (("attendees", 1, "timezone"), "attendees[1].timezone"),
        (("attendees", 1, "working_hours"), "attendees[1].working_hours"),
        (("attendees", 1, "working_hours", "start"), "attendees[1].working_hours.start"),
        (("attendees", 1, "working_hours", "end"), "attendees[1].working_hours.end"),
        (("attendees", 1, "working_hours", "weekdays"), "attendees[1].working_hours.weekdays"),
        (("attendees", 1, "busy", FRIDAY, 0, "start"), 'attendees[1].busy["2024-03-08"][0].start'),
        (("attendees", 1, "busy", FRIDAY, 0, "end"), 'attendees[1].busy["2024-03-08"][0].end'),
    ],
)
def test_missing_key_is_named_with_its_path(place: tuple[Key, ...], path: str) -> None:
    error = refusal(without(place))
    assert str(error) == f"{path}: required, but missing"


@pytest.mark.parametrize("value", [None, True, 7, 1.5, "text", []])
@pytest.mark.parametrize(
    ("place", "path"),
    [
        (("request",), "request"),
        (("attendees", 1), "attendees[1]"),
        (("attendees", 1, "working_hours"), "attendees[1].working_hours"),
        (("attendees", 1, "busy"), "attendees[1].busy"),
        (("meta",), "meta"),
    ],
)
def test_object_is_expected(place: tuple[Key, ...], path: str, value: object) -> None:
    error = refusal(changed(place, value))
    assert error.path == path
    assert error.problem.startswith("expected an object")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "expected a world object, got null"),
        ("{}", 'expected a world object, got "{}"'),
        (7, "expected a world object, got 7"),
        (1.5, "expected a world object, got 1.5"),
        (False, "expected a world object, got false"),
        ([], "expected a world object, got a list (a split has one world a line)"),
    ],
)
def test_world_is_an_object(value: object, problem: str) -> None:
    assert str(refusal(value)) == problem


@pytest.mark.parametrize("value", [None, "Ava", 7, {"0": {}}])
def test_attendees_are_a_list(value: object) -> None:
    error = refusal(a_world(attendees=value))
    assert error.path == "attendees"
    assert error.problem.startswith("expected a list, got ")


# Id, answer and meta


@pytest.mark.parametrize(
    "own_id", ["x", "x" * 128, "\u00e4\u6f22" * 64, "weekend skip/dst #1", '"', "f" * 64], ids=ascii
)
def test_own_id_of_1_to_128_printable_characters_is_kept(own_id: str) -> None:
    assert parse_world(a_world(id=own_id)).id == own_id


@pytest.mark.parametrize(
    "own_id",
    [
        "",
        "x" * 129,
        "a\nb",
        "a\tb",
        "\x1b[31m",
        "a\u202eb",
        "a\u2028b",
        "\ud800",
        " ",
        7,
        None,
        ["x"],
    ],
    ids=ascii,
)
def test_id_that_is_no_1_to_128_printable_characters_is_refused(own_id: object) -> None:
    error = refusal(a_world(id=own_id))
    assert error.path == "id"
    assert error.problem.startswith("expected ")


def test_world_without_an_id_is_called_by_its_content() -> None:
    world = parse_world(a_world())
    assert world.own_id is None
    assert world.id == content_hash(world)
    assert len(world.id) == 64


@pytest.mark.parametrize(
    "answer", ["NONE", "none", "2024-03-11T13:00:00Z", "2024-03-11 15:00+02:00"]
)
def test_recorded_answer_is_kept_as_it_was_written(answer: str) -> None:
    assert parse_world(a_world(answer=answer)).recorded == answer


@pytest.mark.parametrize(
    "answer",
    [
        None,
        0,
        True,
        ["NONE"],
        {},
        "",
        "soon",
        "2024-03-11",
        "13:00",
        "2024-02-30T13:00:00Z",
        "x" * 10_000,
    ],
    ids=lambda answer: ascii(answer)[:20],
)
def test_recorded_answer_is_an_instant_or_none(answer: object) -> None:
    error = refusal(a_world(answer=answer))
    assert error.path == "answer"
    if isinstance(answer, str):
        assert "is neither an instant such as 2024-03-11T13:00:00Z nor NONE" in error.problem
    else:
        assert error.problem.startswith("expected a string, got ")


def test_meta_is_kept_whatever_it_holds() -> None:
    meta: dict[str, Any] = {
        "iana": "2026f",
        "hardness": {"core_failed": 7},
        "note": [None, -1, 0.5, {}],
    }
    assert parse_world(a_world(meta=meta)).meta == meta


@pytest.mark.parametrize(
    ("meta", "path"),
    [
        ({"load": float("inf")}, "meta.load"),
        ({"load": float("-inf")}, "meta.load"),
        ({"load": float("nan")}, "meta.load"),
        ({"a": [0, {"b": [1, float("inf")]}]}, "meta.a[1].b[1]"),
    ],
)
def test_number_in_meta_that_no_float_can_hold_is_refused(meta: object, path: str) -> None:
    error = refusal(a_world(meta=meta))
    assert error.path == path
    assert error.problem == "number out of range"


def test_path_into_a_deep_meta_does_not_flood_the_message() -> None:
    meta = f'{{"{"key " * 10}":' * 150 + "1e999" + "}" * 150
    refusal(a_world(meta=json.loads(meta)))


# Time zones


@pytest.mark.parametrize(
    "zone",
    [
        "US/Eastern",
        "Asia/Calcutta",
        "GB",
        "EST5EDT",
        "UTC",
        "Etc/GMT+5",
        "America/Argentina/Ushuaia",
    ],
)
def test_zone_may_be_any_iana_name_and_an_alias_stays_as_written(zone: str) -> None:
    assert parse_world(changed((*ATTENDEE, "timezone"), zone)).attendees[0].timezone == zone


@pytest.mark.parametrize(
    "zone",
    [
        "Factory",
        "posixrules",
        "localtime",
        "/etc/localtime",
        "/usr/share/zoneinfo/Europe/Berlin",
        "../zoneinfo/Europe/Berlin",
        "Europe/../Europe/Berlin",
        "Europe/./Berlin",
        "Europe//Berlin",
        "Europe",
        "Europe/",
        "zone.tab",
        "tzdata.zi",
        "__init__.py",
        "Europe/Berlin ",
        "Europe/Berlin\n",
        "Europe/Berlin\x00",
        "CEST",
        "UTC+2",
        "+02:00",
        "EST5EDT,M3.2.0,M11.1.0",
        "",
        ".",
        "\u202eEurope/Berlin",
        "\ud800",
        "E" * 10_000,
    ],
    ids=lambda zone: ascii(zone)[:40],
)
def test_zone_that_is_no_iana_name_is_refused(zone: str) -> None:
    error = refusal(changed((*ATTENDEE, "timezone"), zone))
    assert error.path == "attendees[0].timezone"
    assert error.problem.startswith('unknown time zone "')


@pytest.mark.parametrize(
    ("zone", "meant"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("EUROPE/BERLIN", "Europe/Berlin"),
        ("US/Eastren", "US/Eastern"),
        ("America/New York", "America/New_York"),
        ("new york", "America/New_York"),
        ("Asia/Katmandou", "Asia/Katmandu"),
        ("Buenos Aires", "America/Buenos_Aires"),
    ],
)
def test_misspelt_zone_gets_a_did_you_mean(zone: str, meant: str) -> None:
    problem = refusal(changed((*ATTENDEE, "timezone"), zone)).problem
    assert problem.startswith(f'unknown time zone "{zone}" (did you mean ')
    assert meant in problem.rpartition("did you mean ")[2].rstrip("?)").split(" or ")


def test_zone_like_no_other_is_told_what_is_expected() -> None:
    error = refusal(changed((*ATTENDEE, "timezone"), "Mars/Olympus Mons"))
    assert error.problem == (
        'unknown time zone "Mars/Olympus Mons": expected an IANA name such as Europe/Berlin'
    )


# A row of proposed answers


def test_proposal_is_an_id_and_an_answer() -> None:
    assert parse_proposal({"id": "w1", "answer": "none"}) == ("w1", "none")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answer": "NONE"}, "id: required, but missing"),
        ({"id": "w1"}, "answer: required, but missing"),
        ({"id": 1, "answer": "NONE"}, "id: expected a string, got 1"),
        ({"id": "w1", "answer": None}, "answer: expected a string, got null"),
        (
            {"id": "w1", "answer": "NONE", "anwser": "NONE"},
            'unknown key "anwser" (did you mean answer?)',
        ),
        ([], "expected an object, got a list"),
    ],
)
def test_proposal_that_is_anything_else_is_refused(row: object, message: str) -> None:
    with pytest.raises(WorldError) as refused:
        parse_proposal(row)
    check_message(refused.value)
    assert str(refused.value) == message


# Whatever is in it

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
FAMILIAR = st.sampled_from(
    [
        "00:00",
        "24:00",
        "23:59",
        FRIDAY,
        "2100-12-31",
        "UTC",
        "NONE",
        "start",
        "busy",
        0,
        6,
        366,
        1440,
    ]
)
JSON = st.recursive(
    FAMILIAR | st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
KEYS = ANY_TEXT | st.sampled_from(["id", "answer", "meta", "busy", "start", "name", "2024-03-09"])


@st.composite
def almost_worlds(draw: st.DrawFn) -> Any:
    """Draw the sample world with one or two of its values, at any depth, replaced or added."""
    world: Any = a_world(id="w1", answer="NONE", meta={"iana": "2026f", "path": [0.5, [None]]})
    for _ in range(draw(st.integers(1, 2))):
        parent, key = {"": world}, ""
        while draw(st.integers(0, 5)) and isinstance(parent[key], dict | list) and parent[key]:
            parent = parent[key]
            keys = range(len(parent)) if isinstance(parent, list) else list(parent)
            key = draw(st.sampled_from(keys))
        if isinstance(parent, dict) and key and draw(st.booleans()):
            key = draw(KEYS)
        parent[key] = draw(JSON)
        if key == "":
            world = parent[key]
    return world


@settings(max_examples=2000, derandomize=True, suppress_health_check=list(HealthCheck))
@given(almost_worlds())
def test_any_value_is_refused_in_one_line_or_read_and_written_again_the_same(value: Any) -> None:
    before = copy.deepcopy(value)
    try:
        world = parse_world(value)
    except WorldError as error:
        event("refused")
        check_message(error)
    else:
        event("read")
        line = world.to_line()
        assert parse_world(world.to_json()).to_line() == line
        assert parse_world(json.loads(line)).to_line() == line
    assert repr(value) == repr(before)

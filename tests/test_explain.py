"""`explain`: the proof of each curated world as derived by hand, and of worlds with odd clocks."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings

from meeting_slot import curated_worlds, parse_world
from meeting_slot.argument import argument
from meeting_slot.cpsat import certificate as module
from meeting_slot.cpsat.certificate import certificate
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target
from meeting_slot.explanation import argument_lines, call_lines
from meeting_slot.observations import of_call
from meeting_slot.world import World
from tests import oracle
from tests.conftest import ANSWER, SECONDS, Command, a_world, unprintable, write
from tests.strategies import worlds
from tests.world_objects import attendee_object, world_object

ALL_WEEK = (0, 1, 2, 3, 4, 5, 6)
COLUMNS = 80

WEEKEND_SKIP_DST = """\
2024-03-11T13:00:00Z weekend_skip_dst
floor 8 calls: list_attendees() and these 7, the fewest that prove the answer
  get_timezone("Ava")              America/New_York
  get_working_hours("Ava")         09:00-17:00 Mon-Fri
  get_busy("Ava", "2024-03-08")    09:00-17:00
  get_busy("Ava", "2024-03-11")    no block
  get_timezone("Farid")            Europe/London
  get_working_hours("Farid")       09:00-17:00 Mon-Fri
  get_busy("Farid", "2024-03-11")  no block
No earlier start works: a meeting of 30 minutes would touch the time named:
  Fri 2024-03-08 00:00Z to before 14:00Z
    Ava is off work until Fri 2024-03-08 09:00 UTC-05:00
  Fri 2024-03-08 14:00Z to before 22:00Z
    Ava is busy Fri 2024-03-08 09:00-17:00 UTC-05:00
  Fri 2024-03-08 22:00Z to before Mon 2024-03-11 13:00Z
    Ava is off work Fri 2024-03-08 17:00 UTC-05:00 to Mon 2024-03-11 09:00
      UTC-04:00 (Sat, Sun off)
2024-03-11T13:00:00Z is the first start left, and everybody is free:
  Ava: Mon 2024-03-11 09:00-09:30 UTC-04:00
    works 09:00-17:00 Mon-Fri, no block that day
  Farid: Mon 2024-03-11 13:00-13:30 UTC+00:00
    works 09:00-17:00 Mon-Fri, no block that day
"""

GAP_30MIN = """\
2024-03-11T11:00:00Z gap_30min
floor 7 calls: list_attendees() and these 6, the fewest that prove the answer
  get_timezone("Jules")            UTC
  get_working_hours("Jules")       09:00-17:00 Mon-Fri
  get_busy("Jules", "2024-03-11")  09:00-11:00, 11:30-16:00
  get_timezone("Kit")              UTC
  get_working_hours("Kit")         09:00-17:00 Mon-Fri
  get_busy("Kit", "2024-03-11")    09:00-11:00, 11:30-16:00
No earlier start works: a meeting of 30 minutes would touch the time named:
  Mon 2024-03-11 00:00Z to before 09:00Z
    Jules is off work until Mon 2024-03-11 09:00 UTC+00:00
  Mon 2024-03-11 09:00Z to before 11:00Z
    Jules is busy Mon 2024-03-11 09:00-11:00 UTC+00:00
2024-03-11T11:00:00Z is the first start left, and everybody is free:
  Jules: Mon 2024-03-11 11:00-11:30 UTC+00:00
    works 09:00-17:00 Mon-Fri, between the blocks 09:00-11:00 and 11:30-16:00
  Kit: Mon 2024-03-11 11:00-11:30 UTC+00:00
    works 09:00-17:00 Mon-Fri, between the blocks 09:00-11:00 and 11:30-16:00
"""

SYDNEY_NY_NONE = """\
NONE sydney_ny_none
floor 5 calls: list_attendees() and these 4, the fewest that prove the answer
  get_timezone("Hugo")       Australia/Sydney
  get_working_hours("Hugo")  09:00-17:00 Mon-Fri
  get_timezone("Ava")        America/New_York
  get_working_hours("Ava")   09:00-17:00 Mon-Fri
No start works: a meeting of 30 minutes would touch the time named:
  Mon 2024-06-10 00:00Z to before 13:00Z
    Ava is off work until Mon 2024-06-10 09:00 UTC-04:00 (Sun off)
  Mon 2024-06-10 13:00Z to before 23:00Z
    Hugo is off work Mon 2024-06-10 17:00 to Tue 2024-06-11 09:00 UTC+10:00
  Mon 2024-06-10 23:00Z to before 24:00Z
    Ava is off work from Mon 2024-06-10 17:00 UTC-04:00 on
No start is left in the window: the answer is NONE.
"""

THREE_PERSON_BUSY = """\
2024-06-10T14:00:00Z three_person_busy
floor 10 calls: list_attendees() and these 9, the fewest that prove the answer
  get_timezone("Ava")              America/New_York
  get_working_hours("Ava")         09:00-17:00 Mon-Fri
  get_busy("Ava", "2024-06-10")    no block
  get_timezone("Farid")            Europe/London
  get_working_hours("Farid")       09:00-17:00 Mon-Fri
  get_busy("Farid", "2024-06-10")  no block
  get_timezone("Jules")            UTC
  get_working_hours("Jules")       09:00-17:00 Mon-Fri
  get_busy("Jules", "2024-06-10")  09:00-14:00
No earlier start works: a meeting of 30 minutes would touch the time named:
  Mon 2024-06-10 00:00Z to before 13:00Z
    Ava is off work until Mon 2024-06-10 09:00 UTC-04:00 (Sun off)
  Mon 2024-06-10 13:00Z to before 14:00Z
    Jules is busy Mon 2024-06-10 09:00-14:00 UTC+00:00
2024-06-10T14:00:00Z is the first start left, and everybody is free:
  Ava: Mon 2024-06-10 10:00-10:30 UTC-04:00
    works 09:00-17:00 Mon-Fri, no block that day
  Farid: Mon 2024-06-10 15:00-15:30 UTC+01:00
    works 09:00-17:00 Mon-Fri, no block that day
  Jules: Mon 2024-06-10 14:00-14:30 UTC+00:00
    works 09:00-17:00 Mon-Fri, after the last block, 09:00-14:00
"""


class Proof(NamedTuple):
    """The proof of a curated world, in short.

    Refuted is where each stretch ends (hours since the window's 00:00Z), for whom, and the cause.
    Confirmed is what each clock shows at the answer: date and time as MM-DDTHH:MM, and the offset.
    """

    world: str
    refuted: list[tuple[float, str, str]]
    confirmed: dict[str, str]


OUTSIDE = "outside hours"
PROOFS = (
    Proof(
        "same_tz_empty_busy",
        [(13, "Ava", OUTSIDE)],
        {"Ava": "03-11T09:00-04:00", "Ben": "03-11T09:00-04:00"},
    ),
    Proof(
        "overlapping_busy",
        [(13, "Ava", OUTSIDE), (16, "Ava", "busy 09:00-12:00"), (18, "Ben", "busy 11:00-14:00")],
        {"Ava": "03-11T14:00-04:00", "Ben": "03-11T14:00-04:00"},
    ),
    Proof("no_overlap_ny_kolkata", [(13, "Ava", OUTSIDE), (24, "Diya", OUTSIDE)], {}),
    Proof(
        "weekend_skip_dst",
        [(14, "Ava", OUTSIDE), (22, "Ava", "busy 09:00-17:00"), (72 + 13, "Ava", OUTSIDE)],
        {"Ava": "03-11T09:00-04:00", "Farid": "03-11T13:00+00:00"},
    ),
    Proof(
        "dst_us_spring_monday",
        [(13, "Ava", OUTSIDE)],
        {"Ava": "03-11T09:00-04:00", "Farid": "03-11T13:00+00:00"},
    ),
    Proof(
        "inclusive_busy_utc",
        [(9, "Jules", OUTSIDE), (11, "Jules", "busy 09:00-11:00")],
        {"Jules": "03-11T11:00+00:00", "Kit": "03-11T11:00+00:00"},
    ),
    Proof(
        "gap_30min",
        [(9, "Jules", OUTSIDE), (11, "Jules", "busy 09:00-11:00")],
        {"Jules": "03-11T11:00+00:00", "Kit": "03-11T11:00+00:00"},
    ),
    Proof(
        "gap_60min",
        [(9, "Jules", OUTSIDE), (16, "Jules", "busy 09:00-11:00 11:30-16:00")],
        {"Jules": "03-11T16:00+00:00", "Kit": "03-11T16:00+00:00"},
    ),
    Proof(
        "four_person_summer",
        [(13, "Ava", OUTSIDE)],
        {
            "Ava": "06-10T09:00-04:00",
            "Farid": "06-10T14:00+01:00",
            "Elena": "06-10T15:00+02:00",
            "Jules": "06-10T13:00+00:00",
        },
    ),
    Proof(
        "sydney_ny_none", [(13, "Ava", OUTSIDE), (23, "Hugo", OUTSIDE), (24, "Ava", OUTSIDE)], {}
    ),
    Proof(
        "shanghai_tokyo",
        [(1, "Chen", OUTSIDE)],
        {"Chen": "03-11T09:00+08:00", "Gita": "03-11T10:00+09:00"},
    ),
    Proof(
        "last_friday_slot",
        [(14, "Ava", OUTSIDE), (16.5, "Farid", "busy 09:00-16:30")],
        {"Ava": "03-08T11:30-05:00", "Farid": "03-08T16:30+00:00"},
    ),
    Proof(
        "dst_eu_monday",
        [(9, "Farid", OUTSIDE), (17, "Farid", "busy 09:00-17:00"), (72 + 8, "Farid", OUTSIDE)],
        {"Farid": "04-01T09:00+01:00", "Elena": "04-01T10:00+02:00"},
    ),
    Proof(
        "three_person_busy",
        [(13, "Ava", OUTSIDE), (14, "Jules", "busy 09:00-14:00")],
        {
            "Ava": "06-10T10:00-04:00",
            "Farid": "06-10T15:00+01:00",
            "Jules": "06-10T14:00+00:00",
        },
    ),
    Proof(
        "no_slot_fully_booked",
        [(13, "Ava", OUTSIDE), (21, "Ava", "busy 09:00-17:00"), (24, "Ava", OUTSIDE)],
        {},
    ),
)


def curated(world_id: str) -> World:
    return next(world for world in curated_worlds() if world.id == world_id)


@pytest.fixture
def explained(command: Command, tmp_path: Path) -> Callable[..., str]:
    """Explain a world given as its object, without a word on standard error."""

    def run(world: object, *options: str) -> str:
        ended = command("explain", write(tmp_path / "world.json", world), *options)
        assert (ended.status, ended.err) == (0, "")
        return ended.out

    return run


def argument_of(world: dict[str, Any]) -> list[str]:
    """Return the argument in words, without what was observed."""
    typed = parse_world(world)
    found = certificate(typed)
    return argument_lines(argument(typed, found.observations, found.answer))


# The curated worlds


@pytest.mark.parametrize(
    "text", [WEEKEND_SKIP_DST, GAP_30MIN, SYDNEY_NY_NONE, THREE_PERSON_BUSY], ids=lambda t: t[:36]
)
def test_explain_prints_the_proof_written_by_hand(text: str, explained: Callable[..., str]) -> None:
    world_id = text.split()[1]
    assert explained(curated(world_id).to_json()) == text


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.world)
def test_explain_names_the_facts_derived_by_hand(
    proof: Proof, explained: Callable[..., str]
) -> None:
    world = curated(proof.world)
    shown = json.loads(explained(world.to_json(), "--json"))

    def instant(hours: float) -> str:
        return oracle.instant_text(world.request.start + int(60 * hours))

    def cause(refuted: dict[str, Any]) -> str:
        blocks = [f"{start}-{end}" for start, end in refuted.get("blocks", [])]
        return " ".join([refuted["cause"], *blocks])

    ends = [0.0, *(end for end, _, _ in proof.refuted)]
    assert [(r["from"], r["to"], r["attendee"], cause(r)) for r in shown["refuted"]] == [
        (instant(start), instant(end), name, why)
        for start, (end, name, why) in zip(ends, proof.refuted, strict=False)
    ]
    year = world.to_json()["request"]["window_start"][:5]
    assert {c["attendee"]: c["from"] for c in shown["confirmed"]} == {
        name: year + local for name, local in proof.confirmed.items()
    }
    assert list(proof.confirmed) in ([], [attendee.name for attendee in world.attendees])
    assert shown["answer"] == world.recorded
    assert shown["id"] == proof.world


def test_there_is_a_proof_by_hand_for_each_curated_world() -> None:
    assert [proof.world for proof in PROOFS] == [world.id for world in curated_worlds()]


@pytest.mark.parametrize("world", curated_worlds(), ids=lambda world: world.id)
def test_the_proof_of_a_curated_world_is_a_handful_of_lines(
    world: World, explained: Callable[..., str]
) -> None:
    lines = explained(world.to_json()).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    found = certificate(world)
    refuted = argument(world, found.observations, found.answer).refuted
    assert len(refuted) <= 3
    assert len(lines) <= 3 + found.size + 3 * len(refuted) + 2 * len(world.attendees) + 1


def test_json_gives_the_calls_of_the_certificate_and_the_floor(
    explained: Callable[..., str],
) -> None:
    for world in curated_worlds():
        shown = json.loads(explained(world.to_json(), "--json"))
        found = certificate(world)
        calls = [of_call(world, c["tool"], c["arguments"]) for c in shown["observations"]]
        assert calls == list(found.observations)
        assert (shown["floor"], shown["size"]) == (found.floor, found.size)
        assert shown["proven_minimal"] is True


def test_json_says_when_and_why_in_local_time(explained: Callable[..., str]) -> None:
    shown = json.loads(explained(curated("weekend_skip_dst").to_json(), "--json"))
    new_york = {"attendee": "Ava", "timezone": "America/New_York"}
    assert shown["refuted"] == [
        new_york
        | {
            "from": "2024-03-08T00:00:00Z",
            "to": "2024-03-08T14:00:00Z",
            "cause": "outside hours",
            "since": None,
            "until": "2024-03-08T09:00-05:00",
            "gaps": False,
            "days_off": [],
        },
        new_york
        | {
            "from": "2024-03-08T14:00:00Z",
            "to": "2024-03-08T22:00:00Z",
            "cause": "busy",
            "date": "2024-03-08",
            "blocks": [["09:00", "17:00"]],
            "offset_minutes": [-300],
            "gaps": False,
        },
        new_york
        | {
            "from": "2024-03-08T22:00:00Z",
            "to": "2024-03-11T13:00:00Z",
            "cause": "outside hours",
            "since": "2024-03-08T17:00-05:00",
            "until": "2024-03-11T09:00-04:00",
            "gaps": False,
            "days_off": ["2024-03-09", "2024-03-10"],
        },
    ]
    assert shown["confirmed"][0] == new_york | {
        "from": "2024-03-11T09:00-04:00",
        "to": "2024-03-11T09:30-04:00",
        "hours": ["09:00", "17:00"],
        "weekdays": [0, 1, 2, 3, 4],
        "block_before": None,
        "block_after": None,
    }
    (of_gap, _) = json.loads(explained(curated("gap_30min").to_json(), "--json"))["confirmed"]
    assert of_gap["block_before"] == {"date": "2024-03-11", "block": ["09:00", "11:00"]}
    assert of_gap["block_after"] == {"date": "2024-03-11", "block": ["11:30", "16:00"]}


# Odd clocks and calendars


def test_a_repeated_hour_is_met_in_both_passes() -> None:
    # New York goes back at 06:00Z: 01:15 is 05:15Z, and 06:15Z again.
    ava = attendee_object(
        "Ava", "America/New_York", "00:00-03:00", ALL_WEEK, {"2024-11-03": "00:00-01:40"}
    )
    jo = attendee_object(
        "Jo", "UTC", "00:00-24:00", ALL_WEEK, {"2024-11-03": "00:00-05:00 07:00-07:30"}
    )
    assert argument_of(world_object(ava, jo, window_start="2024-11-03")) == [
        "No earlier start works: a meeting of 30 minutes would touch the time named:",
        "  Sun 2024-11-03 00:00Z to before 05:00Z",
        "    Jo is busy Sun 2024-11-03 00:00-05:00 UTC+00:00",
        "  Sun 2024-11-03 05:00Z to before 06:40Z",
        "    Ava is busy Sun 2024-11-03 00:00-01:40 UTC-04:00, then UTC-05:00 (gaps too",
        "      short)",
        "  Sun 2024-11-03 06:40Z to before 07:30Z",
        "    Jo is busy Sun 2024-11-03 07:00-07:30 UTC+00:00",
        "2024-11-03T07:30:00Z is the first start left, and everybody is free:",
        "  Ava: Sun 2024-11-03 02:30-03:00 UTC-05:00",
        "    works 00:00-03:00 every day, after the last block, 00:00-01:40",
        "  Jo: Sun 2024-11-03 07:30-08:00 UTC+00:00",
        "    works 00:00-24:00 every day, after the last block, 07:00-07:30",
    ]


def test_a_meeting_may_lie_between_two_passes_of_one_block() -> None:
    ava = attendee_object(
        "Ava", "America/New_York", "01:00-02:00", ALL_WEEK, {"2024-11-03": "01:15-01:45"}
    )
    jo = attendee_object("Jo", "UTC", "00:00-24:00", ALL_WEEK, {"2024-11-03": "00:00-05:00"})
    assert argument_of(world_object(ava, jo, window_start="2024-11-03"))[:8] == [
        "No earlier start works: a meeting of 30 minutes would touch the time named:",
        "  Sun 2024-11-03 00:00Z to before 05:00Z",
        "    Ava is off work until Sun 2024-11-03 01:00 UTC-04:00",
        "  Sun 2024-11-03 05:00Z to before 05:45Z",
        "    Ava is busy Sun 2024-11-03 01:15-01:45 UTC-04:00",
        "2024-11-03T05:45:00Z is the first start left, and everybody is free:",
        "  Ava: Sun 2024-11-03 01:45 UTC-04:00 to 01:15 UTC-05:00",
        "    works 01:00-02:00 every day, between the two passes of the block 01:15-01:45",
    ]


def test_a_skipped_hour_lies_inside_a_meeting() -> None:
    ava = attendee_object(
        "Ava",
        "America/New_York",
        "00:00-24:00",
        ALL_WEEK,
        {"2024-03-09": "00:00-24:00", "2024-03-10": "00:00-01:30 04:00-05:00"},
    )
    world = world_object(ava, window_start="2024-03-10", duration_minutes=60)
    assert argument_of(world) == [
        "No earlier start works: a meeting of 60 minutes would touch the time named:",
        "  Sun 2024-03-10 00:00Z to before 05:00Z",
        "    Ava is busy Sat 2024-03-09 00:00-24:00 UTC-05:00",
        "  Sun 2024-03-10 05:00Z to before 06:30Z",
        "    Ava is busy Sun 2024-03-10 00:00-01:30 UTC-05:00",
        "2024-03-10T06:30:00Z is the first start left, and everybody is free:",
        "  Ava: Sun 2024-03-10 01:30 UTC-05:00 to 03:30 UTC-04:00",
        "    works 00:00-24:00 every day, between the blocks 00:00-01:30 and 04:00-05:00",
    ]


def test_odd_offsets_gaps_that_are_too_short_and_overlapping_blocks() -> None:
    # Sunday in Kathmandu: 09:00 is 03:15Z. 10:00-11:00 is shorter than the meeting; the block
    # 12:00-12:30 is not needed where 12:15-13:00 reaches further from the same gap.
    asha = attendee_object(
        "Asha",
        "Asia/Kathmandu",
        "09:00-17:00",
        (0, 6),
        {"2024-03-31": "09:00-10:00 11:00-12:00 12:00-12:30 12:15-13:00 15:00-17:00"},
    )
    bea = attendee_object("Bea", "Australia/Lord_Howe", "00:00-24:00", ALL_WEEK)
    world = world_object(asha, bea, window_start="2024-03-30", window_days=3, duration_minutes=90)
    assert argument_of(world) == [
        "No earlier start works: a meeting of 90 minutes would touch the time named:",
        "  Sat 2024-03-30 00:00Z to before Sun 2024-03-31 03:15Z",
        "    Asha is off work until Sun 2024-03-31 09:00 UTC+05:45 (Sat off)",
        "  Sun 2024-03-31 03:15Z to before 07:15Z",
        "    Asha is busy Sun 2024-03-31 09:00-10:00, 11:00-12:00, 12:15-13:00 UTC+05:45",
        "      (gaps too short)",
        "2024-03-31T07:15:00Z is the first start left, and everybody is free:",
        "  Asha: Sun 2024-03-31 13:00-14:30 UTC+05:45",
        "    works 09:00-17:00 Mon Sun, between the blocks 12:15-13:00 and 15:00-17:00",
        "  Bea: Sun 2024-03-31 18:15-19:45 UTC+11:00",
        "    works 00:00-24:00 every day, no block that day",
    ]


def test_a_skipped_day_shows_in_the_offsets() -> None:
    # Samoa had no 30 December 2011: Thursday 17:00 (UTC-10) is 03:00Z on the 30th, Monday 09:00
    # (UTC+14) is 19:00Z on Sunday. Thursday's 24:00 is Friday 10:00Z, with UTC+14 from then on.
    sina = attendee_object(
        "Sina", "Pacific/Apia", busy={"2011-12-28": "14:00-17:00", "2011-12-29": "09:00-17:00"}
    )
    world = world_object(sina, window_start="2011-12-29", window_days=4)
    assert argument_of(world) == [
        "No earlier start works: a meeting of 30 minutes would touch the time named:",
        "  Thu 2011-12-29 00:00Z to before 03:00Z",
        "    Sina is busy Wed 2011-12-28 14:00-17:00 UTC-10:00",
        "  Thu 2011-12-29 03:00Z to before 19:00Z",
        "    Sina is off work Wed 2011-12-28 17:00 to Thu 2011-12-29 09:00 UTC-10:00",
        "  Thu 2011-12-29 19:00Z to before Fri 2011-12-30 03:00Z",
        "    Sina is busy Thu 2011-12-29 09:00-17:00 UTC-10:00",
        "  Fri 2011-12-30 03:00Z to before Sun 2012-01-01 19:00Z",
        "    Sina is off work Thu 2011-12-29 17:00 UTC-10:00 to Mon 2012-01-02 09:00",
        "      UTC+14:00 (Sat, Sun off)",
        "2012-01-01T19:00:00Z is the first start left, and everybody is free:",
        "  Sina: Mon 2012-01-02 09:00-09:30 UTC+14:00",
        "    works 09:00-17:00 Mon-Fri, no block that day",
    ]


def test_a_meeting_across_midnight_names_the_blocks_of_both_dates() -> None:
    cast = [
        attendee_object(
            "Ann",
            "UTC",
            "00:00-24:00",
            ALL_WEEK,
            {"2024-03-11": "00:00-23:00", "2024-03-12": "00:30-02:00"},
        ),
        attendee_object("Bob", "UTC", "00:00-24:00", ALL_WEEK),
    ]
    world = world_object(*cast, window_days=2, duration_minutes=90)
    assert argument_of(world)[-6:] == [
        "2024-03-11T23:00:00Z is the first start left, and everybody is free:",
        "  Ann: Mon 2024-03-11 23:00 to Tue 2024-03-12 00:30 UTC+00:00",
        "    works 00:00-24:00 every day, between the blocks 00:00-23:00 and Tue",
        "      00:30-02:00",
        "  Bob: Mon 2024-03-11 23:00 to Tue 2024-03-12 00:30 UTC+00:00",
        "    works 00:00-24:00 every day, no block on these dates",
    ]


def test_an_answer_that_ends_at_midnight_is_shown_with_24_00() -> None:
    ann = attendee_object("Ann", "UTC", "23:30-24:00", ALL_WEEK, {"2024-03-12": "00:00-01:00"})
    assert argument_of(world_object(ann))[-2:] == [
        "  Ann: Mon 2024-03-11 23:30-24:00 UTC+00:00",
        "    works 23:30-24:00 every day, no block that day",
    ]


def test_the_window_s_first_start_leaves_nothing_to_refute() -> None:
    ann = attendee_object("Ann", "UTC", "00:00-24:00", ALL_WEEK, {"2024-03-11": "01:00-02:00"})
    assert argument_of(world_object(ann)) == [
        "2024-03-11T00:00:00Z is the window's first start, and everybody is free:",
        "  Ann: Mon 2024-03-11 00:00-00:30 UTC+00:00",
        "    works 00:00-24:00 every day, before the first block, 01:00-02:00",
    ]


@pytest.mark.parametrize(
    ("hours", "weekdays", "days", "why"),
    [
        ("09:00-17:00", (0,), 2, "Ann is off work throughout (Sat, Sun off)"),
        ("09:00-09:29", ALL_WEEK, 3, "Ann is off work throughout (gaps too short)"),
        # The last meeting touches Tuesday 00:00-00:29.
        ("09:00-09:29", (0, 5), 3, "Ann is off work throughout (Sun, Tue off; gaps too short)"),
    ],
)
def test_one_reason_for_none_is_one_stretch(
    hours: str, weekdays: tuple[int, ...], days: int, why: str
) -> None:
    ann = attendee_object("Ann", "UTC", hours, weekdays)
    until = {2: "Sun 2024-03-10", 3: "Mon 2024-03-11"}[days]
    assert argument_of(world_object(ann, window_start="2024-03-09", window_days=days)) == [
        "No start works: a meeting of 30 minutes would touch the time named:",
        f"  Sat 2024-03-09 00:00Z to before {until} 24:00Z",
        f"    {why}",
        "No start is left in the window: the answer is NONE.",
    ]


def test_the_cause_is_a_day_off_only_where_all_of_it_is_one(
    explained: Callable[..., str],
) -> None:
    ann = attendee_object("Ann", "UTC", "00:00-24:00")
    world = world_object(ann, window_start="2024-03-09", window_days=3)
    (refuted,) = json.loads(explained(world, "--json"))["refuted"]
    assert refuted["cause"] == "day off"
    assert refuted["days_off"] == ["2024-03-09", "2024-03-10"]
    assert (refuted["since"], refuted["until"]) == (None, "2024-03-11T00:00+00:00")


@pytest.mark.parametrize(
    ("weekdays", "shown"),
    [
        ((0, 1, 2, 3, 4), "Mon-Fri"),
        (ALL_WEEK, "every day"),
        ((4, 5, 6), "Fri-Sun"),
        ((5, 6), "Sat Sun"),
        ((0, 2, 4), "Mon Wed Fri"),
        ((3,), "Thu"),
    ],
)
def test_weekdays_in_short(weekdays: tuple[int, ...], shown: str) -> None:
    world = parse_world(world_object(attendee_object("Ann", weekdays=weekdays), window_days=7))
    hours = of_call(world, "get_working_hours", {"name": "Ann"})
    assert hours is not None
    assert call_lines(world, [hours]) == [f'  get_working_hours("Ann")  09:00-17:00 {shown}']


# Lines


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(worlds())
def test_lines_fit_80_columns_and_name_everybody(row: oracle.World) -> None:
    world = parse_world(dict(row))
    found = certificate(world)
    calls = call_lines(world, found.observations)
    lines = argument_lines(argument(world, found.observations, found.answer))
    assert max(map(len, [*calls, *lines])) <= COLUMNS
    starts = [line for line in calls if line.startswith("  get_")]
    assert len(starts) == found.size
    if found.answer is not None:
        names = [line.split(":")[0].strip() for line in lines if line.startswith("  Person")]
        assert names == [attendee.name for attendee in world.attendees]


def test_lines_of_a_large_world_fit_80_columns() -> None:
    world = synthesize(Target(attendees=8, window_days=14), "lines")
    found = certificate(world)
    lines = argument_lines(argument(world, found.observations, found.answer))
    assert max(map(len, [*call_lines(world, found.observations), *lines])) <= COLUMNS


def test_a_call_is_printed_whole_as_it_can_be_made() -> None:
    name = 'Zoë "Z"  of the long names, ' + "x" * 36
    world = parse_world(world_object(attendee_object(name, busy={"2024-03-11": "09:00-10:00"})))
    found = certificate(world)
    written = json.dumps(name, ensure_ascii=False)
    assert call_lines(world, found.observations) == [
        f"  get_timezone({written})",
        "    UTC",
        f"  get_working_hours({written})",
        "    09:00-17:00 Mon-Fri",
        f'  get_busy({written}, "2024-03-11")',
        "    09:00-10:00",
    ]


# The command


def test_explain_reads_standard_input(command: Command) -> None:
    world = curated("sydney_ny_none").to_json()
    ended = command("explain", "-", stdin=json.dumps(world).encode())
    assert (ended.status, ended.out, ended.err) == (0, SYDNEY_NY_NONE, "")


def test_several_worlds_are_refused_with_status_2(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "split.jsonl", a_world(id="a"), a_world(id="b"))
    ended = command("explain", path)
    assert (ended.status, ended.out) == (2, "")
    assert ended.error_line().endswith(f"{path}: expected one world, got several; --id picks one")
    picked = command("explain", path, "--id", "b")
    assert picked.out.splitlines()[0] == f"{ANSWER} b"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'WORLD'"),
        (["missing.json"], "missing.json: cannot be read: No such file or directory"),
        (["a.json", "b.json"], "Got unexpected extra argument (b.json)"),
        (["--xml", "a.json"], "No such option '--xml'"),
    ],
)
def test_unusable_arguments_end_with_status_2(
    arguments: list[str], message: str, command: Command
) -> None:
    ended = command("explain", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert message in ended.error_line()


def test_a_world_that_breaks_the_format_ends_with_status_2(
    command: Command, tmp_path: Path
) -> None:
    path = write(tmp_path / "world.json", a_world(attendees=[]))
    ended = command("explain", path)
    assert (ended.status, ended.out) == (2, "")
    assert ended.error_line().startswith(f"meeting-slot: error: {path}: attendees: ")


def test_a_wrong_recorded_answer_is_not_trusted_and_named_in_one_line(
    command: Command, tmp_path: Path
) -> None:
    right = curated("weekend_skip_dst").to_json()
    path = write(tmp_path / "world.json", right | {"answer": "NONE"})
    ended = command("explain", path)
    assert (ended.status, ended.out) == (0, WEEKEND_SKIP_DST)
    assert ended.err == (
        "warning: weekend_skip_dst: the recorded answer NONE is wrong, it is 2024-03-11T13:00:00Z\n"
    )


def test_a_certificate_that_is_not_proven_minimal_says_at_most(
    explained: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = curated("sydney_ny_none").to_json()
    monkeypatch.setattr(module, "MOST_REFUTERS", 0)
    lines = explained(world).splitlines()
    assert lines[1] == "floor at most 5 calls: list_attendees() and these 4, the fewest found"
    assert json.loads(explained(world, "--json"))["proven_minimal"] is False


def test_text_of_a_world_is_printed_escaped(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "world.json", a_world(answer="NONE", id="x\u2067y"))
    ended = command("explain", path)
    assert not unprintable(ended.out + ended.err)


def test_observations_arguments_and_words_need_no_solver_and_no_framework() -> None:
    code = (
        "import sys, meeting_slot.explanation, meeting_slot.argument, meeting_slot.observations\n"
        "print(*sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    assert not {"ortools", "verifiers", "datasets", "pydantic"} & set(ended.stdout.split())

"""The gold, the tools and the reasons against the pointwise oracle, on random worlds.

`MEETING_SLOT_LONG=1` draws 20,000 worlds, new ones each time; without it the worlds are always the
same.
"""

from datetime import date

from hypothesis import event, given
from hypothesis import strategies as st

from meeting_slot import parse_world
from meeting_slot.reasons import (
    Cause,
    Conflict,
    Conflicts,
    NotEarliest,
    OutsideWindow,
    Reason,
    StartExists,
    why_not,
)
from meeting_slot.sweep import gold_earliest
from meeting_slot.tools import solve_from_tools
from tests import oracle
from tests.oracle import Attendee, World
from tests.strategies import worlds, worlds_drawn, year_long_worlds

FIRST_DAY = date(1970, 1, 1)
PROPOSALS_A_WORLD = 6


def assert_gold_and_tools_agree_with_the_oracle(world: World) -> None:
    request, cast = world["request"], {"attendees": world["attendees"]}
    right = oracle.answer(world)
    starts_at_once = right == oracle.instant_text(oracle.window(world).start)
    event("NONE" if right == "NONE" else "first minute" if starts_at_once else "later")
    for solve in gold_earliest, solve_from_tools:
        found = solve(
            cast, request["duration_minutes"], request["window_start"], request["window_days"]
        )
        assert found == right, solve.__name__


@worlds_drawn(short=1_500, long=20_000)
@given(worlds())
def test_gold_and_tools_find_the_pointwise_answer(world: World) -> None:
    assert_gold_and_tools_agree_with_the_oracle(world)


@worlds_drawn(short=15, long=300)
@given(year_long_worlds())
def test_gold_and_tools_find_the_pointwise_answer_in_a_year_long_window(world: World) -> None:
    assert_gold_and_tools_agree_with_the_oracle(world)


def block_edge(world: World, number: int) -> int:
    """Return a UTC minute at which a busy block begins or ends, if no offset changes until then."""
    start = oracle.window(world).start
    attendee = world["attendees"][number % len(world["attendees"])]
    edges = [
        (date.fromisoformat(day), oracle.minute_of_day(text))
        for day, blocks in attendee.get("busy", {}).items()
        for block in blocks
        for text in (block["start"], block["end"])
    ]
    first_day, first_minute = oracle.local_reading(attendee["timezone"], start)
    day, minute = edges[number % len(edges)] if edges else (first_day, first_minute)
    return start + (day - first_day).days * oracle.MINUTES_A_DAY + minute - first_minute


def proposed_start(world: World, valid: list[int], kind: str, number: int) -> int | None:
    """Return a start to propose (a UTC minute, None for NONE); `number` picks among many."""
    window = oracle.window(world)
    some_valid = valid[number % len(valid)] if valid else window.start
    match kind:
        case "the answer":
            return valid[0] if valid else None
        case "a valid start":
            return some_valid
        case "beside a valid start":
            return some_valid + number % 3 - 1
        case "a block edge":
            return block_edge(world, number)
        case "inside the window":
            return window[number % len(window)]
        case "a window edge":
            return (window.start, window.stop)[number % 2] + number % 5 - 2
        case "outside the window":
            return (window.start - 1 - number, window.stop + number)[number % 2]
        case _:
            return None


proposals = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "NONE",
                "the answer",
                "a valid start",
                "a valid start",
                "beside a valid start",
                "a block edge",
                "inside the window",
                "a window edge",
                "outside the window",
            ]
        ),
        st.sampled_from(range(20_000)),
    ),
    min_size=PROPOSALS_A_WORLD,
    max_size=PROPOSALS_A_WORLD,
)


def blocks_hit(attendee: Attendee, day: date, minute: int) -> set[tuple[int, int]]:
    """Return the attendee's busy blocks on a local date that cover a local minute."""
    blocks = attendee.get("busy", {}).get(day.isoformat(), [])
    spans = {
        tuple(oracle.minute_of_day(block[end]) for end in ("start", "end")) for block in blocks
    }
    return {(start, end) for start, end in spans if start <= minute < end}


def assert_true_conflict(conflict: Conflict, attendee: Attendee, at: int) -> None:
    """Assert that every field of a conflict holds at UTC minute `at`, by the oracle."""
    day, minute = oracle.local_reading(attendee["timezone"], at)
    hours = attendee["working_hours"]
    cause = oracle.cause(attendee, at)
    assert conflict == Conflict(
        attendee=attendee["name"],
        timezone=attendee["timezone"],
        at=at,
        day=(day - FIRST_DAY).days,
        minute=minute,
        offset=(day - FIRST_DAY).days * oracle.MINUTES_A_DAY + minute - at,
        cause=Cause(cause),
        block=conflict.block,
        hours=(oracle.minute_of_day(hours["start"]), oracle.minute_of_day(hours["end"])),
        weekdays=tuple(sorted(hours["weekdays"])),
    )
    if cause == "busy":
        assert conflict.block in blocks_hit(attendee, day, minute)
    else:
        assert conflict.block is None


def assert_true_reason(
    reason: Reason | None, world: World, valid: list[int], start: int | None
) -> None:
    """Assert that a reason is the right one for a proposed start, by the oracle."""
    window = oracle.window(world)
    if start is None:
        assert reason == (StartExists(earliest=valid[0]) if valid else None)
    elif start not in window:
        assert reason == OutsideWindow(
            start=start, window_start=window.start, window_end=window.stop
        )
    elif oracle.is_valid(world, start):
        assert reason == (None if start == valid[0] else NotEarliest(start, earliest=valid[0]))
    else:
        assert isinstance(reason, Conflicts)
        assert reason.start == start
        meeting = range(start, start + world["request"]["duration_minutes"])
        first_hits = [
            (attendee, next((u for u in meeting if not oracle.is_free(attendee, u)), None))
            for attendee in world["attendees"]
        ]
        hits = [(attendee, at) for attendee, at in first_hits if at is not None]
        assert len(reason.conflicts) == len(hits)
        for conflict, (attendee, at) in zip(reason.conflicts, hits, strict=True):
            assert_true_conflict(conflict, attendee, at)


@worlds_drawn(short=500, long=5_000)
@given(worlds(), proposals)
def test_why_not_is_none_for_the_answer_alone_and_a_true_reason_otherwise(
    world: World, kinds: list[tuple[str, int]]
) -> None:
    valid = oracle.valid_starts(world)
    right = valid[0] if valid else None
    typed = parse_world(dict(world))
    for kind, number in kinds:
        start = proposed_start(world, valid, kind, number)
        reason = why_not(typed, start)
        event(type(reason).__name__)
        assert (reason is None) == (start == right)
        assert_true_reason(reason, world, valid, start)

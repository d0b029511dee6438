"""The audit: each figure against a value found by hand, or by brute force."""

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import msgspec
import pytest

from meeting_slot import World, parse_world
from meeting_slot.advice import FOLDS, Advice, How, Row, most_frequent, row_of
from meeting_slot.audit import SplitAudit, audit, audit_features
from meeting_slot.blind import Guess, guesses
from meeting_slot.features import Outcome, features
from meeting_slot.measures import Band, Size, panel
from meeting_slot.policies import BASELINES, CORE, INVERSE, specials
from meeting_slot.predictors import NAME_CLUES, PROMPT_CLUES, predictions
from meeting_slot.rates import Rate, Tally
from meeting_slot.sweep import earliest_start
from tests.conftest import a_world
from tests.world_objects import attendee_object, world_object

ALL_WEEK = (0, 1, 2, 3, 4, 5, 6)
EXACT, LATER, WRONG = 1.2, 0.3, 0.2
"""The rewards of a well-formed reply."""


def free_at(
    start: str, *names: str, end: str | None = None, duration: int = 30, **others: Any
) -> World:
    """Return a world in UTC in which all are free from a time of day on, for one meeting."""
    minute = int(start[:2]) * 60 + int(start[3:]) + duration
    hours = f"{start}-{end or f'{minute // 60:02}:{minute % 60:02}'}"
    cast = [attendee_object(name, hours=hours, weekdays=ALL_WEEK) for name in names or ("Ava",)]
    return parse_world(world_object(*cast, duration_minutes=duration, **others))


def day(number: int) -> str:
    """Return a date of March 2024, a Friday being the first."""
    return f"2024-03-{number:02}"


def audit_of(*worlds: World) -> SplitAudit:
    """Return the audit of one split."""
    return audit([("split", worlds)]).splits[0]


def earning(worlds: int, exact: float, reward: float) -> Rate:
    """Return a rate that is compared with a tolerance for the reward."""
    return Rate(worlds, exact, cast(float, pytest.approx(reward)))


def guess_of(found: SplitAudit, name: str) -> Guess:
    """Return a blind guess by name."""
    return next(guess for guess in found.guesses if guess.name == name)


SAMPLE = parse_world(a_world(id="sample"))
"""Hardness 7, load 15, see test_features; New York shifts, and the answer is after that."""
AT_ONCE = free_at("13:00", window_days=2, window_start=day(1), id="at once")
"""Each core policy is right, and everything else but what forbids the first day, or NONE."""
NEVER = parse_world(
    world_object(
        attendee_object("Ava", busy={day(5): "09:00-17:00"}), window_start=day(5), id="never"
    )
)
"""A Tuesday without a valid start; of the core, `ignore-busy` alone is wrong."""


# Counts and histograms


def test_counts_of_a_tiny_split() -> None:
    found = audit_of(SAMPLE, AT_ONCE, NEVER)
    assert (found.split, found.worlds, found.none) == ("split", 3, 1)
    assert (found.panel, found.duplicates, found.leaks) == ("core v1", 0, ())
    assert (found.load_bearing, found.unreadable, found.floors_unproven) == (0, 0, 0)


def test_histograms_of_a_tiny_split() -> None:
    found = audit_of(SAMPLE, AT_ONCE, NEVER).histograms
    assert found["hardness"] == {0: 1, 1: 1, 7: 1}  # NEVER: ignore-busy alone
    # a list, two calls, and the dates: of two days, and one of the minutes after the window
    assert found["load"] == {5: 1, 6: 1, 15: 1}
    assert found["floor"] == {4: 2, 8: 1}  # for one: the list, zone, hours, the day
    assert found["attendees"] == {1: 2, 2: 1}
    assert found["window_days"] == {1: 1, 2: 1, 4: 1}
    assert found["duration_minutes"] == {30: 3}
    assert found["stretches"] == {0: 1, 1: 1, 2: 1}
    assert found["near_misses"] == {0: 2, 1: 1}
    assert found["minute_of_hour"] == {0: 2}
    assert found["weekday"] == {0: 1, 4: 1}  # Monday, and Friday
    assert found["position"] == {2: 1, 8: 1}  # 13 of 48 hours, 85 of 96


def test_bands_by_size_of_the_load() -> None:
    found = audit_of(SAMPLE, AT_ONCE, NEVER).bands
    nothing = dict.fromkeys(Size, 0)
    assert found == {
        Band.EASY: nothing | {Size.S: 2},
        Band.MEDIUM: nothing | {Size.S: 1},
        Band.HARD: nothing,
    }


def test_zones_and_shifts_covered() -> None:
    back = parse_world(
        world_object(
            attendee_object("Ava", "Europe/London"),
            attendee_object("Bo", "Europe/London"),
            attendee_object("Cy", "America/New_York"),
            window_start="2024-10-25",
            window_days=14,
        )
    )
    found = audit_of(SAMPLE, back, renamed(back, "Ava", "Bo", "Cy"), AT_ONCE)
    assert found.zones == {"America/New_York": 3, "Europe/London": 3, "UTC": 1}
    shifts = found.shifts
    assert (shifts.worlds, shifts.forward, shifts.back) == (3, 1, 2)
    assert shifts.covered == {"America/New_York": 2, "Europe/London": 1}


def test_the_share_that_forty_turns_cannot_read() -> None:
    # 1 + 2 + as many dates as days, and the one that a late meeting may touch
    worlds = [free_at("13:00", window_days=days) for days in (34, 35, 36, 60)]
    assert [features(world).load.calls for world in worlds] == [38, 39, 40, 64]
    assert audit_of(*worlds).unreadable == 2


def test_worlds_in_which_every_attendee_is_load_bearing() -> None:
    both = parse_world(
        world_object(
            attendee_object("Ava", hours="09:00-12:00"),
            attendee_object("Bo", hours="11:00-17:00", busy={"2024-03-11": "11:00-11:10"}),
            attendee_object("Cy", busy={"2024-03-11": "11:10-11:20"}),
        )
    )
    needed = parse_world(
        world_object(
            attendee_object("Ava", busy={"2024-03-11": "09:00-10:00 11:00-17:00"}),
            attendee_object("Bo", busy={"2024-03-11": "10:00-10:30"}),
        )
    )
    assert audit_of(both, needed, SAMPLE).load_bearing == 1


def test_floors_that_are_not_proven_are_counted() -> None:
    proven = features(SAMPLE)
    bound = msgspec.structs.replace(proven, floor=9, floor_proven=False)
    found = audit_features([("split", [proven, bound, proven])]).splits[0]
    assert (found.histograms["floor"], found.floors_unproven) == ({8: 2, 9: 1}, 1)


def test_the_hardest_are_named_the_larger_load_first() -> None:
    longer = free_at("13:00", window_days=9, window_start=day(1), id="longer")
    found = audit_of(AT_ONCE, longer, NEVER, SAMPLE).hardest
    named = [(hard.id, hard.core_failed, hard.calls) for hard in found]
    assert named == [("sample", 7, 15), ("never", 1, 5), ("longer", 0, 13), ("at once", 0, 6)]


def test_a_split_of_nothing_has_no_rates() -> None:
    found = audit_of()
    assert (found.worlds, found.policies) == (0, ())
    assert guess_of(found, "always NONE").rate == Rate(0, None, None)


# Policies


def test_rates_of_policies_overall_and_by_band() -> None:
    found = {policy.name: policy for policy in audit_of(SAMPLE, AT_ONCE, NEVER).policies}
    frozen = found["offset-frozen"].rates  # an hour late on SAMPLE, right elsewhere
    assert frozen.overall == earning(3, 2 / 3, (LATER + 2 * EXACT) / 3)
    assert frozen.bands == {
        Band.EASY: earning(2, 1.0, EXACT),
        Band.MEDIUM: earning(1, 0.0, LATER),
        Band.HARD: Rate(0, None, None),
    }
    assert found["always-none"].rates.overall.exact == 1 / 3
    assert found["never-none"].rates.overall.exact == 2 / 3
    assert found["first-day-only"].rates.overall.exact == 2 / 3
    last = found["last-valid-start"].rates.overall
    assert last == earning(3, 1 / 3, (2 * LATER + EXACT) / 3)


def test_rates_are_those_of_the_panel_policy_by_policy() -> None:
    worlds = [parse_world(a_world(id=str(i)) | {"attendees": _cast(i)}) for i in range(12)]
    found = audit_of(*worlds)
    names = [p.name for p in (*CORE, *specials(4), *BASELINES, *INVERSE)]
    assert [policy.name for policy in found.policies] == names
    for policy in found.policies:
        right = [
            panel(world).answers[policy.name] == earliest_start(world)
            for world in worlds
            if policy.name in panel(world).answers
        ]
        assert policy.rates.overall.worlds == len(right), policy.name
        assert policy.rates.overall.exact == sum(right) / len(right), policy.name
        by_band = [rate.worlds for rate in policy.rates.bands.values()]
        assert sum(by_band) == len(right)


def _cast(number: int) -> list[dict[str, Any]]:
    """Return one to four attendees, each with blocks of their own."""
    zones = ["America/New_York", "Asia/Tokyo", "Europe/London", "Pacific/Auckland"]
    return [
        attendee_object(
            f"P{i}",
            zones[(number + i) % 4],
            f"{6 + (number + i) % 5:02}:00-22:00",
            busy={day(8 + i): f"{7 + number:02}:00-{9 + number:02}:15"},
        )
        for i in range(1 + number % 4)
    ]


def test_skip_attendee_is_counted_where_there_is_one() -> None:
    found = {policy.name: policy for policy in audit_of(SAMPLE, AT_ONCE, NEVER).policies}
    assert found["skip-attendee-1"].rates.overall.worlds == 3
    second = found["skip-attendee-2"].rates.overall
    assert (second.worlds, second.exact) == (1, 1.0)  # Farid is free when Ava is
    assert "skip-attendee-3" not in found


def test_after_first_shift_is_also_counted_over_the_windows_with_a_change() -> None:
    early = parse_world(
        world_object(
            attendee_object("Ava", "America/New_York"), window_start="2024-03-08", window_days=4
        )
    )  # answered on Friday, before the shift
    policies = audit_of(SAMPLE, early, AT_ONCE, NEVER).policies
    after = next(policy for policy in policies if policy.name == "after-first-shift")
    assert after.rates.overall.exact == 3 / 4
    assert after.with_shift is not None
    assert after.with_shift.overall == earning(2, 1 / 2, (EXACT + LATER) / 2)
    assert after.with_shift.bands[Band.MEDIUM] == earning(1, 1.0, EXACT)
    others = [policy for policy in policies if policy is not after]
    assert all(policy.with_shift is None for policy in others)


def test_a_tally_of_outcomes() -> None:
    tally = Tally()
    for outcome in (Outcome.EXACT, Outcome.LATER, Outcome.WRONG, Outcome.WRONG):
        tally.add(outcome)
    assert tally.rate() == earning(4, 1 / 4, (EXACT + LATER + 2 * WRONG) / 4)


# Duplicates and leaks


def renamed(world: World, *names: str) -> World:
    """Return a world with other names, the attendees in the opposite order and another id."""
    row = world.to_json() | {"id": " ".join(names)}
    row["attendees"] = [
        attendee | {"name": name}
        for attendee, name in zip(reversed(row["attendees"]), names, strict=True)
    ]
    return parse_world(row)


def test_duplicates_are_found_under_other_names_and_orders() -> None:
    found = audit_of(SAMPLE, renamed(SAMPLE, "Xi", "Yu"), NEVER, renamed(SAMPLE, "Yu", "Xi"))
    assert (found.worlds, found.duplicates) == (4, 2)


def test_a_leak_between_two_files_is_found_under_other_names_and_orders() -> None:
    splits = audit(
        [
            ("train", [SAMPLE, AT_ONCE]),
            ("clean", [NEVER]),
            ("eval", [renamed(SAMPLE, "Xi", "Yu"), renamed(SAMPLE, "Xi", "Zed")]),
        ]
    ).splits
    leaks = [[(leak.split, leak.worlds) for leak in split.leaks] for split in splits]
    assert leaks == [[("eval", 1)], [], [("train", 2)]]
    assert [split.duplicates for split in splits] == [0, 0, 1]


def test_another_hour_or_request_is_no_duplicate() -> None:
    other = parse_world(a_world() | {"request": a_world()["request"] | {"window_days": 5}})
    assert audit_of(SAMPLE, other).duplicates == 0


def test_worlds_are_read_once_and_one_at_a_time() -> None:
    alive: list[int] = []

    def stream() -> Iterator[World]:
        for number in range(5):
            alive.append(number)
            yield free_at("13:00", window_days=number + 1)

    assert audit([("a", stream()), ("b", iter([SAMPLE]))]).splits[0].worlds == 5
    assert alive == [0, 1, 2, 3, 4]


# Blind guesses


def times(count: int) -> list[str]:
    """Return different times of day."""
    return [f"{(i * 37) // 60 % 23:02}:{(i * 37) % 60:02}" for i in range(count)]


def test_a_blind_constant_that_wins_is_seen_to_win() -> None:
    worlds = [
        free_at("13:00", name, duration=minutes, window_start=day(5), window_days=days)
        for minutes, name in ((15, "Ava"), (30, "Bo"), (45, "Cy"))
        for days in range(1, 9)
    ]
    found = audit_of(*worlds)
    for name, says in (
        ("best constant instant", "2024-03-05T13:00:00Z"),
        ("best day and time", "day 1, 13:00 UTC"),
        ("prompt alone", None),
        ("names alone", None),
    ):
        guess = guess_of(found, name)
        assert (guess.says, guess.rate) == (says, earning(24, 1.0, EXACT)), name
    assert guess_of(found, "always NONE").rate == earning(24, 0.0, WRONG)


def test_always_none_is_right_where_there_is_no_start() -> None:
    none = [
        parse_world(
            world_object(
                attendee_object("Ava", busy={day(5): f"09:00-{hour}:00 {hour}:00-17:00"}),
                window_start=day(5),
            )
        )
        for hour in range(10, 16)
    ]
    found = audit_of(*none, free_at("13:00"))
    assert guess_of(found, "always NONE").rate.exact == 6 / 7
    assert guess_of(found, "prompt alone").rate.exact == 6 / 7
    alone = audit_of(*none)
    assert guess_of(alone, "always NONE").rate.exact == 1.0
    assert guess_of(alone, "best constant instant").rate.exact == 0.0  # an instant never is


def test_the_best_constants_are_the_best_of_all_answers() -> None:
    worlds = [
        free_at(time, end="23:59", window_start=day(1 + i % 3), window_days=3)
        for i, time in enumerate(["13:00", "09:30", "13:00", "09:30", "13:00", "09:30", "08:00"])
    ]
    found = audit_of(*worlds)
    answers = [earliest_start(world) for world in worlds]
    instant = guess_of(found, "best constant instant")
    assert instant.rate.exact == max(Counter(answers).values()) / 7 == 1 / 7
    assert instant.says == "2024-03-01T08:00:00Z"  # the first of equals
    # 09:30 on the first day: right three times, too early three times, later than 08:00 once
    chosen = guess_of(found, "best day and time")
    assert chosen.says == "day 1, 09:30 UTC"
    assert chosen.rate == earning(7, 3 / 7, (3 * EXACT + 3 * WRONG + LATER) / 7)


def test_the_prompt_predictor_finds_what_the_prompt_gives_away() -> None:
    worlds = []
    for i in range(60):
        duration, time = [(15, "09:00"), (20, "13:10"), (25, "16:45"), (30, "20:20")][i % 4]
        request: dict[str, Any] = {"window_start": day(1 + i % 9), "window_days": 1 + i % 7}
        worlds.append(free_at(time, f"P{i}", duration=duration, **request))
    found = audit_of(*worlds)
    assert guess_of(found, "prompt alone").rate.exact == 1.0
    assert guess_of(found, "best day and time").rate.exact == 1 / 4
    by_names = guess_of(found, "names alone").rate.exact
    assert by_names is not None
    assert by_names <= 1 / 4  # each name occurs once


def test_the_prompt_predictor_finds_a_fixed_weekday() -> None:
    worlds = []
    for number in range(60):
        start = 1 + number % 20
        busy = {day(d): "00:00-24:00" for d in range(start, start + 9) if (d - 4) % 7}
        worlds.append(
            parse_world(
                world_object(
                    attendee_object("Ava", hours="13:00-14:00", weekdays=ALL_WEEK, busy=busy),
                    window_start=day(start),
                    window_days=8,
                    duration_minutes=30 + number // 20,
                )
            )
        )
    assert all(features(world).weekday == 0 for world in worlds)  # 4 March is a Monday
    assert guess_of(audit_of(*worlds), "prompt alone").rate.exact == 1.0


def test_the_name_predictor_finds_what_a_name_gives_away() -> None:
    worlds = []
    for i in range(60):
        name, time = [("Ava", "09:00"), ("Bo", "13:10"), ("Cy", "16:45")][i % 3]
        request: dict[str, Any] = {"window_start": day(1 + i % 19), "window_days": 1 + i % 8}
        worlds.append(free_at(time, f"P{i}", name, duration=15, **request))
    found = audit_of(*worlds)
    assert guess_of(found, "names alone").rate.exact == 1.0
    by_prompt = guess_of(found, "prompt alone").rate.exact
    assert by_prompt is not None
    assert by_prompt < 2 / 3


def test_predictors_find_nothing_where_nothing_is_given_away() -> None:
    worlds = [
        free_at(time, f"P{i}", window_start=day(1 + i % 11), window_days=1 + i % 7)
        for i, time in enumerate(times(36))
    ]
    assert len({features(world).minute_of_day for world in worlds}) == 36
    found = audit_of(*worlds)
    assert guess_of(found, "prompt alone").rate.exact == 0.0
    assert guess_of(found, "names alone").rate.exact == 0.0


def test_a_duplicate_does_not_train_for_its_twin() -> None:
    worlds = []
    for i, time in enumerate(times(30)):
        world = free_at(time, f"P{i}", f"Q{i}", window_start=day(1 + i), duration=15 + i)
        twins = [renamed(world, f"P{i}", f"Q{i}"), renamed(world, f"Q{i}", f"P{i}")]
        worlds += [world, *twins]
    found = audit_of(*worlds)
    assert found.duplicates == 60
    assert guess_of(found, "prompt alone").rate.exact == 0.0
    assert guess_of(found, "names alone").rate.exact == 0.0


def test_without_a_clue_a_fold_is_told_what_is_right_most_often_in_the_others() -> None:
    rows = [
        row_of(features(free_at(time, window_days=days)))
        for time in ("09:00", "09:00", "13:00")
        for days in range(1, 12)
    ]
    assert len({row.fold for row in rows}) > FOLDS / 2
    for row, advice in zip(rows, predictions(rows, [lambda row: [None]]), strict=True):
        others = Counter(other.answer for other in rows if other.fold != row.fold)
        assert others[advice.answer(row.window_start)] == max(others.values())


def test_one_coincidence_is_not_trusted() -> None:
    """Each of six worlds that agree shares a name with one that does not."""
    rows = [
        Row(fold, answer, array("i"), 30, 0, 1, (f"P{pair}",))
        for pair in range(6)
        for fold, answer in ((pair, 600), (9, pair))
    ]
    found = predictions(rows, NAME_CLUES)
    assert [advice.answer(0) for advice in found] == [600] * 12


def test_what_the_prompt_tells() -> None:
    row = row_of(features(SAMPLE))  # 30 minutes, four days from Friday of the tenth week
    start = row.window_start
    told = [None, 30, 4, 4, 9, (2,), (30, 4), (4, 4), (4, 30, 4), start, (start, 4), (start, 30, 4)]
    assert [list(clue(row)) for clue in PROMPT_CLUES] == [[clue] for clue in told]
    autumn = row_of(features(free_at("13:00", window_start="2024-10-27", window_days=8)))
    london, new_york = 0, 7
    assert list(PROMPT_CLUES[5](autumn)) == [(new_york, london)]


def test_what_the_names_tell() -> None:
    row = row_of(features(free_at("13:00", "Cy", "Ava", "Bo")))
    ordered, sorted_names = ("Cy", "Ava", "Bo"), ("Ava", "Bo", "Cy")
    told = [[None], [3], [*ordered], ["Cy"], ["Bo"], [sorted_names], [ordered]]
    assert [list(clue(row)) for clue in NAME_CLUES] == told


def test_of_advice_that_is_right_as_often_the_earlier_is_taken() -> None:
    late, early = Advice(How.DAY_OF_WINDOW, 2, 60), Advice(How.DAY_OF_WINDOW, 1, 90)
    weekday = Advice(How.WEEKDAY, 0, 0)
    assert most_frequent({late: 1, early: 1, weekday: 1}) == early
    assert most_frequent({late: 1, early: 1, weekday: 2}) == weekday


def test_one_world_has_nothing_to_learn_from() -> None:
    row = row_of(features(SAMPLE))
    for clues in (PROMPT_CLUES, NAME_CLUES):
        assert predictions([row], clues) == [Advice(How.NONE)]
        assert predictions([], clues) == []


@pytest.mark.parametrize("how", [How.DAY_OF_WINDOW, How.WEEKDAY, How.INSTANT])
def test_each_right_advice_gives_the_answer(how: How) -> None:
    for days in range(1, 30):
        for start in range(19_000, 19_008):
            answer = (start + days) * 1440 + 61
            row = Row(0, answer, row_of(features(SAMPLE)).valid_bounds, 30, start, 30, ("Ava",))
            advice = next(each for each in row.right_advice() if each.how is how)
            assert advice.answer(start) == answer


def test_advice_in_words() -> None:
    row = row_of(features(SAMPLE))
    texts = [advice.text() for advice in row.right_advice()]
    monday = "Monday of week 1, 13:00 UTC"
    assert texts == ["day 4, 13:00 UTC", monday, "2024-03-11T13:00:00Z"]
    assert Advice(How.NONE).text() == "NONE"


def test_guesses_of_the_same_worlds_are_the_same() -> None:
    worlds = [free_at(time, f"P{i % 4}", window_days=1 + i % 5) for i, time in enumerate(times(20))]
    rows = [row_of(features(world)) for world in worlds]
    assert guesses(rows) == guesses(list(rows))
    assert audit([("a", worlds)]) == audit([("a", iter(worlds))])

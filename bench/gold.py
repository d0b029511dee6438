"""How fast the gold and the commands around it are, beside the standard library on the same text.

    python bench/gold.py

Prints CPU times (medians; whole processes with their children) and their ratios to `json.loads` of
the same text, or to a script that only decodes or only imports. Takes about two minutes.
"""

import hashlib
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from meeting_slot import answer_text, earliest_start, parse_world, valid_stretches, zones
from meeting_slot.named import rows_of
from meeting_slot.world import World

SIZES = ((4, 5), (8, 14), (1000, 30), (10, 366))
NEAR = ("Europe/Berlin", "Europe/London", "Europe/Athens", "Africa/Lagos")
FAR = ("America/New_York", "Europe/London", "Asia/Tokyo", "Asia/Kolkata", "Australia/Sydney")
FIRST_DAY = date(2024, 3, 8)
COMMAND = [sys.executable, "-c", "from meeting_slot_cli.main import main; main()"]
DECODE = "import json, sys\nfor line in open(sys.argv[1], encoding='utf-8'): json.loads(line)"
WORLDS = 10_000
ANSWERS = 200_000

Object = dict[str, Any]


def clock(minute: int) -> str:
    """Return a minute of the day as HH:MM."""
    return f"{minute // 60:02}:{minute % 60:02}"


def blocks(*spans: tuple[int, int]) -> list[Object]:
    """Return busy blocks."""
    return [{"start": clock(start), "end": clock(end)} for start, end in spans]


def person(
    name: object,
    busy: dict[str, list[Object]],
    zone: str = "UTC",
    hours: tuple[int, int] = (0, 1440),
    weekdays: int = 7,
) -> Object:
    """Return an attendee who works on the first weekdays of the week."""
    working = {"start": clock(hours[0]), "end": clock(hours[1]), "weekdays": [*range(weekdays)]}
    return {"name": f"P{name}", "timezone": zone, "working_hours": working, "busy": busy}


def world(people: list[Object], days: int, duration: int) -> Object:
    """Return a world."""
    window = {"window_start": FIRST_DAY.isoformat(), "window_days": days}
    return {"request": {"duration_minutes": duration, **window}, "attendees": people}


def dates(days: int) -> list[str]:
    """Return the dates of a window."""
    return [(FIRST_DAY + timedelta(day)).isoformat() for day in range(days)]


def office(attendees: int, days: int, zone_names: tuple[str, ...], seed: int) -> Object:
    """Return office workers with some five blocks a day; mostly nobody is free with all others."""
    rnd = random.Random(seed)
    people = []
    for i in range(attendees):
        busy = {}
        for day in dates(days):
            spans, at = [], 480
            while True:
                start = at + rnd.choice((0, 15, 30, 45, 60, 90))
                at = start + rnd.choice((15, 30, 45, 60, 90))
                if at > 1080:
                    break
                spans.append((start, at))
            busy[day] = blocks(*spans)
        people.append(person(i, busy, zone_names[i % len(zone_names)], (540, 1020), 5))
    return world(people, days, 30)


def hostile() -> Iterator[tuple[str, Object]]:
    """Yield worlds that are as hard for a sweep as their text can make them."""
    every = dates(366)
    turns = [
        person(
            i,
            {
                day: blocks(*((m, m + 1) for m in range((i - 440 * k) % 1000, 1440, 1000)))
                for k, day in enumerate(every)
            },
        )
        for i in range(1000)
    ]
    yield "1,000 x 366: each minute another one objects", world(turns, 366, 1)
    odd = {day: blocks(*((m, m + 1) for m in range(1, 1440, 2))) for day in every}
    even = {day: blocks(*((m, m + 1) for m in range(0, 1440, 2))) for day in every}
    free = [person(i, {}) for i in range(998)]
    two = world([person("a", odd), *free, person("z", even)], 366, 1)
    yield "1,000 x 366: two object by turns", two
    stagger = [person(i, {}, hours=(i, i + 440)) for i in range(1000)]
    yield "1,000 x 366: hours begin a minute later each", world(stagger, 366, 1)


def cpu(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the median CPU milliseconds of a call."""
    times = []
    for _ in range(repeats):
        count, begin = 0, time.process_time()
        while (spent := time.process_time() - begin) < 0.004 or not count:
            call()
            count += 1
        times.append(1000 * spent / count)
    return statistics.median(times)


LAUNCHER = (
    "import os, subprocess, sys, time\n"
    "begin = time.perf_counter()\n"
    "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
    "_, status, usage = os.wait4(child.pid, 0)\n"
    "wall = time.perf_counter() - begin\n"
    "assert os.waitstatus_to_exitcode(status) in (0, 1)\n"
    "print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)\n"
)
"""Measures a process from a small one: a new process counts the memory of the one it came from."""


def process(*command: str) -> tuple[float, float, float]:
    """Return CPU seconds, wall seconds and peak MiB of a process; it may find wrong answers."""
    said = subprocess.check_output([sys.executable, "-c", LAUNCHER, *command], text=True)
    seconds, wall, peak = map(float, said.split())
    return seconds, wall, peak


def sizes() -> None:
    """Print the gold on parsed worlds beside `json.loads` of their text."""
    print("world                 | json.loads ms |  gold ms | ratio (largest)")
    for attendees, days in SIZES:
        for name, zone_names in ("near", NEAR), ("far", FAR):
            decoded, solved = [], []
            for seed in range(20 if attendees * days < 1000 else 3):
                made = office(attendees, days, zone_names, seed)
                text, parsed = json.dumps(made), parse_world(made)
                decoded.append(cpu(lambda text=text: json.loads(text)))
                solved.append(cpu(lambda parsed=parsed: earliest_start(parsed)))
            ratios = [s / d for s, d in zip(solved, decoded, strict=True)]
            print(
                f"{attendees:5} x {days:<4} {name:<8} | {statistics.median(decoded):13.3f} "
                f"| {statistics.median(solved):8.3f} "
                f"| {statistics.median(ratios):.2f} ({max(ratios):.2f})",
                flush=True,
            )


def once(call: Callable[[], object]) -> float:
    """Return the CPU milliseconds of one call."""
    begin = time.process_time()
    call()
    return 1000 * (time.process_time() - begin)


def worst() -> None:
    """Print what hostile worlds cost."""
    print("\nhostile world                                | MiB  | json.loads ms | gold ms | ratio")
    for name, made in hostile():
        text, parsed = json.dumps(made), parse_world(made)
        decoded, solved = (
            once(lambda t=text: json.loads(t)),
            once(lambda p=parsed: earliest_start(p)),
        )
        assert earliest_start(parsed) is None
        print(
            f"{name:<44} | {len(text) / 2**20:4.1f} | {decoded:13.1f} | {solved:7.1f} "
            f"| {solved / decoded:.1f}",
            flush=True,
        )


def linear() -> None:
    """Print how the cost of a whole sweep grows with attendees x days."""
    print(
        "\nevery valid start (the sweep runs to the end) | attendee-days | ms | us per attendee-day"
    )
    points = []
    for attendees, days in ((4, 5), (4, 60), (16, 60), (64, 60), (250, 60), (10, 366), (100, 366)):
        rnd = random.Random(1)
        people = []
        for i in range(attendees):
            busy = {}
            for day in dates(days):
                start = rnd.randrange(0, 1400)
                busy[day] = blocks((start, start + 5))
            people.append(person(i, busy, FAR[i % len(FAR)]))
        parsed = parse_world(world(people, days, 10))
        milliseconds = cpu(lambda parsed=parsed: valid_stretches(parsed), 3)
        points.append((attendees * days, milliseconds))
        print(
            f"{attendees:5} x {days:<37} | {attendees * days:13} | {milliseconds:9.2f} "
            f"| {1000 * milliseconds / (attendees * days):.2f}",
            flush=True,
        )
    logs = [(*map(_log, point),) for point in points]
    slope, _ = statistics.linear_regression(*zip(*logs, strict=True))
    r = statistics.correlation(*zip(*logs, strict=True))
    print(f"fit: ms grows with (attendee-days)^{slope:.2f}, r^2 = {r * r:.3f}")


def _log(value: float) -> float:
    import math

    return math.log(value)


def zone_tables() -> None:
    """Print what a zone costs the first time, and after that."""
    names = sorted(zones.names())[::10]
    start = 60 * 24 * 20_500
    ask = lambda: [zones.spans(name, start, start + 14_400) for name in names]  # noqa: E731
    first = once(ask)
    print(
        f"\na zone's changes around a window: {1000 * first / len(names):.0f} us the first time, "
        f"{1000 * cpu(ask) / len(names):.1f} us after it"
    )


def commands(folder: Path) -> None:
    """Print what whole processes cost."""
    worlds = folder / "worlds.jsonl"
    rows = [json.loads(row.text) for name in ("train-v1", "core-v1") for row in rows_of(name)]
    with worlds.open("w", encoding="utf-8") as file:
        for i in range(WORLDS):
            row = rows[i % len(rows)] | {"id": f"{i:06}"}
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
    decoded, solved = [], []
    for _ in range(5):
        decoded.append(process(sys.executable, "-c", DECODE, str(worlds)))
        solved.append(process(*COMMAND, "solve", str(worlds)))
    ratio = statistics.median(s[0] / d[0] for s, d in zip(solved, decoded, strict=True))
    print(
        f"\nsolve, {WORLDS:,} worlds: {statistics.median(s[0] for s in solved):.2f} s CPU, "
        f"json.loads alone {statistics.median(d[0] for d in decoded):.2f} s: {ratio:.2f}; "
        f"peak {max(s[2] for s in solved):.0f} MiB"
    )
    wall = [process(*COMMAND, "solve", str(worlds), "--jobs", n)[1] for n in ("1", "2")]
    print(f"  wall with --jobs 1 and 2: {wall[0]:.2f} s, {wall[1]:.2f} s", flush=True)

    one = folder / "one.json"
    one.write_text(json.dumps(rows[0]), encoding="utf-8")
    imported = [sys.executable, "-c", "import click, json"]
    ways = {"python -c": COMMAND}
    if script := shutil.which("meeting-slot"):
        ways["console script"] = [script]
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ("", *ways)}
    for _ in range(31):
        taken[""].append(process(*imported))
        for name, command in ways.items():
            taken[name].append(process(*command, "verify", str(one)))
    base = [statistics.median(run[i] for run in taken[""]) for i in (0, 1)]
    for name in ways:
        found = [statistics.median(run[i] for run in taken[name]) for i in (0, 1)]
        print(
            f"verify, one world, {name}: {1000 * found[1]:.0f} ms wall, "
            f"{1000 * found[0]:.0f} ms CPU; to `import click, json`: "
            f"{found[1] / base[1]:.2f} wall, {found[0] / base[0]:.2f} CPU",
            flush=True,
        )
    answers(folder)


def answers(folder: Path) -> None:
    """Print the memory that verifying very many answers takes."""
    rows, proposals = folder / "many.jsonl", folder / "answers.jsonl"
    made = office(2, 3, NEAR, 1)
    right: list[str] = []
    for duration in range(1, 61):
        made["request"]["duration_minutes"] = duration
        parsed: World = parse_world(made)
        right.append(answer_text(earliest_start(parsed)))
    with rows.open("w", encoding="utf-8") as file, proposals.open("w", encoding="utf-8") as other:
        for i in range(ANSWERS):
            made["request"]["duration_minutes"] = 1 + i % 60
            row_id = hashlib.sha256(str(i).encode()).hexdigest()
            file.write(json.dumps({**made, "id": row_id}) + "\n")
            other.write(json.dumps({"id": row_id, "answer": right[i % 60]}) + "\n")
    seconds, _, peak = process(*COMMAND, "verify", str(rows), "--answers", str(proposals))
    print(f"verify, {ANSWERS:,} answers: {seconds:.1f} s CPU, peak {peak:.0f} MiB")


def main() -> None:
    """Print everything."""
    sizes()
    worst()
    linear()
    zone_tables()
    with tempfile.TemporaryDirectory() as folder:
        commands(Path(folder))


if __name__ == "__main__":
    main()

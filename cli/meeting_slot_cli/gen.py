"""`meeting-slot gen`: worlds made to a wish."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from meeting_slot.policies import CORE, specials

from .printing import print_line
from .progress import tracked

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from meeting_slot.cpsat.wishes import Target
    from meeting_slot.engines import Engine
    from meeting_slot.generation import Written
    from meeting_slot.shards import Plan


def _listed(heading: str, names: Iterable[str]) -> str:
    """Return a paragraph that click leaves as it is: it would break names at their hyphens."""
    text = f"{heading}: {', '.join(names)}."
    return "\b\n" + textwrap.fill(text, 76, break_on_hyphens=False)


_POLICIES = "\n\n".join(
    (
        _listed("Core policies", (policy.name for policy in CORE)),
        _listed("Special ones", [*(policy.name for policy in specials(0)), "skip-attendee-K"]),
    )
)


@click.command("gen", epilog=_POLICIES)
@click.option(
    "--count",
    type=click.IntRange(1, 10**15),
    default=1,
    show_default=True,
    help="Worlds, all shards'.",
)
@click.option("--seed", default="42", show_default=True, help="Any text; same text, same bytes.")
@click.option(
    "--answer", metavar="START|none", help="The wanted answer, a whole minute.  [default: some]"
)
@click.option(
    "--starts",
    type=click.Choice(["exactly-one", "any"]),
    help="How many starts are valid.  [default: any]",
)
@click.option(
    "--stretches",
    type=int,
    metavar="K",
    help="So many separate valid stretches at least, from 1.  [default: 1]",
)
@click.option(
    "--dst",
    type=click.Choice(["spring-after", "spring-across", "fall-repeated"]),
    help="The answer is up to 24 h after a forward shift, across one, or in a repeated hour.  "
    "[default: anywhere]",
)
@click.option(
    "--target-hardness",
    type=float,
    metavar="H",
    help="Share of the 12 core policies that answer wrong, 0 to 1, rounded to the nearest "
    "twelfth.  [default: any]",
)
@click.option(
    "--defeat",
    multiple=True,
    metavar="POLICY",
    help="It answers wrong; core or special.  [repeatable; default: none]",
)
@click.option(
    "--isolate",
    metavar="POLICY",
    help="It is the only core policy that answers wrong.  [default: none]",
)
@click.option(
    "--load-bearing",
    type=click.Choice(["all", "any"]),
    help="Removing anyone changes the answer.  [default: all from hardness 0.5 on]",
)
@click.option(
    "--load",
    type=click.Choice(["S", "M", "L"]),
    help="Calls to read all: up to 15, up to 35, more.  [default: any]",
)
@click.option(
    "--decoys",
    type=int,
    metavar="K",
    help="So many near misses before the answer at least, from 0.  [default: 0]",
)
@click.option("--attendees", type=int, help="People, 1 to 1000.  [default: 2 to 5]")
@click.option("--days", type=int, help="Days of the window, 1 to 366.  [default: up to 14]")
@click.option(
    "--duration", type=int, help="Minutes of the meeting, 1 to 1440.  [default: 15 to 90]"
)
@click.option(
    "--zones",
    default="common",
    show_default=True,
    metavar="all|common|LIST",
    help="IANA names, separated by commas.",
)
@click.option(
    "--years",
    default="2019-2025",
    show_default=True,
    help="A year, or first-last, from 1970 to 2100.",
)
@click.option(
    "--shard",
    metavar="K/N",
    help="Only the rows K, K+N, K+2N, ... of --count, counted from 0; K is 0 to N-1.  "
    "[default: 0/1]",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Processes; the bytes are those of one.  [default: 1; with ray: one a CPU]",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="What runs the processes; ray needs meeting-slot[ray].",
)
@click.option(
    "--ray-address",
    metavar="ADDRESS",
    help="A Ray cluster, or auto, with this package on it.  [default: a new one, here]",
)
@click.option("--out", default="-", metavar="FILE", help="JSONL.  [default: standard output]")
@click.option("--force", is_flag=True, help="Overwrite FILE.  [default: refuse]")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with FILE.part of an interrupted run; begin where there is none.  "
    "[default: refuse]",
)
def command(
    *,
    count: int,
    seed: str,
    shard: str | None,
    jobs: int | None,
    engine: str,
    ray_address: str | None,
    out: str,
    force: bool,
    resume: bool,
    **wishes: Any,
) -> None:
    """Make worlds with a wanted answer and hardness.

    CP-SAT chooses the busy calendars, the sweep-line confirms every world.
    Without a wish about answer, starts or policies, the worlds are the default
    mix: 40 % easy, 35 % medium, 25 % hard, and NONE in every tenth.

    FILE grows as FILE.part, a whole line at a time; FILE.manifest.json then
    says what FILE holds and what it was made from.
    """
    from meeting_slot.generation import write_plan
    from meeting_slot.shards import WHOLE, Plan, parse_shard

    if resume and out == "-":
        raise click.UsageError("--resume needs --out FILE")
    mixed = all(wishes[name] in (None, ()) for name in _WISHES)
    plan = Plan(
        target=_target(**wishes),
        count=count,
        seed=seed,
        mix="default" if mixed else "one wish",
        shard=WHOLE if shard is None else parse_shard(shard, count),
    )
    make = _engine(engine, jobs, ray_address)

    def tracked_lines(plan: Plan, rows: range) -> Generator[str, None, None]:
        done = len(plan.rows) - len(rows)
        return tracked(make(plan, rows), "worlds", len(plan.rows), done)

    if out == "-":
        for line in tracked_lines(plan, plan.rows):
            print_line(line)
    else:
        written = write_plan(plan, out, tracked_lines, force=force, resume=resume)
        print_line(_summary(out, written), err=True)


def _engine(name: str, jobs: int | None, ray_address: str | None) -> Engine:
    if name == "ray":
        from meeting_slot.ray_engine import on_ray

        if ray_address is not None and jobs is not None:
            raise click.UsageError("--jobs and --ray-address exclude each other")
        return on_ray(jobs, ray_address)
    if ray_address is not None:
        raise click.UsageError("--ray-address needs --engine ray")
    from meeting_slot.engines import in_processes

    return in_processes(jobs or 1)


def _summary(out: str, written: Written) -> str:
    """Return what a file now holds, in one line."""
    manifest, found = written
    bands = ", ".join(f"{count} {band}" for band, count in manifest.band.items())
    before = ""
    if found:
        before = "complete already; " if found == manifest.count else f"{found} from {out}.part; "
    plural = "" if manifest.count == 1 else "s"
    none = manifest.answers["NONE"]
    return f"{out}: {manifest.count} world{plural} ({before}{bands}; {none} NONE)"


# Options that leave no room for the default mix.
_WISHES = (
    *("answer", "starts", "stretches", "dst"),
    *("target_hardness", "defeat", "isolate", "load_bearing", "load", "decoys"),
)


def _target(
    *,
    answer: str | None,
    starts: str | None,
    stretches: int | None,
    dst: str | None,
    target_hardness: float | None,
    defeat: tuple[str, ...],
    isolate: str | None,
    load_bearing: str | None,
    load: str | None,
    decoys: int | None,
    attendees: int | None,
    days: int | None,
    duration: int | None,
    zones: str,
    years: str,
) -> Target:
    from meeting_slot.cpsat import wish_texts, wishes
    from meeting_slot.measures import Size

    return wishes.Target(
        answer=None if answer is None else wish_texts.answer_wish(answer),
        starts=wishes.Starts(starts or "any"),
        stretches=1 if stretches is None else stretches,
        dst=None if dst is None else wishes.Dst(dst),
        attendees=attendees,
        window_days=days,
        duration_minutes=duration,
        zones=wish_texts.zones_wish(zones),
        years=wish_texts.years_wish(years),
        hardness=None if target_hardness is None else wish_texts.hardness_wish(target_hardness),
        defeat=defeat,
        isolate=isolate,
        load_bearing=None if load_bearing is None else load_bearing == "all",
        load=None if load is None else Size(load),
        near_misses=0 if decoys is None else decoys,
    )

"""What hardness is worth: targets met, policies isolated, and policies not synthesized against.

    python bench/hardness.py targets [WORLDS]     every target from 0/12 to 12/12, and casts drawn
    python bench/hardness.py isolate [WORLDS]     every policy isolated, and casts drawn
    python bench/hardness.py defeat [WORLDS]      every special policy defeated
    python bench/hardness.py unseen [SPLIT]       exact rate of policies not used in the synthesis

The last prints Spearman's rank correlation of hardness with the mean exact rate.
"""

import itertools
import statistics
import sys
from collections import Counter, defaultdict

from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target, WishError
from meeting_slot.measures import hardness
from meeting_slot.named import worlds_of
from meeting_slot.policies import BASELINES, CORE, merged, specials
from meeting_slot.reading import Reader
from meeting_slot.splits import ISOLATED
from meeting_slot.sweep import earliest_start


def make(label: str, target: Target, count: int) -> None:
    """Print how many worlds of a target were made, and how many casts each took."""
    casts, failures = [], Counter[str]()
    for i in range(count):
        try:
            world = synthesize(target, f"bench {i}")
        except WishError as error:
            failures[str(error)] += 1
        else:
            assert world.meta is not None
            casts.append(world.meta["casts"])
    drawn = f"median {statistics.median(casts):g}, max {max(casts)}" if casts else "-"
    print(f"{label:24} {len(casts)}/{count} worlds, casts: {drawn} {dict(failures) or ''}")


def ranks(values: list[float]) -> list[float]:
    """Return the rank of each value, ties sharing the mean rank."""
    return [
        sum(other < value for other in values) + (sum(o == value for o in values) + 1) / 2
        for value in values
    ]


def unseen(split: str) -> None:
    """Print the mean exact rate by hardness of policies that no constraint was about."""
    pairs = [merged(a, b) for a, b in itertools.combinations(CORE, 2) if a.group != b.group]
    special = [policy for policy in specials(0) if not policy.name.startswith("skip")]
    policies = [*special, BASELINES[0], *pairs]
    exact: dict[int, list[bool]] = defaultdict(list)
    for world in worlds_of(split):
        gold, reader = earliest_start(world), Reader(world)
        exact[hardness(world)] += [reader.answer(policy) == gold for policy in policies]
    twelfths = sorted(exact)
    means = [statistics.mean(exact[h]) for h in twelfths]
    for h, mean in zip(twelfths, means, strict=True):
        print(f"{h:2}/12  {mean:6.1%}  of {len(exact[h])} answers of {len(policies)} policies")
    print(
        "Spearman", round(statistics.correlation(ranks([*map(float, twelfths)]), ranks(means)), 3)
    )


def main(what: str, value: str | None = None) -> None:
    """Print one table."""
    count = int(value or 10) if what != "unseen" else 0
    if what == "targets":
        for h in range(len(CORE) + 1):
            make(f"{h}/12", Target(hardness=h), count)
    elif what == "isolate":
        for name in ISOLATED:
            make(name, Target(isolate=name), count)
    elif what == "defeat":
        for policy in specials(3):
            make(policy.name, Target(defeat=(policy.name,)), count)
    else:
        unseen(value or "core-v1")


if __name__ == "__main__":
    main(*sys.argv[1:])

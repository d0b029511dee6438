"""How much faster several processes make worlds than one, on cores that have nothing else to do.

    python bench/jobs.py [--worlds 300] [--jobs 2] [--rounds 3]

Prints seconds for one job and for several, in turns, and the ratio of the medians. The bytes are
held against each other.
"""

import argparse
import statistics
import subprocess
import sys
import time

COMMAND_LINE = (sys.executable, "-c", "from meeting_slot_cli.main import main; main()")


def timed(worlds: int, jobs: int) -> tuple[float, bytes]:
    """Return the seconds of a run, start of Python included, and its bytes."""
    start = time.perf_counter()
    arguments = ["gen", "--count", str(worlds), "--jobs", str(jobs)]
    run = subprocess.run([*COMMAND_LINE, *arguments], stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - start, run.stdout


def main(worlds: int, jobs: int, rounds: int) -> None:
    """Print each round and the ratio."""
    seconds: dict[int, list[float]] = {1: [], jobs: []}
    for _ in range(rounds):
        outputs = set()
        for number, taken in seconds.items():
            took, output = timed(worlds, number)
            taken.append(took)
            outputs.add(output)
        assert len(outputs) == 1, "the bytes depend on the jobs"
        print(
            *(f"{number} job(s): {taken[-1]:.1f} s" for number, taken in seconds.items()), sep=", "
        )
    ratio = statistics.median(seconds[1]) / statistics.median(seconds[jobs])
    print(f"{worlds} worlds: {jobs} jobs are {ratio:.2f} times as fast")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    main(**vars(parser.parse_args()))

"""Samples the memory of `gen`, process by process: it has to stay flat, and under 250 MB.

    python bench/memory.py [--count 20000] [--jobs 2] [--every 5] [-- OPTIONS OF GEN...]

Prints the resident memory of the main process and of each worker over time, in MB, and at the end
each one's peak (VmHWM). Linux.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND_LINE = (sys.executable, "-c", "from meeting_slot_cli.main import main; main()")


def megabytes(pid: int, field: str) -> float | None:
    """Return a field of a process's status, None once it has ended."""
    try:
        match = re.search(rf"^{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    except OSError:
        return None
    return int(match[1]) / 1000 if match else None


def family(pid: int) -> list[int]:
    """Return a process and its children."""
    found = [pid]
    for entry in Path("/proc").iterdir():
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == pid:
            found.append(int(entry.name))
    return sorted(found)


def main(count: int, jobs: int, every: float, wish: list[str]) -> bool:
    """Print the samples; return whether no process went over 250 MB."""
    peaks: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "worlds.jsonl")
        part = Path(folder, "worlds.jsonl.part")
        arguments = ["gen", "--count", str(count), "--jobs", str(jobs), "--out", str(file), *wish]
        start = time.monotonic()
        with subprocess.Popen([*COMMAND_LINE, *arguments], stderr=subprocess.DEVNULL) as run:
            while run.poll() is None:
                time.sleep(every)
                now = {}
                for pid in family(run.pid):
                    resident, peak = megabytes(pid, "VmRSS"), megabytes(pid, "VmHWM")
                    if resident is not None and peak is not None:
                        now[pid] = resident
                        peaks[pid] = max(peak, peaks.get(pid, 0))
                size = os.path.getsize(part) / 1e6 if part.exists() else 0
                shown = " ".join(f"{resident:6.1f}" for resident in now.values())
                print(
                    f"{time.monotonic() - start:7.1f} s {size:8.1f} MB written  {shown}", flush=True
                )
    print("peaks:", " ".join(f"{peak:.1f}" for peak in peaks.values()), "MB")
    return run.returncode == 0 and max(peaks.values()) <= 250


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=float, default=5.0, help="seconds")
    parser.add_argument("wish", nargs="*", help="options of gen; the default mix without")
    sys.exit(not main(**vars(parser.parse_args())))

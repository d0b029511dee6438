"""Kills a run at random moments and resumes it: each time the bytes have to be the same.

    python bench/interruptions.py [--worlds 2000] [--kills 20] [--jobs 2] [--chance 1]

For each kill, `gen --out FILE` is started anew, ended by `kill -9` when a random share of its bytes
is written, and completed by `--resume`. Prints the rows that were there and the sha256; ends with
status 1 where one differs.
"""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND_LINE = (sys.executable, "-c", "from meeting_slot_cli.main import main; main()")


def digest(file: Path) -> str:
    """Return a file's sha256."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def rows_of(part: Path, file: Path) -> int:
    """Return how many whole rows a killed run has left."""
    for path in (part, file):
        if path.exists():
            return path.read_bytes().count(b"\n")
    return 0


def interrupted(arguments: list[str], file: Path, size: int) -> int:
    """Run `gen`, kill it when so many bytes are written, and return the rows it left."""
    part = file.with_name(f"{file.name}.part")
    with subprocess.Popen(
        [*COMMAND_LINE, *arguments, "--out", str(file)], stderr=subprocess.DEVNULL
    ) as run:
        while run.poll() is None and not (part.exists() and part.stat().st_size >= size):
            time.sleep(0.001)
        run.kill()
    return rows_of(part, file)


def main(worlds: int, kills: int, jobs: int, chance: str) -> bool:
    """Print one line for each kill; return whether all runs gave the same bytes."""
    arguments = ["gen", "--count", str(worlds), "--jobs", str(jobs)]
    rng = random.Random(chance)
    alike = True
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole.jsonl")
        start = time.monotonic()
        subprocess.run([*COMMAND_LINE, *arguments, "--out", whole], check=True)
        seconds = time.monotonic() - start
        names = [whole.name, f"{whole.name}.manifest.json"]
        wanted = [digest(whole.with_name(name)) for name in names]
        print(f"undisturbed: {worlds} worlds in {seconds:.1f} s, sha256 {wanted[0]}", flush=True)
        for kill in range(1, kills + 1):
            (place := Path(folder, str(kill))).mkdir()
            size = rng.randrange(1, whole.stat().st_size)
            left = interrupted(arguments, place / whole.name, size)
            subprocess.run(
                [*COMMAND_LINE, *arguments, "--out", place / whole.name, "--resume"], check=True
            )
            found = [digest(place / name) for name in names]
            same = found == wanted and {path.name for path in place.iterdir()} == set(names)
            alike &= same
            print(
                f"kill {kill}: {left} rows were there, "
                f"sha256 {found[0][:16]}… {'identical' if same else 'DIFFERS'}",
                flush=True,
            )
    return alike


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--chance", default="1", help="the seed of the sizes")
    sys.exit(not main(**vars(parser.parse_args())))

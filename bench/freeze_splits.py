"""Makes the data of the named splits that do not exist yet; never touches one that does.

    python bench/freeze_splits.py [NAME...]

About a quarter of an hour for all. Each row depends on its own seed only, so the bytes follow from
the versions in the manifest.
"""

import gzip
import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

from meeting_slot import zones
from meeting_slot.cpsat.synthesis import GENERATOR
from meeting_slot.splits import frozen_rows
from meeting_slot.world import shape

DATA = Path(__file__).parent.parent / "meeting_slot" / "data"
NAMES = ("core-v1", "hard-v1", "isolate-v1", "train-v1")
CANARY = "meeting-slot canary 7c0c9e52-6f0b-4b8e-9c57-2d1f1d3a4e90"


def main(names: list[str]) -> None:
    """Write `data/NAME.jsonl.gz` and the manifest `data/splits.json`."""
    manifest_path = DATA / "splits.json"
    manifest = json.loads(manifest_path.read_text()) if manifest_path.exists() else []
    known = {entry["name"] for entry in manifest}
    for name in names or NAMES:
        if name in known:
            print(f"{name}: frozen already")
            continue
        lines = []
        shapes = set()
        for world in frozen_rows(name):
            shapes.add(shape(world))
            lines.append(world.to_line() + "\n")
        assert len(shapes) == len(lines), f"{name}: two worlds have the same shape"
        text = "".join(lines).encode()
        with (DATA / f"{name}.jsonl.gz").open("wb") as file:
            file.write(gzip.compress(text, mtime=0))
        manifest.append(
            {
                "name": name,
                "count": len(lines),
                "sha256": hashlib.sha256(text).hexdigest(),
                "generator": GENERATOR,
                "ortools": version("ortools"),
                "iana": zones.iana_release(),
                "canary": CANARY,
            }
        )
        manifest.sort(key=lambda entry: NAMES.index(entry["name"]))
        manifest_path.write_text(json.dumps(manifest, indent=1) + "\n")
        print(f"{name}: {len(lines)} worlds, {len(text)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])

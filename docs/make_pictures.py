"""Draws the pictures of the documentation again: `python docs/make_pictures.py`.

`meeting-slot show` draws each world of `docs/worlds` with a wrong answer proposed, that of the
policy whose name the file has. It needs `pip install 'meeting-slot[report]'`.
"""

import subprocess
import sys
from pathlib import Path

import meeting_slot as ms

DOCS = Path(__file__).parent
README = "2024-03-11T14:00:00Z"
"""What is proposed for the README's world: the answer of somebody whose clock did not move."""
SHOW = (sys.executable, "-c", "from meeting_slot_cli.main import main; main()", "show")
WRONG = 1
"""The exit status of a command to which a wrong answer was proposed."""


def proposed() -> dict[str, str]:
    """Return the answer that is proposed for each world of `docs/worlds`, by the file's stem."""
    answers = {}
    for path in sorted((DOCS / "worlds").glob("*.json")):
        found = ms.panel(ms.read_world(str(path))).answers
        name = path.stem
        answers[name] = README if name == "readme" else ms.answer_text(found[name])
    return answers


def main() -> None:
    """Draw every picture."""
    (DOCS / "pictures").mkdir(exist_ok=True)
    for name, answer in proposed().items():
        picture = DOCS / f"pictures/{name}.svg"
        world = str(DOCS / f"worlds/{name}.json")
        picture.unlink(missing_ok=True)
        ended = subprocess.run([*SHOW, world, answer, "--svg", str(picture)], check=False)
        if ended.returncode not in (0, WRONG) or not picture.exists():
            sys.exit(f"{name}: no picture")


if __name__ == "__main__":
    main()

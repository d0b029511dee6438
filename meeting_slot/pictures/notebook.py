"""A world as a notebook shows it: its timeline, or a table where the extra `report` is missing.

A notebook executes what it displays, so what a world says must stay text: a table escapes it, and a
timeline is an image, in which a browser runs nothing.
"""

import base64
from importlib.util import find_spec
from typing import Final

from ..explanation import hours_text
from ..html_table import html_table
from ..instants import answer_text, day_text
from ..sweep import earliest_start
from ..world import World

MOST_DRAWN: Final = 100
"""The most attendees of a timeline; more would be a picture that nobody can take in."""


def world_html(world: World) -> str:
    """Return a world as HTML, which executes nothing and asks no server for anything."""
    if len(world.attendees) > MOST_DRAWN or not all(map(find_spec, ("altair", "vl_convert"))):
        return world_table(world)
    from .chart import chart_svg
    from .timeline import timeline

    drawn = timeline(world)
    picture = base64.b64encode(chart_svg(drawn).encode()).decode()
    return (
        f'<img alt="A timeline; the answer is {answer_text(drawn.answer)}" '
        f'style="max-width: 100%" src="data:image/svg+xml;base64,{picture}">'
    )


def world_table(world: World) -> str:
    """Return a world as a plain table: the request, the answer, and a row an attendee.

    Hours and dates are local, the window and the answer UTC. Busy dates are counted, not listed.
    """
    request = world.request
    days = f"{request.window_days} day{'' if request.window_days == 1 else 's'}"
    caption = (
        f"{request.duration_minutes} minutes, to start within {days} from "
        f"{day_text(request.window_start)} 00:00Z; the answer is "
        f"{answer_text(earliest_start(world))}"
    )
    rows = [
        (
            attendee.name,
            attendee.timezone,
            hours_text(attendee.working_hours),
            str(sum(map(bool, attendee.busy.values()))),
        )
        for attendee in world.attendees
    ]
    return html_table(("attendee", "time zone", "working hours", "busy dates"), rows, caption)

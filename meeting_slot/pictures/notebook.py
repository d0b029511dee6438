"""A world as a notebook shows it; everything that a world says is escaped."""

from ..explanation import hours_text
from ..html_table import html_table
from ..instants import answer_text, day_text
from ..sweep import earliest_start
from ..world import World


def world_html(world: World) -> str:
    """Return a world as HTML, which executes nothing and asks no server for anything."""
    return world_table(world)


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

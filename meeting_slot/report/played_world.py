"""What the report keeps of a world: its measures, and the wrong answers of the panel's policies."""

import msgspec

from ..cpsat.certificate import certificate
from ..measures import Band, Load, band_of, hardness, load, policies_for
from ..policies import CORE
from ..reading import Reader
from ..scoring import SKIP_ONE
from ..sweep import earliest_start
from ..world import World, content_hash


class WrongAnswer(msgspec.Struct, frozen=True):
    """The wrong answer of a policy.

    Attributes:
        policy: its name; `skip-attendee-K` is `SKIP_ONE` for every K.
        core: whether it is one of the core.
        answer: a UTC minute; None for NONE.
        view: a number that the policies of this world have in common that see the same free time
            of the same people and the same starts, and so answer alike by definition.
    """

    policy: str
    core: bool
    answer: int | None
    view: int


class PlayedWorld(msgspec.Struct, frozen=True, kw_only=True):
    """A world of a run.

    Attributes:
        id: the world's id.
        content: the hash of its content, 64 hex digits, which an id does not change.
        core_failed: the hardness, in twelfths.
        load: the calls it takes to read everything.
        answer: the right answer, a UTC minute; None for NONE.
        window_start: the UTC minute at which the window starts.
        floor: the calls it takes somebody who knows the answer to prove it.
        wrong: what the policies answer that are wrong here, core ones first.
    """

    id: str
    content: str
    core_failed: int
    load: Load
    answer: int | None
    window_start: int
    floor: int
    wrong: tuple[WrongAnswer, ...]

    @property
    def band(self) -> Band:
        """The third of the hardness scale."""
        return band_of(self.core_failed)

    def offset(self, answer: int | None) -> int | None:
        """Return an answer as minutes from the window's start; NONE stays None."""
        return None if answer is None else answer - self.window_start


def played_world(world: World) -> PlayedWorld:
    """Return what the report keeps of a world; everything is computed from its content."""
    reader = Reader(world)
    right = earliest_start(world)
    core = {policy.name for policy in CORE}
    views: dict[object, int] = {}
    wrong = []
    for policy in policies_for(world):
        answer = reader.answer(policy)
        if answer != right:
            name = SKIP_ONE if policy.name.startswith("skip-attendee-") else policy.name
            view = views.setdefault(reader.view(policy), len(views))
            wrong.append(WrongAnswer(name, policy.name in core, answer, view))
    return PlayedWorld(
        id=world.id,
        content=content_hash(world),
        core_failed=hardness(world, reader),
        load=load(world),
        answer=right,
        window_start=world.request.start,
        floor=certificate(world).floor,
        wrong=tuple(wrong),
    )

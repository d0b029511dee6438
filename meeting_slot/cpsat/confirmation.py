"""Is a synthesized world what was wished for? By the sweep and the panel; no solver is trusted."""

from ..instants import answer_text, instant_text
from ..measures import hardness, is_load_bearing
from ..policies import policy_named
from ..reading import Reader
from ..sweep import valid_stretches
from ..world import World
from .wishes import Starts, Target, dst_of


class Unconfirmed(AssertionError):
    """A world is not what was wished for: a fault of this package."""

    def __init__(self, what: str, world: World) -> None:
        super().__init__(f"{what}: {world.to_line()}")


def confirm(
    target: Target, world: World, answer: int | None, right: frozenset[str], reader: Reader
) -> None:
    """Hold a world against its wish.

    Args:
        target: the wish.
        world: what was made of it.
        answer: the start that was chosen as the answer, or None for NONE.
        right: the names of the policies that were to answer right.
        reader: a reader of the world, for the panel.

    Raises:
        Unconfirmed: by the sweep or the panel, something is not as wished.
    """
    _confirm_starts(target, world, answer)
    for name in sorted(target.wrong):
        if reader.answer(policy_named(name)) == answer:
            raise Unconfirmed(f"{name} answers right", world)
    for name in sorted(right):
        if reader.answer(policy_named(name)) != answer:
            raise Unconfirmed(f"{name} answers wrong", world)
    failed = None if target.hardness is None else hardness(world, reader)
    if failed != target.hardness:
        raise Unconfirmed(f"the hardness is {failed}, not {target.hardness}", world)
    if target.needs_all and not is_load_bearing(world, reader):
        raise Unconfirmed("somebody's removal does not change the answer", world)


def _confirm_starts(target: Target, world: World, answer: int | None) -> None:
    stretches = valid_stretches(world)
    if answer is None:
        confirmed = not stretches
    elif target.starts is Starts.EXACTLY_ONE:
        confirmed = stretches == [(answer, answer + 1)]
    else:
        confirmed = len(stretches) >= target.stretches and stretches[0][0] == answer
    if not confirmed:
        found = [instant_text(start) for start, _ in stretches]
        raise Unconfirmed(f"the answer is not {answer_text(answer)}; valid from {found}", world)
    if answer is not None and target.dst is not None and target.dst not in dst_of(world, answer):
        raise Unconfirmed(f"{answer_text(answer)} is not {target.dst.value}", world)

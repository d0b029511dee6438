"""`meeting-slot explain`: the smallest set of observations that proves the answer."""

import click

from .printing import id_option, print_json, print_line, warn_of_record


@click.command("explain")
@click.argument("world_file", metavar="WORLD")
@id_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(world_file: str, world_id: str | None, as_json: bool) -> None:
    """Prove the answer from as few tool calls as can be.

    Prints the answer, the least number of calls that prove it (the list of
    attendees counted), those calls, and the argument they make: who stands in
    the way of each earlier start, and that everyone is free for the answer.
    """
    from meeting_slot.argument import argument
    from meeting_slot.cpsat.certificate import certificate
    from meeting_slot.explanation import argument_json, argument_lines, call_json, call_lines
    from meeting_slot.instants import answer_text
    from meeting_slot.named import picked_world

    world = picked_world(world_file, world_id)
    found = certificate(world)
    proof = argument(world, found.observations, found.answer)
    if as_json:
        print_json(
            {
                "id": world.id,
                "answer": answer_text(found.answer),
                "floor": found.floor,
                "size": found.size,
                "proven_minimal": found.proven_minimal,
                "observations": [call_json(observation) for observation in found.observations],
                **argument_json(proof),
            }
        )
    else:
        print_line(f"{answer_text(found.answer)} {world.id}")
        floor, proof_of = f"{found.floor} calls", "that prove the answer"
        if not found.proven_minimal:
            floor, proof_of = f"at most {floor}", "found"
        print_line(f"floor {floor}: list_attendees() and these {found.size}, the fewest {proof_of}")
        for line in [*call_lines(world, found.observations), *argument_lines(proof)]:
            print_line(line)
    warn_of_record(world)

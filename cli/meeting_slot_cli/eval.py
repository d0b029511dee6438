"""`meeting-slot eval`: policies as models, through the real `vf-eval`."""

from pathlib import Path

import click
from click.core import ParameterSource

from .printing import print_json, print_line


@click.command("eval")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    default=("gold", "naive"),
    metavar="NAME",
    help='Who answers; "all" is everyone.  [repeatable; default: gold, naive]',
)
@click.option("--worlds", metavar="FILE", help='A world file, a split, its name, or "-".')
@click.option("--split", metavar="NAME", help="eval, train or a shipped split.  [default: eval]")
@click.option("-n", "--count", type=click.IntRange(1), help="So many worlds, from the first.")
@click.option("--one-call-a-turn", is_flag=True, help="One tool call a reply.")
@click.option(
    "--max-turns", type=click.IntRange(1), help="Replies that a policy has.  [default: 40]"
)
@click.option("--require-proof", is_flag=True, help="An answer that is not proved scores 0.")
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="Rollouts at a time.",
)
@click.option("--out", metavar="DIR", help="Keep what vf-eval writes in a new folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a policy.")
@click.option("--serve-only", is_flag=True, help="Serve the policies until Ctrl-C; run nothing.")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="For --serve-only.  [default: a free one]"
)
@click.pass_context
def command(
    ctx: click.Context,
    *,
    policies: tuple[str, ...],
    worlds: str | None,
    split: str | None,
    count: int | None,
    one_call_a_turn: bool,
    max_turns: int | None,
    require_proof: bool,
    concurrency: int,
    out: str | None,
    as_json: bool,
    serve_only: bool,
    port: int | None,
) -> None:
    """Run policies as models on worlds, and print what they score.

    A policy is an imperfect solver with one misconception; gold makes no
    mistake. Each is a model behind a local endpoint that really calls the
    tools, and each is one run of vf-eval, offline and without an upload. A
    rollout that fails makes the command fail.
    """
    if serve_only:
        _refuse(ctx, "--serve-only", but=("serve_only", "port", "one_call_a_turn"))
        _serve(port or 0, one_call_a_turn)
        return
    if port is not None:
        raise click.UsageError("--port is for --serve-only")
    if worlds is not None and split is not None:
        raise click.UsageError("--worlds and --split exclude each other")

    from meeting_slot.environment.runs import Settings, evaluate, policies_of
    from meeting_slot.named import worlds_of

    from .results_table import print_results, watched

    names = policies_of(policies)
    settings = Settings(
        worlds=None if worlds is None else list(worlds_of(worlds)),
        split=split or "eval",
        count=count,
        one_call_a_turn=one_call_a_turn,
        require_proof=require_proof,
        concurrency=concurrency,
        max_turns=max_turns,
    )
    results = evaluate(names, settings, None if out is None else Path(out))
    done = []
    try:
        for result in watched(results, names):
            done.append(result)
            if as_json:
                print_json(result.to_json())
    finally:  # what is known is printed, whatever became of the rest
        if done and not as_json:
            what = "standard input" if worlds == "-" else worlds or settings.split
            print_results(done, f"vf-eval meeting-slot on {settings.rollouts} worlds of {what}")


def _refuse(ctx: click.Context, option: str, *, but: tuple[str, ...]) -> None:
    """Raise where any other option was given beside one."""
    for parameter in ctx.command.params:
        name = parameter.name
        if (
            name is not None
            and name not in but
            and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        ):
            raise click.UsageError(f"{option} and {parameter.opts[-1]} exclude each other")


def _serve(port: int, one_call_a_turn: bool) -> None:
    from functools import partial

    from meeting_slot.environment.endpoint import Endpoint
    from meeting_slot.environment.runs import example_command
    from meeting_slot.environment.scripted import reply_to

    def ready(base_url: str) -> None:
        print_line(f"policies are served at {base_url} until Ctrl-C; for example:")
        print_line(example_command(base_url))

    Endpoint(partial(reply_to, one_call_a_turn=one_call_a_turn)).serve(port, ready=ready)

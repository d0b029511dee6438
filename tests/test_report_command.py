"""`meeting-slot report`: tables, JSON, comparisons, and what is refused in one line."""

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import World, answer_text, earliest_start, named_split
from meeting_slot.cpsat.certificate import certificate
from meeting_slot.measures import hardness, load, panel
from meeting_slot.report import fits
from meeting_slot.zones import iana_release
from tests.run_files import answering, conversation, row

from .conftest import COMMAND_LINE, Command, a_world, process, unprintable, write

WORLDS = [world for world, _ in zip(named_split("core-v1"), range(24), strict=False)]


def rollouts(world: World, *policies: str) -> list[dict[str, Any]]:
    """Return what policies say that have read the smallest proof."""
    answers = {**panel(world).answers, "gold": earliest_start(world)}
    read = certificate(world).observations
    return [
        row(world, conversation(world, answering(answer_text(answers[name])), read))
        for name in policies
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two runs on the same worlds with two rollouts each, the second one better."""
    found = []
    for name, policies in (("weak", ("naive", "ignore-busy")), ("strong", ("gold", "ignore-dst"))):
        folder = tmp_path_factory.mktemp(name)
        found.append(folder)
        rows = [one for world in WORLDS for one in rollouts(world, *policies)]
        rows[3] |= {"error": {"error_chain_repr": "ModelError('overloaded')"}}
        write(folder / "results.jsonl", *rows)
        write(folder / "metadata.json", {"model": f"model/{name}"})
    return found[0], found[1]


def test_a_run_of_the_real_vf_eval_is_reported(command: Command, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    evaluated = command("eval", "--policy", "naive", "-n", 15, "--json", "--out", kept)
    run = command("report", kept, "--json")
    assert (run.status, run.err) == (0, "")
    (found,) = (json.loads(line) for line in run.out.splitlines())
    scored = json.loads(evaluated.out)
    assert found["model"] == "naive"
    for term in ("exact", "format", "partial", "reward"):
        assert found["terms"][term]["mean"] == pytest.approx(scored[term], abs=1e-5)
    assert found["conduct"]["tool_calls"]["mean"] == pytest.approx(scored["calls"])
    assert found["rewards_differ"] == 0
    naive = next(p for p in found["misconceptions"]["policies"] if p["policy"] == "naive")
    assert naive["matched"] == found["misconceptions"]["wrong"] == 14


def test_tables_fit_80_columns_and_say_what_an_engineer_asks(
    command: Command, runs: tuple[Path, Path]
) -> None:
    run = command("report", *runs)
    assert (run.status, run.err) == (0, "")
    lines = run.out.splitlines()
    assert max(len(line) for line in lines if "results.jsonl" not in line) <= 80
    for said in (
        "model/weak",
        "1 rollout ended with an error, and no rate counts them",
        "1 x ModelError('overloaded')",
        "Score, with 95 % intervals clustered by world",
        "on hardness and load: odds x ",
        "pass@k = 1 - C(n-c, k) / C(n, k)",
        "tokens generated",
        "By hardness and load (S up to 15 calls, M up to 35, L above)",
        "Worst rollouts, on the easiest worlds first",
        "Side by side",
        "Difference: model/strong against model/weak",
        "paired on 24 worlds, each counted once",
    ):
        assert said in run.out, said
    (naive,) = (line.split() for line in lines if line.split()[:1] == ["naive"])
    assert int(naive[1]) > 10
    assert not unprintable(run.out)


def test_json_holds_one_object_a_run_and_one_of_comparisons(
    command: Command, runs: tuple[Path, Path]
) -> None:
    run = command("report", *runs, "--json", "--worst", 2)
    assert (run.status, run.err) == (0, "")
    weak, strong, compared = (json.loads(line) for line in run.out.splitlines())
    assert (weak["worlds"], weak["rollouts"], weak["scored"]) == (24, 48, 47)
    assert weak["endings"]["error"] == 1
    assert sum(weak["endings"].values()) == 48
    assert len(weak["worst"]) == 2
    assert weak["worst"][0]["core_failed"] <= weak["worst"][1]["core_failed"]
    assert weak["worst"][0]["given"] != weak["worst"][0]["right"]
    assert weak["grid"][0]["rollouts"] == 47
    assert [fit["measures"] for fit in weak["fits"]] == [list(m) for m in fits.MEASURES]
    # one world of each run has a single scored rollout
    assert [one["at"]["values"] for one in weak["passes"]] == [24, 23]
    assert strong["passes"][0]["at"]["mean"] > weak["passes"][0]["at"]["mean"]
    assert list(compared) == ["comparisons"]
    (comparison,) = compared["comparisons"]
    exact = comparison["differences"][0]
    assert exact["measure"] == "exact"
    assert exact["difference"]["mean"] > exact["smallest_told"] > 0


def test_every_key_of_the_json_is_documented(command: Command, runs: tuple[Path, Path]) -> None:
    documented = Path(__file__).parent.parent / "docs" / "report.md"
    words = set(re.findall(r"`(\w+)`", documented.read_text(encoding="utf-8")))
    run = command("report", *runs, "--json")
    found, _, compared = (json.loads(line) for line in run.out.splitlines())
    assert set(found) <= words
    assert set(compared["comparisons"][0]) | {"smallest_told"} <= words
    assert set(found["terms"]["exact"]) | set(found["worst"][0]) <= words
    assert set(found["fits"][0]["slopes"][0]) | set(found["misconceptions"]) <= words


def test_rates_over_all_are_those_of_the_cells(command: Command, runs: tuple[Path, Path]) -> None:
    (found,) = (json.loads(line) for line in command("report", runs[0], "--json").out.splitlines())
    cells = {(cell["band"], cell["size"]): cell for cell in found["grid"]}
    whole = cells.pop((None, None))
    parts = [cell for (band, size), cell in cells.items() if band and size]
    assert sum(cell["rollouts"] for cell in parts) == whole["rollouts"]
    assert sum(cell["worlds"] for cell in parts) == whole["worlds"]
    right = sum(cell["exact"]["mean"] * cell["rollouts"] for cell in parts if cell["exact"])
    assert right == pytest.approx(whole["exact"]["mean"] * whole["rollouts"], abs=1e-3)
    by_hardness = found["by_hardness"].values()
    assert sum(each["values"] for each in by_hardness) == whole["rollouts"]


def test_the_easiest_worlds_and_then_the_most_wasted_calls_come_first(
    command: Command, tmp_path: Path
) -> None:
    world = WORLDS[0]
    wrong = conversation(world, answering("NONE"))
    busy = conversation(world, answering("NONE"), certificate(world).observations)
    path = write(tmp_path / "results.jsonl", row(world, wrong), row(world, busy))
    (found,) = (json.loads(line) for line in command("report", path, "--json").out.splitlines())
    assert [one["line"] for one in found["worst"]] == [2, 1]


def test_calls_are_counted_by_quarters_of_the_floor(command: Command, tmp_path: Path) -> None:
    world = WORLDS[0]
    proof = certificate(world)
    reply = answering(answer_text(earliest_start(world)))
    # nothing, the proof, which is the floor without the list, and twice the proof
    reads = [(), proof.observations, proof.observations * 2]
    rows = [row(world, conversation(world, reply, read)) for read in reads]
    path = write(tmp_path / "results.jsonl", *rows)
    found = json.loads(command("report", path, "--json").out)
    ratios = [calls / proof.floor for calls in (0, proof.size, 2 * proof.size)]
    assert found["call_ratios"] == {str(math.floor(ratio * 4) / 4): 1 for ratio in ratios}
    assert found["conduct"]["calls_per_floor"]["most"] == pytest.approx(ratios[-1], abs=1e-6)


def test_the_worst_are_all_that_went_wrong_by_hardness_and_load(
    command: Command, runs: tuple[Path, Path]
) -> None:
    run = command("report", runs[0], "--json", "--worst", 100)
    (found,) = (json.loads(line) for line in run.out.splitlines())
    assert len(found["worst"]) == found["scored"] - found["endings"]["exact"]
    measures = {world.id: (hardness(world), load(world).calls) for world in WORLDS}
    order = [measures[one["id"]] for one in found["worst"]]
    assert order == sorted(order)
    assert order[0] < order[-1]


def test_a_run_without_a_wrong_answer_and_one_of_errors_only_are_reported(
    command: Command, tmp_path: Path
) -> None:
    right = write(tmp_path / "right.jsonl", *rollouts(WORLDS[0], "gold"))
    run = command("report", right)
    assert (run.status, run.err) == (0, "")
    assert "no answer is wrong" in run.out
    assert "Worst rollouts" not in run.out
    failed = [one | {"error": "boom"} for one in rollouts(WORLDS[0], "gold")]
    run = command("report", write(tmp_path / "failed.jsonl", *failed))
    assert (run.status, run.err) == (0, "")
    assert "1 x boom" in run.out
    run = command("report", write(tmp_path / "failed.jsonl", *failed), "--json")
    assert json.loads(run.out)["terms"]["exact"] is None


def test_what_has_to_be_known_of_a_run_is_said(command: Command, tmp_path: Path) -> None:
    world = WORLDS[0]
    right = answering(answer_text(earliest_start(world)))
    proved = conversation(world, right, certificate(world).observations)
    other = conversation(world, right)
    other[0]["content"] += "Think hard."
    path = write(
        tmp_path / "results.jsonl", row(world, proved, reward=0.7), row(world, other, reward=0.0)
    )
    write(tmp_path / "metadata.json", {"env_args": {"require_proof": True}})
    with path.open("a") as file:
        file.write('{"reward": 1')
    run = command("report", path)
    assert (run.status, run.err) == (0, "")
    head = run.out.partition("How rollouts ended")[0].splitlines()
    assert head[0] == "a model without a name"
    assert head[2:-1] == [
        f"2 rollouts of 1 world, panel core v1, IANA {iana_release()}",
        "an answer that is not proved scores 0 (require_proof)",
        "of 1 rollout the recorded reward differs from the one computed here",
        "2 different system prompts in one run",
        "the last line is incomplete and left out: the run goes on, or broke off",
    ]
    assert "right, but without the proof that was required" in run.out


def test_hostile_text_is_shown_escaped(command: Command, tmp_path: Path) -> None:
    forged = "\x1b[31m\u202e</script>\n meeting-slot: error"
    (found,) = rollouts(WORLDS[0], "naive")
    found["completion"][-1]["content"] = answering(forged)
    failed = {**found, "error": forged}
    path = write(tmp_path / "results.jsonl", found, failed)
    write(tmp_path / "metadata.json", {"model": forged})
    run = command("report", path)
    assert (run.status, run.err) == (0, "")
    assert not unprintable(run.out)
    assert "\\u001b[31m\\u202e</script>" in run.out


def test_what_cannot_be_compared_is_refused_without_force(
    command: Command, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    other = write(tmp_path / "results.jsonl", *rollouts(WORLDS[0], "gold"))
    refused = command("report", runs[0], other)
    assert (refused.status, refused.out) == (2, "")
    assert "different worlds (24 and 1, 1 in common); --force compares" in refused.error_line()
    forced = command("report", runs[0], other, "--force")
    assert (forced.status, forced.err) == (0, "")
    assert "23 worlds not scored in both runs, left out" in forced.out


@pytest.mark.parametrize("content", ["{\n", "[1]\n", '{"reward": 1}\n', ""])
def test_a_file_that_is_no_run_is_refused_in_one_line(
    content: str, command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(content)
    run = command("report", path)
    assert (run.status, run.out) == (2, "")
    assert str(path) in run.error_line()


def test_a_world_file_is_no_run(command: Command, tmp_path: Path) -> None:
    run = command("report", write(tmp_path / "world.json", a_world()))
    assert (run.status, run.out) == (2, "")
    assert "world.json:1: no output of vf-eval" in run.error_line()


WITHOUT_EXTRA = (
    sys.executable,
    "-c",
    "import sys; sys.modules.update(dict.fromkeys(['altair', 'jinja2', 'statsmodels']));"
    "from importlib import util; find = util.find_spec;"
    "util.find_spec = lambda name, *more: None if name == 'statsmodels' else find(name, *more);"
    "from meeting_slot_cli.main import main; main()",
)


def test_without_the_extra_tables_and_json_work_and_a_page_is_refused(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    run = process("report", runs[0], command_line=WITHOUT_EXTRA)
    assert (run.status, run.err) == (0, "")
    assert "on hardness: no fit: the fit needs the extra" in run.out
    run = process("report", runs[0], "--html", page, command_line=WITHOUT_EXTRA)
    assert (run.status, run.out) == (2, "")
    assert "pip install 'meeting-slot[report]'" in run.error_line()
    assert not page.exists()


def test_the_tables_load_neither_altair_nor_the_framework(runs: tuple[Path, Path]) -> None:
    code = (
        "import sys, atexit; from meeting_slot_cli.main import main;"
        "atexit.register(lambda: print(*sorted({'altair', 'verifiers', 'datasets', 'jinja2'} "
        "& set(sys.modules)), file=sys.stderr)); main()"
    )
    run = process("report", runs[0], command_line=(*COMMAND_LINE[:2], code))
    assert (run.status, run.err) == (0, "\n")

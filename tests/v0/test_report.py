"""The report reads what `vf-eval` of this line of verifiers writes."""

import json
from pathlib import Path

import pytest

from meeting_slot.environment.runs import Settings, evaluate
from meeting_slot.report.played import read_run
from meeting_slot.report.run_file import run_file
from meeting_slot.report.run_report import run_report


def test_a_run_is_scored_anew_as_it_was_scored(tmp_path: Path) -> None:
    (scored,) = evaluate(["naive"], Settings(count=15), tmp_path / "kept")
    run = read_run(run_file(tmp_path / "kept"))
    found = run_report(run)
    assert (found.model, found.worlds, found.rollouts, found.scored) == ("naive", 15, 15, 15)
    assert found.rewards_differ == 0
    assert len(found.prompts) == 1
    for term in ("exact", "format", "partial", "reward"):
        estimate = found.terms[term]
        assert estimate is not None
        assert estimate.mean == pytest.approx(getattr(scored, term))
    for measure in ("calls_per_floor", "evidence", "proved", "turns"):
        assert found.conduct[measure].mean == pytest.approx(getattr(scored, measure))
    assert found.conduct["tool_calls"].mean == scored.calls
    assert found.conduct["output_tokens"].mean > 0
    assert found.conduct["seconds"].mean > 0
    assert json.dumps(found.to_json())

"""The figures of the curated cases through the real `vf-eval` of this line of verifiers."""

import pytest

from meeting_slot.environment.runs import Settings, evaluate


@pytest.mark.parametrize(
    ("policy", "figures"), [("gold", (1.2, 1.0, 1.0, 0.0)), ("naive", (0.293, 0.067, 1.0, 0.133))]
)
def test_the_curated_cases_score_as_under_version_1(
    policy: str, figures: tuple[float, ...]
) -> None:
    (found,) = evaluate([policy], Settings(count=15))
    terms = (found.reward, found.exact, found.format, found.partial)
    assert tuple(round(term, 3) for term in terms) == figures

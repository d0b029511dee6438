"""Where `verifiers` has only v1, the v0 environment says so."""

import importlib
import importlib.metadata

import pytest

VERSION = importlib.metadata.version("verifiers")


@pytest.mark.skipif(VERSION < "0.4", reason="this verifiers has the v0 API")
def test_the_v0_environment_names_the_versions_it_needs() -> None:
    with pytest.raises(ImportError, match=f"0.1.14 to 0.3; {VERSION} has only v1"):
        importlib.import_module("meeting_slot.environment.v0")

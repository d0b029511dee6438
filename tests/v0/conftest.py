"""The tests of the v0 environment, which run where `verifiers` still has the v0 API."""

import importlib.metadata

_MAJOR, _MINOR = importlib.metadata.version("verifiers").split(".")[:2]

collect_ignore_glob = [] if (int(_MAJOR), int(_MINOR)) < (0, 4) else ["test_*.py"]

"""Figures as JSON: every struct an object, numbers rounded to six decimals."""

from typing import Any, Final

import msgspec

_DECIMALS: Final = 6


def as_json(value: object) -> Any:
    """Return a struct, or a mapping of any, as values that `json` can write."""
    return _rounded(msgspec.to_builtins(value, str_keys=True))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DECIMALS)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return value

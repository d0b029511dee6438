"""What a model's server means by refusing a request."""

import re
from typing import Final

_TOO_MANY: Final = re.compile(r"max_(completion_)?tokens\b.{0,80}\btoo large", re.DOTALL)


def asks_for_too_many_tokens(message: str) -> bool:
    """Return whether `max_tokens` alone does not fit the model, as vLLM words it.

    Before the first reply that is a fault of the settings; later on, the conversation has grown.
    """
    return _TOO_MANY.search(message) is not None

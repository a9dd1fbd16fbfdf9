"""How many inputs the fuzz tests try, and what every one of them is held to.

AGENT_DISCOVERY_FUZZ is the least number of inputs in all: 2,000 in `make test`, 100,000 in
`make fuzz`. The same number gives the same inputs.
"""

import gc
import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

from agent_discovery.errors import LONGEST_MESSAGE, InputError

FEW = 2000
INPUTS = int(os.environ.get("AGENT_DISCOVERY_FUZZ", FEW))
LONGEST_S = 1.0
tried: Counter[str] = Counter()


def examples(share: float) -> settings:
    """The settings of a test that tries `share` of all inputs."""
    slow = [HealthCheck.too_slow]  # on a busy machine
    return settings(max_examples=max(1, round(INPUTS * share)), suppress_health_check=slow)


def held(call: Callable, *arguments: Any) -> Any:
    """What `call` gives, or None where it refuses its input, which it must do in one short line.

    Nothing else may be raised, and it may not take a second of this thread's time: its own, so the
    collector, which goes through all that hypothesis remembers of thousands of inputs, waits.
    """
    gc.disable()
    begun = time.thread_time()
    try:
        result = call(*arguments)
    except InputError as error:
        result = None
        message = str(error)
        assert message and message.isprintable() and len(message) <= LONGEST_MESSAGE + 3
    finally:
        took = time.thread_time() - begun
        gc.enable()
    tried[call.__name__] += 1
    assert took < LONGEST_S
    return result

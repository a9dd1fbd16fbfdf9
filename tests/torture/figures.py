"""How much the torture tests do, and what they count.

`make torture` sets the sizes; without, `make test` runs the same tests small. One size gives one
sequence of kills and faults, but a kill's moment is a time, and so meets a run where it happens to
be.
"""

import os
from collections import Counter

# Kills of each target (None: those that the test itself names).
KILLS = int(os.environ["AGENT_DISCOVERY_KILLS"]) if "AGENT_DISCOVERY_KILLS" in os.environ else None
PASSAGES = int(os.environ.get("AGENT_DISCOVERY_PASSAGES", "20000"))
CALLS = int(os.environ.get("AGENT_DISCOVERY_STORM", "200"))

COUNTED = {
    "kills": "kills survived",
    "doubled": "recorded answers asked again",
    "repeated": "calls in flight repeated",
    "compared": "files compared with an undisturbed run",
    "differing": "files differing",
    "left": "temporary files left behind",
    "snakemakes": "empty temporary folders of Snakemake itself left behind",
    "shortages": "full disks, read-only folders, used-up handles and second runs",
    "calls": "calls in storms",
    "faults": "faults sent",
    "crashes": "crashes found",
}
# What has to be 0.
VIOLATIONS = ("doubled", "differing", "left", "crashes")
figures: Counter[str] = Counter()


def count(**numbers: int) -> None:
    """Add to the figures."""
    assert numbers.keys() <= COUNTED.keys()
    figures.update(numbers)

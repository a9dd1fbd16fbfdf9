"""An arbiter that fails three requests of ten, each in a way drawn at random, and what it sent."""

import random
from collections import Counter, defaultdict
from pathlib import Path

from arbiter_world import lines

from agent_discovery.arbitration.offline_arbiter import OfflineArbiter
from agent_discovery.arbitration.offline_faults import CONTENTS, MODES, REFUSALS

SHARE = 0.3
# Read as a choice all the same; what is not is an answer, too, and so is final.
READABLE = ("", "no-usage", "echo-key", "index-string", "index-float", "odd-usage", "odd-names")
ASKED_AGAIN = ("empty", "cut-off")  # cannot be an answer
ANSWERS = {*READABLE, *CONTENTS} - {*ASKED_AGAIN}
STOPPING = ("429", "429-retry-after", "quota", "bad-key")
FINAL = {*ANSWERS, "context-length"}  # answered, or refused for good: never asked again
FREE = {*REFUSALS}  # refused, so not billed


class StormyArbiter(OfflineArbiter):
    """The mode of a request depends on the seed, the prompt and how often it was asked, and so on
    no thread's luck.
    """

    seed = 0

    def fault_for(self, call: str, header: str | None) -> str:
        super().fault_for(call, header)
        rng = random.Random(f"{self.seed}:{call}:{self._seen[call]}")
        return rng.choice(MODES) if rng.random() < SHARE else ""


class Sent:
    """What an arbiter says that it sent: the modes ("" for a sound answer) of each call in turn."""

    def __init__(self, log: Path):
        self.requests = lines(log)
        self.modes: defaultdict[str, list[str]] = defaultdict(list)
        for request in self.requests:
            self.modes[request["call"]].append(request["fault"])

    def faults(self) -> Counter[str]:
        """How often each mode was sent."""
        return Counter(request["fault"] for request in self.requests if request["fault"])

    def outcome(self, call: str) -> str:
        """What has to come of a call, by what it was sent last."""
        last = self.modes[call][-1]
        assert last not in STOPPING
        if last in READABLE:
            return "ok"
        return "parse_failure" if last in CONTENTS else "api_failure"

    def final(self, call: str) -> bool:
        """Whether a call may never be asked again."""
        return self.modes[call][-1] in FINAL

    def doubled(self) -> int:
        """How many requests came after what was final."""
        return sum(mode in FINAL for modes in self.modes.values() for mode in modes[:-1])

    def tokens(self) -> int:
        """The input tokens of all requests that a provider may bill."""
        return sum(
            request["tokens_in"] for request in self.requests if request["fault"] not in FREE
        )

"""A run that the kill test kills: arbitrate.py's work over many small tasks."""

import signal
import sys

from arbiter_world import settings, tasks

from agent_discovery.arbitration.arbitrate import arbitrate
from agent_discovery.errors import one_line_errors

if __name__ == "__main__":
    # A shell starts background jobs with interrupts ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    base_url, ledger, count, workers = sys.argv[1:]
    print("started", flush=True)
    with one_line_errors():
        llm = settings(base_url, workers=int(workers), timeout_s=20)
        arbitrate(tasks(int(count)), llm, ledger)

"""Opening the registry that a command was given."""

import argparse
from typing import TYPE_CHECKING

from agent_discovery.cli.output import note_first_use

if TYPE_CHECKING:
    from agent_discovery.registry import Registry


def open_registry(options: argparse.Namespace) -> "Registry":
    """The registry of --registry, indexed now or opened, and the numbers checked first."""
    from agent_discovery.registry import Registry, check_k, is_built  # numba: not for --help

    check_k(options.k)
    note_first_use()
    if options.no_verify and is_built(options.registry) and options.card_level == "auto":
        return Registry.open(options.registry, verify=False)
    return Registry.load(options.registry, options.card_level)

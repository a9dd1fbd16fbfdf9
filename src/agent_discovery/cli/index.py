"""`agent-discovery index`: index a registry once, to search it many times."""

import argparse

from agent_discovery.cli.options import add_card_level, command
from agent_discovery.cli.output import note_first_use
from agent_discovery.errors import printable

EXAMPLE = """  agent-discovery index my_registry/ my_index
  agent-discovery search --registry my_index "convert a Word document to PDF"

A build that was interrupted or killed is gone on with by the same command. OUT appears when it is
whole. It does not follow later changes of the registry: delete it and build it again."""


def add(commands) -> None:
    """Declare the command."""
    about = "index a registry into a folder, which every command takes as a registry"
    parser = command(commands, "index", run, about, EXAMPLE)
    parser.add_argument(
        "registry",
        metavar="REGISTRY",
        help="a folder or file of A2A Agent Cards, MCP manifests or card lines, or a corpus "
        "(toolpool, irds:ID, files:DIR)",
    )
    parser.add_argument("out", metavar="OUT", help="the folder to make")
    add_card_level(parser)


def run(options: argparse.Namespace) -> None:
    """Build the index, and tell of it."""
    from agent_discovery.registry import Registry

    note_first_use()
    registry = Registry.build(options.registry, options.out, options.card_level)
    print(printable(f"{options.out}: {len(registry):,} cards indexed"))

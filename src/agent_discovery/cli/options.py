"""What commands share: exit codes, how one is declared, and the options of several."""

import argparse
from collections.abc import Callable

EXIT_NOTHING_FOUND = 1
EXIT_INTERRUPTED = 130
EXITS = """exit codes:
  0    done (also when the reader of the output has closed it)
  1    search: no card shares a signal with the request
  2    bad input or usage: one line says what is wrong, where, and what to do
  130  interrupted"""


def command(
    commands, name: str, run: Callable[[argparse.Namespace], int | None], about: str, example: str
) -> argparse.ArgumentParser:
    """Declare a command; `run` returns its exit code, or None for 0."""
    parser = commands.add_parser(
        name,
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=f"example:\n{example}\n\n{EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_registry(parser: argparse.ArgumentParser) -> None:
    """The registry that a command reads: --registry, --card-level and --no-verify."""
    parser.add_argument(
        "--registry",
        required=True,
        help="a folder or file of A2A Agent Cards, MCP manifests or card lines, a corpus "
        "(toolpool, irds:ID, files:DIR), or what `agent-discovery index` built",
    )
    add_card_level(parser)
    parser.add_argument(
        "--no-verify",
        action="store_true",
        help="open a built index without comparing its files with their checksums (quicker when it "
        "is large)",
    )


def add_card_level(parser: argparse.ArgumentParser) -> None:
    """What becomes a card."""
    parser.add_argument(
        "--card-level",
        choices=("auto", "agent", "tool"),
        default="auto",
        help="what becomes a card: an agent with all its skills or tools, each tool, or auto: the "
        "tools of MCP manifests and bundled sets, the agents of A2A Agent Cards (default)",
    )


def add_k(parser: argparse.ArgumentParser, about: str) -> None:
    """The number of cards, K."""
    parser.add_argument("-k", type=int, default=10, metavar="K", help=f"{about} (default 10)")


def add_json(parser: argparse.ArgumentParser, about: str) -> None:
    """Output for machines."""
    parser.add_argument("--json", action="store_true", help=f"{about}, for machines (ASCII)")

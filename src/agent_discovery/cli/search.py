"""`agent-discovery search`: the cards of a registry for a request, and why each one matched."""

import argparse
from typing import TYPE_CHECKING

from agent_discovery.cli.opening import open_registry
from agent_discovery.cli.options import EXIT_NOTHING_FOUND, add_json, add_k, add_registry, command
from agent_discovery.cli.output import Style, json_of, shortened
from agent_discovery.errors import tell
from agent_discovery.signals import tokens

if TYPE_CHECKING:
    from agent_discovery import Hit
    from agent_discovery.retrieval.explain import Evidence

DESCRIPTION_CHARACTERS = 160
EXAMPLE = """  agent-discovery search --registry my_registry/ "convert a Word document to PDF" -k 5

A card's score is the sum of the IDFs of the signals (words and pairs of words) that it shares with
the request: `why` lists them, and the fields of the card that each one came from."""


def add(commands) -> None:
    """Declare the command."""
    about = "rank the cards of a registry for a request, and say why each matched"
    parser = command(commands, "search", run, about, EXAMPLE)
    parser.add_argument("query", metavar="QUERY", help="what you need, in your own words")
    add_registry(parser)
    add_k(parser, "cards to return at most")
    add_json(parser, "one JSON object a line")


def run(options: argparse.Namespace) -> int:
    """Print the cards; 1 when there is none."""
    registry = open_registry(options)
    hits = registry.search(options.query, options.k)
    style = Style()
    for hit in hits:
        print(json_of(hit) if options.json else _as_text(hit, style))
    if hits:
        return 0
    tell(nothing_found(options.query, len(registry)))
    return EXIT_NOTHING_FOUND


def nothing_found(query: str, cards: int) -> str:
    """Why there is no candidate."""
    why = "" if tokens(query) else ": it has stopwords and single characters only"
    return f"no card of {cards:,} shares a signal with the request{why}"


def _as_text(hit: "Hit", style: Style) -> str:
    """A hit as lines; card text is untrusted, so nothing in it may steer the terminal."""
    words = [evidence.signal for evidence in hit.evidence]
    lines = [f"{hit.rank:>3}. {style('strong', f'{hit.score:7.3f}')}  {style('id', hit.id)}"]
    if description := shortened(hit.description, DESCRIPTION_CHARACTERS):
        lines.append(f"     {style.marked(description, words)}")
    lines.append("     why: " + "; ".join(evidence_text(one, style) for one in hit.evidence))
    return "\n".join(lines)


def evidence_text(evidence: "Evidence", style: Style) -> str:
    """A signal, what it adds to the score, and where in the card it is."""
    fields = style("faint", f"({', '.join(evidence.fields)})")
    return f"{style('good', evidence.signal)} {evidence.idf:.2f} {fields}"

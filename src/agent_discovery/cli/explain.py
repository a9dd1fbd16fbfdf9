"""`agent-discovery explain`: why a card was found for a request, and why it stands no higher."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_discovery.cli.opening import open_registry
from agent_discovery.cli.options import add_json, add_k, add_registry, command
from agent_discovery.cli.output import Style, json_of
from agent_discovery.signals import tokens

if TYPE_CHECKING:
    from agent_discovery.registry import Explanation
    from agent_discovery.retrieval.standing import Missing, Rival

EXAMPLE = """  agent-discovery explain --registry my_registry/ "convert a document to PDF" office

For the ids, see what `agent-discovery search` prints. A signal is a word or a pair of words; its
IDF, which it adds to the score, is greater the fewer cards have it. A card keeps at most 64."""
MOST_NAMED = 3


def add(commands) -> None:
    """Declare the command."""
    about = "say why a card is found for a request, or why not, signal by signal"
    parser = command(commands, "explain", run, about, EXAMPLE)
    parser.add_argument("query", metavar="QUERY", help="the request")
    parser.add_argument("id", metavar="ID", help="the card's id")
    add_registry(parser)
    add_k(parser, "cards that a search would return")
    add_json(parser, "one JSON object")


def run(options: argparse.Namespace) -> None:
    """Print the explanation."""
    explanation = open_registry(options).explain(options.query, options.id, options.k)
    if options.json:
        print(json_of(explanation))
    else:
        print("\n".join(_lines(explanation, Style())))


def _lines(found: "Explanation", style: Style) -> Iterator[str]:
    yield f"{style('id', found.id)} {_verdict(found)}"
    width = max((len(one.signal) for one in found.evidence + found.missing), default=0)
    if found.evidence:
        yield "\nwhat makes up its score:"
        for one in found.evidence:
            share, signal = f"{one.idf / found.score:4.0%}", style("good", f"{one.signal:<{width}}")
            yield f"  {one.idf:7.3f} {share}  {signal}  {style('faint', ', '.join(one.fields))}"
    if found.missing:
        yield "\nwhat it lacks of the request, and what that would add:"
        for one in found.missing:
            signal = style("strong", f"{one.signal:<{width}}")
            yield f"  {one.idf:7.3f}       {signal}  {style('faint', _why_missing(one))}"
    if found.kth and not found.found:
        yield f"\n{_ordinal(found.k)} is {_rival(found.kth, style)}, {_gap(found)}"
    if found.above:
        yield "\nabove it, and what they have that it lacks:"
        for rival in found.above:
            ahead_by = ", ".join(f"{one.signal} {one.idf:.2f}" for one in rival.ahead_by)
            why = style("good", ahead_by) if ahead_by else _same_score(found, rival)
            yield f"  {rival.rank:>3}. {_rival(rival, style)}: {why}"


def _verdict(found: "Explanation") -> str:
    """Where the card stands, in words."""
    if found.rank is None:
        if not tokens(found.query):
            return "cannot be found: the request has stopwords and single characters only"
        return (
            f"is no candidate: it shares no signal with the request "
            f"({found.candidates:,} of {found.cards:,} cards do)"
        )
    where = "among" if found.found else "not among"
    text = (
        f"is number {found.rank:,} of {found.candidates:,} candidates ({found.cards:,} cards), "
        f"{where} the first {found.k:,}: score {found.score:.3f}"
    )
    if found.tied:
        others = "another card" if found.tied == 1 else f"{found.tied:,} others"
        text += f", which ties with {others}, so that ids decide their order"
    return text


def _why_missing(lacked: "Missing") -> str:
    if lacked.in_text:
        return "in its text, but not among the signals that it keeps"
    if lacked.cards == 0:
        return "no card has it"
    return "1 card has it" if lacked.cards == 1 else f"{lacked.cards:,} cards have it"


def _rival(rival: "Rival", style: Style) -> str:
    return f"{style('id', rival.id)} {rival.score:.3f}"


def _gap(found: "Explanation") -> str:
    """How far a card that is not among the first k is from the k-th."""
    gap = found.kth.score - found.score
    return f"{gap:.3f} more" if gap else _same_score(found, found.kth)


def _same_score(found: "Explanation", rival: "Rival") -> str:
    """Why a card with the same score is above."""
    more = rival.matched > len(found.evidence)
    return "the same score from more signals" if more else "a tie, which ids decide"


def _ordinal(k: int) -> str:
    return "the first" if k == 1 else f"number {k:,}"

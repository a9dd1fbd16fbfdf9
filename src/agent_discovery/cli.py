"""The command line: `agent-discovery search`, `verify` and `serve-offline-arbiter`."""

import argparse
import json
import os
import sys
from collections.abc import Sequence

from agent_discovery import __version__
from agent_discovery.errors import one_line_errors, printable
from agent_discovery.signals import tokens

DESCRIPTION_CHARACTERS = 160
EXAMPLE = """example:
  agent-discovery search --registry my_registry/ "convert a Word document to PDF" -k 5
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit code 0, or 2 for bad input (one line says what)."""
    options = _parser().parse_args(arguments)
    sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every character
    try:
        with one_line_errors():
            options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agent-discovery", description="Which few agents and tools should an LLM see?"
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    search = commands.add_parser(
        "search",
        help="rank the cards of a registry for a request, and say why each matched",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    search.add_argument("query", help="what you need, in your own words")
    search.add_argument(
        "--registry",
        required=True,
        help="a folder or file of A2A Agent Cards, MCP manifests or card lines, or a corpus "
        "(toolpool, irds:ID, files:DIR)",
    )
    search.add_argument("-k", type=int, default=10, help="cards to return at most (default 10)")
    search.add_argument(
        "--card-level",
        choices=("auto", "agent", "tool"),
        default="auto",
        help="what becomes a card (config/README.md)",
    )
    search.add_argument("--json", action="store_true", help="one JSON object a line, for machines")
    search.set_defaults(run=_search)
    verify = commands.add_parser(
        "verify", help="compare every file of a built index with its checksum"
    )
    verify.add_argument("index", metavar="INDEX", help="the folder of the index")
    verify.add_argument("--corpus", metavar="FILE", help="the corpus.json that it must be of")
    verify.set_defaults(run=_verify)
    _add_offline_arbiter(commands)
    return parser


def _add_offline_arbiter(commands) -> None:
    serve = commands.add_parser(
        "serve-offline-arbiter",
        help="serve the deterministic stand-in for an LLM on this machine; prints its base URL",
    )
    serve.add_argument("--port", type=int, default=0, help="default 0: a free one")
    serve.add_argument(
        "--context-window",
        type=int,
        default=128_000,
        metavar="N",
        help="tokens that a prompt and its answer may have (default 128000)",
    )
    serve.add_argument(
        "--fault",
        default="",
        metavar="MODE[:TIMES]",
        help="misbehave, in all requests or in the first TIMES of each prompt; a request's header "
        "x-arbiter-fault does the same for that request (a wrong MODE lists them all)",
    )
    serve.add_argument("--log", metavar="FILE", help="append a JSON line for each request")
    serve.add_argument(
        "--until-input-ends", action="store_true", help="stop when standard input ends"
    )
    serve.set_defaults(run=_serve_offline_arbiter)


def _serve_offline_arbiter(options: argparse.Namespace) -> None:
    from agent_discovery.arbitration.offline_arbiter import serve  # loads the vocabulary

    serve(
        options.port, options.context_window, options.fault, options.log, options.until_input_ends
    )


def _verify(options: argparse.Namespace) -> None:
    from agent_discovery.corpora.corpus import cards_digest
    from agent_discovery.retrieval.isi import InvertedSignalIndex

    corpus = cards_digest(options.corpus) if options.corpus else None
    index = InvertedSignalIndex(options.index, verify=True, corpus=corpus)
    print(printable(f"{options.index}: whole, {index.cards:,} cards"))


def _search(options: argparse.Namespace) -> None:
    from agent_discovery.registry import Registry, check_k  # numba, pyarrow: not for --help

    check_k(options.k)
    registry = Registry.load(options.registry, options.card_level)
    hits = registry.search(options.query, options.k)
    for hit in hits:
        print(json.dumps(_as_json(hit)) if options.json else _as_text(hit))
    if not hits:
        why = "" if tokens(options.query) else ": it has stopwords and single characters only"
        told = f"no card of {len(registry):,} shares a signal with the request{why}"
        print(told, file=sys.stderr)


def _as_json(hit) -> dict:
    evidence = [signal._asdict() for signal in hit.evidence]
    return {**hit._asdict(), "evidence": evidence}


def _as_text(hit) -> str:
    """A hit as lines; card text is untrusted, so nothing in it may steer the terminal."""
    description = " ".join(hit.description.split())
    if len(description) > DESCRIPTION_CHARACTERS:
        description = description[: DESCRIPTION_CHARACTERS - 1] + "…"
    why = "; ".join(
        f"{signal.signal} {signal.idf:.2f} ({', '.join(signal.fields)})" for signal in hit.evidence
    )
    lines = [
        f"{hit.rank:>3}. {hit.score:7.3f}  {hit.id}",
        f"     {description}",
        f"     why: {why}",
    ]
    return "\n".join(printable(line) for line in lines if line.strip())


if __name__ == "__main__":
    main()

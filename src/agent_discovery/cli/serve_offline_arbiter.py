"""`agent-discovery serve-offline-arbiter`: the deterministic stand-in for an LLM."""

import argparse

from agent_discovery.cli.options import command

EXAMPLE = """  agent-discovery serve-offline-arbiter --port 8080

It speaks OpenAI's chat completions on this machine only, counts o200k tokens exactly, and picks by
lexical overlap: it stands in for an LLM, and its choices say nothing of one."""


def add(commands) -> None:
    """Declare the command."""
    about = "serve the deterministic stand-in for an LLM on this machine, and print its base URL"
    parser = command(commands, "serve-offline-arbiter", run, about, EXAMPLE)
    parser.add_argument("--port", type=int, default=0, help="default 0: a free one")
    parser.add_argument(
        "--context-window",
        type=int,
        default=128_000,
        metavar="N",
        help="tokens that a prompt and its answer may have (default 128000)",
    )
    parser.add_argument(
        "--fault",
        default="",
        metavar="MODE[:TIMES]",
        help="misbehave, in all requests or in the first TIMES of each prompt; a request's header "
        "x-arbiter-fault does the same for that request (a wrong MODE lists them all)",
    )
    parser.add_argument("--log", metavar="FILE", help="append a JSON line for each request")
    parser.add_argument(
        "--until-input-ends", action="store_true", help="stop when standard input ends"
    )


def run(options: argparse.Namespace) -> None:
    """Serve until interrupted."""
    from agent_discovery.arbitration.offline_arbiter import serve  # loads the vocabulary

    serve(
        options.port, options.context_window, options.fault, options.log, options.until_input_ends
    )

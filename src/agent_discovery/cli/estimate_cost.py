"""`agent-discovery estimate-cost`: what a request costs with all cards shown, and with a pool."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_discovery.cli.opening import open_registry
from agent_discovery.cli.options import add_json, add_k, add_registry, command
from agent_discovery.cli.output import json_of
from agent_discovery.errors import InputError

if TYPE_CHECKING:
    from agent_discovery.arbitration.request_cost import RequestCost
    from agent_discovery.config import Llm
    from agent_discovery.registry import Registry

EXAMPLE = """  agent-discovery estimate-cost --registry my_registry/ "convert a document to PDF"

Nothing is sent and no key is needed: tokens are counted in the prompts that would be sent, each
candidate as its index, name and description. What a research question would cost, to the last of
its calls, is told by `snakemake estimate-cost`."""
OWN_QUERIES = 200
REQUESTS = 1000
SETTINGS = ("input_price", "output_price", "context_window")


def add(commands) -> None:
    """Declare the command."""
    about = "count the tokens and dollars of a request: the full catalog against a pool of K"
    parser = command(commands, "estimate-cost", run, about, EXAMPLE)
    parser.add_argument(
        "queries",
        metavar="QUERY",
        nargs="*",
        help=f"requests to take the mean of (default: the registry's own queries, where it has "
        f"some, {OWN_QUERIES} at most)",
    )
    add_registry(parser)
    add_k(parser, "cards that the pool holds at most")
    for which in ("input", "output"):
        parser.add_argument(
            f"--{which}-price",
            type=float,
            metavar="USD",
            help=f"US dollars per million {which} tokens (default: as in config/README.md)",
        )
    parser.add_argument(
        "--context-window",
        type=int,
        metavar="N",
        help="tokens that the model can read at most (default: as in config/README.md)",
    )
    add_json(parser, "one JSON object a line")


def run(options: argparse.Namespace) -> None:
    """Print what a request costs, both ways."""
    llm = _llm(options)
    registry = open_registry(options)
    queries = options.queries or registry.queries()[:OWN_QUERIES]
    if not queries:
        raise InputError(f"{options.registry}: has no queries of its own: give a request")
    methods = _costs(registry, queries, options.k, llm)
    if options.json:
        for method, cost in methods.items():
            print(json_of({"method": method, **cost._asdict()}))
    else:
        print("\n".join(_lines(methods, llm)))


def _llm(options: argparse.Namespace) -> "Llm":
    from pydantic import ValidationError

    from agent_discovery.config import Llm

    given = {name: getattr(options, name) for name in SETTINGS}
    try:
        return Llm(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).replace("_", "-")
        raise InputError(f"--{name}: {first['msg']}, not {first['input']}") from None


def _costs(
    registry: "Registry", queries: list[str], k: int, llm: "Llm"
) -> dict[str, "RequestCost"]:
    from tqdm import tqdm

    from agent_discovery.arbitration.prompt import Candidate
    from agent_discovery.arbitration.request_cost import catalog_cost, catalog_tokens, pool_cost
    from agent_discovery.retrieval.pools import FULL_CATALOG, SSR

    bar = {"disable": None, "delay": 2}
    cards = tqdm(registry, desc="counting tokens", unit="card", total=len(registry), **bar)
    catalog = catalog_tokens((card.name, card.description) for card in cards)
    pools = (
        (query, [Candidate(hit.id, hit.name, hit.description) for hit in registry.search(query, k)])
        for query in tqdm(queries, desc="queries", **bar)
    )
    return {
        FULL_CATALOG: catalog_cost(queries, len(registry), catalog, llm),
        f"{SSR}, K = {k}": pool_cost(pools, llm),
    }


def _lines(methods: dict[str, "RequestCost"], llm: "Llm") -> Iterator[str]:
    full, pool = methods.values()
    requests = "one request" if full.requests == 1 else f"a request (mean of {full.requests:,})"
    yield (
        f"{requests} to {llm.model}, at ${llm.input_price:g} and ${llm.output_price:g} per million "
        "input and output tokens:\n"
    )
    yield _table(methods, full, pool)
    if full.beyond_context:
        share = f"{full.beyond_context:,} of {full.requests:,} requests"
        yield (
            f"\nWith the full catalog {share} outgrow the context window of "
            f"{llm.context_window:,} tokens: the model would refuse them, and bill nothing."
        )
    yield "\nTokens are o200k's, counted exactly; a model with another vocabulary counts otherwise."


def _table(methods: dict[str, "RequestCost"], full: "RequestCost", pool: "RequestCost") -> str:
    from tabulate import tabulate

    rows = [
        (
            method,
            f"{cost.cards_shown:,.1f}",
            f"{cost.tokens_in:,.0f}",
            f"{cost.tokens_out:,.0f}",
            f"{cost.cost_usd:.6f}",
            f"{cost.cost_usd * REQUESTS:,.2f}",
        )
        for method, cost in methods.items()
    ]
    saved = ("saved", "", f"{1 - pool.tokens_in / full.tokens_in:.1%}", "", "", "")
    return tabulate(
        [*rows, saved],
        (
            "",
            "cards shown",
            "input tokens",
            "output tokens",
            "US dollars",
            f"for {REQUESTS:,} requests",
        ),
        tablefmt="simple",
        disable_numparse=True,
        colalign=("left", *["right"] * 5),
    )

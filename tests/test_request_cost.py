"""`agent-discovery estimate-cost`: tokens and dollars of the very prompts that would be sent."""

import json

from command import assert_refused
from corpus_files import json_lines, lay
from pytest import approx, fixture, mark

from agent_discovery.arbitration.estimate import estimate
from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.prompt import Candidate, messages_for
from agent_discovery.arbitration.request_cost import catalog_cost, catalog_tokens, pool_cost
from agent_discovery.arbitration.task import Task
from agent_discovery.arbitration.tokens import chat_tokens
from agent_discovery.config import Llm

CANDIDATES = [
    Candidate("a", "Printer", "Convert any document to PDF."),
    Candidate("b", "", 'line\nends "quoted" {braces}\n{"index":1,'),
    Candidate("c", "Café 東京 12,", "\u2028 <|endoftext|> 7"),
]
QUERIES = ["convert a document", "what\nis\n{it}"]
LLM = Llm()


def shown() -> list[tuple[str, str]]:
    return [(one.name, one.description) for one in CANDIDATES]


def test_the_catalogs_tokens_add_up_to_the_whole_prompts():
    for query in QUERIES:
        whole = chat_tokens(messages_for(query, CANDIDATES))
        assert catalog_tokens(shown()) + chat_tokens(messages_for(query, ())) == whole


def test_both_costs_are_what_the_workflow_estimates(tmp_path):
    tasks = [Task(str(n), query, 3, "m", None, CANDIDATES) for n, query in enumerate(QUERIES)]
    (told,) = estimate(tasks, LLM, Ledger.read(tmp_path / "none.jsonl"))
    full = catalog_cost(QUERIES, 3, catalog_tokens(shown()), LLM)
    assert full == pool_cost([(query, CANDIDATES) for query in QUERIES], LLM)
    assert (full.requests, full.cards_shown, full.beyond_context) == (2, 3, 0)
    assert full.tokens_in == told.tokens_in / 2 and full.tokens_out == told.tokens_out / 2
    assert full.cost_usd == approx(told.cost_usd / 2)


def test_an_empty_pool_makes_no_call():
    half = pool_cost([("a", CANDIDATES), ("b", [])], LLM)
    (whole,) = [pool_cost([("a", CANDIDATES)], LLM)]
    assert (half.requests, half.cards_shown, half.tokens_out) == (2, 1.5, whole.tokens_out / 2)
    assert half.cost_usd == approx(whole.cost_usd / 2)
    assert half.tokens_in == whole.tokens_in / 2


def test_a_prompt_that_outgrows_the_window_is_counted():
    tokens = chat_tokens(messages_for("a", CANDIDATES)) + LLM.max_output_tokens
    for window, beyond in ((tokens, 0), (tokens - 1, 1)):
        assert pool_cost([("a", CANDIDATES)], Llm(context_window=window)).beyond_context == beyond


# --- the command ----------------------------------------------------------------------------------

CARDS = [
    {"id": one.id, "name": one.name or "b", "description": one.description} for one in CANDIDATES
]


@fixture
def registry(tmp_path):
    return lay(tmp_path / "registry", {"cards.jsonl": json_lines(*CARDS)})


@fixture
def costs(cli, registry):
    return lambda *arguments: cli("estimate-cost", "--registry", registry, *arguments)


def test_json_by_hand(costs):
    """One of three cards shares a signal; an answer is {"selected_index": i}."""
    ended = costs("convert a PDF", "--json", "--input-price", "1", "--output-price", "2")
    assert (ended.code, ended.err) == (0, "")
    full, pool = map(json.loads, ended.out.splitlines())
    messages = messages_for("convert a PDF", CANDIDATES[:1])
    assert (pool["method"], pool["cards_shown"], pool["requests"]) == ("SSR, K = 10", 1, 1)
    assert pool["tokens_in"] == chat_tokens(messages)
    assert pool["cost_usd"] == approx((pool["tokens_in"] + 2 * pool["tokens_out"]) / 1e6)
    assert (full["method"], full["cards_shown"]) == ("Full catalog", 3)
    assert full["tokens_in"] > pool["tokens_in"]


def test_lines(costs):
    ended = costs("convert a PDF", "--context-window", "100")
    lines = ended.out.splitlines()
    assert ended.code == 0
    assert lines[0].startswith("one request to gpt-4o-mini, at $0.15 and $0.6 per million input")
    rows = {line.split("  ")[0]: line.split() for line in lines if line}
    assert rows["Full catalog"][2] == "3.0" and rows["SSR, K = 10"][4] == "1.0"
    assert rows["saved"][1].endswith("%")
    assert any("1 of 1 requests outgrow the context window of 100 tokens" in line for line in lines)


def test_the_registrys_own_queries_are_the_default(costs, registry):
    queries = [{"id": n, "text": f"document {n}"} for n in range(3)]
    lay(registry, {"queries.jsonl": json_lines(*queries)})
    assert costs().out.startswith("a request (mean of 3)")
    assert costs("one", "two").out.startswith("a request (mean of 2)")


def test_a_registry_without_queries_needs_a_request(costs):
    assert_refused(costs(), "has no queries of its own: give a request")


@mark.parametrize(
    ("option", "value", "why"),
    [
        ("--input-price", "-1", "--input-price: Input should be greater than or equal to 0"),
        ("--output-price", "nan", "--output-price: Input should be a finite number"),
        ("--context-window", "0", "--context-window: Input should be greater than 0"),
        ("-k", "0", "k must be at least 1, not 0"),
    ],
)
def test_a_setting_out_of_bounds_is_one_line(costs, option, value, why):
    assert_refused(costs("document", option, value), why)

"""The README's numbers: each one in its findings is a golden table's, and so is each cost.

A sentence here is made of the tables and must stand in the README; what is left of the findings
when all of them are taken out has no number.
"""

import json
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import yaml
from checkout import ROOT
from golden import OVERVIEW, draw_overview
from pytest import fixture, mark

GOLDEN = ROOT / "results" / "golden"
README = (ROOT / "README.md").read_text(encoding="utf-8")
FINDINGS = README.split("<!-- findings:")[1].split("-->", 1)[1].split("<!-- end of findings")[0]
# Names and settings, which are no results.
NAMES = re.compile(r"RQ\d|With 1,000 cards|all 200|At 5,000 cards")


def table(name: str, **row: object) -> pd.Series | pd.DataFrame:
    """A golden table, or its one row with these values."""
    found = pd.read_csv(GOLDEN / f"{name}.csv")
    for column, value in row.items():
        found = found[found[column] == value]
    if not row:
        return found
    assert len(found) == 1, (name, row)
    return found.iloc[0]


def claims() -> int:
    """Published claims; what has `of` is a further reading of another one."""
    files = (ROOT / "expected" / name for name in ("ssr.yaml", "agent_as_a_graph.yaml"))
    listed = [claim for file in files for claim in yaml.safe_load(file.read_text())["claims"]]
    return sum("of" not in claim for claim in listed)


def verdict_counts() -> str:
    names = ("toolpool/verdicts", "livemcpbench/agent_as_a_graph")
    counts = Counter(pd.concat([table(f"verdicts/{name}") for name in names])["verdict"])
    made = counts["calibrated"] + counts["by construction"]
    return (
        f"Of {counts.total()} verdicts that do not depend on a machine's speed (on {claims()} "
        f"published claims in all, some read in two ways), {counts['reproduced']} "
        f"reproduce, {counts['differs']} differ, {made} agree because the benchmark was made so, "
        f"{counts['stand-in']} were decided by a stand-in for the LLM, "
        f"{counts['other model']} were made with another model than the published one, and "
        f"{counts['not run']} did not run"
    )


def tokens() -> str:
    full, ssr = (
        table("rq1/agentbench/table2", n=1000, method=method) for method in ("Full catalog", "SSR")
    )
    paper = table("verdicts/toolpool/verdicts").set_index("id")["published"]
    return (
        f"has {ssr['mean_input_tokens_saved']:.1%} fewer tokens than the full catalog: "
        f"{ssr['mean_input_tokens']:,.0f} against {full['mean_input_tokens']:,.0f}, where the "
        f"paper has {paper['rq1-ssr-tokens-1000']:,.0f} against "
        f"{paper['rq1-full-tokens-1000']:,.0f}"
    )


def other_words() -> str:
    other, plain = (
        table(f"rq1/{corpus}/table2", n=1000, method="SSR")["candidate_recall"]
        for corpus in ("agentbench-paraphrased", "agentbench")
    )
    return f"in {other:.1%} of cases at 1,000 cards, where the plain ones find it in {plain:.1%}"


def table3(method: str) -> pd.Series:
    return table("rq2/toolpool/table3", method=method)


def order() -> str:
    cards = table("rq2/toolpool/candidates_by_size")["n"].max()
    bm25, ssr, overlap = (
        f"{table3(method)['success@10']:.1%}"
        for method in ("BM25", "SSR", "Structural Overlap + ISI")
    )
    return (
        f"On {cards:,} real tools and agents BM25 has a relevant card among its first ten for "
        f"{bm25} of queries, SSR for {ssr}, plain overlap for {overlap}"
    )


def equivalence() -> str:
    row = table("rq2/toolpool/equivalence").iloc[0]
    assert row["identical"] == row["queries"] == 200
    return f"scores {row['fewer_scored']:.1%} fewer cards"


def ties() -> str:
    ssr = table3("SSR")
    value, worst, best = (ssr[f"success@10{end}"] for end in ("", "_worst", "_best"))
    return f"SSR's {value:.1%} anywhere from {worst:.1%} to {best:.1%}"


def registries() -> str:
    ssr, bm25 = (
        table("rq3/toolpool/table4", n=5000, method=method)["candidate_recall"]
        for method in ("SSR", "BM25")
    )
    assert not table("rq3/toolpool/table5_hits")["significant"].any()
    window = table("rq3/toolpool/context_windows", context_window=128_000)
    chosen = table("rq3/toolpool/k_validation")
    chosen = set(chosen.loc[chosen["selected"] & (chosen["side"] == "validation"), "k"])
    assert len(chosen) == 1
    claims = yaml.safe_load((ROOT / "expected/ssr.yaml").read_text(encoding="utf-8"))["claims"]
    [published] = [claim["value"] for claim in claims if claim["id"] == "rq3-k-validation"]
    return (
        f"SSR keeps a relevant card for {ssr:.1%} of queries and BM25 for {bm25:.1%}; no "
        "difference between the two is significant at any size. The full catalog outgrows 128,000 "
        f"tokens at {window['fails_at_n_median']:,.0f} cards (median). The published rule for K "
        f"chooses {chosen.pop()} here, not {published:.0f}"
    )


def graph() -> str:
    def recall(method: str, encoder: str) -> str:
        row = table(
            "graph/livemcpbench/encoders", view="pool", method=method, encoder=encoder
        )  # fmt: skip
        return f"{row['recall@5']:.3f}"

    small, large = "all-MiniLM-L6-v2", "all-mpnet-base-v2"
    tools, weighted = "Agent-as-a-Graph", "Type-specific wRRF 1.5:1"
    bm25 = table("graph/livemcpbench/baselines", view="pool", method="BM25")["recall@5"]
    return (
        f"have a recall of {recall(tools, small)}, by agent nodes alone "
        f"{recall('Agent-only', small)}. Weighting agents 1.5 times, the paper's optimum, lowers "
        f"it to {recall(weighted, small)}; with a second encoder, from {recall(tools, large)} to "
        f"{recall(weighted, large)}. Plain BM25 over whole cards has {bm25:.3f}"
    )


SENTENCES = (
    verdict_counts, tokens, other_words, order, equivalence, ties, registries, graph
)  # fmt: skip


@mark.parametrize("sentence", SENTENCES, ids=lambda made: made.__name__)
def test_a_finding_is_what_the_golden_tables_say(sentence):
    assert sentence() in FINDINGS


def test_no_other_number_stands_in_the_findings():
    left = FINDINGS
    for sentence in SENTENCES:
        left = left.replace(sentence(), "")
    assert not re.search(r"\d.*", NAMES.sub("", left)), left


def cost(*names: str) -> str:
    """Dollars of a live run: the mean of each row times its queries."""
    rows = pd.concat([table(name) for name in names])
    return f"live ${(rows['mean_cost_usd'] * rows['queries']).sum():.2f}"


def test_the_costs_of_live_runs_are_the_golden_tables():
    rq1 = cost("rq1/agentbench/table2", "rq1/agentbench-paraphrased/table2")
    assert re.search(rf"`snakemake rq1` \|.*{re.escape(rq1)} \|", README)
    deeper = table("rq3/toolpool/k_sensitivity").query("k != 20").dropna(subset="mean_cost_usd")
    asked = pd.concat([table("rq3/toolpool/table4"), deeper])
    rq3 = f"live ${(asked['mean_cost_usd'] * asked['queries']).sum():.2f}"
    assert re.search(rf"`snakemake rq3` \|.*{re.escape(rq3)} \|", README)


def test_a_small_real_model_takes_the_first_nine_times_in_ten():
    rows = pd.concat(
        [table(f"local-llm/rq1/{name}/table2") for name in ("agentbench", "agentbench-paraphrased")]
    )
    pools, catalog = rows[rows["method"] == "SSR"], rows[rows["method"] == "Full catalog"]
    assert round(pools["first_selected"].mean(), 1) == 0.9
    plain = catalog["end_to_end_accuracy_low"] > catalog["chance_accuracy"]
    assert plain.iloc[0]


def test_the_answers_recorded_are_counted_in_the_reproduction_log():
    calls = set()
    for path in (ROOT / "recordings/llm").glob("*.jsonl"):
        calls |= {json.loads(line)["call"] for line in path.read_text("utf-8").splitlines()}
    assert f"| {len(calls)} answers recorded (`recordings/llm/`)" in README


@fixture
def drawn():
    with TemporaryDirectory() as folder:
        yield draw_overview(GOLDEN, Path(folder)).read_bytes()


def test_the_picture_is_drawn_from_the_golden_tables(drawn):
    assert drawn == (ROOT / OVERVIEW).read_bytes()
    assert f"]({OVERVIEW})" in README


def test_the_verdicts_are_all_explained():
    names = ("toolpool/verdicts", "livemcpbench/agent_as_a_graph")
    used = set(pd.concat([table(f"verdicts/{name}") for name in names])["verdict"])
    assert {f"*{verdict}*" for verdict in used} <= set(re.findall(r"\*[\w -]+\*", README))

"""The report: every claim once, nothing but text from cards, readable, and no network."""

import base64
import hashlib
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from browser import CHROMIUM, look

from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.page.contents import SECTIONS, page_files
from agent_discovery.reporting.page.findings import HEADLINES, UNSAID, graph_helps, weights
from agent_discovery.reporting.page.page import Given, page, published_figures
from agent_discovery.reporting.page.reading import found
from agent_discovery.reporting.page.results import Results
from agent_discovery.reporting.verdicts import failures, told

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "results/golden"
FOLDERS = {"rq1": "agentbench", "rq2": "toolpool", "rq3": "toolpool", "graph": "livemcpbench"}
VERDICTS = {
    "ssr": "verdicts/toolpool/verdicts.csv",
    "agent_as_a_graph": "verdicts/livemcpbench/agent_as_a_graph.csv",
}
HOSTILE = "<script>ran=1</script><img src='http://x.invalid/a' onerror='ran=2'>\"'&{{7*7}}\x1b"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>ran=3</script></svg>'
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

# What the papers publish, typed by hand from them, claim by claim.
PUBLISHED = {
    # SSR, Table I.
    "rq1-benchmark-cards": "1,000",
    "rq1-benchmark-base": "850",
    "rq1-benchmark-twins": "150",
    "rq1-benchmark-queries": "250",
    "rq1-benchmark-domains": "24",
    "rq1-benchmark-skills": "144",
    # SSR, RQ1.
    "rq1-full-tokens-1000": "63,645 tokens",
    "rq1-ssr-tokens-100": "767 tokens",
    "rq1-ssr-tokens-500": "767 tokens",
    "rq1-ssr-tokens-1000": "767 tokens",
    "rq1-tokens-saved-100": "88.1%",
    "rq1-tokens-saved-500": "97.6%",
    "rq1-tokens-saved-1000": "98.8%",
    "rq1-full-cost-1000": "$0.009551",
    "rq1-ssr-cost-1000": "$0.000119",
    "rq1-cost-saved-1000": "98.8%",
    "rq1-full-accuracy-10": "1.000",
    "rq1-full-accuracy-100": "1.000",
    "rq1-full-accuracy-500": "0.976",
    "rq1-full-accuracy-1000": "0.976",
    "rq1-ssr-recall-10": "1.000",
    "rq1-ssr-recall-100": "1.000",
    "rq1-ssr-recall-500": "1.000",
    "rq1-ssr-recall-1000": "1.000",
    "rq1-ssr-accuracy-10": "1.000",
    "rq1-ssr-accuracy-100": "1.000",
    "rq1-ssr-accuracy-500": "1.000",
    "rq1-ssr-accuracy-1000": "1.000",
    "rq1-full-latency-1000": "2,647 ms",
    "rq1-ssr-latency-1000": "769 ms",
    "rq1-latency-saved-1000": "70.9%",
    "rq1-speedup-1000": "3.44 times",
    "rq1-calls-answered": "1.0000",
    "rq1-calls-parsed": "1.0000",
    # SSR, RQ2.
    "rq2-queries": "6,980",
    "rq2-bm25-recall": "0.3890",
    "rq2-bm25-mrr": "0.1829",
    "rq2-ssr-recall": "0.3378",
    "rq2-ssr-mrr": "0.1544",
    "rq2-idf-success": "+5.3%",
    "rq2-idf-mrr": "+5.6%",
    "rq2-scan-scored": "8,841,823",
    "rq2-ssr-scored": "286,638",
    "rq2-fewer-scored": "96.8%",
    "rq2-scan-latency": "69,848.3 ms",
    "rq2-ssr-latency": "941.5 ms",
    "rq2-speedup": "74.2 times",
    "rq2-shape-isi-exact": "1.000",  # the top 10 of all 200 queries identical
    # SSR, RQ3.
    "rq3-ssr-recall-5000": "0.950",
    "rq3-ssr-accuracy-5000": "0.885",
    "rq3-bm25-recall-5000": "0.970",
    "rq3-bm25-accuracy-5000": "0.895",
    "rq3-k-validation": "20",
    "rq3-no-difference": "0",
    "rq3-full-catalog-fails": "–",  # a failure point, without a figure
    # Agent-as-a-Graph.
    "graph-agents": "70",
    "graph-tools": "527",
    "graph-questions": "95",
    "graph-steps": "2.68",
    "graph-tools-a-question": "2.82",
    "graph-agents-a-question": "1.40",
    "graph-recall": "0.83",
    "graph-ndcg": "0.46",
    "graph-rrf-recall": "0.79",
    "graph-rrf-ndcg": "0.44",
    "graph-mcpzero-ndcg": "0.41",
    "graph-over-rrf": "+5.1%",
    "graph-wrrf-recall": "0.85",
    "graph-wrrf-ndcg": "0.47",
    "graph-wrrf-ndcg-conclusion": "0.48",
    "graph-wrrf-gain": "+2.41%",
    "graph-gain-recall": "+14.9%",
    "graph-gain-ndcg": "+14.6%",
    "graph-wrrf-3-1": "0.76",
    "graph-wrrf-1-3": "0.80",
    "graph-best-ratio": "–",  # 1.5:1 is the optimum, which the claim itself says
    "graph-eight-mcpzero-recall": "0.70",
    "graph-eight-recall": "0.85",
    "graph-eight-recall-gain": "+19.4%",
    "graph-eight-mcpzero-ndcg": "0.41",
    "graph-eight-ndcg": "0.48",
    "graph-eight-ndcg-gain": "+17.7%",
    "graph-eight-mcpzero-map": "0.31",
    "graph-eight-map": "0.36",
    "graph-eight-variance-recall": "0.02",
    "graph-eight-variance-ndcg": "0.01",
    "graph-minilm-gain": "+19.4%",
    "graph-titan-gain": "+28.8%",
    "graph-agent-share": "0.3913",
    "graph-tool-share": "0.3444",
}


def made_from(root: Path) -> Given:
    """The page of a results folder; claims without a row there are told as not run."""
    verdicts = []
    for name, file in VERDICTS.items():
        claims = read_claims(ROOT / f"expected/{name}.yaml")[1]
        table = pd.read_csv(root / file)
        absent = [claim for claim in claims if claim.id not in set(table["id"])]
        rows = [
            {"id": c.id, "paper": table["paper"].iloc[0], "verdict": "not run", "note": "needs it"}
            | {"published": c.value, "measured": True, "ought": False}
            for c in absent
        ]
        verdicts.append((pd.concat([table, pd.DataFrame(rows)]), claims))
    published = published_figures(verdicts)
    real_model = Results(GOLDEN / "local-llm", {}, published)
    results = Results(root, FOLDERS, published)
    return Given(results, verdicts, "default", 5, real_model=real_model, cite="cff-version: 1")


class Read(HTMLParser):
    """Rows of the verdict table by claim, other addresses than the page's own, and ids."""

    def __init__(self, text: str):
        super().__init__()
        self.rows: list[tuple[str, list[str]]] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("href", "src", "action") if name in given]
        if tag == "tr" and given.get("id", "").startswith("claim-"):
            self.rows.append((given["id"].removeprefix("claim-"), []))
        if tag in ("td", "th") and self.rows:
            self.rows[-1][1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1][1] and len(self.rows[-1][1]) <= 7:
            self.rows[-1][1][-1] += data.strip() and data


@pytest.fixture(scope="module")
def given() -> Given:
    return made_from(GOLDEN)


@pytest.fixture(scope="module")
def text(given) -> str:
    return page(given)


@pytest.fixture(scope="module")
def read(text) -> Read:
    return Read(text)


def test_each_published_claim_is_in_the_verdict_table_once(given, read):
    claims = [claim for _, part in given.verdicts for claim in part]
    assert {claim.id for claim in claims if claim.of is None} == set(PUBLISHED)
    shown = [claim_id for claim_id, _ in read.rows]
    assert sorted(shown) == sorted(claim.id for claim in claims)
    published = {claim_id: cells[2].strip() for claim_id, cells in read.rows}
    assert {claim_id: published[claim_id] for claim_id in PUBLISHED} == PUBLISHED


def test_another_reading_follows_its_claim_with_an_arrow(given, read):
    of = {claim.id: claim.of for _, part in given.verdicts for claim in part}
    last = None
    for claim_id, cells in read.rows:
        assert cells[1].startswith("→") == (of[claim_id] is not None)
        assert of[claim_id] in (None, last)
        last = claim_id if of[claim_id] is None else last


def test_the_page_and_check_agree(given, read):
    every = pd.concat([table for table, _ in given.verdicts])
    verdict = dict(zip(every["id"], every["verdict"], strict=True))
    assert {claim_id: cells[4].strip().split(" ", 1)[1] for claim_id, cells in read.rows} == verdict
    counts = told(every).splitlines()[-1]
    for name, count in every["verdict"].value_counts().items():
        assert f"{count} {name}" in counts
    assert failures(every).empty


def test_every_source_is_a_table_on_the_page(read):
    assert len(read.ids) == len(set(read.ids))
    links = [address for address in read.addresses if address.startswith("#")]
    assert {link[1:] for link in links} <= set(read.ids) and len(links) > len(read.rows)


def test_nothing_is_loaded_from_elsewhere_and_only_its_own_script_may_run(text, read):
    assert all(address.startswith(("#", "data:")) for address in read.addresses)
    assert not set(read.tags) & {"link", "iframe", "object", "embed", "base"}
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for tag in ("script", "style"):
        [content] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy.replace("&#39;", "'")


def test_what_did_not_run_says_which_command_makes_it(text):
    """The golden tables have neither times nor figures."""
    assert "Not run here. <code>snakemake rq3</code> makes it." in text
    assert "figures/tokens.svg</code>: not run here. <code>snakemake rq3</code>" in text


def test_nothing_ran_at_all(given, tmp_path):
    """A page of tables that are not there has no number of ours, and no finding."""
    results = Results(tmp_path, FOLDERS, given.results.published)
    empty = page(replace(given, results=results, real_model=None))
    assert "No part of this profile ran." in empty
    assert found(results, [*HEADLINES, *UNSAID]) == []


def test_two_pages_are_the_same(given, text):
    assert page(given) == text


def test_every_finding_has_its_numbers_from_tables_on_the_page(given, read):
    findings = found(given.results, [*HEADLINES, *UNSAID])
    assert len(findings) == len(HEADLINES) + len(UNSAID)
    files = {given.results.path(name) for finding in findings for name in finding.sources}
    assert files <= set(page_files(FOLDERS))


def test_a_finding_says_what_the_tables_say(tmp_path):
    """By hand: the graph below agents alone, and the paper's weights above 1:1."""
    folder = tmp_path / "graph/livemcpbench"
    folder.mkdir(parents=True)
    row = {"view": "pool", "encoder": "e", "recall@5_low": 0.1, "recall@5_high": 0.3}
    rows = [{**row, "method": "Agent-as-a-Graph", "recall@5": 0.2}]
    rows += [{**row, "method": "Agent-only", "recall@5": 0.25}]
    pd.DataFrame(rows).to_csv(folder / "baselines.csv", index=False)
    swept = {"view": "pool", "encoder": "e", "form": "Type-specific wRRF"}
    sweep = [{**swept, "weights": w, "recall@5": r} for w, r in (("1:1", 0.2), ("1.5:1", 0.4))]
    pd.DataFrame(sweep).to_csv(folder / "weights.csv", index=False)
    first, second = found(Results(tmp_path, FOLDERS, {}), [graph_helps, weights])
    assert first.head == "Tools as nodes do not help to find agents"
    assert "Agent-as-a-Graph 0.200 [0.100, 0.300], Agent-only 0.250" in first.text
    assert "lowers Recall with 0 of 1" in second.head and "greatest 0.400 at 1.5:1" in second.text


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_have_a_contrast_that_can_be_read(text, theme):
    """WCAG AA: 4.5 for text of normal size."""
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part))
        for part in style.split("box-sizing")[0].split("prefers-color-scheme: dark")
    )
    assert set(dark) == set(light)
    colours = light if theme == "light" else dark
    pairs = [(ink, back) for ink in ("ink", "muted", "link") for back in ("paper", "shade", "mark")]
    pairs += [(name, f"{name}-back") for name in ("good", "bad", "made", "other", "none")]
    for pair in pairs:
        one, other = sorted((luminance(colours[name]) for name in pair), reverse=True)
        assert (one + 0.05) / (other + 0.05) >= 4.5, pair


def hostile(folder: Path) -> Path:
    """The golden results, with markup where the text of cards and corpora is, and every figure."""
    shutil.copytree(GOLDEN, folder)
    for figure in (figure for section in SECTIONS for figure in section.figures):
        path = folder / figure.file.format(**FOLDERS)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SVG, encoding="utf-8")
    agents = pd.DataFrame({"name": [HOSTILE], "tools": [1], "relevant": [2]})
    agents.to_csv(folder / "graph/livemcpbench/agents.csv", index=False)
    table3 = pd.read_csv(folder / "rq2/toolpool/table3.csv").assign(corpus=HOSTILE)
    table3.to_csv(folder / "rq2/toolpool/table3.csv", index=False)
    verdicts = pd.read_csv(folder / VERDICTS["ssr"])
    verdicts.loc[0, "note"] = HOSTILE
    verdicts.to_csv(folder / VERDICTS["ssr"], index=False)
    return folder


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    given = made_from(hostile(folder / "results"))
    path = folder / "report.html"
    path.write_text(page(replace(given, note=HOSTILE, cite=HOSTILE)), encoding="utf-8")
    return path


def test_markup_in_a_card_is_shown_as_text(hostile_page):
    text = hostile_page.read_text(encoding="utf-8")
    assert text.count("&lt;script&gt;ran=1") >= 5 and "<script>ran=1" not in text
    assert "{{7*7}}" in text and "x.invalid/a' onerror" not in text
    assert text.count("<script>") == 1


def test_every_figure_has_words_and_a_table_behind_it(hostile_page):
    text = hostile_page.read_text(encoding="utf-8")
    figures = text.split("<figure>")[1:]
    assert len(figures) == sum(len(section.figures) for section in SECTIONS)
    for figure in figures:
        assert re.search(r'alt="[^"]{40,}"', figure)
        assert "data:image/svg+xml;base64," in figure
    behind = [figure for figure in figures if "The table behind this figure" in figure]
    assert len(behind) == len([f for f in figures if "Measured on this machine" not in f])


@needs_chromium
def test_the_check_itself_sees_requests_errors_and_faint_text(tmp_path):
    leaky = tmp_path / "leaky.html"
    leaky.write_text(
        "<!DOCTYPE html><body><form id='filters'></form><img src='http://x.invalid/a'>"
        "<script>window.ran = 1; console.error('told')</script>"
        "<p style='color: #aaaaaa; width: 600px'>faint and wide</p><a href='#gone'>a</a>",
        encoding="utf-8",
    )
    seen = look(leaky, tmp_path / "browser", 390)
    assert seen.requests == ["http://x.invalid/a"] and "told" in seen.console[0]
    assert seen.facts["ran"] == 1 and seen.facts["faint"] and seen.facts["wide"]
    assert seen.facts["without_alt"] and seen.facts["dead_links"] == ["#gone"]


@needs_chromium
@pytest.mark.parametrize(("width", "dark"), [(390, True), (1200, False)])
def test_the_page_in_a_browser_without_a_network(hostile_page, tmp_path, width, dark):
    seen = look(hostile_page, tmp_path / "browser", width, dark)
    assert (seen.requests, seen.console) == ([], [])
    assert seen.facts["width"] <= width and seen.facts["wide"] == []
    assert seen.facts["images"] == sum(len(section.figures) for section in SECTIONS)
    assert seen.facts["without_alt"] == [] and seen.facts["broken"] == []
    assert seen.facts["faint"] == [] and seen.facts["dead_links"] == []
    assert seen.facts["ran"] is None and seen.facts["filters"]
    differing = hostile_page.read_text(encoding="utf-8").count('data-verdict="differs"')
    assert seen.facts["differing"] == ["differs"] * differing
    assert (seen.facts["dark"], seen.facts["repeated_ids"]) == (dark, 0)

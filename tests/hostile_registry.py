"""A registry full of markup: in every field of its cards, in queries, in steps, in its own name."""

import re
from pathlib import Path

from checkout import lay_out, snakemake
from corpus_files import json_lines, lay

from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.agents import GRAPH
from agent_discovery.retrieval.embeddings import record
from agent_discovery.retrieval.graph import AgentGraph

MODEL = "all-MiniLM-L6-v2"
MARK = "PWNED"
PAYLOADS = {
    "html": f"<b onmouseover=alert(1)>{MARK}</b><img src=x onerror=alert(1)>",
    "script": f"</td></svg><script>document.title='{MARK}'</script>",
    "markdown": f"[{MARK}](javascript:alert(1)) ![x](http://x.example/y.png) | **b** | `c`",
    "latex": rf"\input{{/etc/passwd}} \write18{{touch {MARK}}} & % $ # _ ^ ~ }} {{",
    "ansi": f"\x1b[2J\x1b]0;{MARK}\x07\x9b31m\u202egnp.exe\u2066",
    "formula": f"=cmd|' /C calc'!A0 {MARK}",
    "minus": f"-2+3+cmd|' /C calc'!A0 {MARK}",
    "at": f"@SUM(1+1)*cmd|' /C calc'!A0\t{MARK}",
    "wildcard": f"{{corpus}} {{wildcards.encoder}} {{input}} {{{{x}}}} {MARK}",
    "shell": f"$(touch {MARK}) `touch {MARK}`; touch {MARK} && touch {MARK} | sh > {MARK}",
    "xml": f'"/><node id="evil"/><!-- ]]> &{MARK}; %{MARK};',
    "formatted": f"%s %n {{0}} {{}} $x^2$ {MARK}",
}
FOLDER = f"evil $(touch {MARK}) <IMG SRC=x> [x](y)"
RUN = "run"


def write_registry(folder: Path) -> None:
    """Two agents a payload: it is in every field of their cards, in queries, steps and ids."""
    cards, queries, qrels = [], [], []
    for name, text in PAYLOADS.items():
        tools = [{"name": f"{text} {number}", "description": text} for number in (1, 2)]
        cards.append(
            {"id": text, "name": text, "description": text, "tags": [text], "tools": tools}
        )
        queries.append({"id": f"{name} {text}", "text": f"find {text}", "steps": [text]})
        if not re.search(r"[\t\n]", text):
            qrels.append(f"{name} {text}\t0\t{text}\t1\n")
    lines = json_lines(*cards)
    lay(
        folder,
        {"cards.jsonl": lines, "queries.jsonl": json_lines(*queries), "qrels.tsv": "".join(qrels)},
    )


def record_vectors(registry: Path, folder: Path) -> None:
    """Record a vector of every text that the graph asks for, so that no model is needed."""
    corpus = load_corpus(f"files:{registry}", GRAPH)
    texts = {node.text for node in AgentGraph.from_cards(corpus.cards).nodes}
    for query in corpus.queries:
        texts |= {query.text, *query.steps}
    vectors = {text: [len(text), place + 1.0] for place, text in enumerate(sorted(texts))}
    record(folder / "recordings/embeddings", MODEL, "mine", vectors, {})


def run_hostile(root: Path, *targets: str, config: tuple[str, ...] = ()) -> Path:
    """Run targets on the registry; its folder, that of the run and what was said are in `root`."""
    write_registry(root / FOLDER)
    folder = lay_out(root / RUN)
    record_vectors(root / FOLDER, folder)
    ended = snakemake(
        folder,
        *(*targets, "--config", f"corpus=files:../{FOLDER}", "card_level=agent"),
        *("intervals={resamples: 100}", *config),
    )
    assert ended.returncode == 0, ended.stdout
    (root / "output").write_text(ended.stdout)
    return root

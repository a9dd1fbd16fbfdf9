"""Cards, queries and a folder's name full of markup go through the workflow and come out inert."""

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from checkout import lay_out, snakemake
from corpus_files import json_lines, lay, refusal

from agent_discovery.cli import main
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.agents import GRAPH
from agent_discovery.retrieval.embeddings import record
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.workflow import corpus_files

pytestmark = pytest.mark.workflow

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


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("untrusted")
    write_registry(root / FOLDER)
    folder = lay_out(root / RUN)
    corpus = load_corpus(f"files:{root / FOLDER}", GRAPH)
    texts = {node.text for node in AgentGraph.from_cards(corpus.cards).nodes}
    for query in corpus.queries:
        texts |= {query.text, *query.steps}
    vectors = {text: [len(text), place + 1.0] for place, text in enumerate(sorted(texts))}
    record(folder / "recordings/embeddings", MODEL, "mine", vectors, {})
    ended = snakemake(
        folder,
        *("graph", "rq2", "--config"),
        *(f"corpus=files:../{FOLDER}", "card_level=agent", "intervals={resamples: 100}"),
    )
    assert ended.returncode == 0, ended.stdout
    (root / "output").write_text(ended.stdout)
    return root


def made(root: Path, *suffixes: str) -> list[Path]:
    found = [path for path in (root / RUN / "results").rglob("*") if path.suffix in suffixes]
    assert found
    return found


def test_nothing_was_run_or_written_elsewhere(ran):
    """No shell, no LaTeX and no path was made of a text."""
    assert list(ran.rglob(MARK)) == []
    assert {path.name for path in ran.iterdir()} == {FOLDER, RUN, "output"}
    for path in (ran / RUN / "results").rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9._-]+", path.name), path


def test_the_terminal_is_not_steered(ran, capsys):
    steering = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
    assert not steering.search((ran / "output").read_text())
    search = ["search", "--card-level", "agent", "-k", "50", "--registry", str(ran / FOLDER)]
    main([*search, f"find cmd calc {MARK}"])
    out = capsys.readouterr().out
    assert MARK in out and all(c.isprintable() or c == "\n" for c in out)
    main([*search, MARK, "--json"])
    for line in capsys.readouterr().out.splitlines():
        assert line.isascii() and json.loads(line)["rank"]


def test_markdown_has_no_markup_of_a_text(ran):
    for path in made(ran, ".md"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<!\\)<", text), path
        assert not re.search(r"(?<!\\)\]\(", text), path
        assert not re.search(r"(?<!\\)[`*](?![^|]*@)", text.replace("map@", "")), path


def test_no_cell_of_a_csv_is_a_formula(ran):
    """Spreadsheets run a cell that begins with one of these; ours are numbers or our own words."""
    for path in made(ran, ".csv"):
        with open(path, encoding="utf-8", newline="") as stream:
            for row in csv.reader(stream):
                for cell in row:
                    assert not re.match(r"[=+@\t\r]|-(?![\d.])", cell), (path, cell)


def test_figures_and_the_graph_are_whole_xml_without_foreign_elements(ran):
    for path in made(ran, ".svg", ".graphml"):
        root = ElementTree.parse(path).getroot()
        names = {element.tag.rsplit("}", 1)[-1] for element in root.iter()}
        assert not names & {"script", "foreignObject", "img", "iframe", "a"}, path
        for element in root.iter():
            for name, value in element.attrib.items():
                local = name.rsplit("}", 1)[-1]
                assert not local.startswith("on")
                assert local not in ("href", "src", "style") or not value.startswith("javascript")
                # Within the file, or a part of the figure that matplotlib drew as pixels.
                assert local != "href" or value.startswith(("#", "data:image/png;base64,"))
    [graph] = made(ran, ".graphml")
    nodes = ElementTree.parse(graph).getroot().findall(".//{*}node")
    assert len(nodes) == 3 * len(PAYLOADS)
    texts = [element.text or "" for element in ElementTree.parse(graph).getroot().iter()]
    assert PAYLOADS["script"] in texts  # as it was, and no element


def test_a_name_that_snakemake_would_expand_is_refused(tmp_path):
    for name in ("<results>", "a<b>c", "{corpus}", "a{", "\x1b[2J", "\u202egnp"):
        folder = lay(tmp_path / name, {"a.json": {"name": "A"}})
        assert "rename the file or folder" in refusal(corpus_files, f"files:{folder}", "auto")


LATEX = r"""\documentclass{article}\usepackage{booktabs}\usepackage[T1]{fontenc}
\pdfpagewidth=200cm\begin{document}
%s
\end{document}
"""


def test_latex_has_no_command_of_a_text(ran):
    ours = {"begin", "end", "toprule", "midrule", "bottomrule", "footnotesize", "par"}
    signs = {"textbackslash", "textless", "textgreater", "ensuremath", *"\\%&#_{}$^~"}
    for path in made(ran, ".tex"):
        text = path.read_text(encoding="utf-8")
        for command in re.finditer(r"\\([A-Za-z]+|.)", text):
            assert command[1] in ours | signs, (path, command[0])
        assert text.count(r"\begin{") == text.count(r"\end{")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_latex_compiles(ran):
    for path in made(ran, ".tex"):
        document = path.with_name(f"whole-{path.stem}.tex")
        document.write_text(LATEX % path.read_text(encoding="utf-8"), encoding="utf-8")
        ended = subprocess.run(
            ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", document.name],
            cwd=path.parent,
            capture_output=True,
        )
        assert ended.returncode == 0, ended.stdout[-2000:]

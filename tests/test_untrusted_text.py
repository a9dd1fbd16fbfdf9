"""Cards, queries and a folder's name full of markup go through the workflow and come out inert."""

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from corpus_files import lay, refusal
from hostile_registry import FOLDER, MARK, PAYLOADS, RUN, run_hostile

from agent_discovery.cli import main
from agent_discovery.workflow import corpus_files

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Path:
    return run_hostile(tmp_path_factory.mktemp("untrusted"), "graph", "rq2")


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

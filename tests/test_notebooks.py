"""The notebooks: how they are stored, that running them is safe and repeatable, what they show."""

import re
from pathlib import Path

import nbformat
import pandas as pd
from checkout import ROOT
from corpus_files import refusal
from pytest import fixture, mark, raises

from agent_discovery.errors import InputError
from agent_discovery.notebooks.exchange import Exchange
from agent_discovery.notebooks.execute import run_notebook
from agent_discovery.notebooks.stored import read_notebook, stored, with_parameters
from agent_discovery.notebooks.view import Results, quoted, said, shown, told_exchange

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STORED = mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
EVIL = "<script>alert(1)</script> <img src=x onerror=y> \x1b[31m | $x$"
# The papers' own constants, and names: all other numbers come from cells.
CONSTANTS = {"1.5", "60", "1:3", "3:1", "95%"}


def cells(path: Path, kind: str) -> list[str]:
    return [cell.source for cell in read_notebook(path).cells if cell.cell_type == kind]


def test_there_is_one_for_each_question_and_one_for_the_graph():
    assert [path.stem for path in NOTEBOOKS] == ["graph", "rq1", "rq2", "rq3"]


@STORED
def test_a_notebook_is_stored_without_outputs_counts_or_an_editors_metadata(path):
    assert path.read_text(encoding="utf-8") == stored(read_notebook(path))
    notebook = read_notebook(path)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    assert all(cell.get("execution_count") is None for cell in notebook.cells)
    names = [cell.id for cell in notebook.cells]
    assert len(set(names)) == len(names) and all(re.fullmatch("[a-z0-9-]+", name) for name in names)


@STORED
def test_a_notebook_holds_no_path_of_a_machine_and_no_typed_result(path):
    assert not re.search(r'["\'(\s](/|~|[A-Za-z]:\\)\w', path.read_text(encoding="utf-8"))
    for text in cells(path, "markdown"):
        found = re.findall(r"(?<![\w-])\d[\d.,:]*%?", re.sub("1/rank|Table .", "", text))
        assert {number.rstrip(".,:") for number in found} <= CONSTANTS, text


def test_stored_takes_out_what_a_run_and_an_editor_leave():
    cell = nbformat.v4.new_code_cell("1", id="one", execution_count=3, metadata={"a": 1})
    cell.outputs = [nbformat.v4.new_output("stream", text="x")]
    text = stored(nbformat.v4.new_notebook(cells=[cell], metadata={"language_info": {"name": "x"}}))
    kept = nbformat.reads(text, as_version=4)
    assert kept.cells[0].outputs == [] and kept.cells[0].execution_count is None
    assert kept.cells[0].metadata == {} and set(kept.metadata) == {"kernelspec"}
    assert kept.cells[0].id == "one"


def write_notebook(path: Path, *sources: str, tags=("parameters",)) -> Path:
    made = [nbformat.v4.new_markdown_cell("# A <title>", id="title")]
    made += [nbformat.v4.new_code_cell(text, id=f"c{n}") for n, text in enumerate(sources)]
    made[1].metadata["tags"] = list(tags)
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=made)))
    return path


@fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook that was run twice: (notebook, page) each time."""
    folder = tmp_path_factory.mktemp("notebook")
    shows = f"from agent_discovery.notebooks.view import said\nsaid(name + {EVIL!r})"
    source = write_notebook(folder / "source.ipynb", "name = 'default'", "print(name)", shows)
    for turn in ("one", "two"):
        pair = (folder / f"{turn}.ipynb", folder / f"{turn}.html")
        run_notebook(source, {"name": "given"}, *pair)
    return [(folder / f"{turn}.ipynb", folder / f"{turn}.html") for turn in ("one", "two")]


def test_parameters_take_the_place_of_the_defaults(executed):
    notebook = read_notebook(executed[0][0])
    assert notebook.cells[1].source == "name = 'given'"
    assert notebook.cells[2].outputs[0].text == "given\n"


def test_two_runs_have_the_same_bytes(executed):
    for one, two in zip(*executed, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_a_page_runs_no_script_and_asks_no_network(executed):
    page = executed[0][1].read_text(encoding="utf-8")
    assert "Content-Security-Policy\" content=\"default-src 'none';" in page
    assert not re.search(r"<script|<link|<iframe|https?:|@import|url\(", page)
    assert "<title>A &lt;title&gt;</title>" in page
    assert "&lt;script&gt;alert(1)" in page and "<img" not in page


def test_a_failing_cell_ends_in_one_line(tmp_path):
    source = write_notebook(tmp_path / "bad.ipynb", "a = 1", "missing + 1")
    told = refusal(run_notebook, source, {"a": 1}, tmp_path / "x.ipynb", tmp_path / "x.html")
    assert "bad.ipynb: a cell failed: NameError: name 'missing' is not defined" in told
    assert not (tmp_path / "x.ipynb").exists()


def test_what_is_no_notebook_or_has_no_parameters_is_refused(tmp_path):
    (tmp_path / "not.ipynb").write_text("{")
    assert "not a notebook" in refusal(read_notebook, tmp_path / "not.ipynb")
    untagged = read_notebook(write_notebook(tmp_path / "a.ipynb", "a = 1", tags=()))
    assert "tagged parameters" in refusal(with_parameters, untagged, {})


@mark.parametrize(
    "shows",
    [
        said,
        quoted,
        lambda text: shown(pd.DataFrame({text: [text], "method": [text]})),
        lambda text: told_exchange(Exchange(text, text, text, ROW | {"selected_id": text})),
    ],
)
def test_untrusted_text_is_escaped(shows):
    made = shows(EVIL)
    markup = made._repr_html_()
    assert "&lt;script&gt;alert(1)" in markup
    assert not re.search(r"<(script|img)", markup)
    assert "\x1b" not in markup + repr(made)


ROW = {"tokens_in": 1234, "token_source": "provider", "selected_id": None, "outcome": "ok"}


def test_an_exchange_is_shown_part_by_part_and_long_ones_are_cut():
    markup = told_exchange(Exchange("S", "a\nb\nc", "{}", ROW), lines=2)._repr_html_()
    assert re.findall("<h4>(.*?)</h4>", markup) == ["system", "user", "answer", "came of it"]
    assert "a\nb\n… and 1 more lines" in markup
    assert "outcome: ok; selected: nothing; 1,234 input tokens (provider)" in markup
    assert "<h4>system" not in told_exchange(Exchange("", "", "none", ROW))._repr_html_()


def test_a_table_shows_intervals_beside_their_values_and_only_the_columns_asked_for(tmp_path):
    (tmp_path / "t.csv").write_text("method,a,a_low,a_high,b\nSSR,0.5,0.25,0.75,9\n")
    markup = Results(tmp_path).table("t.csv", "method", "a")._repr_html_()
    assert "<td>0.5000 [0.2500, 0.7500]</td>" in markup and "<th>b</th>" not in markup


def test_verdicts_are_picked_and_counted_by_their_ids(tmp_path):
    head = "paper,id,where,claim,published,ours,low,high,verdict,ought,measured,note\n"
    rows = [
        "SSR,rq1-a,T,one,.7,.5,.4,.6,differs,True,False,x",
        "SSR,rq2-b,T,two,1,,,,not run,,False,",
    ]
    (tmp_path / "v.csv").write_text(head + "\n".join(rows) + "\n")
    results = Results(tmp_path)
    assert repr(results.counted("v.csv", "rq1")) == "Of 1 published claims: 1 differs."
    markup = results.verdicts("v.csv", "rq1")._repr_html_()
    assert "<td>0.5000 [0.4000, 0.6000]</td>" in markup
    assert "two" not in markup


def test_a_figure_is_inside_the_page_with_its_words(tmp_path):
    (tmp_path / "f.svg").write_text("<svg/>")
    markup = Results(tmp_path).figure("f", 'a "b" <c>')._repr_html_()
    assert markup.startswith('<img alt="a &quot;b&quot; &lt;c&gt;" src="data:image/svg+xml;base64,')


def test_results_are_found_from_the_notebooks_folder(tmp_path, monkeypatch):
    (tmp_path / "results" / "mine").mkdir(parents=True)
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert Results.find("mine").folder == tmp_path / "results" / "mine"
    with raises(InputError, match="snakemake notebooks"):
        Results.find("none")

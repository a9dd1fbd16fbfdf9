"""Result tables as text: what numbers say, and that no cell is taken for markup."""

import csv
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from pytest import fixture, mark

from agent_discovery.reporting.columns import COLUMNS, NONE, column
from agent_discovery.reporting.legends import ABBREVIATIONS
from agent_discovery.reporting.tables import (
    ENDS,
    MOST_COLUMNS,
    legend,
    presented,
    to_latex,
    to_markdown,
)

HOSTILE = [
    "a|b",
    r"\|",
    "`code`",
    "<script>alert('x')</script>",
    "![i](https://x.invalid/?a=1&b)",
    "WWW.x.invalid, HTTP://x.invalid, success@10",
    "**bold** _it_ ~~gone~~",
    "$x^2$",
    "one\ntwo\r\n\n# three",
    r"\input{/etc/hostname}\def\x{\x}\x",
    "100% #1 & {more} ~ ^",
    "[0.1, 0.2]",
    "* starred",
    "\\",
    "",
]


def shown(value: object) -> str:
    """The cell of a table that holds `value`, in a column that has no digits of its own."""
    table = pd.DataFrame({"column": pd.Series([value, "other"], dtype=object)})
    return presented(table).loc[0, "column"]


@mark.parametrize(
    ("value", "expected"),
    [
        (0.000119, "0.000119"),
        (0.009551, "0.0096"),
        (63645, "63,645"),
        (63645.0, "63,645"),
        (8841823, "8,841,823"),
        (8841823.0, "8,841,823"),
        (69848.3, "69,848.3"),
        (1.0, "1.0000"),
        (1, "1"),
        (0, "0"),
        (200, "200"),
        (0.0, "0.0000"),
        (0.5, "0.5000"),
        (-0.05125, "-0.0512"),
        (-0.0004, "-0.0004"),
        (767.0, "767"),
        (941.5, "941.5000"),
        (float("nan"), "–"),
        (None, "–"),
        (float("inf"), "inf"),
        (True, "True"),
        ("0.50", "0.50"),
    ],
)
def test_numbers_keep_their_meaning(value, expected):
    assert shown(value) == expected


TABLE = pd.DataFrame(
    {
        "method": ["SSR", "BM25"],
        "queries": [1, 1200],
        "success@10": [0.411, 0.5],
        "success@10_low": [float("nan"), 0.4],
        "success@10_high": [float("nan"), 0.6],
        "success@10_worst": [0.4, 0.5],
        "success@10_best": [0.42, 0.5],
        "mean_candidates": [10.5, 2000.0],
    }
)


def test_intervals_are_folded_into_their_value_and_bounds_stand_beside_it():
    cells = presented(TABLE)
    assert cells.to_dict("list") == {
        "Method": ["SSR", "BM25"],
        "Queries": ["1", "1,200"],
        "Success@10": ["0.41", "0.50 [0.40, 0.60]"],  # a half-width of 0.1 supports two decimals
        "Success@10, any order of ties": ["0.40 to 0.42", "0.50 to 0.50"],
        "Candidates, mean": ["10.5", "2,000.0"],
    }
    assert list(cells) == list(cells.to_dict("list"))


def wide(methods: list[str], columns: int) -> pd.DataFrame:
    measures = {f"m{place}": [place / 100] * len(methods) for place in range(columns - 1)}
    return pd.DataFrame({"method": methods, **measures})


def test_a_wide_table_is_turned():
    cells = presented(wide(["SSR", "BM25"], MOST_COLUMNS + 1))
    assert list(cells) == ["Measure", "SSR", "BM25"]
    assert cells["Measure"].tolist() == [f"m{place}" for place in range(MOST_COLUMNS)]
    assert cells["SSR"].tolist()[:2] == ["0.0000", "0.0100"]


@mark.parametrize(
    "table",
    [wide(["SSR", "BM25"], MOST_COLUMNS), wide(["SSR", "SSR"], MOST_COLUMNS + 1)],
    ids=["not wide", "several rows a method"],
)
def test_other_tables_are_not_turned(table):
    assert list(presented(table)) == ["Method", *list(table)[1:]]


def test_a_table_without_rows_has_its_head():
    text = to_markdown(presented(TABLE.iloc[:0]))
    assert read_markdown(text) == [list(presented(TABLE))]


def read_markdown(text: str) -> list[list[str]]:
    """The cells of a table as GitHub shows them; fails where a character would be markup."""
    lines = text.removesuffix("\n").split("\n")
    assert re.fullmatch(r"\|(-+\|)+", lines[1])
    return [read_row(line) for line in [lines[0], *lines[2:]]]


def read_row(line: str) -> list[str]:
    assert not re.search(r"(?<!\\)://|www\.", line, re.IGNORECASE)  # GitHub would link these
    cells = [""]
    for escaped, plain in re.findall(r"\\([!-/:-@\[-`{-~])|(.)", line):
        assert plain not in set("\\`*_{}[]<>~&$") or not plain
        if plain == "|":
            cells.append("")
        else:
            cells[-1] += escaped or plain
    assert cells[0] == cells[-1] == ""
    return [cell.strip() for cell in cells[1:-1]]


LATEX = {f"\\{char}": char for char in "&%$#_{}"}
LATEX |= {r"\^{}": "^", r"\textasciitilde{}": "~", r"\textbackslash{}": "\\"}
LATEX |= {r"\ensuremath{<}": "<", r"\ensuremath{>}": ">"}
LATEX_WORD = re.compile("|".join([*map(re.escape, LATEX), r"(?P<plain>[^\\&%$#_^{}~<>])"]))


def read_latex(text: str) -> list[list[str]]:
    """The cells of a tabular; fails where a character would be a command."""
    lines = text.removesuffix("\n").split("\n")
    assert [lines[1], lines[3], *lines[-2:]] == [
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    rows = [lines[2], *lines[4:-2]]
    assert all(row.endswith(r"\\") for row in rows)
    # A row's end, \\, takes a "[" or "*" after it for its own; {} keeps them apart.
    assert not any(re.match(r" *[\[*]", row) for row in rows)
    return [
        [latex_cell(cell) for cell in re.sub(r"^ *\{\}", "", row[:-2]).split(" & ")] for row in rows
    ]


def latex_cell(text: str) -> str:
    plain, place = "", 0
    while place < len(text):
        word = LATEX_WORD.match(text, place)
        assert word, text[place:]
        plain += word["plain"] or LATEX[word[0]]
        place = word.end()
    return plain.strip()


@fixture(params=[(to_markdown, read_markdown), (to_latex, read_latex)], ids=["markdown", "latex"])
def form(request):
    return request.param


def test_hostile_cells_and_heads_are_shown_as_they_are(form):
    write, read = form
    plain = [" ".join(text.split()) for text in HOSTILE]
    rows = [list(pair) for pair in zip(plain, plain[::-1], strict=True)]
    cells = pd.DataFrame({"first": HOSTILE, "second": HOSTILE[::-1]})
    assert read(write(cells)) == [["first", "second"], *rows]
    assert read(write(pd.DataFrame([["x"] * len(HOSTILE)], columns=HOSTILE)))[0] == plain


any_cell = st.text(alphabet="a |\\`*_{}[]<>~&$#%^\"'-\n\t€")


@given(any_cell, any_cell)
def test_any_cell_in_markdown(first, second):
    cells = pd.DataFrame({"one": [first], "two": [second]})
    expected = [" ".join(text.split()) for text in (first, second)]
    assert read_markdown(to_markdown(cells)) == [["one", "two"], expected]


@mark.parametrize("write", [to_markdown, to_latex])
def test_what_cannot_be_seen_is_escaped(write):
    text = write(pd.DataFrame({"name": ["\x1b[31mred\x07", "a\u202eb", "\0"]}))
    assert text.replace("\n", "").isprintable()
    assert "x1b" in text and "u202e" in text and "x00" in text


def test_no_cell_of_a_golden_table_is_a_formula():
    """Spreadsheets run a cell that begins with one of these, unless it is a number."""
    paths = sorted((Path(__file__).parents[1] / "results/golden").rglob("*.csv"))
    assert len(paths) > 30
    for path in paths:
        with open(path, encoding="utf-8", newline="") as stream:
            cells = {cell for row in csv.reader(stream) for cell in row}
        assert not [cell for cell in cells if re.match(r"[=+@\t\r-]", cell) and not number(cell)]


def number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", cell) is not None


def test_latex_of_no_rows_has_its_columns():
    text = to_latex(pd.DataFrame({"first": [], "second": []}))
    assert text.startswith("\\begin{tabular}{ll}\n\\toprule\n first")


@mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_latex_compiles(tmp_path):
    hostile = pd.DataFrame({"first": HOSTILE, "second": HOSTILE[::-1]})
    tables = [hostile, presented(TABLE), hostile.head(0)]
    body = "\n\n".join(map(to_latex, tables))
    (tmp_path / "t.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        f"\n{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-draftmode", "-no-shell-escape", "-halt-on-error"]
    command += ["-interaction=batchmode", "t.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert ended.returncode == 0, (tmp_path / "t.log").read_text(errors="replace")[-2000:]


def test_a_wide_table_of_methods_and_sizes_is_turned_with_both_as_its_heads():
    measures = {f"m{place}": [0.5, 0.25] for place in range(10)}
    table = pd.DataFrame({"n": [10, 1000], "method": ["SSR", "SSR"], **measures})
    cells = presented(table)
    assert cells.columns.tolist() == ["Measure", "SSR, N = 10", "SSR, N = 1,000"]
    assert cells.iloc[0].tolist() == ["m0", "0.5000", "0.2500"]


def test_too_many_methods_and_sizes_stand_size_by_size():
    measures = {f"m{place}": [0.5, 0.25] * 6 for place in range(10)}
    sizes = [n for n in (1, 2, 3, 4, 5, 1000) for _ in range(2)]
    cells = presented(pd.DataFrame({"n": sizes, "method": ["SSR", "BM25"] * 6, **measures}))
    assert cells.columns.tolist() == ["N", "Measure", "SSR", "BM25"]
    assert cells.iloc[0].tolist() == ["1", "m0", "0.5000", "0.2500"]
    assert cells.iloc[-1].tolist() == ["1,000", "m9", "0.5000", "0.2500"]
    assert len(cells) == 6 * 10


def test_bounds_of_a_cost_have_the_costs_digits():
    ends = {"mean_cost_usd_low": [0.001111], "mean_cost_usd_high": [0.0019994]}
    cells = presented(pd.DataFrame({"mean_cost_usd": [0.001234], **ends}))
    assert cells.iloc[0].tolist() == ["0.001234 [0.001111, 0.001999]"]


def test_a_note_stands_below_as_it_is():
    cells, note = pd.DataFrame({"a": ["1"]}), "not *real*: 100% made_up\n& so on"
    assert to_markdown(cells, note).startswith(to_markdown(cells) + "\n")
    assert to_markdown(cells, note).endswith("\nnot \\*real\\*: 100% made\\_up \\& so on\n")
    assert to_latex(cells, note).startswith(to_latex(cells) + "\n")
    assert "{\\footnotesize not *real*: 100\\% made\\_up \\& so on\\par}" in to_latex(cells, note)


GOLDEN = Path(__file__).parents[1] / "results/golden"
TABLES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.csv"))
TABLES = [name for name in TABLES if "verdicts" not in name]
TIMES = [f"{time}_ms_{kind}" for time in ("wall", "cpu") for kind in ("mean", "median", "p95")]


@mark.parametrize("name", TABLES)
def test_every_column_of_a_result_table_has_a_label_of_its_own(name):
    table = pd.read_csv(GOLDEN / name)
    bases = {re.sub("|".join(f"{end}$" for end in ENDS), "", head) for head in table}
    assert not {base for base in bases if column(base) is None}
    if "figure" in table:
        assert not {figure for figure in table["figure"] if column(figure) is None}
    heads = " ".join(presented(table)).lower()
    assert "_" not in heads and "@" not in heads.replace("recall@", "").replace(
        "success@", ""
    ).replace("mrr@", "").replace("ndcg@", "").replace("map@", "")


@mark.parametrize("name", TABLES)
def test_abbreviations_in_a_table_are_explained_below_it(name):
    table = pd.read_csv(GOLDEN / name)
    cells, below = presented(table), legend(table)
    words = " ".join([*cells, *(text for head in cells for text in cells[head])])
    for short in [*ABBREVIATIONS, "MRR@k", "nDCG@k", "mAP@k"]:
        there = re.search(rf"(?<![\w-]){re.escape(short.replace('@k', '@'))}(?![a-zA-Z-])", words)
        assert not there or f"{short}: " in below
    assert (NONE in cells.to_numpy()) <= (f"{NONE}: " in below)
    assert ("[" in re.sub(r" \[\d+\]", "", words)) <= ("[low, high]" in below)


@mark.parametrize("name", TABLES)
def test_no_number_has_more_digits_than_its_interval_supports(name):
    """At most two digits of the half-width of the widest interval of a column."""
    table = pd.read_csv(GOLDEN / name)
    for head in (head for head in table if f"{head}_low" in table):
        cells = presented(table[[head, f"{head}_low", f"{head}_high"]])
        half = ((table[f"{head}_high"] - table[f"{head}_low"]) / 2).max()
        half *= 100 if column(head).kind == "percent" else 1
        for cell in cells.iloc[:, 0] if len(cells.columns) else []:
            decimals = len(cell.split(" ")[0].rstrip("%").partition(".")[2])
            fine = not decimals or not half or 10.0**-decimals >= half / 100
            assert fine or column(head).kind == "usd", cell


def test_legend_says_once_what_all_rows_share():
    table = pd.DataFrame({"corpus": "toy", "method": ["SSR", "BM25"], "queries": 1200, "k": [5, 5]})
    assert list(presented(table)) == ["Method", "K"]
    assert legend(table).startswith("All rows: Corpus: toy; Queries: 1,200.")
    assert legend(table, "not real").endswith(" not real")
    assert legend(table[:0]).startswith("No rows.")


def test_a_comparison_of_pairs_is_not_turned():
    wide_table = wide(["SSR", "BM25"], MOST_COLUMNS + 1).assign(baseline="Full catalog")
    assert list(presented(wide_table))[0] == "Method"


def test_an_empty_wide_table_has_its_head():
    table = wide(["SSR"], MOST_COLUMNS + 3)[:0]
    assert len(list(presented(table))) == MOST_COLUMNS + 3


@mark.parametrize(
    ("name", "value", "expected"),
    [
        ("candidate_recall", 0.95, "0.950"),
        ("mean_input_tokens", 63645.04, "63,645"),
        ("mean_input_tokens_saved", 0.98777, "98.8%"),
        ("increase", 0.135873, "+13.6%"),
        ("difference", -0.0512, "-0.051"),
        ("difference", -0.00001, "0.000"),
        ("p_holm", 5.6e-14, "< 0.001"),
        ("p_exact", 0.0625, "0.062"),
        ("mean_cost_usd", 0.000119, "0.000119"),
        ("wall_ms_mean", 69848.3, "69,848"),
        ("wall_ms_mean", 0.041234, "0.0412"),
        ("significant", True, "yes"),
        ("k", 20.0, "20"),
        ("index_bytes", 5017794, "4,900"),
        ("measure", "ndcg@5", "nDCG@5"),
    ],
)
def test_a_column_has_its_digits_and_unit(name, value, expected):
    assert presented(pd.DataFrame({name: [value], "x": ["y"]})).iloc[0, 0] == expected


def test_times_have_their_unit_in_the_head():
    assert all("(ms)" in COLUMNS[name].label for name in TIMES)

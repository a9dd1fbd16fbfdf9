"""The figures of RQ2: the same bytes on every saving, whatever the corpus is called."""

import warnings
from errno import ENOSPC

import pandas as pd
from matplotlib.figure import Figure
from pytest import fixture, mark, raises

from agent_discovery.reporting.rq2_figures import candidates_figure, effectiveness_figure
from agent_discovery.reporting.style import COLOURS, FORMS, MARKERS
from agent_discovery.retrieval.methods import METHODS
from agent_discovery.retrieval.pools import FULL_CATALOG

SIGNATURES = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
MEASURES = ["success@1", "success@10", "recall@10", "mrr@10", "ndcg@10"]


def table3(corpus: str = "toy", queries: int = 1200) -> pd.DataFrame:
    """Table III as `table3.effectiveness` makes it; the full scan ran on a sample only."""
    rows = []
    for place, method in enumerate(method.name for method in METHODS.values()):
        on = queries if "full scan" not in method else queries // 2
        row = {"corpus": corpus, "method": method, "queries": on}
        for measure in MEASURES:
            mean = 0.2 + place / 10
            row |= {measure: mean, f"{measure}_low": mean - 0.05, f"{measure}_high": mean + 0.05}
            row |= {f"{measure}_worst": mean - 0.02, f"{measure}_best": mean + 0.01}
        rows.append(row)
    return pd.DataFrame(rows)


SIZES = pd.DataFrame(
    {"n": [10, 100, 950], "ssr_mean_candidates": [0.0, 4.5, 44], "full_scan_scored": [10, 100, 950]}
)


@fixture(params=[(effectiveness_figure, table3()), (candidates_figure, SIZES)], ids=["eff", "size"])
def drawing(request):
    return request.param


def saved(draw, table: pd.DataFrame, folder) -> dict[str, bytes]:
    """The figure's files by form, drawn without a warning."""
    folder.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(table, folder / "figure")
    assert sorted(path.name for path in folder.iterdir()) == [
        "figure.pdf",
        "figure.png",
        "figure.svg",
    ]
    return {form: (folder / f"figure.{form}").read_bytes() for form in FORMS}


def test_two_savings_are_the_same_bytes(drawing, tmp_path):
    first, second = (saved(*drawing, tmp_path / name) for name in ("first", "second"))
    for form in FORMS:
        assert first[form].startswith(SIGNATURES[form])
        assert first[form] == second[form]


def test_what_is_drawn_decides_the_bytes(tmp_path):
    """Else the comparison above would prove nothing."""
    raised = table3()
    raised.loc[raised["method"] == "SSR", "mrr@10"] += 0.01
    first = saved(effectiveness_figure, table3(), tmp_path / "first")
    second = saved(effectiveness_figure, raised, tmp_path / "second")
    assert all(first[form] != second[form] for form in FORMS)


@mark.parametrize("form", ["svg", "pdf"])
def test_no_date_is_in_the_files(drawing, tmp_path, form):
    content = saved(*drawing, tmp_path / "out")[form]
    assert b"CreationDate" not in content and b"<dc:date>" not in content


@mark.parametrize(
    "corpus", ["files:my_$x$_{a}^2", r"files:$\frac{$", r"files:a\$b$c$", "files:$", "irds:a/b_c"]
)
def test_any_corpus_name_is_drawn_as_it_is(tmp_path, corpus):
    """matplotlib leaves the text that it draws as letters (and no formula) in a comment."""
    svg = saved(effectiveness_figure, table3(corpus), tmp_path / "out")["svg"].decode()
    assert f"Retrieval effectiveness on {corpus}, 1,200 queries" in svg


def test_methods_that_ran_on_a_sample_are_left_out(tmp_path):
    svg = saved(effectiveness_figure, table3(), tmp_path / "out")["svg"].decode()
    assert "<!-- SSR -->" in svg and "<!-- BM25 -->" in svg
    assert "full scan" not in svg


def test_a_single_query_has_no_interval_to_draw(tmp_path):
    table = table3(queries=1)
    ends = [name for name in table if name.endswith(("_low", "_high"))]
    table[ends] = float("nan")
    assert "1 queries" in saved(effectiveness_figure, table, tmp_path / "out")["svg"].decode()


def test_what_ssr_scores_of_the_largest_registry_is_told(tmp_path):
    svg = saved(candidates_figure, SIZES, tmp_path / "out")["svg"].decode()
    assert "of 950 cards," in svg and "SSR scores 4.6%" in svg


def test_every_method_has_a_look_of_its_own():
    names = {method.name for method in METHODS.values()} | {FULL_CATALOG}
    for look in (COLOURS, MARKERS):
        assert set(look) == names
        assert len(set(look.values())) == len(names)


def test_a_disk_that_is_full_leaves_no_half_figure(tmp_path, monkeypatch):
    def full(self, path, **options):
        path.write_bytes(b"half")
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    with raises(OSError, match="No space left"):
        candidates_figure(SIZES, tmp_path / "figure")
    assert list(tmp_path.iterdir()) == []

"""The figures of Agent-as-a-Graph: the same bytes on every saving, whatever names there are."""

import pandas as pd
from pytest import mark
from test_figures import saved

from agent_discovery.evaluation.graph_views import SOURCES
from agent_discovery.reporting.graph_figures import shares_figure, weights_figure
from agent_discovery.reporting.graph_picture import MOST_AGENTS, graph_picture
from agent_discovery.reporting.graph_text import MEANINGS, parts

RATIOS = ["3:1", "1:1", "1:3"]
HOSTILE = "files:my_$x$_{a}^2"


def weights(view: str = "pool") -> pd.DataFrame:
    rows = []
    for encoder in ("one", "$two$"):
        for form in ("Type-specific wRRF", "Standard weighted RRF"):
            for place, ratio in enumerate(RATIOS):
                row = {"view": view, "encoder": encoder, "form": form, "weights": ratio}
                for measure in ("recall@1", "recall@5", "ndcg@5"):
                    value = 0.3 + place / 10
                    row |= {measure: value, f"{measure}_low": value - 0.1}
                    row[f"{measure}_high"] = value + 0.1
                rows.append(row)
    return pd.DataFrame(rows)


def shares(source: str = "step") -> pd.DataFrame:
    return pd.DataFrame(
        [
            ("one", "m", ratio, source, items, 0.2 * place, 1 - 0.2 * place)
            for place, ratio in enumerate([*RATIOS, None])
            for items in ("nodes", "agents")
        ],
        columns=["encoder", "method", "weights", "source", "items", "agent", "tool"],
    )


def nodes(agents: int, name: str = "a name") -> pd.DataFrame:
    rows = [(f"s{n}", "agent", name, f"s{n}") for n in range(agents)]
    rows += [(f"s{n}::{t}", "tool", "t", f"s{n}") for n in range(agents) for t in range(n % 40)]
    return pd.DataFrame(rows, columns=["id", "kind", "name", "owner"])


DRAWINGS = {
    "weights": lambda table, path: weights_figure(weights(), path, HOSTILE),
    "direct": lambda table, path: weights_figure(weights("direct"), path, HOSTILE),
    "shares": lambda table, path: shares_figure(shares(), path, HOSTILE),
    "questions": lambda table, path: shares_figure(shares("question"), path, HOSTILE),
    "graph": lambda table, path: graph_picture(nodes(9), {"s3": 2}, path, HOSTILE),
    "one agent": lambda table, path: graph_picture(nodes(1), {}, path, HOSTILE),
}


@mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_two_savings_are_the_same_bytes_and_names_are_drawn_as_they_are(draw, tmp_path):
    first = saved(draw, None, tmp_path / "first")
    assert saved(draw, None, tmp_path / "second") == first
    assert HOSTILE in first["svg"].decode()


@mark.parametrize("name", ["搜索", "$x$ ^ \\frac{", "a\nb\x00", "", "🙂 smile", "x" * 200])
def test_a_server_may_have_any_name(tmp_path, name):
    saved(lambda _, path: graph_picture(nodes(3, name), {}, path, "toy"), None, tmp_path / "out")


def test_a_large_graph_shows_the_most_relevant_and_says_so(tmp_path):
    many = nodes(MOST_AGENTS + 20)
    draw = lambda _, path: graph_picture(many, {"s0": 5}, path, "toy")  # noqa: E731
    svg = saved(draw, None, tmp_path / "out")["svg"].decode()
    assert f"{MOST_AGENTS} of {MOST_AGENTS + 20} agents" in svg


def test_text_has_a_part_a_view_and_the_measures_at_k():
    table = weights().assign(needs=None)
    [(head, shown)] = parts(table, 5)
    assert head == f"### pool: {MEANINGS['pool']}\n\n"
    assert "recall@5_low" in shown and "recall@1" not in shown and "needs" not in shown
    changes = pd.DataFrame({"method": ["a", "b"], "changes": [True, False]})
    [(head, shown)] = parts(changes.assign(others_differ=False), 5)
    assert head == "" and shown["method"].tolist() == ["a"]
    [(head, shown)] = parts(changes.assign(others_differ=False, changes=False), 5)
    assert "No conclusion changes" in head and shown.empty


def test_every_view_is_explained():
    assert set(MEANINGS) == set(SOURCES)

"""A published figure and a shape as a file of claims has them."""

REAL = "irds:msmarco-passage/dev/small"
FIGURE = {
    "id": "figure",
    "kind": "figure",
    "where": "Table III",
    "says": "SSR, Recall@10",
    "value": 0.3378,
    "tolerance": 0.00005,
    "needs": {"rq": "rq2", "k": 10, "corpus": REAL},
    "ours": {"table": "rq2/{corpus}/t.csv", "row": {"method": "SSR"}, "column": "success@10"},
}
SHAPE = {
    **{key: FIGURE[key] for key in ("where", "says", "ours")},
    "id": "shape",
    "kind": "shape",
    "holds": "positive",
    "published": 0.05,
    "ought_on": ["toolpool"],
    "needs": {"rq": "rq2"},
}

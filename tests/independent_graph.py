"""Agent-as-a-Graph on LiveMCPBench as a sketch apart from this package found it, at 5 agents.

Same ground truth and texts, the real models, first 50 nodes.
"""

MODEL, LARGE_MODEL = "all-MiniLM-L6-v2", "all-mpnet-base-v2"
OF_LEXICAL = {
    ("BM25", "direct"): 0.665, ("BM25", "pool"): 0.737, ("BM25", "union"): 0.854,
    ("SSR", "direct"): 0.563, ("SSR", "pool"): 0.695, ("SSR", "union"): 0.821,
}  # fmt: skip
# direct R and nDCG, step R, mAP and nDCG, pool R and nDCG, union R; all at 5.
SMALL = """
Agent-only                 .544 .463 .428 .343 .398 .633 .587 .693
Tool-only (ScaleMCP-like)  .632 .557 .525 .438 .499 .740 .682 .830
Agent-as-a-Graph           .640 .571 .527 .448 .507 .749 .693 .825
Type-specific wRRF 1.1:1   .630 .576 .523 .451 .509 .749 .701 .830
Type-specific wRRF 1.5:1   .661 .547 .499 .393 .458 .674 .637 .811
MCPZero-like               .568 .533 .500 .426 .486 .726 .689 .816
"""
# direct R and nDCG, pool R and nDCG, union R.
LARGE = """
Agent-only                 .551 .477 .619 .586 .732
Tool-only (ScaleMCP-like)  .640 .558 .784 .724 .881
Agent-as-a-Graph           .646 .569 .800 .739 .886
Type-specific wRRF 1.1:1   .661 .583 .811 .748 .886
Type-specific wRRF 1.5:1   .625 .542 .749 .681 .856
MCPZero-like               .551 .527 .740 .700 .802
"""
OF_ALL = [("direct", "recall@5"), ("direct", "ndcg@5"), ("pool", "recall@5"), ("pool", "ndcg@5")]
OF_ALL += [("union", "recall@5")]
OF_SMALL = [*OF_ALL[:2], ("step", "recall@5"), ("step", "map@5"), ("step", "ndcg@5"), *OF_ALL[2:]]
OF_GRAPH = {
    (MODEL, "Agent-as-a-Graph", "route", "recall@5"): 0.791,
    (MODEL, "Agent-as-a-Graph", "route", "ndcg@5"): 0.702,
    (MODEL, "Agent-as-a-Graph, server and tool text", "route", "recall@5"): 0.779,
    (MODEL, "MCPZero-like", "route", "recall@5"): 0.730,
    (MODEL, "MCPZero-like", "route", "ndcg@5"): 0.685,
    (LARGE_MODEL, "Agent-as-a-Graph", "route", "recall@5"): 0.756,
    (LARGE_MODEL, "Agent-as-a-Graph", "route", "ndcg@5"): 0.679,
}
for encoder, rows, columns in (
    (MODEL, SMALL, OF_SMALL), (LARGE_MODEL, LARGE, OF_ALL),
):  # fmt: skip
    for line in rows.strip().split("\n"):
        method, values = line[:27].strip(), line[27:].split()
        OF_GRAPH |= {
            (encoder, method, *column): float(value)
            for column, value in zip(columns, values, strict=True)
        }

GRAPH_TABLES = [
    "baselines",
    "significance",
    "encoders",
    "weights",
    "shares",
    "statistics",
    "sensitivity",
    "conclusions",
]
GRAPH_FIGURES = ["weights", "shares", "graph"]


rule graph_tables:
    input:
        agents=by_encoder(f"{GRAPH}/runs/dense/{{encoder}}.parquet", ENCODERS),
        shown=by_encoder(f"{GRAPH}/runs/dense_nodes/{{encoder}}.parquet", ENCODERS),
        lexical=f"{GRAPH}/runs/lexical.parquet",
        nodes=f"{GRAPH}/nodes.parquet",
        queries=f"{GRAPH_DATA}/queries.parquet",
        labels=f"{GRAPH}/labels.parquet",
        expected="expected/agent_as_a_graph.yaml",
    output:
        **{table: f"{GRAPH}/{table}.csv" for table in GRAPH_TABLES},
    params:
        encoders=lambda wildcards: ENCODERS[wildcards.corpus],
        graph=CONFIG.graph.model_dump(),
        intervals=CONFIG.intervals.model_dump(),
        code=EVALUATION_CODE,
    script:
        "../scripts/graph_tables.py"


rule graph_figures:
    input:
        weights=f"{GRAPH}/weights.csv",
        shares=f"{GRAPH}/shares.csv",
        nodes=f"{GRAPH}/nodes.parquet",
        labels=f"{GRAPH}/labels.parquet",
    output:
        figures=expand(
            f"{GRAPH}/figures/{{figure}}.{{form}}",
            figure=GRAPH_FIGURES,
            form=["svg", "pdf", "png"],
            allow_missing=True,
        ),
        agents=f"{GRAPH}/agents.csv",
        graphml=f"{GRAPH}/graph.graphml",
    params:
        labels=CONFIG.graph.labels,
        corpus=lambda wildcards: GRAPH_SPECS[wildcards.corpus],
        code=REPORTING_CODE,
    script:
        "../scripts/graph_figures.py"


rule graph_render:
    input:
        tables=expand(f"{GRAPH}/{{table}}.csv", table=GRAPH_TABLES, allow_missing=True),
        about=f"{GRAPH_DATA}/corpus.json",
    output:
        md=expand(f"{GRAPH}/{{table}}.md", table=GRAPH_TABLES, allow_missing=True),
        tex=expand(f"{GRAPH}/{{table}}.tex", table=GRAPH_TABLES, allow_missing=True),
    params:
        k=CONFIG.graph.k,
        code=REPORTING_CODE,
    script:
        "../scripts/graph_render.py"


rule graph_provenance:
    input:
        tables=expand(f"{GRAPH}/{{table}}.csv", table=GRAPH_TABLES, allow_missing=True),
        encoders=by_encoder(f"{GRAPH}/vectors/{{encoder}}.json", ENCODERS),
        about=f"{GRAPH_DATA}/corpus.json",
    output:
        f"{GRAPH}/provenance.json",
    params:
        config=CONFIG.model_dump(),
    script:
        "../scripts/provenance.py"


GRAPH_RESULTS = [
    *rules.graph_provenance.input.tables,
    *rules.graph_render.output,
    *rules.graph_figures.output,
    f"{GRAPH}/provenance.json",
]


rule graph:
    input:
        expand(GRAPH_RESULTS, corpus=GRAPH_CORPUS),


rule graph_verdicts:
    input:
        expected="expected/agent_as_a_graph.yaml",
        about=f"{RESULTS}/corpora/{LIVEMCPBENCH}-graph/corpus.json",
        tables=expand(f"{GRAPH}/{{table}}.csv", corpus=LIVEMCPBENCH, table=GRAPH_TABLES),
    output:
        csv=f"{RESULTS}/verdicts/{LIVEMCPBENCH}/agent_as_a_graph.csv",
        md=f"{RESULTS}/verdicts/{LIVEMCPBENCH}/agent_as_a_graph.md",
    params:
        corpus=LIVEMCPBENCH,
        graph=CONFIG.graph.model_dump(),
        encoders=ENCODERS[LIVEMCPBENCH],
        code=REPORTING_CODE,
    script:
        "../scripts/graph_verdicts.py"

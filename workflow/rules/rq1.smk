RQ1 = f"{RESULTS}/rq1/{{corpus}}"
RQ1_QUERIES = {
    "agentbench": CONFIG.rq1.plain_queries,
    "agentbench-paraphrased": CONFIG.rq1.paraphrased_queries,
}
RQ1_TABLES = ["table1", "table2"]
SELECTION_CODE = code_digest(
    "arbitration",
    "retrieval",
    "signals.py",
    "corpora/agentbench",
    "corpora/registries.py",
    "evaluation/samples.py",
)

SPECS |= {corpus: corpus for corpus in RQ1_QUERIES}


rule rq1_pools:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        isi=f"{INDEX}/isi",
    output:
        pools=f"{RQ1}/pools.parquet",
        retrieval=f"{RQ1}/measured/retrieval.parquet",
    params:
        rq1=CONFIG.rq1.model_dump(),
        queries=lambda wildcards: RQ1_QUERIES[wildcards.corpus],
        tie_break=CONFIG.tie_break,
        code=SELECTION_CODE,
    script:
        "../scripts/rq1_pools.py"


rule rq1_arbitrate:
    input:
        queries=f"{CORPORA}/queries.parquet",
        cards=f"{CORPORA}/cards.parquet",
        pools=f"{RQ1}/pools.parquet",
        retrieval=f"{RQ1}/measured/retrieval.parquet",
    output:
        arbitration=f"{RQ1}/arbitration.parquet",
        arbiter=f"{RQ1}/arbiter.json",
        latency=f"{RQ1}/measured/arbitration.parquet",
    # Alone on the machine, for its latencies; and a ledger takes one run at a time.
    threads: workflow.cores
    params:
        k=CONFIG.rq1.k,
        method_order_seed=None,
        llm=CONFIG.llm.model_dump(),
        # Not an output: Snakemake would delete it, and what it holds is never asked again.
        ledger=lambda wildcards: ledger_path("rq1", wildcards.corpus, CONFIG),
        code=SELECTION_CODE,
    script:
        "../scripts/arbitrate.py"


rule rq1_table1:
    input:
        cards=f"{CORPORA}/cards.parquet",
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
    output:
        f"{RQ1}/table1.csv",
    params:
        seed=CONFIG.rq1.seed,
        code=SELECTION_CODE,
    script:
        "../scripts/rq1_table1.py"


rule rq1_table2:
    input:
        arbitration=f"{RQ1}/arbitration.parquet",
        arbiter=f"{RQ1}/arbiter.json",
        pools=f"{RQ1}/pools.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
    output:
        table2=f"{RQ1}/table2.csv",
        calls=f"{RQ1}/calls.csv",
    params:
        intervals=CONFIG.intervals.model_dump(),
        code=EVALUATION_CODE,
    script:
        "../scripts/rq1_table2.py"


rule rq1_latency:
    input:
        retrieval=f"{RQ1}/measured/retrieval.parquet",
        arbitration=f"{RQ1}/measured/arbitration.parquet",
    output:
        f"{RQ1}/measured/latency.csv",
    params:
        code=EVALUATION_CODE,
    script:
        "../scripts/selection_latency.py"


rule rq1_figures:
    input:
        table2=f"{RQ1}/table2.csv",
        latency=f"{RQ1}/measured/latency.csv",
    output:
        figures=expand(
            f"{RQ1}/figures/{{figure}}.{{form}}",
            figure=["tokens_cost", "recall_accuracy"],
            form=["svg", "pdf", "png"],
            allow_missing=True,
        ),
        measured=expand(
            f"{RQ1}/measured/latency.{{form}}", form=["svg", "pdf", "png"], allow_missing=True
        ),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/rq1_figures.py"


rule rq1_render:
    input:
        tables=expand(f"{RQ1}/{{table}}.csv", table=RQ1_TABLES, allow_missing=True),
        about=f"{CORPORA}/corpus.json",
    output:
        md=expand(f"{RQ1}/{{table}}.md", table=RQ1_TABLES, allow_missing=True),
        tex=expand(f"{RQ1}/{{table}}.tex", table=RQ1_TABLES, allow_missing=True),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/render_tables.py"


rule rq1_provenance:
    input:
        tables=expand(f"{RQ1}/{{table}}.csv", table=RQ1_TABLES, allow_missing=True),
        arbiter=f"{RQ1}/arbiter.json",
        about=f"{CORPORA}/corpus.json",
    output:
        f"{RQ1}/provenance.json",
    params:
        config=CONFIG.model_dump(),
    script:
        "../scripts/provenance.py"


rule rq1:
    input:
        expand(rules.rq1_provenance.input.tables, corpus=RQ1_QUERIES),
        expand(rules.rq1_render.output, corpus=RQ1_QUERIES),
        expand(rules.rq1_figures.output, corpus=RQ1_QUERIES),
        expand(f"{RQ1}/provenance.json", corpus=RQ1_QUERIES),

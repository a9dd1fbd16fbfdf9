RQ1 = f"{RESULTS}/rq1/{{corpus}}"
RQ1_CORPORA = ["agentbench", "agentbench-paraphrased"]
RQ1_TABLES = ["table1", "table2"]
RQ1_FIGURES = ["tokens_cost_latency", "recall_accuracy"]
SELECTION_CODE = code_digest("arbitration", "retrieval", "signals.py", "corpora/agentbench")

SPECS |= {corpus: corpus for corpus in RQ1_CORPORA}


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
    params:
        k=CONFIG.rq1.k,
        llm=CONFIG.llm.model_dump(),
        # Not an output: Snakemake would delete it, and what it holds is never asked again.
        ledger=lambda wildcards: ledger_path("rq1", wildcards.corpus),
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
        retrieval=f"{RQ1}/measured/retrieval.parquet",
        latency=f"{RQ1}/measured/arbitration.parquet",
    output:
        table2=f"{RQ1}/table2.csv",
        latency=f"{RQ1}/measured/latency.csv",
    params:
        k=CONFIG.rq1.k,
        intervals=CONFIG.intervals.model_dump(),
        code=EVALUATION_CODE,
    script:
        "../scripts/rq1_table2.py"


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

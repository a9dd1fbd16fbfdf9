RQ3_TABLES = [
    "table4",
    "table5",
    "table5_hits",
    "table5_summary",
    "power",
    "recall",
    "k_sensitivity",
    "k_validation",
    "context_windows",
    "full_catalog_tokens",
]


rule rq3_k_validation:
    input:
        hits=f"{RQ3}/validation_hits.csv",
        about=f"{CORPORA}/corpus.json",
    output:
        f"{RQ3}/k_validation.csv",
    params:
        rq3=CONFIG.rq3.model_dump(),
        intervals=CONFIG.intervals.model_dump(),
        code=EVALUATION_CODE,
    script:
        "../scripts/rq3_k_validation.py"


rule rq3_context:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        sides=f"{RQ3_DOCUMENTS}/sides.parquet",
        documents=f"{RQ3_DOCUMENTS}/documents.parquet",
        cards=f"{RQ3_DOCUMENTS}/cards.parquet",
        about=f"{CORPORA}/corpus.json",
    output:
        windows=f"{RQ3}/context_windows.csv",
        tokens=f"{RQ3}/full_catalog_tokens.csv",
    params:
        rq3=CONFIG.rq3.model_dump(),
        max_output_tokens=CONFIG.llm.max_output_tokens,
        prompt=CONFIG.llm.prompt,
        code=RQ3_CODE,
        evaluation=EVALUATION_CODE,
        prompts=SELECTION_CODE,
    script:
        "../scripts/rq3_context.py"


rule rq3_tables:
    input:
        arbitration=f"{RQ3}/arbitration.parquet",
        arbiter=f"{RQ3}/arbiter.json",
        depths=f"{RQ3}/arbitration_depths.parquet",
        pools=f"{RQ3}/pools.parquet",
        retrieval=f"{RQ3}/measured/retrieval.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        about=f"{CORPORA}/corpus.json",
    output:
        table4=f"{RQ3}/table4.csv",
        table5=f"{RQ3}/table5.csv",
        hits=f"{RQ3}/table5_hits.csv",
        summary=f"{RQ3}/table5_summary.csv",
        power=f"{RQ3}/power.csv",
        k_sensitivity=f"{RQ3}/k_sensitivity.csv",
    params:
        rq3=CONFIG.rq3.model_dump(),
        intervals=CONFIG.intervals.model_dump(),
        code=EVALUATION_CODE,
    script:
        "../scripts/rq3_tables.py"


rule rq3_latency:
    input:
        retrieval=f"{RQ3}/measured/retrieval.parquet",
        arbitration=f"{RQ3}/measured/arbitration.parquet",
    output:
        f"{RQ3}/measured/latency.csv",
    params:
        code=EVALUATION_CODE,
    script:
        "../scripts/selection_latency.py"


rule rq3_recall:
    input:
        table4=f"{RQ3}/table4.csv",
        expected="expected/ssr.yaml",
    output:
        f"{RQ3}/recall.csv",
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/rq3_recall.py"


rule rq3_figures:
    input:
        table4=f"{RQ3}/table4.csv",
        windows=f"{RQ3}/context_windows.csv",
        tokens=f"{RQ3}/full_catalog_tokens.csv",
        k_sensitivity=f"{RQ3}/k_sensitivity.csv",
        k_validation=f"{RQ3}/k_validation.csv",
        latency=f"{RQ3}/measured/latency.csv",
    output:
        figures=expand(
            f"{RQ3}/figures/{{figure}}.{{form}}",
            figure=["recall_accuracy", "tokens", "budget"],
            form=["svg", "pdf", "png"],
            allow_missing=True,
        ),
        measured=expand(
            f"{RQ3}/measured/latency.{{form}}", form=["svg", "pdf", "png"], allow_missing=True
        ),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/rq3_figures.py"


rule rq3_render:
    input:
        tables=expand(f"{RQ3}/{{table}}.csv", table=RQ3_TABLES, allow_missing=True),
        about=f"{CORPORA}/corpus.json",
    output:
        md=expand(f"{RQ3}/{{table}}.md", table=RQ3_TABLES, allow_missing=True),
        tex=expand(f"{RQ3}/{{table}}.tex", table=RQ3_TABLES, allow_missing=True),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/render_tables.py"


rule rq3_provenance:
    input:
        tables=expand(f"{RQ3}/{{table}}.csv", table=RQ3_TABLES, allow_missing=True),
        arbiter=f"{RQ3}/arbiter.json",
        about=f"{CORPORA}/corpus.json",
    output:
        f"{RQ3}/provenance.json",
    params:
        config=CONFIG.model_dump(),
    script:
        "../scripts/provenance.py"


rule rq3:
    input:
        expand(rules.rq3_provenance.input.tables, corpus=CORPUS),
        expand(rules.rq3_render.output, corpus=CORPUS),
        expand(rules.rq3_figures.output, corpus=CORPUS),
        expand(f"{RQ3}/provenance.json", corpus=CORPUS),

RQ2 = f"{RESULTS}/rq2/{{corpus}}"
RQ2_ALL = ["tfidf", "bm25", "overlap", "ssr"]
RQ2_METHODS = ["tfidf", "bm25", "overlap", "full_scan", "ssr"]
RQ2_TABLES = [
    "table3",
    "table3_sample",
    "table3_by_source",
    "comparison",
    "equivalence",
    "search_forms",
    "candidates_by_size",
    "ties",
]
RQ2_FIGURES = ["effectiveness", "candidates_by_size"]
RETRIEVAL_CODE = code_digest("retrieval", "card_store.py", "signals.py", "evaluation/samples.py")
EVALUATION_CODE = code_digest("evaluation", "files.py")
REPORTING_CODE = code_digest("reporting", "files.py")


rule retrieve:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        isi=f"{INDEX}/isi",
        bm25=f"{INDEX}/bm25",
    output:
        run=f"{RQ2}/runs/{{method}}.parquet",
        trec=f"{RQ2}/runs/{{method}}.trec",
        candidates=f"{RQ2}/runs/{{method}}_candidates.parquet",
        ties=f"{RQ2}/runs/{{method}}_ties.parquet",
    params:
        sample_only=lambda wildcards: wildcards.method not in RQ2_ALL,
        k=CONFIG.rq2.k,
        sample_size=CONFIG.rq2.sample_size,
        sample_seed=CONFIG.rq2.sample_seed,
        tie_break=CONFIG.tie_break,
        code=RETRIEVAL_CODE,
    script:
        "../scripts/retrieve.py"


rule explain:
    input:
        queries=f"{CORPORA}/queries.parquet",
        cards=f"{CORPORA}/cards.parquet",
        about=f"{CORPORA}/corpus.json",
        isi=f"{INDEX}/isi",
        run=f"{RQ2}/runs/ssr.parquet",
    output:
        f"{RQ2}/explanations.parquet",
    params:
        code=RETRIEVAL_CODE,
    script:
        "../scripts/explain.py"


rule measure:
    input:
        run=f"{RQ2}/runs/{{method}}.parquet",
        candidates=f"{RQ2}/runs/{{method}}_candidates.parquet",
        ties=f"{RQ2}/runs/{{method}}_ties.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
    output:
        f"{RQ2}/measures/{{method}}.parquet",
    params:
        k=CONFIG.rq2.k,
        code=EVALUATION_CODE,
    script:
        "../scripts/measure.py"


rule table3:
    input:
        measures=expand(
            f"{RQ2}/measures/{{method}}.parquet", method=RQ2_METHODS, allow_missing=True
        ),
        ssr=f"{RQ2}/runs/ssr.parquet",
        full_scan=f"{RQ2}/runs/full_scan.parquet",
        queries=f"{CORPORA}/queries.parquet",
        about=f"{CORPORA}/corpus.json",
    output:
        table3=f"{RQ2}/table3.csv",
        sample=f"{RQ2}/table3_sample.csv",
        by_source=f"{RQ2}/table3_by_source.csv",
        comparison=f"{RQ2}/comparison.csv",
        equivalence=f"{RQ2}/equivalence.csv",
    params:
        k=CONFIG.rq2.k,
        intervals=CONFIG.intervals.model_dump(),
        code=EVALUATION_CODE,
    script:
        "../scripts/table3.py"


rule ties:
    input:
        expand(f"{RQ2}/runs/{{method}}_candidates.parquet", method=RQ2_METHODS, allow_missing=True),
    output:
        f"{RQ2}/ties.csv",
    params:
        k=CONFIG.rq2.k,
        code=EVALUATION_CODE,
    script:
        "../scripts/ties.py"


rule candidates_by_size:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        isi=f"{INDEX}/isi",
    output:
        f"{RQ2}/candidates_by_size.csv",
    params:
        sample_size=CONFIG.rq2.sample_size,
        sample_seed=CONFIG.rq2.sample_seed,
        code=RETRIEVAL_CODE,
    script:
        "../scripts/candidates_by_size.py"


rule search_forms:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        isi=f"{INDEX}/isi",
    output:
        f"{RQ2}/search_forms.csv",
    params:
        k=CONFIG.rq2.k,
        sample_size=CONFIG.rq2.sample_size,
        sample_seed=CONFIG.rq2.sample_seed,
        tie_break=CONFIG.tie_break,
        code=RETRIEVAL_CODE,
    script:
        "../scripts/search_forms.py"


rule latency:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        isi=f"{INDEX}/isi",
        bm25=f"{INDEX}/bm25",
    output:
        rows=f"{RQ2}/measured/latency.parquet",
        summary=f"{RQ2}/measured/latency.csv",
    # Alone on the machine: other jobs beside it would be measured too.
    threads: workflow.cores
    params:
        k=CONFIG.rq2.k,
        sample_size=CONFIG.rq2.sample_size,
        sample_seed=CONFIG.rq2.sample_seed,
        repeats=CONFIG.rq2.latency_repeats,
        tie_break=CONFIG.tie_break,
        code=code_digest("retrieval", "signals.py", "evaluation/latency.py"),
    script:
        "../scripts/latency.py"


rule rq2_figures:
    input:
        table3=f"{RQ2}/table3.csv",
        candidates_by_size=f"{RQ2}/candidates_by_size.csv",
    output:
        expand(
            f"{RQ2}/figures/{{figure}}.{{form}}",
            figure=RQ2_FIGURES,
            form=["svg", "pdf", "png"],
            allow_missing=True,
        ),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/rq2_figures.py"


rule rq2_render:
    input:
        tables=expand(f"{RQ2}/{{table}}.csv", table=RQ2_TABLES, allow_missing=True),
        about=f"{CORPORA}/corpus.json",
    output:
        md=expand(f"{RQ2}/{{table}}.md", table=RQ2_TABLES, allow_missing=True),
        tex=expand(f"{RQ2}/{{table}}.tex", table=RQ2_TABLES, allow_missing=True),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/render_tables.py"


rule rq2_provenance:
    input:
        tables=expand(f"{RQ2}/{{table}}.csv", table=RQ2_TABLES, allow_missing=True),
        about=f"{CORPORA}/corpus.json",
    output:
        f"{RQ2}/provenance.json",
    params:
        config=CONFIG.model_dump(),
    script:
        "../scripts/provenance.py"


rule rq2:
    input:
        expand(rules.rq2_provenance.input.tables, corpus=CORPUS),
        expand(rules.rq2_render.output, corpus=CORPUS),
        expand(rules.rq2_figures.output, corpus=CORPUS),
        expand(f"{RQ2}/explanations.parquet", corpus=CORPUS),
        expand(f"{RQ2}/measured/latency.csv", corpus=CORPUS),
        expand(f"{RQ2}/provenance.json", corpus=CORPUS),

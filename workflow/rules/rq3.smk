RQ3 = f"{RESULTS}/rq3/{{corpus}}"
RQ3_DOCUMENTS = f"{RQ3}/documents"
RQ3_CODE = code_digest(
    "corpora/registries.py",
    "corpora/rq3_documents.py",
    "evaluation/depth.py",
    "evaluation/samples.py",
    "evaluation/sides.py",
    "retrieval",
    "signals.py",
)


rule rq3_documents:
    input:
        cards=f"{CORPORA}/cards.parquet",
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        about=f"{CORPORA}/corpus.json",
    output:
        sides=f"{RQ3_DOCUMENTS}/sides.parquet",
        documents=f"{RQ3_DOCUMENTS}/documents.parquet",
        cards=f"{RQ3_DOCUMENTS}/cards.parquet",
    # Memory is bounded, whatever the collection's size: the file has the peak (max_rss, in MB).
    benchmark:
        f"{RQ3_DOCUMENTS}/measured/documents.tsv"
    params:
        rq3=CONFIG.rq3.model_dump(),
        code=RQ3_CODE,
    script:
        "../scripts/rq3_documents.py"


use rule isi as rq3_isi with:
    input:
        cards=f"{RQ3_DOCUMENTS}/cards.parquet",
    output:
        directory(f"{RQ3_DOCUMENTS}/isi"),
    benchmark:
        f"{RQ3_DOCUMENTS}/measured/isi_build.tsv"


rule rq3_pools:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        sides=f"{RQ3_DOCUMENTS}/sides.parquet",
        documents=f"{RQ3_DOCUMENTS}/documents.parquet",
        isi=f"{RQ3_DOCUMENTS}/isi",
    output:
        pools=f"{RQ3}/pools.parquet",
        retrieval=f"{RQ3}/measured/retrieval.parquet",
    # Alone on the machine: its latencies are reported.
    threads: workflow.cores
    params:
        rq3=CONFIG.rq3.model_dump(),
        tie_break=CONFIG.tie_break,
        code=RQ3_CODE,
    script:
        "../scripts/rq3_pools.py"


rule rq3_arbitrate:
    input:
        queries=f"{CORPORA}/queries.parquet",
        cards=f"{RQ3_DOCUMENTS}/cards.parquet",
        pools=f"{RQ3}/pools.parquet",
        retrieval=f"{RQ3}/measured/retrieval.parquet",
    output:
        arbitration=f"{RQ3}/arbitration.parquet",
        arbiter=f"{RQ3}/arbiter.json",
        latency=f"{RQ3}/measured/arbitration.parquet",
    threads: workflow.cores
    params:
        k=CONFIG.rq3.k,
        method_order_seed=CONFIG.rq3.seed,
        llm=CONFIG.llm.model_dump(),
        ledger=lambda wildcards: ledger_path("rq3", wildcards.corpus, CONFIG),
        code=SELECTION_CODE,
    script:
        "../scripts/arbitrate.py"


# The same ledger: what Table IV asked at its own K is not asked again.
rule rq3_arbitrate_depths:
    input:
        queries=f"{CORPORA}/queries.parquet",
        cards=f"{RQ3_DOCUMENTS}/cards.parquet",
        pools=f"{RQ3}/pools.parquet",
        retrieval=f"{RQ3}/measured/retrieval.parquet",
        first=f"{RQ3}/arbitration.parquet",
    output:
        f"{RQ3}/arbitration_depths.parquet",
    threads: workflow.cores
    params:
        rq3=CONFIG.rq3.model_dump(),
        llm=CONFIG.llm.model_dump(),
        ledger=lambda wildcards: ledger_path("rq3", wildcards.corpus, CONFIG),
        code=SELECTION_CODE,
    script:
        "../scripts/rq3_arbitrate_depths.py"


rule rq3_validation:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        sides=f"{RQ3_DOCUMENTS}/sides.parquet",
        documents=f"{RQ3_DOCUMENTS}/documents.parquet",
        isi=f"{RQ3_DOCUMENTS}/isi",
    output:
        f"{RQ3}/validation_hits.csv",
    params:
        rq3=CONFIG.rq3.model_dump(),
        tie_break=CONFIG.tie_break,
        code=RQ3_CODE,
    script:
        "../scripts/rq3_validation.py"

ROBUSTNESS = f"{RESULTS}/robustness/{{corpus}}"
# An LLM selects here, retrieval alone is looked at on the corpus that was asked for as well.
ARBITRATED_CORPUS = "agentbench"
ROBUSTNESS_CORPORA = [ARBITRATED_CORPUS, *({CORPUS} - {ARBITRATED_CORPUS})]
PROMPTS = ["plain", "hardened"]
ROBUSTNESS_CODE = code_digest(
    "arbitration", "corpora", "evaluation", "retrieval", "robustness", "signals.py"
)


# The queries, and where it is not all of them the cards of a registry.
ROBUSTNESS_SETTINGS = {
    corpus: CONFIG.robustness.on(corpus == ARBITRATED_CORPUS) for corpus in ROBUSTNESS_CORPORA
}


rule robustness_cards:
    input:
        cards=f"{CORPORA}/cards.parquet",
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
    output:
        honest=f"{ROBUSTNESS}/cards/honest.parquet",
        cards=f"{ROBUSTNESS}/cards/all.parquet",
        plants=f"{ROBUSTNESS}/cards/plants.parquet",
    params:
        settings=lambda wildcards: ROBUSTNESS_SETTINGS[wildcards.corpus],
        code=ROBUSTNESS_CODE,
    script:
        "../scripts/robustness_cards.py"


use rule isi as robustness_isi with:
    input:
        cards=f"{ROBUSTNESS}/cards/all.parquet",
    output:
        directory(f"{ROBUSTNESS}/isi/capped"),
    benchmark:
        f"{ROBUSTNESS}/measured/isi_build.tsv"


use rule isi as robustness_isi_uncapped with:
    input:
        cards=f"{ROBUSTNESS}/cards/all.parquet",
    output:
        directory(f"{ROBUSTNESS}/isi/uncapped"),
    benchmark:
        f"{ROBUSTNESS}/measured/isi_uncapped_build.tsv"
    params:
        max_signals=NO_CAP,
        code=ROBUSTNESS_CODE,


rule robustness_pools:
    input:
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        honest=f"{ROBUSTNESS}/cards/honest.parquet",
        plants=f"{ROBUSTNESS}/cards/plants.parquet",
        capped=f"{ROBUSTNESS}/isi/capped",
        uncapped=f"{ROBUSTNESS}/isi/uncapped",
        about=f"{CORPORA}/corpus.json",
    output:
        pools=f"{ROBUSTNESS}/pools.parquet",
        reach=f"{ROBUSTNESS}/reach.csv",
    params:
        settings=lambda wildcards: ROBUSTNESS_SETTINGS[wildcards.corpus],
        tie_break=CONFIG.tie_break,
        code=ROBUSTNESS_CODE,
    script:
        "../scripts/robustness_pools.py"


rule robustness_arbitrate:
    input:
        queries=f"{CORPORA}/queries.parquet",
        cards=f"{ROBUSTNESS}/cards/all.parquet",
        pools=f"{ROBUSTNESS}/pools.parquet",
    output:
        records=f"{ROBUSTNESS}/arbitration_{{prompt}}.parquet",
        arbiter=f"{ROBUSTNESS}/arbiter_{{prompt}}.json",
    wildcard_constraints:
        prompt="|".join(PROMPTS),
    # One at a time: a ledger takes one run.
    threads: workflow.cores
    params:
        settings=CONFIG.robustness.model_dump(),
        llm=CONFIG.llm.model_dump(),
        ledger=lambda wildcards: ledger_path("robustness", wildcards.corpus, CONFIG),
        code=ROBUSTNESS_CODE,
    script:
        "../scripts/robustness_arbitrate.py"


rule robustness_claims:
    input:
        cards=f"{GRAPH_DATA}/cards.parquet",
        queries=f"{GRAPH_DATA}/queries.parquet",
        requests=f"{GRAPH}/requests.parquet",
        labels=f"{GRAPH}/labels.parquet",
        vectors=lambda wildcards: by_encoder(f"{GRAPH}/vectors/{{encoder}}.parquet", ENCODERS)(
            wildcards
        ),
    output:
        f"{ROBUSTNESS}/claims.csv",
    params:
        encoders=lambda wildcards: ENCODERS[wildcards.corpus],
        graph=CONFIG.graph.model_dump(),
        tie_break=CONFIG.tie_break,
        max_signals=CONFIG.max_signals,
        code=ROBUSTNESS_CODE,
    script:
        "../scripts/robustness_claims.py"

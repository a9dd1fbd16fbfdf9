rule corpus:
    input:
        lambda wildcards: corpus_files(
            SPECS[wildcards.corpus], LEVELS.get(wildcards.corpus, CONFIG.card_level)
        ),
    output:
        cards=f"{CORPORA}/cards.parquet",
        queries=f"{CORPORA}/queries.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
        about=f"{CORPORA}/corpus.json",
    params:
        spec=lambda wildcards: SPECS[wildcards.corpus],
        level=lambda wildcards: LEVELS.get(wildcards.corpus, CONFIG.card_level),
        seed=CONFIG.rq1.seed,
        code=code_digest("corpora", "cards.py", "files.py"),
    script:
        "../scripts/corpus.py"

rule isi:
    input:
        cards=f"{CORPORA}/cards.parquet",
    output:
        directory(f"{INDEX}/isi"),
    benchmark:
        f"{INDEX}/measured/isi_build.tsv"
    params:
        max_signals=CONFIG.max_signals,
        code=code_digest("retrieval", "cards.py", "card_store.py", "signals.py"),
    script:
        "../scripts/isi.py"


rule fts:
    input:
        cards=f"{CORPORA}/cards.parquet",
    output:
        f"{INDEX}/bm25.sqlite",
    benchmark:
        f"{INDEX}/measured/bm25_build.tsv"
    params:
        code=code_digest("retrieval", "cards.py", "card_store.py", "signals.py"),
    script:
        "../scripts/fts.py"

rule isi:
    input:
        cards=f"{CORPORA}/cards.parquet",
        about=f"{CORPORA}/corpus.json",
    output:
        directory(f"{INDEX}/isi"),
    benchmark:
        f"{INDEX}/measured/isi_build.tsv"
    params:
        max_signals=CONFIG.max_signals,
        code=code_digest("retrieval", "cards.py", "card_store.py", "signals.py"),
    script:
        "../scripts/isi.py"


rule bm25:
    input:
        cards=f"{CORPORA}/cards.parquet",
    output:
        directory(f"{INDEX}/bm25"),
    benchmark:
        f"{INDEX}/measured/bm25_build.tsv"
    params:
        engine=CONFIG.bm25.engine,
        code=code_digest("retrieval", "cards.py", "card_store.py", "signals.py"),
    script:
        "../scripts/bm25.py"

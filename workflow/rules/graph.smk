GRAPH = f"{RESULTS}/graph/{{corpus}}"
GRAPH_DATA = f"{RESULTS}/corpora/{{corpus}}-graph"
GRAPH_CODE = code_digest("retrieval", "cards.py", "files.py", "signals.py")
# The sets with agents, tools and labels, and the one that was asked for.
GRAPH_SETS = [LIVEMCPBENCH, "stabletoolbench", "toolalpaca", "mcpproxy_golden"]
GRAPH_SPECS = {slug(spec): spec for spec in [*GRAPH_SETS, graph_spec(CONFIG)]}
GRAPH_CORPUS = slug(graph_spec(CONFIG))
ENCODERS = {corpus: graph_encoders(spec, CONFIG) for corpus, spec in GRAPH_SPECS.items()}
ENCODER_NAMES = {folder_of(name): name for names in ENCODERS.values() for name in names}

SPECS |= {f"{corpus}-graph": spec for corpus, spec in GRAPH_SPECS.items()}
LEVELS |= {f"{corpus}-graph": "graph" for corpus in GRAPH_SPECS}
RECORDED = [path for path in [f"{RECORDINGS}/manifest.json"] if Path(path).is_file()]


rule graph_data:
    input:
        lambda wildcards: data_files(graph_files(GRAPH_SPECS[wildcards.corpus])),
        cards=f"{GRAPH_DATA}/cards.parquet",
        qrels=f"{GRAPH_DATA}/qrels.parquet",
    output:
        nodes=f"{GRAPH}/nodes.parquet",
        labels=f"{GRAPH}/labels.parquet",
        requests=f"{GRAPH}/requests.parquet",
    params:
        spec=lambda wildcards: GRAPH_SPECS[wildcards.corpus],
        code=code_digest("corpora", "evaluation/graph_tables.py", "retrieval/graph.py"),
    script:
        "../scripts/graph_data.py"


rule graph_embed:
    input:
        # It holds the checksums of all recorded vectors.
        manifest=RECORDED,
        nodes=f"{GRAPH}/nodes.parquet",
        queries=f"{GRAPH_DATA}/queries.parquet",
        requests=f"{GRAPH}/requests.parquet",
    output:
        vectors=f"{GRAPH}/vectors/{{encoder}}.parquet",
        about=f"{GRAPH}/vectors/{{encoder}}.json",
    params:
        encoder=lambda wildcards: ENCODER_NAMES[wildcards.encoder],
        graph=CONFIG.graph.model_dump(),
        # Not an output: Snakemake would delete it, and a vector is never made twice.
        kept=f"{RESULTS}/embeddings/{{encoder}}",
        code=GRAPH_CODE,
    script:
        "../scripts/graph_embed.py"


rule graph_dense:
    input:
        nodes=f"{GRAPH}/nodes.parquet",
        queries=f"{GRAPH_DATA}/queries.parquet",
        requests=f"{GRAPH}/requests.parquet",
        vectors=f"{GRAPH}/vectors/{{encoder}}.parquet",
    output:
        agents=f"{GRAPH}/runs/dense/{{encoder}}.parquet",
        nodes=f"{GRAPH}/runs/dense_nodes/{{encoder}}.parquet",
    params:
        encoder=lambda wildcards: ENCODER_NAMES[wildcards.encoder],
        graph=CONFIG.graph.model_dump(),
        code=GRAPH_CODE,
    script:
        "../scripts/graph_dense.py"


rule graph_lexical:
    input:
        cards=f"{GRAPH_DATA}/cards.parquet",
        queries=f"{GRAPH_DATA}/queries.parquet",
        requests=f"{GRAPH}/requests.parquet",
    output:
        f"{GRAPH}/runs/lexical.parquet",
    params:
        k=CONFIG.graph.k,
        tie_break=CONFIG.tie_break,
        max_signals=CONFIG.max_signals,
        code=GRAPH_CODE,
    script:
        "../scripts/graph_lexical.py"


rule record_embeddings:
    name:
        "record-embeddings"
    input:
        nodes=expand(f"{GRAPH}/nodes.parquet", corpus=GRAPH_SETS),
        queries=expand(f"{GRAPH_DATA}/queries.parquet", corpus=GRAPH_SETS),
        requests=expand(f"{GRAPH}/requests.parquet", corpus=GRAPH_SETS),
    params:
        corpora=GRAPH_SETS,
        models=CONFIG.graph.models,
        recordings=RECORDINGS,
    script:
        "../scripts/record_embeddings.py"

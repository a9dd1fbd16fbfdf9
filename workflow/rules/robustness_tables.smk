ROBUSTNESS_TABLES = [
    *(f"{corpus}/reach" for corpus in ROBUSTNESS_CORPORA),
    f"{ARBITRATED_CORPUS}/choice",
    f"{LIVEMCPBENCH}/claims",
]
# A corpus's corpus.json stands under this name.
ROBUSTNESS_SOURCES = {
    **{corpus: corpus for corpus in ROBUSTNESS_CORPORA},
    LIVEMCPBENCH: f"{LIVEMCPBENCH}-graph",
}


rule robustness_choice:
    input:
        records=expand(
            f"{ROBUSTNESS}/arbitration_{{prompt}}.parquet", prompt=PROMPTS, allow_missing=True
        ),
        arbiter=f"{ROBUSTNESS}/arbiter_{PROMPTS[0]}.json",
        pools=f"{ROBUSTNESS}/pools.parquet",
        qrels=f"{CORPORA}/qrels.parquet",
    output:
        f"{ROBUSTNESS}/choice.csv",
    params:
        code=ROBUSTNESS_CODE,
    script:
        "../scripts/robustness_choice.py"


rule robustness_render:
    input:
        f"{ROBUSTNESS}/{{table}}.csv",
    output:
        md=f"{ROBUSTNESS}/{{table}}.md",
        tex=f"{ROBUSTNESS}/{{table}}.tex",
        figures=expand(
            f"{ROBUSTNESS}/figures/{{table}}.{{form}}",
            form=["svg", "pdf", "png"],
            allow_missing=True,
        ),
    wildcard_constraints:
        table="reach|choice|claims",
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/robustness_render.py"


rule robustness_provenance:
    input:
        about=lambda wildcards: (
            f"{RESULTS}/corpora/{ROBUSTNESS_SOURCES[wildcards.corpus]}/corpus.json"
        ),
        arbiter=lambda wildcards: (
            f"{RESULTS}/robustness/{wildcards.corpus}/arbiter_{PROMPTS[0]}.json"
            if wildcards.corpus == ARBITRATED_CORPUS
            else []
        ),
    output:
        f"{ROBUSTNESS}/provenance.json",
    params:
        config=CONFIG.model_dump(),
    script:
        "../scripts/provenance.py"


rule robustness:
    input:
        [f"{RESULTS}/robustness/{table}.md" for table in ROBUSTNESS_TABLES],
        [
            f"{RESULTS}/robustness/{Path(table).parent}/provenance.json"
            for table in ROBUSTNESS_TABLES
        ],

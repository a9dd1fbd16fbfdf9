# Each notebook, the corpus that it is about, and the results that it reads.
NOTEBOOKS = {
    "rq1": (CORPUS, rules.rq1.input),
    "rq2": (CORPUS, rules.rq2.input),
    "rq3": (CORPUS, rules.rq3.input),
    "graph": (GRAPH_CORPUS, rules.graph.input),
}


rule notebook:
    input:
        # The verdicts take the tables of all research questions.
        lambda wildcards: NOTEBOOKS[wildcards.notebook][1],
        rules.verdicts.output.csv,
        rules.graph_verdicts.output.csv,
        notebook="notebooks/{notebook}.ipynb",
    output:
        notebook=f"{RESULTS}/notebooks/{{corpus}}/{{notebook}}.ipynb",
        page=f"{RESULTS}/notebooks/{{corpus}}/{{notebook}}.html",
    wildcard_constraints:
        notebook="|".join(NOTEBOOKS),
    params:
        values=lambda wildcards: {"profile": CONFIG.profile, "corpus": wildcards.corpus},
        code=code_digest("notebooks", "reporting", "files.py"),
    script:
        "../scripts/notebook.py"


rule notebooks:
    input:
        [
            f"{RESULTS}/notebooks/{corpus}/{notebook}.{form}"
            for notebook, (corpus, _) in NOTEBOOKS.items()
            for form in ("ipynb", "html")
        ],

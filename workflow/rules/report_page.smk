REPORT = f"{RESULTS}/report"
GRAPH_HERE = f"{RESULTS}/graph/{LIVEMCPBENCH}"


rule table6:
    input:
        expected="expected/table6.yaml",
        table3=expand(f"{RQ2}/table3.csv", corpus=CORPUS)[0],
        latency=expand(f"{RQ2}/measured/latency.csv", corpus=CORPUS)[0],
        baselines=f"{GRAPH_HERE}/baselines.csv",
        nodes=f"{GRAPH_HERE}/nodes.parquet",
        vectors=f"{GRAPH_HERE}/vectors/{folder_of(ENCODERS[LIVEMCPBENCH][0])}.parquet",
        isi=expand(f"{INDEX}/isi", corpus=CORPUS)[0],
        bm25=expand(f"{INDEX}/bm25", corpus=CORPUS)[0],
    output:
        systems=multiext(f"{RESULTS}/table6", ".csv", ".md", ".tex"),
        running=multiext(f"{RESULTS}/table6_running", ".csv", ".md", ".tex"),
        timed=multiext(f"{RESULTS}/measured/table6", ".csv", ".md", ".tex"),
    params:
        corpus=LIVEMCPBENCH,
        code=REPORTING_CODE,
    script:
        "../scripts/table6.py"


rule diagrams:
    input:
        table1=expand(rules.rq1_table1.output, corpus="agentbench")[0],
        table3=expand(f"{RQ2}/table3.csv", corpus=CORPUS)[0],
        equivalence=expand(f"{RQ2}/equivalence.csv", corpus=CORPUS)[0],
    output:
        multiext(f"{REPORT}/figures/figure1", ".svg", ".pdf", ".png"),
        multiext(f"{REPORT}/figures/figure2", ".svg", ".pdf", ".png"),
    params:
        code=REPORTING_CODE,
    script:
        "../scripts/diagrams.py"


REPORT_FOLDERS = {"rq1": "agentbench", "rq2": CORPUS, "rq3": CORPUS, "graph": LIVEMCPBENCH}
REAL_MODEL = "results/golden/local-llm"


rule report:
    input:
        [f"{RESULTS}/{name}" for name in page_files(REPORT_FOLDERS)],
        ssr=[rules.verdicts.output.csv, rules.verdicts.output.measured_csv],
        graph=[rules.graph_verdicts.output.csv],
        claims="expected/ssr.yaml",
        graph_claims="expected/agent_as_a_graph.yaml",
        about=f"{RESULTS}/corpora/{CORPUS}/corpus.json",
        # What a checkout has and an installed package alone has not.
        real_model=[str(path) for path in sorted(Path(REAL_MODEL).rglob("*.csv"))],
        cite=[path for path in ["CITATION.cff"] if Path(path).is_file()],
    output:
        f"{REPORT}/report.html",
    params:
        profile=CONFIG.profile,
        folders=REPORT_FOLDERS,
        k=CONFIG.graph.k,
        code=REPORTING_CODE,
    script:
        "../scripts/report_page.py"

rule verdicts:
    input:
        expected="expected/ssr.yaml",
        about=f"{RESULTS}/corpora/{CORPUS}/corpus.json",
        tables=expand(
            f"{RQ2}/{{table}}.csv", corpus=CORPUS, table=["table3", "comparison", "equivalence"]
        ),
        latency=expand(f"{RQ2}/measured/latency.csv", corpus=CORPUS),
        rq1=expand([*rules.rq1_table1.output, *rules.rq1_table2.output], corpus="agentbench"),
        rq1_latency=expand(rules.rq1_latency.output, corpus="agentbench"),
        arbiter=expand(rules.rq1_arbitrate.output.arbiter, corpus="agentbench")[0],
        rq3=expand(rules.rq3_tables.output, corpus=CORPUS),
        k_validation=expand(f"{RQ3}/k_validation.csv", corpus=CORPUS),
        rq3_arbiter=expand(rules.rq3_arbitrate.output.arbiter, corpus=CORPUS)[0],
    output:
        csv=f"{RESULTS}/verdicts/{CORPUS}/verdicts.csv",
        md=f"{RESULTS}/verdicts/{CORPUS}/verdicts.md",
        measured_csv=f"{RESULTS}/verdicts/{CORPUS}/measured/verdicts.csv",
        measured_md=f"{RESULTS}/verdicts/{CORPUS}/measured/verdicts.md",
    params:
        corpus=CORPUS,
        k=CONFIG.rq2.k,
        rq1=CONFIG.rq1.model_dump(),
        rq3=CONFIG.rq3.model_dump(),
        context_window=CONFIG.llm.context_window,
        code=REPORTING_CODE,
    script:
        "../scripts/verdicts.py"


rule check:
    input:
        rules.verdicts.output.csv,
        rules.verdicts.output.measured_csv,
        rules.graph_verdicts.output.csv,
    script:
        "../scripts/check.py"

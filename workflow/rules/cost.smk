# What a live run would spend, of each corpus that an LLM selects from: Table II's, then Table IV's.
ARBITRATED = [("rq1", corpus, CONFIG.rq1.k, []) for corpus in RQ1_QUERIES]
ARBITRATED.append(("rq3", CORPUS, CONFIG.rq3.k, CONFIG.rq3.where_the_llm_selects()))


rule estimate_cost:
    name:
        "estimate-cost"
    input:
        queries=[f"{RESULTS}/corpora/{corpus}/queries.parquet" for _, corpus, *_ in ARBITRATED],
        cards=[f"{RESULTS}/corpora/{corpus}/cards.parquet" for _, corpus, *_ in ARBITRATED],
        pools=[f"{RESULTS}/{rq}/{corpus}/pools.parquet" for rq, corpus, *_ in ARBITRATED],
        retrieval=[
            f"{RESULTS}/{rq}/{corpus}/measured/retrieval.parquet" for rq, corpus, *_ in ARBITRATED
        ],
    params:
        targets=[f"{rq} {corpus}" for rq, corpus, *_ in ARBITRATED],
        ledgers=[ledger_path(rq, corpus, CONFIG) for rq, corpus, *_ in ARBITRATED],
        budgets=[k for *_, k, _ in ARBITRATED],
        depths=[depths for *_, depths in ARBITRATED],
        llm=CONFIG.llm.model_dump(),
    script:
        "../scripts/estimate_cost.py"

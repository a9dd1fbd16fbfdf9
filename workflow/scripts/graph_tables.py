import pandas as pd

from agent_discovery.config import Graph, Intervals
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.graph_report import Report
from agent_discovery.files import write_csv
from agent_discovery.reporting.published import published_encoders
from agent_discovery.retrieval.graph_methods import compared

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    graph = Graph(**params.graph)
    report = Report(
        runs=pd.concat([pd.read_parquet(path) for path in [*given.agents, given.lexical]]),
        shown=pd.concat([pd.read_parquet(path) for path in given.shown]),
        labels=pd.read_parquet(given.labels),
        nodes=pd.read_parquet(given.nodes),
        queries=pd.read_parquet(given.queries),
        encoders=params.encoders,
        compared=compared(graph),
        graph=graph,
        intervals=Intervals(**params.intervals),
    )
    tables = report.tables(published_encoders(given.expected))
    for name, table in tables.items():
        write_csv(snakemake.output[name], table)

import pandas as pd
import pyarrow as pa

from agent_discovery.card_store import CardStore
from agent_discovery.corpora.graph_data import (
    LABELS_SCHEMA,
    PRIMARY,
    TOOLS,
    other_labels,
    route_requests,
)
from agent_discovery.errors import one_line_errors
from agent_discovery.evaluation.graph_tables import agent_labels
from agent_discovery.evaluation.samples import eligible_queries
from agent_discovery.files import write_table
from agent_discovery.retrieval.graph import AgentGraph

with one_line_errors():
    store = CardStore(snakemake.input.cards)
    graph = AgentGraph.from_cards(card for _, card in store.cards(range(len(store))))
    qrels = pd.read_parquet(snakemake.input.qrels)
    eligible_queries(qrels)  # without any there is nothing to compare
    owners = {node.id: node.owner for node in graph.nodes}
    others = other_labels(snakemake.params.spec).to_pandas()
    parts = [agent_labels(qrels, owners).assign(labels=PRIMARY)]
    for kind, judged in others.groupby("labels", sort=False):
        # Of labelled tools only the number is of interest here.
        walked = judged if kind == TOOLS else agent_labels(judged, owners)
        parts.append(walked.assign(labels=kind))
    labels = pa.Table.from_pandas(pd.concat(parts)[LABELS_SCHEMA.names], LABELS_SCHEMA, False)
    write_table(snakemake.output.nodes, graph.table)
    write_table(snakemake.output.labels, labels)
    write_table(snakemake.output.requests, route_requests(snakemake.params.spec))

from pathlib import Path

import pandas as pd

from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv
from agent_discovery.reporting.graph_figures import shares_figure, weights_figure
from agent_discovery.reporting.graph_picture import graph_picture
from agent_discovery.reporting.graphml import agents, relevance, write_graphml

with one_line_errors():
    given, params = snakemake.input, snakemake.params
    folder = Path(snakemake.output.figures[0]).parent
    nodes, labels = pd.read_parquet(given.nodes), pd.read_parquet(given.labels)
    relevant = relevance(labels[labels["labels"] == params.labels])
    weights_figure(pd.read_csv(given.weights), folder / "weights", params.corpus)
    shares_figure(pd.read_csv(given.shares), folder / "shares", params.corpus)
    graph_picture(nodes, relevant, folder / "graph", params.corpus)
    write_csv(snakemake.output.agents, agents(nodes, relevant))
    write_graphml(snakemake.output.graphml, nodes, relevant)

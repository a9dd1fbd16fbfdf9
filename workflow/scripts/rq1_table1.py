from agent_discovery.corpora.agentbench.generator import generate_agents
from agent_discovery.corpora.agentbench.queries import generate_queries
from agent_discovery.corpora.agentbench.stats import table_one_rows
from agent_discovery.errors import one_line_errors
from agent_discovery.files import write_csv

with one_line_errors():
    seed = snakemake.params.seed
    paraphrased = snakemake.wildcards.corpus == "agentbench-paraphrased"
    write_csv(
        snakemake.output[0],
        table_one_rows(generate_agents(seed), generate_queries(seed), paraphrased),
    )

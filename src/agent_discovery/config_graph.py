"""The configuration of Agent-as-a-Graph."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from agent_discovery.config_section import BaseUrl, FilePath, Section, VariableName

Encoder = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]*$")]
Weight = Annotated[float, Field(gt=0, le=1_000_000)]  # sums of these stay finite
Labels = Literal["primary", "lenient", "strict", "used"]


class Graph(Section):
    """Agent-as-a-Graph: agents and their tools as nodes of one graph."""

    corpus: str | None = Field(
        None,
        min_length=1,
        description="what `snakemake graph` runs on; null is `corpus` where that is not its "
        "default, else `livemcpbench`, on which the paper's figures were made",
    )
    labels: Labels = Field(
        "primary",
        description="labels that the tables are made for: `primary`, or where the corpus has them "
        "`lenient` and `strict` (how annotated tool names are resolved) or `used` (the agents that "
        "a model really used)",
    )
    nodes: int = Field(50, gt=0, description="nodes N retrieved for a query")
    k: int = Field(5, gt=0, description="budget K: agents returned at most")
    rrf_k: int = Field(60, ge=0, le=1_000_000, description="constant k of reciprocal rank fusion")
    agent_weight: Weight = Field(
        1.5, description="weight of agent nodes in type-specific fusion (the paper's optimum)"
    )
    tool_weight: Weight = Field(1.0, description="weight of tool nodes")
    sweep: tuple[tuple[Weight, Weight], ...] = Field(
        (
            (3, 1), (2.5, 1), (2, 1), (1.5, 1), (1.1, 1), (1, 1),
            (1, 1.1), (1, 1.5), (1, 2), (1, 2.5), (1, 3),
        ),
        min_length=1,
        description="agent and tool weights that `weights` compares",
    )  # fmt: skip
    encoders: tuple[Encoder, ...] | None = Field(
        None,
        min_length=1,
        description="embedding models, the first for the baselines; null is those whose vectors "
        "of the corpus ship, or `all-MiniLM-L6-v2`",
    )
    models: FilePath = Field(
        "models",
        description="folder of sentence-transformers models by name, for texts without a recorded "
        "vector (the `dense` extra; nothing is downloaded)",
    )
    base_url: BaseUrl | None = Field(
        None,
        description="OpenAI-compatible server to ask for vectors that are not recorded, which may "
        "cost money; null asks none. It holds no key",
    )
    api_key_variable: VariableName | None = Field(
        "OPENAI_API_KEY",
        description="name of the environment variable that holds the server's key; null for a "
        "server that needs none",
    )

"""SSR-AgentBench as a corpus: its cards with the plain queries, or with the paraphrased ones."""

import hashlib
import json
from typing import Any

from agent_discovery.cards import Judgment, Query
from agent_discovery.config import CardLevel
from agent_discovery.corpora.agentbench.generator import SEED, SOURCE, generate_agents
from agent_discovery.corpora.agentbench.material import material_files
from agent_discovery.corpora.agentbench.queries import generate_queries
from agent_discovery.corpora.corpus import Corpus
from agent_discovery.errors import InputError

AGENTBENCH = SOURCE
PARAPHRASED = f"{SOURCE}-paraphrased"
GENERATED = (AGENTBENCH, PARAPHRASED)

NOTES = [
    "generated from seed {seed}: the authors' own cards and queries are not public, so these are "
    "made to the published statistics, and card length is calibrated to the published tokens",
    "each query has one judged card, which alone satisfies everything that the query asks for",
]


def load_agentbench(spec: str, level: CardLevel = "auto", seed: int = SEED) -> Corpus:
    """Generate the benchmark; `spec` says which wording of the queries."""
    if level == "tool":
        raise InputError(f"{spec}: its cards are agents: set card_level to agent or auto")
    agents = generate_agents(seed).agents
    queries = generate_queries(seed)
    texts = {q.qid: q.paraphrased if spec == PARAPHRASED else q.text for q in queries}
    return Corpus(
        spec=spec,
        cards=[agent.card for agent in agents],
        queries=[Query(qid, text, (), SOURCE) for qid, text in texts.items()],
        qrels=[Judgment(query.qid, query.target, 1) for query in queries],
        total=len(agents),
        checksums={
            "agents": digest([agent.a2a for agent in agents]),
            "queries": digest(list(texts.items())),
        },
        notes=[note.format(seed=seed) for note in NOTES],
    )


def generated_files() -> list[str]:
    """The files that the benchmark is made from."""
    return [str(file) for file in material_files()]


def digest(value: Any) -> str:
    """SHA-256 of a value as JSON."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()

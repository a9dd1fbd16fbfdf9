"""What RQ3 reads of a corpus: its queries, in three sides that share none, and their documents."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from tqdm import tqdm

from agent_discovery.cards import CARDS_SCHEMA
from agent_discovery.config import Rq3
from agent_discovery.corpora.irds import MSMARCO_DEV_SMALL
from agent_discovery.corpora.registries import (
    SAMPLE_SEED,
    SAMPLE_SIZE,
    Documents,
    check_msmarco_sample,
    query_sample,
)
from agent_discovery.files import rows_table, written_aside

# End-to-end selection; the choice of K; and the one evaluation of the K chosen.
SELECTION, VALIDATION, TEST = "selection", "validation", "test"
SIDES_SCHEMA = pa.schema([("side", pa.string()), ("seed", pa.int64()), ("qid", pa.string())])
DOCUMENTS_SCHEMA = pa.schema([("seed", pa.int64()), ("id", pa.string())])


def choose_queries(eligible: Sequence[str], rq3: Rq3, corpus: Mapping[str, Any]) -> pa.Table:
    """The queries of each side in the order drawn, as `SIDES_SCHEMA`; the sides share no query.

    eligible: ids with a positive judgment; corpus: the content of corpus.json. Validation and test
    get as many queries each, and halve what the sample leaves where it is less than asked for.
    """
    sample = query_sample(eligible, rq3.sample_size, rq3.seed)
    is_published = corpus["corpus"] == f"irds:{MSMARCO_DEV_SMALL}" and corpus["real"]
    if is_published and (rq3.seed, rq3.sample_size) == (SAMPLE_SEED, SAMPLE_SIZE):
        check_msmarco_sample(sample)
    rest = set(eligible) - set(sample)
    size = min(rq3.validation_size, len(rest) // 2)
    validation = query_sample(rest, size, rq3.validation_seed)
    test = query_sample(rest - set(validation), size, rq3.validation_seed)
    rows = [(SELECTION, rq3.seed, qid) for qid in sample]
    rows += [(VALIDATION, rq3.validation_seed, qid) for qid in validation]
    rows += [(TEST, rq3.validation_seed, qid) for qid in test]
    return rows_table(rows, SIDES_SCHEMA)


def choose_documents(
    cards: str | Path, required: Mapping[int, Collection[str]]
) -> dict[int, list[str]]:
    """Each seed's documents, in one pass over the ids of a cards file; memory is bounded.

    required: by seed, the cards that must be there.
    """
    documents = {seed: Documents(ids, seed) for seed, ids in required.items()}
    file = pq.ParquetFile(cards)
    total = file.metadata.num_rows
    with tqdm(total=total, desc="drawing documents", unit="card", disable=None, delay=2) as bar:
        for batch in file.iter_batches(columns=["id"]):
            for card_id in batch.column("id").to_pylist():
                for drawn in documents.values():
                    drawn.offer(card_id)
            bar.update(len(batch))
    return {seed: drawn.ids for seed, drawn in documents.items()}


def write_cards(cards: str | Path, ids: Iterable[str], path: str | Path) -> None:
    """The cards of some ids, in the collection's order, a batch at a time."""
    wanted = pa.array(sorted(set(ids)), pa.string())
    with (
        written_aside(path) as aside,
        pq.ParquetWriter(aside, CARDS_SCHEMA, compression="zstd") as writer,
    ):
        for batch in pq.ParquetFile(cards).iter_batches():
            kept = batch.filter(pc.is_in(batch.column("id"), wanted))
            if len(kept):
                writer.write_batch(kept)

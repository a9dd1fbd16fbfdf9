"""Cards by number, from cards.parquet, without the whole file in memory."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from agent_discovery.cards import CARDS_SCHEMA, Card, Field
from agent_discovery.reading import check_regular, whole_parquet

KEPT_GROUPS = 16  # some 50 MB


class CardStore:
    """The cards of a corpus, numbered from 0 in the file's order. Safe in threads.

    The row groups that `cards` read last are kept, since searches of one registry share them.
    Raises InputError, here or when it is read, if the file is missing or is no whole cards file.
    """

    def __init__(self, path: str | Path):
        self._path = path
        self._reading = Lock()
        self._kept = lru_cache(KEPT_GROUPS)(self._group)
        with self._whole():
            check_regular(path)
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            about = self._file.metadata
            rows = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
            is_store = self._file.schema_arrow.equals(CARDS_SCHEMA)
            if not is_store or min(rows, default=0) < 0 or sum(rows) != about.num_rows:
                raise pa.ArrowInvalid("not a cards file")
        self._starts = np.concatenate([[0], np.cumsum(rows, dtype=np.int64)])

    def _whole(self) -> AbstractContextManager:
        return whole_parquet(f"{self._path}: no whole cards file here: make the corpus again")

    def _group(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        with self._whole(), self._reading:
            table = self._file.read_row_group(number, columns)
            if len(table) != self._starts[number + 1] - self._starts[number]:
                raise pa.ArrowInvalid("not as many cards as the file says")
            return table

    def _cards(self, rows: pa.Table | pa.RecordBatch) -> list[Card]:
        with self._whole():
            return [_card(row) for row in rows.to_pylist()]

    def __len__(self) -> int:
        return self._file.metadata.num_rows

    def batches(
        self, first: int = 0, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The cards from number `first` on, a row group at a time; columns: the only ones read."""
        for group in range(len(self._starts) - 1):
            if self._starts[group + 1] > first:
                passed = max(0, first - int(self._starts[group]))
                yield from self._group(group, columns).slice(passed).to_batches()

    def __iter__(self) -> Iterator[Card]:
        """Every card, in the file's order."""
        for batch in self.batches():
            yield from self._cards(batch)

    def cards(self, numbers: Iterable[int]) -> Iterator[tuple[int, Card]]:
        """The cards of some numbers, each once, by rising number; no row group is read twice."""
        wanted = np.unique(np.fromiter(numbers, np.int64))
        groups = np.searchsorted(self._starts, wanted, side="right") - 1
        for group in np.unique(groups):
            table = self._kept(int(group))
            inside = wanted[groups == group]
            cards = self._cards(table.take(pa.array(inside - self._starts[group])))
            yield from zip(inside.tolist(), cards, strict=True)


def _card(row: dict) -> Card:
    fields = tuple(Field(**field) for field in row.pop("fields"))
    return Card(**row, fields=fields)

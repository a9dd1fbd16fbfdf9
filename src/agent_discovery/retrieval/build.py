"""Building the Inverted Signal Index (SSR, section III-C) in one streaming pass over the cards.

Cards are tokenised once into a spilled token sequence; what follows reads that in slices. Work is
linear in the text (and n log n in the postings of a partition); memory is the vocabulary, the ids
and one partition of `PARTITION_ENTRIES` postings, whatever the registry's size.

Arrays (V tokens, N cards, S distinct signals; card numbers follow the cards' order):

- `token_data`, `token_offsets`: the V tokens in lexical order
- `id_data`, `id_offsets`: the N ids in lexical order; `id_rank`: card -> place among them;
  `id_card`: the inverse; `tie_rank`: card -> place in the collection's own id order
- `signal_keys`: the S keys, rising; signal s's cards are
  `postings[signal_offsets[s]:signal_offsets[s + 1]]`, rising
- `card_signals`, `card_offsets`: the same, card by card, for the full scan
- `term_postings`, `term_frequencies`, `term_offsets`: for each token all cards that hold it, how
  often, and where its list starts (not capped, with multiplicity: for TF-IDF)
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tqdm import tqdm

from agent_discovery.cards import texts_of
from agent_discovery.errors import InputError
from agent_discovery.files import written_aside
from agent_discovery.retrieval.arrays import ArrayWriter
from agent_discovery.retrieval.keys import FIRST_SHIFT, signals_of, terms_of
from agent_discovery.retrieval.tokenizer import Interner
from agent_discovery.retrieval.vocabulary import inverse, joined_ranks, sort_strings
from agent_discovery.signals import MAX_SIGNALS

FORMAT = "agent-discovery-isi"
VERSION = 1

CHUNK_ENTRIES = 1 << 22
PARTITION_ENTRIES = 1 << 24

CANONICAL_INTEGER = r"^(0|[1-9][0-9]{0,17})$"


Entries = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def build_index(
    cards: Iterable[pa.RecordBatch],
    folder: str | Path,
    max_signals: int = MAX_SIGNALS,
    total: int | None = None,
) -> None:
    """Build the index of `cards` (batches of `CARDS_SCHEMA`) into `folder`, which must not exist.

    max_signals: 64 at most, the bits of a mask; total: the number of cards, for the progress bar.
    Raises InputError on an id twice, or when `folder` is there.
    """
    if not 1 <= max_signals <= MAX_SIGNALS:
        raise ValueError(f"max_signals must be in 1..{MAX_SIGNALS}, not {max_signals}")
    if Path(folder).exists():
        raise InputError(f"{folder}: is there already: delete it, or build elsewhere")
    with written_aside(folder) as aside:
        aside.mkdir(parents=True)
        writer = ArrayWriter(aside)
        sequence, bounds, ids, tokens = _read(cards, writer, total)
        _write_ids(writer, ids)
        vocabulary, rank = sort_strings(tokens)
        writer.array("token_data", np.uint8, vocabulary.data)
        writer.array("token_offsets", np.int64, vocabulary.offsets)
        joined_rank = joined_ranks(tokens)[inverse(rank)]
        signals, terms = _card_entries(writer, sequence, bounds, rank, joined_rank, max_signals)
        _invert(writer, signals, len(rank), "signal_keys", "signal_offsets", "postings")
        _invert(writer, terms, len(rank), None, "term_offsets", "term_postings", "term_frequencies")
        counts = {"cards": len(ids), "max_signals": max_signals, "tokens": len(sequence)}
        writer.finish(FORMAT, VERSION, counts)


def _read(
    cards: Iterable[pa.RecordBatch], writer: ArrayWriter, total: int | None
) -> tuple[np.ndarray, np.ndarray, pa.Array, pa.Array]:
    """Tokenise all cards: token sequence (numbers by first sight), its bounds, ids, tokens."""
    interner = Interner()
    sequence = writer.spill("sequence", np.uint32)
    bounds = [np.zeros(1, np.int64)]
    ids = []
    with tqdm(total=total, desc="indexing", unit="card", disable=None, delay=2) as progress:
        for batch in cards:
            batch_tokens = interner.tokenize(texts_of(batch))
            bounds.append(batch_tokens.offsets[1:] + sequence.length)
            sequence.append(batch_tokens.ids)
            ids.append(batch.column("id"))
            progress.update(len(batch))
    all_ids = pa.concat_arrays(ids) if ids else pa.array([], pa.string())
    tokens = pa.array(interner.vocabulary(), pa.large_binary())
    return sequence.mapped(), np.concatenate(bounds), all_ids, tokens


def _write_ids(writer: ArrayWriter, ids: pa.Array) -> None:
    strings, rank = sort_strings(ids)
    order = inverse(rank)
    ordered = ids.take(pa.array(order))
    repeated = pc.index(pc.equal(ordered[:-1], ordered[1:]), True).as_py()
    if repeated >= 0:
        raise InputError(f"card id {ordered[repeated].as_py()!r} is there twice: ids are unique")
    writer.array("id_data", np.uint8, strings.data)
    writer.array("id_offsets", np.int64, strings.offsets)
    writer.array("id_rank", np.uint32, rank)
    writer.array("id_card", np.uint32, order)
    writer.array("tie_rank", np.uint32, _tie_rank(ids, rank))


def _tie_rank(ids: pa.Array, rank: np.ndarray) -> np.ndarray:
    """Each card's place in the collection's own id order: numeric where all ids are integers."""
    if not pc.all(pc.match_substring_regex(ids, CANONICAL_INTEGER)).as_py():
        return rank
    return inverse(np.argsort(ids.cast(pa.int64()).to_numpy(), kind="stable"))


def _card_entries(
    writer: ArrayWriter,
    sequence: np.ndarray,
    bounds: np.ndarray,
    rank: np.ndarray,
    joined_rank: np.ndarray,
    max_signals: int,
) -> tuple[Entries, Entries]:
    """Each card's signals and each card's terms with their frequencies, as entries to invert."""
    signals = writer.array("card_signals", np.uint64)
    terms, frequencies = writer.spill("terms", np.uint64), writer.spill("tf", np.uint32)
    signal_counts, term_counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    by_joined_rank = inverse(joined_rank)
    for first, last in _slices(bounds):
        chunk = rank[sequence[bounds[first] : bounds[last]]]
        chunk_bounds = bounds[first : last + 1] - bounds[first]
        keys, counts = signals_of(chunk, chunk_bounds, joined_rank, by_joined_rank, max_signals)
        signals.append(keys)
        signal_counts.append(counts)
        keys, tf, counts = terms_of(chunk, chunk_bounds)
        terms.append(keys)
        frequencies.append(tf)
        term_counts.append(counts)
    card_offsets, term_offsets = _offsets(signal_counts), _offsets(term_counts)
    writer.array("card_offsets", np.int64, card_offsets)
    return (
        (signals.mapped(), card_offsets, None),
        (terms.mapped(), term_offsets, frequencies.mapped()),
    )


def _slices(bounds: np.ndarray, entries: int = CHUNK_ENTRIES) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of rows with at most `entries` entries each (or a single row)."""
    first, cards = 0, len(bounds) - 1
    while first < cards:
        last = int(np.searchsorted(bounds, bounds[first] + entries, side="right")) - 1
        last = min(max(last, first + 1), cards)
        yield first, last
        first = last


def _offsets(counts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])


def _invert(
    writer: ArrayWriter,
    entries: Entries,
    tokens: int,
    keys_name: str | None,
    offsets_name: str,
    postings_name: str,
    values_name: str | None = None,
) -> None:
    """Turn each card's keys (and values) into each key's cards (and values), both rising.

    Keys are handled in partitions by their first token, so each partition is sorted in memory and
    the partitions, laid end to end, are sorted as a whole.
    """
    keys_out = writer.array(keys_name, np.uint64) if keys_name else None
    postings = writer.array(postings_name, np.uint32)
    values_out = writer.array(values_name, np.uint32) if values_name else None
    key_counts = [np.zeros(0, np.int64)]
    for low, high in _partitions(entries, tokens):
        keys, cards, values = _entries_between(entries, low, high)
        order = np.argsort(keys, kind="stable")
        distinct, counts = np.unique(keys, return_counts=True)
        key_counts.append(counts)
        postings.append(cards[order])
        if keys_out:
            keys_out.append(distinct)
        if values_out:
            values_out.append(values[order])
    writer.array(offsets_name, np.int64, _offsets(key_counts))


def _partitions(entries: Entries, tokens: int) -> list[tuple[int, int]]:
    """Ranges of first tokens that hold about `PARTITION_ENTRIES` entries each."""
    keys = entries[0]
    per_token = np.zeros(tokens, np.int64)
    for start in range(0, len(keys), CHUNK_ENTRIES):
        per_token += np.bincount(_first(keys[start : start + CHUNK_ENTRIES]), minlength=tokens)
    return list(_slices(_offsets([per_token]), PARTITION_ENTRIES))


def _first(keys: np.ndarray) -> np.ndarray:
    return (keys >> np.uint64(FIRST_SHIFT)).astype(np.int64)


def _entries_between(
    entries: Entries, low: int, high: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The keys whose first token is in [low, high), with their cards and values, cards rising."""
    keys, offsets, values = entries
    parts = []
    for first, last in _slices(offsets):
        part = slice(offsets[first], offsets[last])
        cards = np.repeat(
            np.arange(first, last, dtype=np.uint32), np.diff(offsets[first : last + 1])
        )
        token = _first(keys[part])
        inside = (low <= token) & (token < high)
        part_values = cards if values is None else values[part]
        parts.append((keys[part][inside], cards[inside], part_values[inside]))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

"""Building the Inverted Signal Index (SSR, section III-C) in one streaming pass over the cards.

Three phases, each in steps, and a step that is finished is never redone: cards are tokenised into
a spilled sequence; the sequence is cut into each card's signals and terms, spilled by partitions of
first tokens; each partition is inverted. Work is linear in the text (and n log n in the tokens of a
card); memory is the vocabulary, the ids and one chunk or partition, whatever the registry's size.

Arrays (V tokens, N cards; card numbers follow the cards' order):

- `token_data`, `token_offsets`: the V tokens in lexical order
- `id_data`, `id_offsets`: the N ids in the cards' order; `id_order`: their numbers in lexical
  order; `tie_rank`: card -> place in the collection's own id order
- `postings`: a block for each token, in which stand the lists of the token itself, of the bigrams
  that begin with it and have several cards, and of those that have one; cards rise in each list.
  Token t's block is `postings[block_offsets[t]:block_offsets[t + 1]]`; its own list takes the first
  `block_unigrams[t]` places. Rows `repeated_offsets[t]:repeated_offsets[t + 1]` of
  `repeated_seconds` are the second tokens of the repeated bigrams, rising, and of `repeated_ends`
  where their lists end, from the block's start. `single_offsets` and `single_seconds` are the same
  for the bigrams with one card: their lists, of one place each, end the block.
- `card_signals`, `card_offsets`: the signal keys card by card, rising, for the full scan
- `term_postings`, `term_frequencies`, `term_offsets`: for each token all cards that hold it, how
  often, and where its list starts (not capped, with multiplicity: for TF-IDF and BM25)

Most bigrams have one card, and so take no offset; no bigram's first token is stored.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from agent_discovery.card_store import CardStore
from agent_discovery.cards import texts_of
from agent_discovery.errors import InputError
from agent_discovery.files import written_aside
from agent_discovery.retrieval.array_writer import ArrayFile, ArrayWriter
from agent_discovery.retrieval.entries import (
    MOST_PARTITION_TOKENS,
    CardEntries,
    Partitions,
    count_tokens,
    entries_of,
)
from agent_discovery.retrieval.ids import append_ids, write_id_orders
from agent_discovery.retrieval.inversion import Blocks, Terms, inverted
from agent_discovery.retrieval.scratch import Scratch
from agent_discovery.retrieval.tokenizer import Interner
from agent_discovery.retrieval.vocabulary import as_strings, inverse, joined_ranks, sort_strings
from agent_discovery.signals import MAX_SIGNALS

FORMAT = "agent-discovery-isi"
VERSION = 2
COLUMNS = ("id", "fields.list.element.text")  # of the cards, those that are read

STEP_CARDS = 1 << 17
# What is worked on at random, of a chunk or a partition, mostly stays in a processor's caches.
CHUNK_ENTRIES = 1 << 20
PARTITION_ENTRIES = 1 << 23
MOST_BLOCK_POSTINGS = (1 << 32) - 1


def build_index(
    cards: CardStore | Iterable[pa.RecordBatch],
    folder: str | Path,
    max_signals: int = MAX_SIGNALS,
    total: int | None = None,
    corpus: str = "",
) -> None:
    """Build the index of `cards` (batches of `CARDS_SCHEMA`) into `folder`, which must not exist.

    max_signals: kept of a card; of a query never more than 64, the bits of a mask, whatever this
    is. total: the number of cards, for the progress bar;
    corpus: the digest of the cards. With it, what a killed build of the same cards left is gone on
    with; without, every build starts from nothing. Raises InputError on an id twice, or when
    `folder` is there.
    """
    if max_signals < 1:
        raise ValueError(f"max_signals must be at least 1, not {max_signals}")
    if Path(folder).exists():
        raise InputError(f"{folder}: is there already: delete it, or build elsewhere")
    plan = {"version": VERSION, "corpus": corpus, "max_signals": max_signals}
    plan |= {"chunk": CHUNK_ENTRIES, "partition": PARTITION_ENTRIES}
    with written_aside(folder, resumed=bool(corpus)) as aside:
        writer = ArrayWriter(aside, plan)
        if "tokens" not in writer.state:
            _read(cards, writer, total)
        if "ids" not in writer.state:
            write_id_orders(writer)
            writer.save(ids=1)
        _Inversion(writer, max_signals).run()
        counts = {name: writer.state[name] for name in ("cards", "tokens")}
        writer.finish(FORMAT, VERSION, corpus, {**counts, "max_signals": max_signals})


# --- first phase: tokens --------------------------------------------------------------------------


def _read(cards: CardStore | Iterable[pa.RecordBatch], writer: ArrayWriter, total: int | None):
    """Spill the tokens of all cards, numbered by first sight, how many each has, and the words."""
    sequence = writer.spill("sequence", np.uint32)
    lengths = writer.spill("lengths", np.uint32)
    interner = Interner(*_words(writer))
    with _progress("reading cards", "card", total, lengths.length) as progress:
        for batch in _from(cards, lengths.length):
            tokens = interner.tokenize(texts_of(batch))
            sequence.append(tokens.ids)
            lengths.append(np.diff(tokens.offsets))
            append_ids(writer, batch.column("id"))
            progress.update(len(batch))
            if lengths.length - writer.state.get("cards", 0) >= STEP_CARDS:
                _save_words(writer, interner)
                writer.save(cards=lengths.length)
    _save_words(writer, interner)
    append_ids(writer, pa.array([], pa.string()))
    writer.save(cards=lengths.length, tokens=sequence.length)


def _from(cards: CardStore | Iterable[pa.RecordBatch], first: int) -> Iterator[pa.RecordBatch]:
    """The batches from card `first` on."""
    if isinstance(cards, CardStore):
        yield from cards.batches(first, COLUMNS)
        return
    for batch in cards:
        passed = min(first, len(batch))
        first -= passed
        if passed < len(batch):
            yield batch.slice(passed)


def _words(writer: ArrayWriter) -> tuple[np.ndarray, np.ndarray]:
    """All words seen so far, by first sight: their bytes and their lengths."""
    return writer.spill("words", np.uint8).read(), writer.spill("word_lengths", np.uint32).read()


def _save_words(writer: ArrayWriter, interner: Interner) -> None:
    known = writer.spill("word_lengths", np.uint32)
    data, lengths = interner.words(known.length)
    writer.spill("words", np.uint8).append(data)
    known.append(lengths)


# --- second and third phase: signals and terms, by card and by token ------------------------------


class _Inversion:
    """What follows once all tokens are known; tokens are numbered in lexical order from here on."""

    def __init__(self, writer: ArrayWriter, max_signals: int):
        self.writer = writer
        self.max_signals = max_signals
        self.scratch = Scratch()
        words = as_strings(*_words(writer), pa.large_binary())
        vocabulary, self.rank = sort_strings(words)
        writer.write("token_data", np.uint8, vocabulary.data)
        writer.write("token_offsets", np.int64, vocabulary.offsets)
        self.joined_rank = joined_ranks(vocabulary)
        self.sequence = writer.spill("sequence", np.uint32)
        # A token has at most two entries each time it occurs: its own, and that of a bigram.
        most = _offsets(2 * self._occurrences())
        self.partitions = list(slices(most, min(PARTITION_ENTRIES, MOST_PARTITION_TOKENS)))
        writer.state.setdefault("most_frequent", 0)

    def _occurrences(self) -> np.ndarray:
        """How often each token occurs. Shape (tokens,), int64."""
        by_sight = np.zeros(len(self.rank), np.int64)
        for start in range(0, self.sequence.length, CHUNK_ENTRIES):
            stop = min(start + CHUNK_ENTRIES, self.sequence.length)
            count_tokens(self._sequence(start, stop), by_sight)
        return by_sight[inverse(self.rank)]

    def _sequence(self, start: int, stop: int) -> np.ndarray:
        return self.sequence.read(start, stop, self.scratch)

    def run(self) -> None:
        """Both phases, from where the last run was."""
        self._cut()
        self.scratch = Scratch()
        self._invert()

    def _rows(self, partition: int) -> ArrayFile:
        return self.writer.spill(f"rows{partition}", np.uint32)

    def _cut(self) -> None:
        """Write each card's signals, and spill the rows of all partitions."""
        bounds = _offsets(self.writer.spill("lengths", np.uint32).read())
        chunks = list(slices(bounds, CHUNK_ENTRIES))
        partitions = _partitions(self.partitions)
        done = self.writer.state.get("chunks", 0)
        _offset_file(self.writer, "card_offsets")
        with _progress("finding signals", "card", len(bounds) - 1, chunks[:done]) as progress:
            for number, (first, last) in enumerate(chunks[done:], done + 1):
                found = entries_of(
                    self._sequence(bounds[first], bounds[last]), self.rank,
                    bounds[first : last + 1] - bounds[first], first,
                    self.joined_rank, self.max_signals, partitions, self.scratch,
                )  # fmt: skip
                self._append_entries(found)
                most = max(self.writer.state["most_frequent"], found.most_frequent)
                self.writer.save(chunks=number, most_frequent=most)
                progress.update(last - first)
        self.writer.array("card_signals", np.uint64)

    def _append_entries(self, found: CardEntries) -> None:
        self.writer.array("card_signals", np.uint64).append(found.signals)
        append_counts(self.writer, "card_offsets", found.counts)
        for partition in np.flatnonzero(found.ends > found.starts).tolist():
            start, end = found.starts[partition], found.ends[partition]
            self._rows(partition).append(found.rows[start:end])

    def _invert(self) -> None:
        """Invert one partition after the other; each is removed once that is done."""
        _open_arrays(self.writer, _smallest_type(self.writer.state["most_frequent"]))
        done = self.writer.state.get("partitions", 0)
        with _progress("inverting", "token", len(self.rank), self.partitions[:done]) as progress:
            for number, (low, high) in enumerate(self.partitions[done:], done):
                rows = self._rows(number)
                found = rows.read(0, rows.length, self.scratch)
                terms, blocks = inverted(found, high - low, self.scratch)
                _append_terms(self.writer, terms)
                _append_blocks(self.writer, blocks)
                self.writer.save(rows, partitions=number + 1)
                progress.update(high - low)


def _partitions(ranges: list[tuple[int, int]]) -> Partitions:
    lows, highs = np.array(ranges, np.uint32).reshape(-1, 2).T.copy()
    numbers = np.arange(len(lows), dtype=np.min_scalar_type(len(lows)))
    return Partitions(lows, np.repeat(numbers, highs - lows))


def _open_arrays(writer: ArrayWriter, frequency_type: type) -> None:
    for name in ("term_offsets", "block_offsets", "repeated_offsets", "single_offsets"):
        _offset_file(writer, name)
    for name in ("term_postings", "postings", "block_unigrams"):
        writer.array(name, np.uint32)
    for name in ("repeated_seconds", "repeated_ends", "single_seconds"):
        writer.array(name, np.uint32)
    writer.array("term_frequencies", frequency_type)


def _append_terms(writer: ArrayWriter, terms: Terms) -> None:
    append_counts(writer, "term_offsets", terms.counts)
    writer.append_to("term_postings", terms.cards)
    writer.append_to("term_frequencies", terms.frequencies)


def _append_blocks(writer: ArrayWriter, blocks: Blocks) -> None:
    if blocks.lengths.max(initial=0) > MOST_BLOCK_POSTINGS:
        raise InputError("a token has too many postings: this many cards cannot be indexed")
    append_counts(writer, "block_offsets", blocks.lengths)
    append_counts(writer, "repeated_offsets", blocks.repeated)
    append_counts(writer, "single_offsets", blocks.single)
    writer.append_to("block_unigrams", blocks.unigrams)
    for name in ("postings", "repeated_seconds", "repeated_ends", "single_seconds"):
        writer.append_to(name, getattr(blocks, name))


def slices(bounds: np.ndarray, entries: int) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of rows with at most `entries` entries each (or a single row)."""
    first, rows = 0, len(bounds) - 1
    while first < rows:
        last = int(np.searchsorted(bounds, bounds[first] + entries, side="right")) - 1
        last = min(max(last, first + 1), rows)
        yield first, last
        first = last


def _offsets(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _offset_file(writer: ArrayWriter, name: str) -> ArrayFile:
    file = writer.array(name, np.int64)
    if file.length == 0:
        file.append(np.zeros(1, np.int64))
    return file


def append_counts(writer: ArrayWriter, name: str, counts: np.ndarray) -> None:
    """Go on with an array of offsets by the lengths of what follows."""
    file = _offset_file(writer, name)
    file.append(file.read(file.length - 1)[0] + np.cumsum(counts, dtype=np.int64))


def _smallest_type(value: int) -> type:
    return next(kind for kind in (np.uint8, np.uint16, np.uint32) if value <= np.iinfo(kind).max)


def _progress(what: str, unit: str, total: int | None, done: int | list[tuple[int, int]]) -> tqdm:
    """A progress bar with an estimate; done: how many, or the ranges, that the last run did."""
    initial = done if isinstance(done, int) else done[-1][1] if done else 0
    return tqdm(desc=what, unit=unit, total=total, initial=initial, disable=None, delay=2)

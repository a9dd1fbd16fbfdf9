"""Laying a generated collection where ir_datasets looks for MS MARCO passage.

Files are written aside and moved in when all are whole, the mark before any other, so that at
every moment what is there is either nothing or marked as generated.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from agent_discovery.corpora.generated import MARK, GeneratedFile, GeneratedMark, read_mark
from agent_discovery.errors import InputError
from agent_discovery.files import sha256_of, write_json, write_text
from agent_discovery.signals import MAX_SIGNALS, signals, tokens
from benchmarks.msmarco_form.language import Language, language
from benchmarks.msmarco_form.passages import write_passages
from benchmarks.msmarco_form.queries import Topic, topics

FOLDER = "msmarco-passage"
FORM = "MS MARCO passage"
GENERATOR_VERSION = 1  # another whenever the same request gives other bytes
COLLECTION, QUERIES, QRELS = "collection.tsv", "dev/small/queries.tsv", "dev/small/qrels"
# ir_datasets deletes a collection beside which it does not find its own version.
VERSION_FILE, IRDS_VERSION = "irds_version.txt", "v2"
ASIDE = ".generated.part"

CHUNK_BYTES = 1 << 23
SAMPLE = 2000  # passages that the mark's statistics are of
MOST_PASSAGES = 1 << 31


class Request(NamedTuple):
    """What to generate; the same request gives the same bytes."""

    passages: int
    queries: int
    seed: int


def generate(home: Path, request: Request) -> GeneratedMark:
    """Generate a collection under an ir_datasets home; returns its mark.

    What was generated there before is replaced; if it is the same, it is left as it is. Memory is
    that of a chunk and of the queries. Raises InputError when the request makes no sense, or when
    the folder holds a file that was not generated.
    """
    _check(request)
    folder = home / FOLDER
    with _named_failures(home):
        before = _generated_before(folder)
        if before and _is_whole(before, folder) and _answers(before, request):
            return before
        aside = folder / ASIDE
        shutil.rmtree(aside, ignore_errors=True)  # what a killed run left
        try:
            mark = _write(aside, request)
            _replace(folder, before, aside, mark)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return mark


def _check(request: Request) -> None:
    if not 1 <= request.passages <= MOST_PASSAGES:
        raise InputError(f"passages must be from 1 to {MOST_PASSAGES:,}, not {request.passages:,}")
    if not 1 <= request.queries <= request.passages:
        raise InputError(
            f"queries must be from 1 to the passages ({request.passages:,}), of which each is made "
            f"from its own, not {request.queries:,}"
        )
    if not 0 <= request.seed < 1 << 63:
        raise InputError(f"the seed must be from 0 to 2^63 - 1, not {request.seed}")


@contextmanager
def _named_failures(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{home}: the collection cannot be written ({error.strerror or error}): free some "
            "room, or choose another --home"
        ) from None


def _generated_before(folder: Path) -> GeneratedMark | None:
    """The mark of what is there, if anything; refuses a folder that holds something else."""
    mark = read_mark(folder)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == MARK or name.startswith(ASIDE) or (path.is_dir() and not path.is_symlink()):
            continue
        if not _is_ours(path, name, mark):
            raise InputError(
                f"{path}: was not generated, and nothing is written over it: choose another --home"
            )
    return mark


def _is_ours(path: Path, name: str, mark: GeneratedMark | None) -> bool:
    if name == VERSION_FILE:
        return path.is_file()
    declared = mark.files.get(name) if mark else None
    return (
        declared is not None
        and path.is_file()
        and path.stat().st_size == declared.bytes
        and sha256_of(path) == declared.sha256
    )


def _is_whole(mark: GeneratedMark, folder: Path) -> bool:
    return all((folder / name).is_file() for name in [*mark.files, VERSION_FILE])


def _answers(mark: GeneratedMark, request: Request) -> bool:
    made = Request(mark.passages, mark.queries, mark.seed)
    return mark.generator_version == GENERATOR_VERSION and made == request


def _replace(folder: Path, before: GeneratedMark | None, aside: Path, mark: GeneratedMark) -> None:
    """Remove what was there, then the mark, then the files that it names; the passages last."""
    for name in before.files if before else ():
        (folder / name).unlink(missing_ok=True)
    write_json(folder / MARK, mark.model_dump())
    write_text(folder / VERSION_FILE, IRDS_VERSION)
    for name in (QUERIES, QRELS, COLLECTION):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(aside / name, folder / name)


def _write(aside: Path, request: Request) -> GeneratedMark:
    """Write all files into `aside`."""
    words = language()
    (aside / QUERIES).parent.mkdir(parents=True)
    made = list(topics(request.passages, request.queries, request.seed, words))
    files = {QUERIES: _written(aside / QUERIES, _query_lines(made))}
    files[QRELS] = _written(aside / QRELS, _judgment_lines(made))
    files[COLLECTION] = _written(aside / COLLECTION, _passage_lines(request, words))
    return GeneratedMark(
        form=FORM,
        generator_version=GENERATOR_VERSION,
        seed=request.seed,
        passages=request.passages,
        queries=len(made),
        judgments=sum(len(topic.passages) for topic in made),
        files=files,
        statistics=_sampled_statistics(aside / COLLECTION, made),
    )


def _written(path: Path, parts: Iterator[bytes | np.ndarray]) -> GeneratedFile:
    digest, size = hashlib.sha256(), 0
    with open(path, "wb") as stream:
        for part in parts:
            stream.write(part)
            digest.update(part)
            size += len(part)
    return GeneratedFile(bytes=size, sha256=digest.hexdigest())


def _query_lines(made: list[Topic]) -> Iterator[bytes]:
    return (f"{topic.qid}\t{topic.text}\n".encode() for topic in made)


def _judgment_lines(made: list[Topic]) -> Iterator[bytes]:
    return (
        f"{topic.qid}\t0\t{passage}\t1\n".encode() for topic in made for passage in topic.passages
    )


def _passage_lines(request: Request, words: Language) -> Iterator[np.ndarray]:
    out = np.empty(CHUNK_BYTES, np.uint8)
    passage, total = 0, request.passages
    with tqdm(total=total, desc="generating", unit="passage", disable=None, delay=2) as progress:
        while passage < total:
            following, size = write_passages(request.seed, passage, total, words, out)
            yield out[:size]
            progress.update(following - passage)
            passage = following


def _sampled_statistics(path: Path, made: list[Topic]) -> dict[str, float]:
    """Means over the first passages and queries, by the plain definition of signals."""
    with open(path, "rb") as stream:
        lines = [line for line, _ in zip(stream, range(SAMPLE), strict=False)]
    texts = [line.decode().removesuffix("\n").partition("\t")[2] for line in lines]
    found = [len(signals(text)) for text in texts]
    asked = [topic.text for topic in made[:SAMPLE]]
    means = {
        "bytes": fmean(len(text.encode()) for text in texts),
        "words": fmean(len(text.split()) for text in texts),
        "content_tokens": fmean(len(tokens(text)) for text in texts),
        "signals": fmean(found),
        "share_at_cap": fmean(count == MAX_SIGNALS for count in found),
        "query_words": fmean(len(text.split()) for text in asked),
        "query_signals": fmean(len(signals(text)) for text in asked),
    }
    return {name: round(mean, 4) for name, mean in means.items()}

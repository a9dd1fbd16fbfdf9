"""Runs in the format of trec_eval: `qid Q0 id rank score tag`."""

from pathlib import Path

import pyarrow as pa

from agent_discovery.files import written_aside


def write_trec(path: str | Path, run: pa.Table, tag: str) -> None:
    """Export a run (`methods.RUN_SCHEMA`).

    trec_eval splits at white space, so white space and percent signs in ids are percent-encoded.
    Its score is 1 / rank: trec_eval orders by score and breaks ties its own way, which must not
    undo the rank rule.
    """
    columns = [run.column(name).to_pylist() for name in ("qid", "id", "rank")]
    with written_aside(path) as aside, open(aside, "w", encoding="utf-8", newline="\n") as stream:
        for qid, card_id, rank in zip(*columns, strict=True):
            stream.write(f"{_word(qid)} Q0 {_word(card_id)} {rank} {1 / rank:.9f} {tag}\n")


def _word(text: str) -> str:
    """`text` without white space, reversibly (urllib.parse.unquote)."""
    if not any(char.isspace() or char == "%" for char in text):
        return text
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode()) if char.isspace() or char == "%" else char
        for char in text
    )

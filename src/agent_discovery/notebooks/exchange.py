"""What an arbiter saw and said for one query: the prompt, rebuilt, and the recorded answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.arbitration.ledger_record import ANSWER
from agent_discovery.arbitration.prompt import Candidate, messages_for
from agent_discovery.arbitration.request import call_key, request_body
from agent_discovery.config import Llm
from agent_discovery.errors import InputError

REFUSED = "the model refused the prompt: it does not fit its context window"
NO_CALL = "no candidate, so no call was made"


class Exchange(NamedTuple):
    """A call as it was made: the two messages, what came back, and the row of the arbitration.

    Without a call (an empty pool) the messages are empty.
    """

    system: str
    user: str
    answer: str
    row: Mapping[str, Any]


def exchange(
    folder: str | Path,
    cards: str | Path,
    query: str,
    key: tuple[str, int, str],
    llm: Llm,
    model: str,
    ledger: str | Path,
) -> Exchange:
    """The call of one (qid, n, method).

    folder: what RQ1 or RQ3 wrote, with pools.parquet and arbitration.parquet; cards: Parquet, with
    the pool's cards; model: who answered (arbiter.json). Raises InputError when the prompt that is
    rebuilt is not the recorded one.
    """
    row = _one(Path(folder) / "arbitration.parquet", key)
    if row["call"] is None:
        return Exchange("", "", NO_CALL, row)
    messages = messages_for(query, _candidates(Path(folder), cards, key, row["pool_size"]))
    if call_key(request_body(llm, model, messages)) != row["call"]:
        raise InputError(f"{folder}: pools and answers are not of one run: make them again")
    record = Ledger.read(ledger).replayed(row["call"])
    if record is None:
        raise InputError(f"{ledger}: the answer to call {row['call']} is gone: restore the file")
    said = record["content"] if record["kind"] == ANSWER else REFUSED
    return Exchange(messages[0]["content"], messages[1]["content"], said, row)


def _of(path: Path, key: tuple[str, int, str]) -> pd.DataFrame:
    qid, n, method = key
    wanted = [("qid", "=", qid), ("n", "=", n), ("method", "=", method)]
    return pd.read_parquet(path, filters=wanted)


def _one(path: Path, key: tuple[str, int, str]) -> dict[str, Any]:
    rows = _of(path, key).astype(object).replace({float("nan"): None})
    if len(rows) != 1:
        raise InputError(f"{path}: has {len(rows)} rows of {key}")
    return rows.iloc[0].to_dict()


def _candidates(
    folder: Path, cards: str | Path, key: tuple[str, int, str], size: int
) -> list[Candidate]:
    ids = _of(folder / "pools.parquet", key).sort_values("position")["id"].tolist()[:size]
    columns = list(Candidate._fields)
    shown = pd.read_parquet(cards, columns=columns, filters=[("id", "in", ids)])
    found = {row.id: Candidate(*row) for row in shown[columns].itertuples(index=False)}
    return [found[card_id] for card_id in ids]

"""The ids of an index's cards, as they come, and the orders that ties are broken by."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from agent_discovery.errors import InputError
from agent_discovery.retrieval.array_writer import ArrayWriter
from agent_discovery.retrieval.vocabulary import inverse

CANONICAL_INTEGER = r"^(0|[1-9][0-9]{0,17})$"


def append_ids(writer: ArrayWriter, ids: pa.Array) -> None:
    """Go on with `id_data` and `id_offsets`."""
    wide = ids.cast(pa.large_string())
    _, offsets, data = wide.buffers()
    bounds = np.frombuffer(offsets, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    flat = np.frombuffer(data or b"", np.uint8)[bounds[0] : bounds[-1]]
    id_data, id_offsets = writer.array("id_data", np.uint8), writer.array("id_offsets", np.int64)
    if id_offsets.length == 0:
        id_offsets.append(np.zeros(1, np.int64))
    id_offsets.append(bounds[1:] - bounds[0] + id_data.length)
    id_data.append(flat)


def write_id_orders(writer: ArrayWriter) -> None:
    """Write `id_order` and `tie_rank`. Raises InputError on an id twice."""
    ids = _ids(writer)
    order = pc.sort_indices(ids).to_numpy().astype(np.uint32)
    ordered = ids.take(pa.array(order))
    repeated = pc.index(pc.equal(ordered[:-1], ordered[1:]), True).as_py()
    if repeated >= 0:
        raise InputError(f"card id {ordered[repeated].as_py()!r} is there twice: ids are unique")
    writer.write("id_order", np.uint32, order)
    writer.write("tie_rank", np.uint32, _tie_rank(ids, order))


def _ids(writer: ArrayWriter) -> pa.LargeStringArray:
    data = writer.array("id_data", np.uint8).read()
    offsets = writer.array("id_offsets", np.int64).read()
    return pa.LargeStringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data)
    )


def _tie_rank(ids: pa.Array, order: np.ndarray) -> np.ndarray:
    """Each card's place in the collection's own id order: numeric where all ids are integers."""
    if pc.all(pc.match_substring_regex(ids, CANONICAL_INTEGER)).as_py():
        order = np.argsort(ids.cast(pa.int64()).to_numpy(), kind="stable")
    return inverse(order)

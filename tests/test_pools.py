"""The pools that are shown to an LLM."""

import pyarrow as pa

from agent_discovery.arbitration.task import read_tasks
from agent_discovery.cards import QUERIES_SCHEMA, Query, card_batches, table_of
from agent_discovery.corpora.registries import Registry
from agent_discovery.files import write_table
from agent_discovery.retrieval.pools import FULL_CATALOG, SSR, make_pools
from agent_discovery.retrieval.within import SsrWithin

K = 3


def registries(world, *sizes):
    ids = [world.index.id_of(card) for card in range(world.index.cards)]
    query = world.queries[0]
    return [Registry("q", query, size, ids[:size][::-1]) for size in sizes]


def shown(pools, n, method):
    rows = [row for row in pools.to_pylist() if (row["n"], row["method"]) == (n, method)]
    assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
    return [row["id"] for row in rows]


def test_the_full_catalog_keeps_the_order_of_display_and_stops_at_its_size(generated_world):
    small, large = registries(generated_world, 20, 200)
    index = generated_world.index
    retrievers = {SSR: SsrWithin(index)}
    made = make_pools(index, [small, large], retrievers, K, "paper", full_catalog_up_to=20)
    assert shown(made.pools, 20, FULL_CATALOG) == list(small.ids)
    assert shown(made.pools, 200, FULL_CATALOG) == []
    assert 0 < len(shown(made.pools, 200, SSR)) <= K


def test_an_empty_pool_is_a_condition_without_rows(generated_world, tmp_path):
    index = generated_world.index
    empty = Registry("q", "zzzz unheard", 2, [index.id_of(0), index.id_of(1)])
    made = make_pools(index, [empty], {SSR: SsrWithin(index)}, K, "paper")
    assert made.pools.num_rows == 0
    assert made.retrieval.select(["qid", "n", "method"]).to_pylist() == [
        {"qid": "q", "n": 2, "method": SSR}
    ]
    write_table(tmp_path / "q", table_of([Query("q", empty.query, (), "s")], QUERIES_SCHEMA))
    write_table(tmp_path / "c", pa.Table.from_batches(card_batches(generated_world.cards)))
    write_table(tmp_path / "p", made.pools)
    write_table(tmp_path / "r", made.retrieval)
    [task] = read_tasks(*(tmp_path / name for name in "qcpr"), {SSR: K})
    assert (task.qid, task.n, task.method, task.k, task.candidates) == ("q", 2, SSR, K, [])


def test_the_first_retrieval_is_timed_warm_also_after_a_full_catalog(generated_world):
    index, asked = generated_world.index, []

    class Counting(SsrWithin):
        def score(self, members, query):
            asked.append(query)
            return super().score(members, query)

    once = registries(generated_world, 20)
    make_pools(index, once, {SSR: Counting(index)}, K, "paper", full_catalog_up_to=20)
    assert len(asked) == 2  # untimed, then timed

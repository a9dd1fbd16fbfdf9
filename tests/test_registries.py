"""RQ3's queries and registries: the recipe written out again, and small cases by hand."""

import random

import pytest
from corpus_files import refusal
from hypothesis import given
from hypothesis import strategies as st

from agent_discovery.config import Rq3
from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.registries import Documents, query_registries, query_sample
from agent_discovery.corpora.rq3_documents import choose_queries

SIZES = [100, 500, 1000, 5000]
OWN = {"corpus": "toolpool", "real": True}


@pytest.fixture(scope="module")
def toolpool():
    """Card ids in the collection's order, query texts, and each query's relevant cards."""
    corpus = load_corpus("toolpool")
    relevant: dict[str, list[str]] = {}
    for judgment in corpus.qrels:
        if judgment.grade > 0:
            relevant.setdefault(judgment.qid, []).append(judgment.id)
    texts = {query.qid: query.text for query in corpus.queries}
    return [card.id for card in corpus.cards], texts, relevant


def ours(toolpool, capacity=50_000):
    ids, texts, relevant = toolpool
    sample = query_sample(relevant, 200, 42)
    documents = Documents({card for qid in sample for card in relevant[qid]}, 42, capacity)
    for card_id in ids:
        documents.offer(card_id)
    return sample, documents.ids


def plain_registry(ids, relevant, qid, n, capacity=50_000):
    """The recipe in ten plain lines."""
    sample = random.Random(42).sample(sorted(relevant), 200)
    required = {card for query in sample for card in relevant[query]}
    rng, reservoir = random.Random(42), []
    for t, card in enumerate((card for card in ids if card not in required), start=1):
        j = len(reservoir) if len(reservoir) < capacity else rng.randrange(t)
        reservoir[j : j + 1] = [card] if j < capacity else reservoir[j : j + 1]
    documents = reservoir + [card for card in ids if card in required]
    negatives = [card for card in documents if card not in relevant[qid]]
    random.Random(f"42:{qid}:negative-order").shuffle(negatives)
    registry = sorted(relevant[qid]) + negatives[: n - len(relevant[qid])]
    random.Random(f"42:{qid}:display:{n}").shuffle(registry)
    return registry


@pytest.mark.parametrize(("place", "n"), [(0, 100), (57, 1000), (199, 5000)])
@pytest.mark.parametrize("capacity", [50_000, 6_000])
def test_registries_are_those_of_the_recipe_in_their_display_order(toolpool, place, n, capacity):
    ids, texts, relevant = toolpool
    sample, documents = ours(toolpool, capacity)
    qid = sample[place]
    [registry] = query_registries([(qid, texts[qid])], relevant, documents, [n], 42, "rq3")
    assert registry.ids == plain_registry(ids, relevant, qid, n, capacity)
    assert (registry.qid, registry.query, registry.n) == (qid, texts[qid], n)


def test_registries_are_nested_and_hold_the_relevant_cards_for_every_query(toolpool):
    _, texts, relevant = toolpool
    sample, documents = ours(toolpool)
    queries = [(qid, texts[qid]) for qid in sample]
    smaller: set[str] = set()
    for registry in query_registries(queries, relevant, documents, SIZES, 42, "rq3"):
        members = set(registry.ids)
        assert len(members) == len(registry.ids) == registry.n
        assert members.issuperset(relevant[registry.qid])
        assert registry.n == SIZES[0] or smaller < members
        smaller = members


def test_a_collection_below_the_capacity_is_kept_whole_and_in_order(toolpool):
    ids, _, relevant = toolpool
    sample, documents = ours(toolpool)
    required = {card for qid in sample for card in relevant[qid]}
    kept = [card for card in ids if card not in required]
    assert documents == kept + [card for card in ids if card in required]


def test_the_reservoir_holds_each_card_as_likely():
    """Of 10 slots over 40 cards, each card stays in about a quarter of the draws."""
    held = dict.fromkeys(map(str, range(40)), 0)
    for seed in range(2_000):
        documents = Documents([], seed, capacity=10)
        for card in held:
            documents.offer(card)
        assert len(set(documents.ids)) == 10
        for card in documents.ids:
            held[card] += 1
    assert all(430 < count < 570 for count in held.values())  # 500 expected, deviation 19


@given(st.sets(st.text("ab01", min_size=1, max_size=4), max_size=30), st.integers(1, 40))
def test_the_sample_is_drawn_from_the_sorted_ids(eligible, size):
    found = query_sample(eligible, size, 42)
    assert found == random.Random(42).sample(sorted(eligible), min(size, len(eligible)))


def test_the_three_sides_share_no_query(toolpool):
    _, _, relevant = toolpool
    sides = choose_queries(list(relevant), Rq3(), OWN).to_pandas()
    assert sides["qid"].is_unique
    assert sides.groupby("side").size().to_dict() == {
        "selection": 200,
        "validation": 1000,
        "test": 1000,
    }
    assert sides.drop_duplicates("side").set_index("side")["seed"].to_dict() == {
        "selection": 42,
        "validation": 2027,
        "test": 2027,
    }
    rest = sorted(set(relevant) - set(sides["qid"][:200]))
    validation = random.Random(2027).sample(rest, 1000)
    assert sides.loc[sides["side"] == "validation", "qid"].tolist() == validation


def test_a_few_queries_are_halved_between_validation_and_test():
    sides = choose_queries([f"q{n}" for n in range(205)], Rq3(), OWN).to_pandas()
    counts = sides.groupby("side").size().to_dict()
    assert counts == {"selection": 200, "validation": 2, "test": 2}
    alone = choose_queries(["q1"], Rq3(), OWN).to_pandas()
    assert alone["side"].tolist() == ["selection"]


def test_a_sample_of_the_real_collection_must_be_the_published_one():
    about = {"corpus": "irds:msmarco-passage/dev/small", "real": True}
    queries = [str(n) for n in range(1, 300)]
    assert "not as on the real MS MARCO" in refusal(choose_queries, queries, Rq3(), about)
    assert choose_queries(["1", "2"], Rq3(), {**about, "real": False}).num_rows == 2
    assert choose_queries(["1", "2"], Rq3(seed=7), about).num_rows == 2


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ([2, 5], "a registry of 5 cards cannot be made of 4"),
        ([1, 4], "a query has 2 relevant cards, which do not fit a registry of 1"),
    ],
)
def test_sizes_that_cannot_be_are_refused(sizes, told):
    relevant = {"q": ["a", "b"]}
    registries = query_registries([("q", "text")], relevant, ["a", "b", "c", "d"], sizes, 42, "rq3")
    said = refusal(list, registries)
    assert told in said and "rq3.sizes" in said

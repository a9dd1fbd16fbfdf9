"""Adversarial cards: the recipe, the pools they reach, and how the tables count them."""

from itertools import groupby

import numpy as np
import pandas as pd
import pytest

from agent_discovery.arbitration.prompt import Candidate
from agent_discovery.cards import Card, Field, card_batches
from agent_discovery.config import Graph, Llm
from agent_discovery.corpora.registries import Registry
from agent_discovery.evaluation.rq3_tables import METHODS
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.graph import AgentGraph
from agent_discovery.retrieval.graph_runs import Ask, texts_to_embed
from agent_discovery.robustness.attacks import (
    ATTACKS,
    ID_PREFIX,
    INJECTIONS,
    Goal,
    Known,
    plants,
)
from agent_discovery.robustness.choice import choice_tasks, choose
from agent_discovery.robustness.claims import (
    ADVERSARY,
    CLAIMS,
    claim,
    claim_runs,
    claimed_card,
    claimed_graph,
    claims_table,
)
from agent_discovery.robustness.registries import (
    NO_CAP,
    SSR_UNCAPPED,
    ids_by_query,
    planted,
    plants_table,
    robustness_pools,
)
from agent_discovery.robustness.tables import choice_table, reach_table


def card(card_id: str, description: str) -> Card:
    fields = (Field("name", card_id), Field("description", description))
    return Card(card_id, card_id, description, fields, None, "agent", "test")


CARDS = [
    card("baker", "bakes bread and cakes"),
    card("farmer", "grows wheat, waters wheat"),
    card("driver", "drives bread to shops"),
]
GOAL = Goal("q1", "who bakes bread", CARDS[0])
KNOWN = Known.of(CARDS, ["drives wheat", "wheat and bread", "unheard"])


def by_attack(goals=(GOAL,)) -> dict[str, list[Card]]:
    found: dict[str, list[Card]] = {}
    for plant in plants(KNOWN, goals):
        found.setdefault(plant.attack, []).append(plant.card)
    return found


def words(attack: str) -> list[str]:
    [only] = by_attack()[attack]
    return only.description.split()


def test_stuffing_by_hand():
    vocabulary = "baker bakes bread cakes driver drives farmer grows shops waters wheat".split()
    assert words("every word") == vocabulary
    # bread is held by two cards, all others by one: first by falling, last by rising frequency.
    assert words("64 most frequent words")[0] == "bread"
    assert words("64 words of highest IDF")[-1] == "bread"
    # Of the others' requests wheat has 2 of IDF 1.69, drives 1 of it, bread 1 of 1.29.
    assert words("64 best words of other requests") == ["wheat", "drives", "bread"]
    assert " ".join(words("all other requests")) == "drives wheat wheat and bread unheard"
    assert " ".join(words("the request itself")) == GOAL.request


def test_a_copy_has_the_targets_text_and_an_injection_follows_it():
    found = by_attack()
    [copy] = found["copy of the target"]
    assert copy.text == CARDS[0].text and copy.fields == CARDS[0].fields
    for name, text in INJECTIONS.items():
        [poisoned] = found[f"{name}, on a copy"]
        assert poisoned.description == f"{CARDS[0].description} {text}"
        assert poisoned.name == "baker"


def test_a_targeted_attack_has_a_card_a_request_and_any_other_has_one():
    goals = [GOAL, Goal("q2", "water", CARDS[1])]
    found = by_attack(goals)
    assert {attack.name for attack in ATTACKS} == found.keys()
    for attack in ATTACKS:
        assert len(found[attack.name]) == (2 if attack.targeted else 1)
    ids = [one.id for cards in found.values() for one in cards]
    assert len(set(ids)) == len(ids)
    assert all(one < min(c.id for c in CARDS) and one.startswith(ID_PREFIX) for one in ids)


REGISTRY = Registry("q1", GOAL.request, 3, ["driver", "baker", "farmer"])


def test_a_planted_registry_has_the_honest_cards_in_their_order_and_one_more():
    [once] = planted([REGISTRY], "x", {"q1": "!x"}, 1)
    [again] = planted([REGISTRY], "x", {"q1": "!x"}, 1)
    assert once == again and once.n == 3
    assert [one for one in once.ids if one != "!x"] == REGISTRY.ids and len(once.ids) == 4
    places = {
        list(planted([REGISTRY], "x", {"q1": "!x"}, seed))[0].ids.index("!x") for seed in range(40)
    }
    assert places == {0, 1, 2, 3}


@pytest.fixture(scope="module")
def pools(tmp_path_factory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("robustness")
    # A hundred words before the one that is asked for: the cap cuts it off.
    long = card(f"{ID_PREFIX}long", " ".join(f"a{number:03}" for number in range(100)) + " bread")
    harmless = card(f"{ID_PREFIX}harmless", "says hello")
    for name, limit in (("capped", 64), ("uncapped", NO_CAP)):
        build_index(card_batches([*CARDS, long, harmless]), folder / name, limit)
    attacks = {"every word": {"q1": long.id}, "harmless card": {"q1": harmless.id}}
    table = robustness_pools(
        [REGISTRY], attacks, folder / "capped", folder / "uncapped", 2, "paper", 3, 1
    )
    return table.to_pandas()


def pool(pools: pd.DataFrame, attack: str, method: str) -> list[str]:
    rows = pools[(pools["attack"] == attack) & (pools["method"] == method)]
    return rows.sort_values("position")["id"].tolist()


def test_the_cap_keeps_a_stuffed_card_out_of_the_pool(pools):
    assert pool(pools, "none", "SSR") == ["baker", "driver"]
    assert pool(pools, "every word", "SSR") == ["baker", "driver"]
    # Without the cap it shares `bread` with the request, as driver does, and ties go to it.
    assert pool(pools, "every word", SSR_UNCAPPED) == ["baker", f"{ID_PREFIX}long"]
    assert pool(pools, "every word", "BM25") == ["baker", "driver"]  # too long
    assert len(pool(pools, "every word", "Full catalog")) == 4


def test_reach_counts_pools_by_hand():
    rows = [
        ("q1", "SSR", "none", 1, "baker"),
        ("q2", "SSR", "none", 1, "baker"),
        ("q1", "SSR", "every word", 1, f"{ID_PREFIX}x"),
        ("q2", "SSR", "every word", 1, "farmer"),
        ("q2", "SSR", "every word", 2, f"{ID_PREFIX}x"),
    ]
    full = [
        (qid, "SSR", attack.name, 1, "baker")
        for qid in ("q1", "q2")
        for attack in ATTACKS
        if attack.name != "every word"
    ]
    frame = pd.DataFrame(rows + full, columns=["qid", "method", "attack", "position", "id"])
    # The third request has an empty pool whatever is planted.
    table = reach_table(frame, ["q1", "q2", "q3"], {"q1": ["baker"], "q2": ["farmer"], "q3": []})
    table = table.set_index("attack")
    assert table.index[0] == "none" and table.loc["none", "in_pool"] == 0
    found = table.loc["every word"]
    assert found["in_pool"] == pytest.approx(2 / 3) and found["first"] == pytest.approx(1 / 3)
    assert found["candidate_recall"] == pytest.approx(1 / 3)  # q2's farmer; q1's baker is gone
    assert table.loc["none", "candidate_recall"] == pytest.approx(1 / 3)  # q1's baker
    assert (
        found["candidate_recall_lost"] == pytest.approx(0)
        and found["author_knows"] == "the registry"
    )


def test_choices_are_counted_and_the_prompts_form_changes_no_pick_of_the_stand_in(pools, tmp_path):
    cards = [Candidate(c.id, c.name, c.description) for c in CARDS]
    cards += [
        Candidate(f"{ID_PREFIX}{name}", "x", text)
        for name, text in (("long", "who bakes bread"), ("harmless", ""))
    ]
    tasks = choice_tasks({"q1": GOAL.request}, cards, pools, 2, METHODS, ["control", "stuffing"])
    # No SSR without the cap, and one method after another.
    assert [method for method, _ in groupby(task.method for task, _ in tasks)] == METHODS
    some = choice_tasks({"q1": GOAL.request}, cards, pools, 2, ["SSR"], ["control"])
    assert [(task.method, attack) for task, attack in some] == [
        ("SSR", "none"),
        ("SSR", "harmless card"),
    ]
    records = []
    for form in ("plain", "hardened"):
        some, facts = choose(tasks, Llm(), form, tmp_path / "ledger.jsonl")
        assert facts["stand_in"]
        records.append(some)
    table = choice_table(pd.concat(records), pools, {"q1": ["baker"]})
    table = table.set_index(["attack", "method", "prompt"])
    for form in ("plain", "hardened"):
        stuffed = table.loc["every word", "Full catalog", form]
        # It shares bakes and bread, as baker does, and has fewer words of its own.
        assert stuffed["in_pool"] == stuffed["chosen"] == stuffed["chosen_of_shown"] == 1
        assert stuffed["chance_of_shown"] == 0.25
        # baker, which leads SSR's pool and stands second in the registry.
        assert table.loc["none", "SSR", form]["first_selected"] == 1
        assert table.loc["none", "Full catalog", form]["first_selected"] == 0
        assert stuffed["accuracy"] == 0 and stuffed["accuracy_lost"] == 1
        assert table.loc["every word", "SSR", form]["in_pool"] == 0
        assert table.loc["none", "SSR", form]["accuracy"] == 1
    tokens = table["mean_input_tokens"].unstack()
    assert (tokens["hardened"] > tokens["plain"]).all()


AGENTS = [
    Card(
        "a",
        "Alpha",
        "sings",
        (Field("name", "Alpha"), Field("description", "sings")),
        None,
        "agent",
        "t",
    ),
    Card("a::x", "x", "hum", (Field("name", "x"),), "a", "tool", "t"),
    Card("a::y", "y", "song", (Field("name", "y"),), "a", "tool", "t"),
    Card(
        "b",
        "Beta",
        "drives",
        (Field("name", "Beta"), Field("description", "drives")),
        None,
        "agent",
        "t",
    ),
    Card("b::z", "z", "car", (Field("name", "z"),), "b", "tool", "t"),
]


def test_claims_copy_honest_texts():
    graph = AgentGraph.from_cards(AGENTS)
    texts = {node.text for node in graph.nodes}
    sizes = {}
    for name in CLAIMS:
        made = claim(graph, name)
        assert made.model.id == "a"  # two tools, the most
        sizes[name] = len(made.tools)
        grown = claimed_graph(graph, made)
        assert {node.text for node in grown.nodes} == texts
        own = [node for node in grown.nodes if node.owner == ADVERSARY]
        assert len(own) == 1 + sizes[name] and grown.agents[0] == ADVERSARY
        assert claimed_card(made).text.startswith("Alpha sings")
    assert list(sizes.values()) == [2, 2, 3]


def test_an_agent_that_claims_every_tool_is_in_every_pool():
    wanted = [Ask("question", "q1", 0, "car please", "car please")]
    texts = texts_to_embed(AgentGraph.from_cards(AGENTS), wanted)
    vectors = {text: np.eye(1, 4, 0)[0] for text in texts} | {"z: car": np.eye(1, 4, 1)[0]}
    vectors |= {"car please": np.array([0.1, 1, 0, 0])}
    config = Graph(k=1, nodes=5)
    runs = claim_runs(AGENTS, wanted, {"toy": vectors}, config, "paper", 64)
    labels = pd.DataFrame({"qid": ["q1"], "id": ["b"], "grade": [1]})
    table = claims_table(runs, labels, config).set_index(["method", "attack"])
    ours = table.loc["Agent-as-a-Graph"]
    assert ours.loc["none", "recall@1"] == 1 and ours.loc["none", "in_pool"] == 0
    assert ours.loc["every tool of every agent", "in_pool"] == 1
    assert ours.loc["every tool of every agent", "recall_lost"] == 1
    assert ours.loc["a copy of the largest agent", "in_pool"] == 0


def test_ids_are_found_for_each_request():
    goals = [GOAL, Goal("q2", "water", CARDS[1])]
    found = ids_by_query(plants_table(plants(KNOWN, goals)).to_pandas(), ["q1", "q2"])
    assert list(found) == [attack.name for attack in ATTACKS]
    assert len(set(found["every word"].values())) == 1
    assert found["copy of the target"]["q2"].endswith("/q2")

"""SSR-AgentBench's cards are A2A Agent Cards by the public SDK's own models."""

import copy

import pytest
from a2a.client.card_resolver import parse_agent_card
from a2a.compat.v0_3.types import AgentCard as AgentCard03
from a2a.types import AgentCard
from a2a.utils.proto_utils import validate_proto_required_fields
from google.protobuf.json_format import MessageToDict, ParseDict

from agent_discovery.corpora.agentbench.generator import generate_agents

AGENTS = generate_agents().agents
ONLY_IN_03 = {"url", "preferredTransport", "protocolVersion"}


def test_cards_are_valid_in_version_1():
    for agent in AGENTS:
        known = {key: value for key, value in agent.a2a.items() if key not in ONLY_IN_03}
        card = ParseDict(known, AgentCard())  # refuses a field that the protocol does not know
        validate_proto_required_fields(card)
        assert MessageToDict(card).keys() == known.keys()


def test_the_sdks_client_reads_the_cards_as_they_are():
    for agent in AGENTS[:100]:
        card = parse_agent_card(copy.deepcopy(agent.a2a))
        assert card.name == agent.card.name and card.description == agent.card.description
        assert card.supported_interfaces[0].url == agent.a2a["url"]


def test_cards_are_valid_in_version_0_3():
    for agent in AGENTS:
        card = AgentCard03.model_validate(agent.a2a)
        assert card.skills[0].id == agent.profile.skill
        assert card.capabilities.extensions[0].params["region"] == agent.profile.region


def test_a_card_that_lacks_its_skills_would_be_refused():
    broken = {key: value for key, value in AGENTS[0].a2a.items() if key != "skills"}
    with pytest.raises(ValueError, match="skills"):
        AgentCard03.model_validate(broken)


def test_hosts_are_reserved_names_and_the_rest_varies():
    assert all(agent.a2a["url"].split("/")[2].endswith(".example") for agent in AGENTS)
    for vary, fewest in (
        (lambda card: card["version"], 200),
        (lambda card: card["provider"]["organization"], 300),
        (lambda card: card["preferredTransport"], 3),
        (lambda card: tuple(card["defaultInputModes"]), 10),
        (lambda card: tuple(card["defaultOutputModes"]), 10),
    ):
        assert len({vary(agent.a2a) for agent in AGENTS}) >= fewest

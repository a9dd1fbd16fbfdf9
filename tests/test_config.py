"""The configuration: what it refuses, and that everything made from it is in step with it."""

import json
import re
import tomllib
from pathlib import Path

import yaml
from corpus_files import refusal
from pytest import mark

from agent_discovery.config import (
    Config,
    Rq3,
    key_table,
    keys,
    read_config,
    schema_text,
    with_key_table,
)

ROOT = Path(__file__).parents[1]
OVERLAYS = sorted((ROOT / "config").glob("*.yaml"))


@mark.parametrize(
    ("values", "key"),
    [
        ({"corpse": "toolpool"}, "corpse"),
        ({"rq2": {"K": 10}}, "rq2.K"),
        ({"rq2": {"k": 10, "sample": 5}}, "rq2.sample"),
        ({"llm": {"api_key": "x"}}, "llm.api_key"),
        ({"rq2": {"rq2": {}}}, "rq2.rq2"),
        ({"rq2.k": 5}, "rq2.k"),
        ({"line\nbreak\x1b": 1}, "line\\nbreak\\x1b"),
    ],
)
def test_an_unknown_key_is_refused(values, key):
    message = refusal(read_config, values)
    assert message == f"config: unknown key '{key}': config/README.md lists the keys"


@mark.parametrize("section", ["rq1", "rq2", "rq3"])
@mark.parametrize("k", [0, -1, "0", "ten", "", 2.5, None, [10], True, False, float("inf"), "1e1"])
def test_a_k_that_is_no_positive_integer_is_refused(section, k):
    message = refusal(read_config, {section: {"k": k}})
    assert message.startswith(f"config: {section}.k: Input should be ")
    assert message.endswith(f", not {k!r}: see config/README.md")


@mark.parametrize(
    ("values", "key"),
    [
        ({"profile": "../elsewhere"}, "profile"),
        ({"profile": ""}, "profile"),
        ({"profile": "Default"}, "profile"),
        ({"profile": "default\n"}, "profile"),
        ({"corpus": ""}, "corpus"),
        ({"corpus": 5}, "corpus"),
        ({"card_level": "server"}, "card_level"),
        ({"tie_break": "Paper"}, "tie_break"),
        ({"max_signals": 0}, "max_signals"),
        ({"max_signals": 65}, "max_signals"),
        ({"rq2": 5}, "rq2"),
        ({"rq2": None}, "rq2"),
        ({"rq2": {"sample_size": 0}}, "rq2.sample_size"),
        ({"rq2": {"latency_repeats": 0}}, "rq2.latency_repeats"),
        ({"llm": {"model": ""}}, "llm.model"),
        ({"llm": {"temperature": -0.1}}, "llm.temperature"),
        ({"llm": {"temperature": float("inf")}}, "llm.temperature"),
        ({"llm": {"input_price": float("nan")}}, "llm.input_price"),
        ({"llm": {"output_price": True}}, "llm.output_price"),
        ({"intervals": {"resamples": 99}}, "intervals.resamples"),
    ],
)
def test_a_value_out_of_bounds_is_refused(values, key):
    assert refusal(read_config, values).startswith(f"config: {key}: ")


@mark.parametrize("key", [name for name, _, _ in keys() if name.endswith("seed")])
def test_a_seed_that_numpy_would_refuse_is_refused(key):
    section, name = key.split(".")
    assert refusal(read_config, {section: {name: -1}}).startswith(f"config: {key}: ")
    assert getattr(getattr(read_config({section: {name: 0}}), section), name) == 0


def test_numbers_may_be_text_as_on_the_command_line():
    config = read_config({"max_signals": "32", "rq2": {"k": "5"}, "llm": {"temperature": "0.5"}})
    assert (config.max_signals, config.rq2.k, config.llm.temperature) == (32, 5, 0.5)


def test_null_may_be_text_as_on_the_command_line():
    values = {"llm": {"api_key_variable": "null", "max_cost_usd": "null"}, "corpus": "null"}
    config = read_config(values)
    assert config.llm.api_key_variable is None and config.llm.max_cost_usd is None
    assert config.corpus == "null"


def test_no_value_at_all_is_the_default():
    assert read_config({}) == Config()
    assert read_config({"rq2": {}}).rq2.k == 10


def test_every_key_says_what_it_is_and_has_a_default():
    found = list(keys())
    for name, default, description in found:
        assert description and "|" not in description and "\n" not in description
        assert json.loads(default) is not None or "null" in description, name
    names = [name for name, _, _ in found]
    assert len(set(names)) == len(names)


def test_each_key_and_its_default_build_the_default_configuration():
    nested: dict = {}
    for name, default, _ in keys():
        *section, key = name.split(".")
        holder = nested.setdefault(section[0], {}) if section else nested
        holder[key] = json.loads(default)
    assert nested == Config().model_dump(mode="json")


def test_the_readme_has_the_keys_as_they_are():
    readme = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    assert with_key_table(readme) == readme
    assert with_key_table(readme.replace("| `rq2.k` | `10` |", "| `rq2.k` | `11` |")) == readme
    assert len(key_table().splitlines()) == 2 + len(list(keys()))


def test_the_schema_file_is_as_it_would_be_made():
    path = ROOT / "workflow" / "schemas" / "config.schema.json"
    assert path.read_text(encoding="utf-8") == schema_text()


@mark.parametrize("path", OVERLAYS, ids=lambda path: path.name)
def test_overlays_are_valid_and_named_in_the_readme(path):
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    config = read_config(values)
    assert config.profile == ("default" if path.name == "config.yaml" else path.stem)
    assert f"`{path.name}`" in (ROOT / "config" / "README.md").read_text(encoding="utf-8")


def test_the_embedded_default_is_the_default():
    values = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    assert read_config(values) == Config()


def test_sizes_and_depths_are_taken_in_rising_order_and_once():
    config = read_config({"rq3": {"sizes": [500, 100, 500], "depths": [20, 5, 5]}})
    assert config.rq3.sizes == (100, 500) and config.rq3.depths == (5, 20)


def test_the_llm_selects_at_every_depth_unless_told_otherwise():
    assert Rq3(depths=[20, 5]).where_the_llm_selects() == (5, 20)
    assert Rq3(arbitrated_depths=[20]).where_the_llm_selects() == (20,)
    assert Rq3(arbitrated_depths=[]).where_the_llm_selects() == ()


@mark.parametrize(
    ("values", "told"),
    [
        ({"arbitrated_depths": [5, 7]}, "rq3.arbitrated_depths: Input should be among rq3.depths"),
        ({"depths": [5], "arbitrated_depths": [10]}, "Input should be among rq3.depths"),
        ({"arbitrated_depths": [100]}, "Input should be among rq3.depths"),
        ({"validation_seed": 42}, "rq3.validation_seed: Input should differ from rq3.seed"),
        ({"seed": 2027}, "rq3.validation_seed: Input should differ from rq3.seed"),
    ],
)
def test_rq3_keys_that_contradict_each_other_are_refused(values, told):
    assert told in refusal(read_config, {"rq3": values})


def test_the_papers_values():
    """Each is written out in paper.yaml, so that a change of a default does not change it."""
    values = yaml.safe_load((ROOT / "config" / "paper.yaml").read_text(encoding="utf-8"))
    assert values == {
        "profile": "paper",
        "corpus": "irds:msmarco-passage/dev/small",
        "tie_break": "paper",
        "max_signals": 64,
        "rq1": {
            "k": 10,
            "seed": 2026,
            "sizes": [10, 100, 500, 1000],
            "full_catalog_up_to": 1000,
        },
        "rq2": {"k": 10, "sample_size": 200, "sample_seed": 42},
        "rq3": {
            "k": 20,
            "sizes": [100, 500, 1000, 5000],
            "sample_size": 200,
            "seed": 42,
            "full_catalog_up_to": 5000,
            "depths": [5, 10, 20, 50],
            "validation_size": 1000,
            "validation_seed": 2027,
            "validation_margin": 0.02,
        },
        "graph": {"corpus": "livemcpbench", "nodes": 50, "k": 5, "rrf_k": 60},
        "llm": {
            "model": "gpt-4o-mini",
            "temperature": 0,
            "input_price": 0.15,
            "output_price": 0.60,
            "context_window": 128_000,
        },
    }


def pinned() -> dict[str, str]:
    """Version by lower-case name from constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    assert all(len(pin) == 2 for pin in pins)
    return {name.lower(): version for name, version in pins}


def declared() -> set[str]:
    """Names of pyproject.toml's dependencies, those that `make` installs from the extras too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return {*project["dependencies"], *extras["dev"], *extras["notebooks"]}


def test_environment_yml_has_each_dependency_with_its_pin():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, by_pip = environment["dependencies"]
    assert conda[:2] == ["python=3.11", "pip"] and by_pip["pip"][-1] == "-e ."
    found = dict(line.split("=") for line in conda[2:])
    found |= dict(line.split("==") for line in by_pip["pip"][:-1])
    assert found == {name: pinned()[name] for name in declared()}


def test_the_peers_of_the_benchmarks_are_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]["bench"]) <= set(pinned())


def test_constraints_pin_whole_versions():
    assert all(re.fullmatch(r"\d+(\.\w+)+", version) for version in pinned().values())
    assert {name.lower() for name in declared()} <= set(pinned())

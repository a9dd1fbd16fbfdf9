"""Values of the configuration that would break what uses them, or that may be a key."""

from corpus_files import refusal
from pytest import mark

from agent_discovery.config import Llm, keys, read_config

SECRET = "sk-SECRET"
BAD_HOSTS = [
    *(
        "localhost:port",
        "user:pass%40host",
        "[x",
        "[::1",
        "127.0.0.1:8080:9",
        "a_b\u200d",
        "h:65536",
    ),
    *(
        "[v1.a]",
        "[127.0.0.1]",
        "256.1.1.1",
        "a..b",
        "a" * 64 + ".com",
        ":80",
        "m\u00fcnchen.de",
        "%zz",
    ),
]
GOOD_HOSTS = [
    *(
        "localhost",
        "localhost:8080",
        "127.1",
        "[::1]:8080",
        "api.example.com.",
        "my_server:0",
        "h:",
    ),
]


@mark.parametrize("section", ["llm", "graph"])
@mark.parametrize("host", BAD_HOSTS)
def test_a_url_that_nothing_could_connect_to_is_refused_and_not_repeated(section, host):
    message = refusal(read_config, {section: {"base_url": f"http://{host}/v1"}})
    assert message == (
        f"config: {section}.base_url: Input should have a host (in ASCII) and, if any, a port up "
        "to 65535: it holds no key; see config/README.md"
    )


@mark.parametrize("path", ["/v1\x7f", "/" + "a" * 2000])
def test_a_path_that_the_client_would_refuse_is_refused(path):
    message = refusal(read_config, {"llm": {"base_url": f"http://host{path}"}})
    assert message.startswith("config: llm.base_url: ") and path not in message


@mark.parametrize("host", GOOD_HOSTS)
def test_any_other_url_is_taken_as_it_is(host):
    url = f"https://{host}/v1"
    assert read_config({"llm": {"base_url": url}}).llm.base_url == url


@mark.parametrize(
    ("key", "most"),
    [
        ("llm.timeout_s", 86_400),
        ("llm.patience_s", 604_800),
        ("llm.max_attempts", 100),
        ("llm.input_price", 1e9),
        ("llm.output_price", 1e9),
        ("llm.max_cost_usd", 1e9),
        ("graph.rrf_k", 1_000_000),
        ("graph.agent_weight", 1e6),
        ("graph.tool_weight", 1e6),
        ("rq2.latency_repeats", 1000),
        ("rq3.validation_margin", 1),
        ("intervals.resamples", 1_000_000),
    ],
)
def test_what_could_overflow_or_never_end_is_bounded(key, most):
    section, name = key.split(".")
    assert getattr(getattr(read_config({section: {name: most}}), section), name) == most
    message = refusal(read_config, {section: {name: most * 1000}})
    assert message.startswith(f"config: {key}: Input should be less than or equal to {most:.0f}")


def test_weights_that_are_compared_are_bounded():
    message = refusal(read_config, {"graph": {"sweep": [[1, 2e6]]}})
    assert message.startswith("config: graph.sweep.0.1: Input should be less than")


def test_a_list_that_stands_in_itself_is_refused():
    """As a YAML alias may."""
    sizes: list = []
    sizes.append(sizes)
    assert refusal(read_config, {"rq1": {"sizes": sizes}}) == (
        "config: rq1.sizes.0: Input should be a valid integer, not [[[[...]]]]: "
        "see config/README.md"
    )


def test_a_list_of_any_depth_is_refused():
    sizes: list = [10]
    for _ in range(100_000):
        sizes = [sizes]
    assert "rq1.sizes.0: " in refusal(read_config, {"rq1": {"sizes": sizes}})


def test_a_few_aliases_that_stand_for_billions_are_refused_at_once():
    sizes: list = [10] * 10
    for _ in range(30):
        sizes = [sizes] * 10
    assert "rq1.sizes.0: " in refusal(read_config, {"rq1": {"sizes": sizes}})


def test_a_number_beyond_64_bits_is_found_in_a_list():
    assert "should fit 64 bits" in refusal(read_config, {"rq1": {"sizes": [10, [2**63]]}})


@mark.parametrize("section", ["llm", "graph"])
@mark.parametrize("value", [SECRET, [SECRET], 5])
def test_what_stands_for_a_section_that_may_hold_a_key_is_not_repeated(section, value):
    message = refusal(read_config, {section: value})
    assert message.startswith(f"config: {section}: Input should be a valid dictionary")
    assert "not" not in message and message.endswith(": see config/README.md")


@mark.parametrize("key", [name for name, _, _ in keys() if name.startswith(("llm.", "graph."))])
@mark.parametrize("value", [{"a": SECRET}, [{"a": SECRET}], f" {SECRET}\0"])
def test_no_value_in_such_a_section_is_repeated(key, value):
    section, name = key.split(".")
    try:
        read_config({section: {name: value}})
    except Exception as error:
        assert str(error).startswith(f"config: {key}") and SECRET not in str(error)
    else:  # any text is a name, for its server to refuse
        assert isinstance(value, str) and name in ("model", "corpus")


def test_no_path_holds_a_null_byte():
    assert "llm.ledger" in refusal(read_config, {"llm": {"ledger": "a\0b"}})
    assert Llm(ledger="a b").ledger == "a b"

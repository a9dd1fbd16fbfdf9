"""Configuration that no client, no recursion and no reader of a log should meet."""

from pytest import mark, raises

from agent_discovery.config import read_config
from agent_discovery.endpoint import on_this_machine
from agent_discovery.errors import InputError


@mark.parametrize(
    "url",
    [
        "http://localhost:port/v1",
        "http://127.0.0.1:8080:9/v1",
        "http://127.0.0.1:70000/v1",
        "http://marked:pass%40host/v1",
        "http://[x",
        "http://[::1/v1",
        "http://[:::]/v1",
        "http://a\u200db/v1",
        "http://host/v\u200d1",
    ],
)
@mark.parametrize("section", ["llm", "graph"])
def test_a_url_that_no_client_would_take_is_refused_and_not_repeated(section, url):
    with raises(InputError, match=f"config: {section}.base_url: ") as refused:
        read_config({section: {"base_url": url}})
    assert "marked" not in str(refused.value) and url not in str(refused.value)


@mark.parametrize(
    "url",
    ["http://127.0.0.1:8080/v1", "http://[::1]:80", "https://a-b.example.org/x/~y/", "http://h"],
)
def test_a_url_that_a_client_takes_is_taken(url):
    assert read_config({"llm": {"base_url": url}}).llm.base_url == url


@mark.parametrize("section", ["llm", "graph"])
def test_what_stands_in_place_of_a_section_with_a_key_is_not_repeated(section):
    with raises(InputError, match=f"config: {section}: ") as refused:
        read_config({section: "sk-marked"})
    assert "marked" not in str(refused.value)


def test_a_list_that_holds_itself_is_refused():
    endless = []
    endless.append(endless)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (endless, deep):
        with raises(InputError, match="nested too deep"):
            read_config({"rq1": {"sizes": value}})


@mark.parametrize(
    ("host", "here"),
    [
        *((host, True) for host in ("localhost", "LOCALHOST.", "a.localhost", "127.0.0.1")),
        *((host, True) for host in ("127.0.0.2", "127.1", "0x7f000001", "0.0.0.0", "::1", "::")),
        ("::ffff:127.0.0.1", True),
        *((host, False) for host in ("", "localhost.org", "128.0.0.1", "::2", "notlocalhost")),
    ],
)
def test_what_is_on_this_machine(host, here):
    assert on_this_machine(host) is here

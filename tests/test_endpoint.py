"""Where calls go: which hosts are this machine, whose traffic no proxy may see."""

from pytest import mark

from agent_discovery.endpoint import Endpoint

HERE = [
    *("127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "0x7f.1", "2130706433", "017700000001"),
    *("0.0.0.0", "0", "localhost", "LocalHost", "localhost.", "a.localhost", "127.0.0.1."),
    *("[::1]", "[0:0::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:2]", "[::ffff:0.0.0.0]"),
]
ELSEWHERE = [
    *("example.com", "localhost.com", "notlocalhost", "127.example.com", "1270.0.0.1", "10.0.0.1"),
    *("128.0.0.1", "0.0.0.1", "[::2]", "[fe80::1]", "[::ffff:8.8.8.8]", "a.b.c.d"),
]


@mark.parametrize("host", HERE)
def test_this_machine_in_any_spelling(host):
    assert Endpoint(f"http://{host}/v1").loopback and Endpoint(f"http://{host}:8080/v1").loopback


@mark.parametrize("host", ELSEWHERE)
def test_other_machines(host):
    assert not Endpoint(f"http://{host}:8080/v1").loopback

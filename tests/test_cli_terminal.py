"""The command line on a terminal and off it: colour, progress, help, exit codes, start-up."""

import os
import pty
import re
import subprocess
import sys
import termios
from collections.abc import Callable
from threading import Thread

from corpus_files import json_lines, lay
from pytest import MonkeyPatch, fixture, mark, param
from tqdm import tqdm

from agent_discovery import __version__
from agent_discovery.cli import main
from agent_discovery.cli.output import Style, note_first_use, shortened

REQUEST = "a document"
COLOUR = re.compile(r"\x1b\[\d*m")
CARDS = [
    {"id": f"scan{n}", "name": "Scanner", "description": f"Document \x1b[2J {n}"} for n in (1, 2)
]
COMMANDS = ["search", "explain", "index", "verify", "estimate-cost", "serve-offline-arbiter"]


@fixture
def registry(tmp_path):
    return lay(tmp_path / "registry", {"cards.jsonl": json_lines(*CARDS)})


@fixture
def terminal(monkeypatch) -> Callable[..., str]:
    """Runs a command on a terminal, and gives all that it writes there."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*arguments) -> str:
        master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 200))
        written: list[bytes] = []
        reader = Thread(target=read_all, args=(master, written))
        reader.start()
        with MonkeyPatch.context() as patch, open(slave, "w", encoding="utf-8") as stream:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            main([str(argument) for argument in arguments])
        reader.join()
        os.close(master)
        return b"".join(written).decode().replace("\r\n", "\n")

    return run


def read_all(master: int, written: list[bytes]) -> None:
    try:
        while part := os.read(master, 1 << 16):
            written.append(part)
    except OSError:  # the other end is closed
        pass


@fixture
def bars_at_once(monkeypatch) -> None:
    """Progress bars that do not wait for two seconds to pass."""
    begin = tqdm.__init__

    def begin_at_once(self, *args, **options):
        begin(self, *args, **{**options, "delay": 0, "mininterval": 0})

    monkeypatch.setattr(tqdm, "__init__", begin_at_once)


@mark.parametrize(
    ("environment", "coloured"),
    [
        param({}, True, id="terminal"),
        param({"NO_COLOR": ""}, True, id="NO_COLOR is empty"),
        param({"NO_COLOR": "1"}, False, id="NO_COLOR"),
        param({"TERM": "dumb"}, False, id="dumb"),
    ],
)
def test_colour_on_a_terminal_unless_it_is_not_wanted(
    registry, terminal, cli, monkeypatch, environment, coloured
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    command = ["search", "--registry", registry, REQUEST]
    written = terminal(*command)
    assert bool(COLOUR.search(written)) == coloured
    assert ("\x1b[1mDocument\x1b[0m" in written) == coloured
    # What a card holds is inert in either case.
    plain = COLOUR.sub("", written)
    assert r"Document \x1b[2J 1" in plain and plain.replace("\n", "").isprintable()
    assert plain == cli(*command).out


def test_explanations_are_coloured_too(registry, terminal, cli):
    command = ["explain", "--registry", registry, REQUEST, "scan2"]
    written = terminal(*command)
    assert "\x1b[32mdocument\x1b[0m" in written
    assert COLOUR.sub("", written) == cli(*command).out


def test_no_terminal_no_colour_and_no_bar(registry, cli, bars_at_once):
    ended = cli("search", "--registry", registry, REQUEST)
    assert (ended.code, ended.err) == (0, "") and "\x1b" not in ended.out


def test_bars_on_a_terminal(registry, tmp_path, terminal, bars_at_once):
    out = tmp_path / "index"
    written = terminal("index", registry, out)
    for what in ("reading entries", "reading cards", "finding signals", "inverting"):
        assert what in written
    assert written.endswith(f"{out}: 2 cards indexed\n")
    written = terminal("verify", out)
    assert "verifying: 100%" in written and "verifying cards: 100%" in written
    assert written.endswith(f"{out}: whole, 2 cards\n")
    assert "counting tokens: 100%" in terminal("estimate-cost", "--registry", out, REQUEST)


def test_no_bar_in_less_than_two_seconds(registry, terminal, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    written = terminal("search", "--registry", registry, REQUEST)
    assert "%" not in written and "\r" not in written


def test_styles():
    coloured, plain = Style(True), Style(False)
    assert coloured("id", "a\x1bb") == "\x1b[36ma\\x1bb\x1b[0m" and plain("id", "a\x1b") == "a\\x1b"
    assert coloured.marked("A pdf, Pdfs\n", ["pdf"]) == "A \x1b[1mpdf\x1b[0m, Pdfs\\n"
    assert plain.marked("A pdf", ["pdf"]) == "A pdf"


def test_shortened():
    assert shortened(" a\n b  c ", 5) == "a b c"
    assert shortened("a b c d", 5) == "a b …"


def test_the_first_use_is_told_of_on_a_terminal_only(tmp_path, monkeypatch, capsys):
    from agent_discovery import retrieval

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(retrieval, "__path__", [str(tmp_path)])
    note_first_use()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    note_first_use()
    assert "compiling" in capsys.readouterr().err
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "isi._spans-1.py311.nbi").touch()
    note_first_use()
    assert capsys.readouterr().err == ""


# --- help, start-up, exit codes -------------------------------------------------------------------


@mark.parametrize("command", COMMANDS)
def test_the_help_of_each_has_an_example_and_the_exit_codes(cli, command):
    ended = cli(command, "--help")
    assert ended.code == 0 and f"\n  agent-discovery {command}" in ended.out
    assert "exit codes:\n  0    done" in ended.out and "130  interrupted" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 100


def test_the_help_of_all_names_all(cli):
    ended = cli("--help")
    assert ended.code == 0 and "exit codes:\n" in ended.out
    assert all(f"\n    {command}" in ended.out for command in COMMANDS)


def test_the_version(cli):
    assert cli("--version") == (0, f"{__version__}\n", "")


@mark.parametrize("arguments", [[], ["find"], ["search"], ["index", "a"], ["explain", "a"]])
def test_wrong_usage_is_exit_code_2(cli, arguments):
    ended = cli(*arguments)
    assert (ended.code, ended.out) == (2, "") and "error: " in ended.err.splitlines()[-1]


@mark.parametrize("arguments", [["--help"], ["search", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    script = (
        "import sys\nfrom agent_discovery.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'numpy', 'pyarrow', 'numba', 'pandas', 'pydantic', 'tqdm'} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "set()"


def test_an_interrupt_ends_without_a_traceback(cli, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("agent_discovery.registry.load_corpus", interrupted)
    assert cli("search", "--registry", "toolpool", "x") == (130, "", "")


def test_an_interrupt_while_commands_are_imported_ends_the_same_way(cli, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("agent_discovery.cli.import_module", interrupted)
    assert cli("search", "--registry", "toolpool", "x") == (130, "", "")


def test_commands_are_imported_where_an_interrupt_is_heard():
    script = "import sys, agent_discovery.cli as cli; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    loaded = {name for name in ended.stdout.split() if name.startswith("agent_discovery.")}
    ours = ("agent_discovery.cli", "agent_discovery.cli.options", "agent_discovery.errors")
    assert loaded == set(ours) and "importlib.metadata" not in ended.stdout.split()

"""The README: each of its commands is run, or a stated cheaper equivalent; each path exists.

A command is a line of a fenced `sh` block, or code in a sentence that begins with a program's name.
One whose program has no treatment here fails. What an equivalent leaves out is run elsewhere:

- `snakemake TARGET` is dry-run here; tests/test_workflow*.py run the targets.
- `make TARGET` prints its recipes here; they are the targets and the tests themselves.
- `pip install`, `conda`, `source`: what they name is checked; .ci/run installs.
- `python -m llama_cpp.server` needs a model and hours; the names and ports that must agree are
  compared.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml
from checkout import ROOT, lay_out, snakemake
from pytest import fixture, mark

from agent_discovery import Registry, cli

README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 250
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SNAKEMAKE = ("snakemake", ".venv-dense/bin/snakemake")
OTHERS = ("make", "agent-discovery", "pip", "python", "conda", "source", "mkdir", "echo", "printf")
PROGRAMS = (*SNAKEMAKE, *OTHERS)
PACKAGE = ROOT / "src" / "agent_discovery"  # `corpora/` and its like
MADE = (".venv", ".venv-dense", "my_registry")  # by the commands themselves


def blocks(language: str) -> list[str]:
    return [text for name, text in FENCE.findall(README) if name == language]


def spans() -> list[str]:
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCE.sub("", README))


def commands() -> list[str]:
    """Every command, in order, each once."""
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    inline = [span for span in spans() if span.split()[0] in PROGRAMS and len(span.split()) > 1]
    return list(dict.fromkeys(lines + inline))


def of(*programs: str) -> list[str]:
    return [command for command in commands() if command.split()[0] in programs]


def test_each_program_has_a_treatment():
    assert {command.split()[0] for command in commands()} <= set(PROGRAMS)
    assert {name for name, _ in FENCE.findall(README)} <= {"sh", "python"}


def test_it_is_short_and_lists_what_it_should():
    assert len(README.splitlines()) <= MOST_LINES
    targets = {command.split()[1] for command in of("snakemake")}
    wanted = "rq1 rq2 rq3 graph report notebooks check estimate-cost reproduce-all"
    assert targets >= set(wanted.split())


@cache
def parsed(command: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The targets of a Snakemake command, and its options."""
    words = shlex.split(command)[1:]
    first = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    return tuple(words[:first]), tuple(words[first:])


@fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A checkout without results, with the README's own registry in it."""
    folder = lay_out(tmp_path_factory.mktemp("readme"))
    script = "\n".join(of("mkdir", "echo", "printf"))
    ended = subprocess.run(["bash", "-euc", script], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return folder


OPTIONS = list(dict.fromkeys(parsed(command)[1] for command in of(*SNAKEMAKE)))


@fixture(scope="module")
def dry_run(folder) -> Callable[[tuple[str, ...]], str]:
    """What Snakemake would do for all targets that are given with the same options."""

    @cache
    def told(options: tuple[str, ...]) -> str:
        alike = [parsed(command)[0] for command in of(*SNAKEMAKE) if parsed(command)[1] == options]
        targets = sorted({target for targets in alike for target in targets})
        dry = [] if "--unlock" in options else ["--dry-run"]
        ended = snakemake(folder, *targets, *options, *dry, OPENAI_API_KEY="none")
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    return told


@mark.parametrize("options", OPTIONS, ids=" ".join)
def test_snakemake_commands_have_jobs(dry_run, options):
    told = dry_run(options)
    assert "Unlocked" in told if "--unlock" in options else "This was a dry-run" in told


def test_the_registry_of_its_lines_is_found_in(folder, monkeypatch):
    monkeypatch.chdir(folder)
    [query] = re.findall(r'"text": "(.*?)"', README)
    assert [hit.id for hit in Registry.load("my_registry").search(query)] == ["pdf"]


@mark.parametrize("command", of("make"))
def test_make_commands_have_recipes(command):
    words = shlex.split(command)
    ended = subprocess.run([*words, "--dry-run"], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stdout, ended.stderr


@mark.parametrize("command", of("agent-discovery"))
def test_agent_discovery_commands_are_understood(command, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    arguments = shlex.split(command)[1:]
    if arguments[0] in ("search", "explain"):
        cli.main(arguments)
        assert "stackoverflow" in capsys.readouterr().out.lower()
    elif arguments == ["--help"]:
        told = shown_by(cli.main, arguments, capsys)
        named = re.search(r"the other commands: (.*?)\.", README)[1]
        assert all(name in told for name in re.findall("`(.*?)`", named))
    else:  # tests/test_verify.py runs it
        assert arguments[0] == "verify"
        cli._parser().parse_args(arguments)


def shown_by(call, arguments, capsys) -> str:
    try:
        call(arguments)
    except SystemExit as ended:
        assert not ended.code
    return capsys.readouterr().out


@mark.parametrize("command", of("pip"))
def test_what_pip_installs_is_an_extra_with_pins(command):
    words = shlex.split(command)
    extra = re.fullmatch(r"\.\[(.*)\]", words[-1])[1]
    pins = (ROOT / words[words.index("--constraint") + 1]).read_text(encoding="utf-8").lower()
    for name in PROJECT["optional-dependencies"][extra]:
        assert name.split("[")[0].replace("-", "_") + "==" in pins


@mark.parametrize("command", of("python"))
def test_the_model_server_and_the_commands_after_it_agree(command):
    words = shlex.split(command)
    assert words[1:3] == ["-m", "llama_cpp.server"]
    config = yaml.safe_load((ROOT / "config/local-llm.yaml").read_text(encoding="utf-8"))
    assert f":{words[words.index('--port') + 1]}/" in config["llm"]["base_url"]
    alias = words[words.index("--model_alias") + 1]
    assert any(f"model: {alias}," in other for other in of("snakemake"))


def test_what_conda_and_source_read_is_what_make_makes():
    assert of("conda") == ["conda env create --file environment.yml"]
    assert of("source") == ["source .venv/bin/activate"]
    assert (ROOT / "environment.yml").is_file()
    assert "VENV ?= .venv\n" in (ROOT / "Makefile").read_text()


@mark.parametrize("block", blocks("python"))
def test_python_runs(block):
    ended = subprocess.run([sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stdout.strip(), ended.stderr


@fixture(scope="module")
def outputs(dry_run) -> list[str]:
    """Every file that the targets of the README's table would make."""
    found = re.findall(r"^ +output: (.*)$", dry_run(()), re.MULTILINE)
    return [path for line in found for path in line.split(", ")]


def made(name: str, outputs: list[str]) -> bool:
    """Whether it is a file below results/default/ that some rule makes, or a folder of such."""
    path = f"results/default/{name.removeprefix('results/default/')}"
    return path in outputs or (name.endswith("/") and any(out.startswith(path) for out in outputs))


def test_the_artefacts_of_the_table_are_made(outputs):
    section = README.split("## Questions and targets")[1].split("\n## ")[0]
    rows = re.findall(r"^\|.*`snakemake .*\| (.*?) \|$", section, re.MULTILINE)
    named = [name for row in rows for name in re.findall("`(.*?)`", row)]
    assert len(named) > len(rows)
    assert [name for name in named if not made(name, outputs)] == []


def test_paths_exist(outputs):
    links = re.findall(r"\]\(([^)#]+)\)", README)
    names = [span for span in spans() if re.fullmatch(r"[\w.-]*(/[\w.-]+)+/?|[\w.-]+/", span)]
    assert links and names
    roots = (ROOT, PACKAGE)
    missing = [
        name
        for name in [*links, *names]
        if name.split("/")[0] not in MADE
        and not any((root / name).exists() for root in roots)
        and not made(name, outputs)
    ]
    assert missing == []

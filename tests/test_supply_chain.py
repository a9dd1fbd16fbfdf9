"""What ships has its checksum, and nothing in the source can run what it reads."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from checkout import ROOT, lay_out
from corpus_files import refusal

from agent_discovery.arbitration.ledger import Ledger
from agent_discovery.reporting.claims import read_claims
from agent_discovery.reporting.published import published_encoders
from agent_discovery.shipped import MANIFEST, SHIPPED, manifest_text

SOURCES = [
    path
    for folder in ("src", "workflow", "benchmarks", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
RULES = sorted((ROOT / "workflow").rglob("*.smk")) + [ROOT / "workflow/Snakefile"]
# Modules whose readers run what they read, or that hand text to a shell.
FORBIDDEN_MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve"}
FORBIDDEN_MODULES |= {"marshal", "commands"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_ATTRIBUTES = {
    ("os", "system"),
    ("os", "popen"),
    ("subprocess", "getoutput"),
    ("subprocess", "getstatusoutput"),
    ("tempfile", "mktemp"),
    ("yaml", "load"),
    ("yaml", "load_all"),
    ("yaml", "full_load"),
    ("yaml", "unsafe_load"),
    ("torch", "load"),
    ("pd", "read_pickle"),
    ("pandas", "read_pickle"),
    ("shutil", "unpack_archive"),
}
FORBIDDEN_METHODS = {"to_pickle", "read_pickle", "extractall"}
ARRAY_LOADERS = {("np", "load"), ("numpy", "load")}


def faults(source: str) -> list[str]:
    """What a Python source may not do, as `line: what`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        what = _import_fault(node) or (_call_fault(node) if isinstance(node, ast.Call) else None)
        if what:
            found.append(f"{node.lineno}: {what}")
    return found


def _import_fault(node: ast.AST) -> str | None:
    if isinstance(node, ast.Import):
        names = [alias.name.split(".")[0] for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [(node.module or "").split(".")[0]]
        for owner, name in FORBIDDEN_ATTRIBUTES:
            if node.module == owner and name in [alias.name for alias in node.names]:
                return f"{owner}.{name}"
    else:
        return None
    return next((name for name in names if name in FORBIDDEN_MODULES), None)


def _call_fault(call: ast.Call) -> str | None:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    for name in ("shell", "allow_pickle", "trust_remote_code"):
        value = keywords.get(name)
        if value is not None and not (isinstance(value, ast.Constant) and value.value is False):
            return f"{name}={ast.unparse(value)}"
    if isinstance(call.func, ast.Name) and call.func.id in FORBIDDEN_CALLS:
        return call.func.id
    if not isinstance(call.func, ast.Attribute):
        return None
    owner, name = ast.unparse(call.func.value), call.func.attr
    if (owner, name) in FORBIDDEN_ATTRIBUTES or name in FORBIDDEN_METHODS:
        return f"{owner}.{name}"
    # numpy's default is False since 1.16.3: it is said all the same.
    if (owner, name) in ARRAY_LOADERS and "allow_pickle" not in keywords:
        return f"{owner}.{name} without allow_pickle=False"
    return None


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import joblib.memory",
        "eval('1')",
        "exec(text)",
        "compile(text, '', 'exec')",
        "os.system(text)",
        "from os import system",
        "subprocess.run(text, shell=True)",
        "subprocess.run(text, shell=flag)",
        "yaml.load(text, Loader=yaml.SafeLoader)",
        "np.load(path, allow_pickle=True)",
        "np.load(path)",
        "frame.to_pickle(path)",
        "archive.extractall(folder)",
        "AutoModel.from_pretrained(name, trust_remote_code=True)",
    ],
)
def test_the_scan_finds(source):
    assert faults(source)


def test_the_scan_passes_what_is_safe():
    safe = "yaml.safe_load(x); np.load(p, allow_pickle=False); re.compile('a'); run(c, shell=False)"
    assert faults(safe) == []


def test_no_source_can_run_what_it_reads():
    found = {path: faults(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: what for path, what in found.items() if what} == {}


def test_there_are_sources_to_scan():
    assert len(SOURCES) > 150 and len(RULES) >= 10


def test_no_rule_has_a_shell_command():
    """Paths and wildcards would be put into its text; a script is given them as values."""
    other = re.compile(r"^\s*(shell|wrapper|notebook|container)\s*:", re.MULTILINE)
    assert [path for path in RULES if other.search(path.read_text())] == []


@pytest.mark.parametrize(("folder", "pattern"), SHIPPED.items())
def test_the_manifests_are_what_their_maker_makes(folder, pattern):
    text = (ROOT / folder / MANIFEST).read_text()
    assert text == manifest_text(ROOT / folder, pattern) and text.count("\n") > 1


@pytest.fixture
def copy(tmp_path) -> Path:
    return lay_out(tmp_path)


def test_changed_figures_of_a_paper_are_refused(copy):
    ssr, graph = copy / "expected/ssr.yaml", copy / "expected/agent_as_a_graph.yaml"
    read_claims(ssr), published_encoders(graph)
    for path, read in ((ssr, read_claims), (graph, published_encoders)):
        path.write_text(path.read_text() + "# more\n")
        assert f"{path}: wrong checksum" in refusal(read, path)


def test_a_shipped_ledger_may_grow_but_not_change(copy):
    [path] = (copy / "recordings/llm").glob("*.jsonl")
    whole = path.read_bytes()
    records = len(Ledger.read(path).models())
    path.write_bytes(whole + b'{"call": "x", "kind": "failure"}\n')
    assert len(Ledger.read(path).models()) == records
    changed = whole.replace(b"selected_index", b"selected_indes", 1)
    for content in (changed, whole[:-1], b""):
        path.write_bytes(content)
        assert f"{path}: wrong checksum" in refusal(Ledger.read, path)


def test_a_file_of_ones_own_beside_a_manifest_passes(copy):
    own = copy / "recordings/llm/mine.jsonl"
    own.write_text('{"call": "x", "kind": "failure"}\n')
    assert Ledger.read(own).models() == set()


@pytest.mark.parametrize("content", [b"", b"path\n", b"path,bytes,sha256\na,b,c\n", b"\xff"])
def test_a_broken_manifest_is_refused(tmp_path, content):
    own = tmp_path / "mine.jsonl"
    own.write_text("")
    (tmp_path / MANIFEST).write_bytes(content)
    assert "not a manifest of shipped files" in refusal(Ledger.read, own)


def test_every_dependency_is_pinned():
    with open(ROOT / "pyproject.toml", "rb") as stream:
        project = tomllib.load(stream)["project"]
    pinned = {
        line.split("==")[0].strip().lower().replace("_", "-")
        for name in ("constraints.txt", "constraints-dense.txt")
        for line in (ROOT / name).read_text().splitlines()
        if "==" in line and not line.startswith("#")
    }
    wanted = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
    names = {re.match(r"[A-Za-z0-9_.-]+", one)[0].lower().replace("_", "-") for one in wanted}
    assert names <= pinned

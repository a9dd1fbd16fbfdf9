"""What the Snakefile asks of the package: code digests, logs and provenance."""

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

from pytest import fixture, mark, skip

from agent_discovery import workflow
from agent_discovery.config import Config
from agent_discovery.workflow import code_digest, failed_on_input, provenance

SCRIPTS = Path(__file__).parents[1] / "workflow" / "scripts"


@fixture
def package(tmp_path, monkeypatch) -> Path:
    """A copy of the package that digests are made of."""
    copy = tmp_path / "copy" / "src" / "agent_discovery"
    shutil.copytree(workflow.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(workflow, "PACKAGE", copy)
    return copy


PARTS = ("retrieval", "signals.py")
CHANGES = {
    "file of a folder": lambda package: append(package / "retrieval" / "isi.py"),
    "new file": lambda package: (package / "retrieval" / "new.py").write_text(""),
    "deeper file": lambda package: new_module(package / "retrieval" / "deep"),
    "file gone": lambda package: (package / "retrieval" / "isi.py").unlink(),
    "file renamed": lambda package: (package / "retrieval" / "isi.py").rename(
        package / "retrieval" / "isj.py"
    ),
    "file by name": lambda package: append(package / "signals.py"),
}


def append(path: Path) -> None:
    path.write_text(path.read_text() + "\n")


def new_module(folder: Path) -> None:
    folder.mkdir()
    (folder / "module.py").write_text("")


def test_the_copy_has_the_same_digest(package, monkeypatch):
    copied = code_digest(*PARTS)
    monkeypatch.setattr(workflow, "PACKAGE", Path(workflow.__file__).parent)
    assert code_digest(*PARTS) == copied
    assert re.fullmatch("[0-9a-f]{16}", copied)


@mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_digest_changes_with_the_code(package, change):
    before = code_digest(*PARTS)
    change(package)
    assert code_digest(*PARTS) != before


def test_a_digest_keeps_what_is_outside_of_its_parts(package):
    before = code_digest(*PARTS)
    append(package / "evaluation" / "measures.py")
    append(package / "cards.py")
    (package / "retrieval" / "notes.txt").write_text("not code")
    (package / "retrieval" / "__pycache__").mkdir()
    (package / "retrieval" / "__pycache__" / "isi.pyc").write_bytes(b"")
    assert code_digest(*PARTS) == before


def test_a_digest_is_of_its_parts_whatever_their_order():
    assert code_digest(*PARTS) == code_digest(*reversed(PARTS))
    assert code_digest("retrieval") != code_digest("evaluation") != code_digest(*PARTS)


@mark.parametrize(
    ("line", "expected"),
    [
        ("Command 'set -euo pipefail; python x.py' returned non-zero exit status 2.", True),
        ("Command 'set -euo pipefail; python x.py' returned non-zero exit status 1.", False),
        ("Command 'set -euo pipefail; python x.py' returned non-zero exit status 255.", False),
        ("Command 'x' died with <Signals.SIGKILL: 9>.", False),
        ("Finished job 2.", False),
        ("", False),
    ],
)
def test_a_log_tells_of_an_input_error(tmp_path, line, expected):
    log = tmp_path / "snakemake.log"
    log.write_bytes(b"Building DAG\n\xff not UTF-8\n" + line.encode() + b"\nExiting\n")
    assert failed_on_input(log) is expected


CORPUS = {"corpus": "toolpool", "counts": {"cards": 3}, "checksums": {"a.json": "ab12"}}


def test_provenance_says_what_the_results_were_made_from():
    found = provenance(Config(), CORPUS)
    assert found["config"] == Config().model_dump(mode="json")
    assert found["corpus"] == CORPUS
    assert set(found["packages"]) >= {"agent-discovery", "numpy", "ir_measures", "snakemake"}
    assert found["packages"]["agent-discovery"] == "0.1.0"
    assert found == json.loads(json.dumps(found))


def test_provenance_has_no_absolute_path_and_no_clock_time():
    text = json.dumps(provenance(Config(), CORPUS))
    assert not re.search(r'"(/|[A-Za-z]:\\)', text)
    for path in (Path.cwd(), Path.home(), workflow.PACKAGE):
        assert len(path.parts) == 1 or str(path) not in text
    assert not re.search(r"\d{4}-\d\d-\d\d|\d\d:\d\d", text)


def test_provenance_is_the_same_every_time(package):
    assert provenance(Config(), CORPUS) == provenance(Config(), CORPUS)


def test_the_revision_is_the_checkouts_or_unknown(package):
    """The copy is no checkout, wherever it lies."""
    assert provenance(Config(), CORPUS)["git_revision"] == "unknown"


def head() -> str:
    """The commit that is checked out, as git says it."""
    command = ["git", "-C", str(workflow.PACKAGE), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_revision_of_a_checkout():
    if not (workflow.PACKAGE.parents[1] / ".git").exists() or shutil.which("git") is None:
        skip("not in a git checkout")
    revision = provenance(Config(), CORPUS)["git_revision"].removesuffix("-dirty")
    assert revision.endswith(head()) or revision.startswith("v")  # a release's tag


@mark.parametrize("script", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.stem)
def test_a_script_ends_in_one_line(script):
    """All that a rule's script does is done within `one_line_errors`."""
    passive = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign)
    *rest, last = ast.parse(script.read_text(encoding="utf-8")).body
    assert all(
        isinstance(part, passive) or ast.get_docstring(ast.Module([part], [])) for part in rest
    )
    assert isinstance(last, ast.With) and ast.unparse(last.items[0]) == "one_line_errors()"

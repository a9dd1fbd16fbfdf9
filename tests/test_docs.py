"""The examples of the documentation, and of the docstrings, give what they say."""

import doctest
from importlib import import_module
from pathlib import Path

from checkout import ROOT
from pytest import mark

SOURCES = ROOT / "src"
PAGES = [page for page in sorted(ROOT.glob("docs/*.md")) if ">>> " in page.read_text("utf-8")]
MODULES = sorted(
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in SOURCES.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page(page: Path, monkeypatch, temporary):
    monkeypatch.chdir(ROOT)
    failed, examples = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0 and examples > 0


@mark.parametrize("module", MODULES)
def test_a_docstring(module, temporary):
    failed, examples = doctest.testmod(import_module(module))
    assert failed == 0 and examples > 0


def test_there_are_examples():
    assert PAGES and "agent_discovery.registry" in MODULES

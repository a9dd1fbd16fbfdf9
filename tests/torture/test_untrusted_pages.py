"""Report and notebooks of a registry full of markup, by `make torture`: every page is inert."""

from html.parser import HTMLParser
from pathlib import Path

from browser import CHROMIUM, look
from figures import KILLS
from hostile_registry import MARK, RUN, run_hostile
from pytest import fixture, mark

pytestmark = mark.skipif(KILLS is None, reason="run by make torture")

SMALL = (
    "rq1={plain_queries: 4, paraphrased_queries: 2}",
    "rq3={sizes: [3, 5], sample_size: 4, validation_size: 4, full_catalog_up_to: 5, depths: [2]}",
    "graph={encoders: [all-MiniLM-L6-v2]}",
)


class Pages(HTMLParser):
    """Notes what runs, frames or fetches something."""

    def __init__(self):
        super().__init__()
        self.active: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fetched = [value for name, value in attrs if name in ("src", "href") and value]
        if (
            tag in ("iframe", "object", "embed", "base")
            or any(name.startswith("on") for name, _ in attrs)
            or not all(value.startswith(("#", "data:image/")) for value in fetched)
        ):
            self.active.append(self.get_starttag_text() or tag)


@fixture(scope="module")
def pages(tmp_path_factory) -> list[Path]:
    root = run_hostile(tmp_path_factory.mktemp("untrusted"), "report", "notebooks", config=SMALL)
    assert list(root.rglob(MARK)) == []
    return sorted((root / RUN / "results").rglob("*.html"))


def test_pages_have_no_element_of_a_text(pages):
    assert len(pages) == 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        parser = Pages()
        parser.feed(text)
        assert MARK in text and parser.active == [], page


@mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_pages_ask_no_network(pages, tmp_path):
    for page in pages:
        seen = look(page, tmp_path / page.stem, 1000)
        assert (seen.requests, seen.console) == ([], []), page

"""What the tests share: deterministic hypothesis, and registries built once a session."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from arbiter_world import arbiter
from command import Ended, runner
from generated import random_cards, random_texts
from hypothesis import settings
from reference import Registry
from world import World

from agent_discovery.arbitration.offline_arbiter import OfflineArbiter
from agent_discovery.cards import Card, card_batches
from agent_discovery.corpora import load_corpus
from agent_discovery.retrieval.build import build_index
from agent_discovery.retrieval.isi import InvertedSignalIndex
from agent_discovery.retrieval.lexical import Bm25, build_fts

# The same examples in every run, on every machine.
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("fixed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The workflow tests first: they take long, and the others fill up the time beside them."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


QUERIES = 200
SEED = 20260


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., InvertedSignalIndex]:
    """Build the index of some cards in a folder of its own; options as for `build_index`."""

    def built(cards: Sequence[Card], **options) -> InvertedSignalIndex:
        folder = tmp_path_factory.mktemp("index") / "isi"
        build_index(card_batches(cards), folder, **options)
        return InvertedSignalIndex(folder)

    return built


@pytest.fixture(scope="session")
def world_of(build, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., World]:
    """Build everything that is there to compare over some cards."""

    def made(cards: Sequence[Card], queries: Sequence[str] = ()) -> World:
        path: Path = tmp_path_factory.mktemp("fts") / "cards.sqlite"
        build_fts(card_batches(cards), path)
        plain = Registry({card.id: card.text for card in cards})
        return World(cards, build(cards), Bm25(path), plain, queries)

    return made


@pytest.fixture(scope="session")
def generated_world(world_of) -> World:
    """300 generated cards, and queries over their words (and some that no card holds)."""
    queries = [f"{text} unheard of" for text in random_texts(QUERIES, SEED, longest=30)]
    return world_of(random_cards(300, SEED), queries)


@pytest.fixture(scope="session")
def toolpool_world(world_of) -> World:
    """The bundled registry, and a sample of its own queries."""
    corpus = load_corpus("toolpool")
    sample = random.Random(SEED).sample(corpus.queries, QUERIES)
    return world_of(list(corpus.cards), [query.text for query in sample])


@pytest.fixture(scope="session", params=["generated", "toolpool"])
def world(request: pytest.FixtureRequest) -> World:
    """Each of the two registries in turn."""
    return request.getfixturevalue(f"{request.param}_world")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where `server` writes a line for each request."""
    return tmp_path / "requests.jsonl"


@pytest.fixture
def server(log: Path) -> Iterator[OfflineArbiter]:
    """An offline arbiter of the test's own."""
    with arbiter(log) as running:
        yield running


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Where a test's calls are recorded."""
    return tmp_path / "ledger.jsonl"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, which nothing else writes to."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def cli(capsys: pytest.CaptureFixture, temporary: Path) -> Callable[..., Ended]:
    """Runs the command line in this process."""
    return runner(capsys, temporary)

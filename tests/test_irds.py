"""`irds:ID`: collections in their own on-disk form, kept byte for byte, and what is refused."""

import hashlib
from pathlib import Path

from irds_runner import job, run
from pytest import TempPathFactory, fixture, mark

MSMARCO = "irds:msmarco-passage/dev/small"
HARD = "irds:msmarco-passage/trec-dl-hard/fold1"

PASSAGES = {
    "10": "A plain passage.",
    "9": '"Quoted" at its beginning',
    "8": "a lone\rcarriage return",
    "7": "na\u00efve \u4e2d\u6587 \U0001f600, and caf\u00c3\u00a9 as it stands",
    "6": 'an "unbalanced quote',
    "5": "",
    "4": "  blanks around ",
    "3": "a line separator\u2028, a next line\u0085 and a form feed\f in it",
}
COLLECTION = "\n".join(f"{number}\t{text}" for number, text in PASSAGES.items())  # no LF at the end
QUERIES = '300\twhat is  plain\n12\t"quoted\rquery\n\n1048585\tna\u00efve\n'
QRELS = "300\t0\t10\t1\n12\t0\t9\t1\n300\t0\t8\t0\n300\t0\t10\t1\n"
MSMARCO_FILES = {
    "msmarco-passage/irds_version.txt": "v2",
    "msmarco-passage/collection.tsv": COLLECTION,
    "msmarco-passage/dev/small/queries.tsv": QUERIES,
    "msmarco-passage/dev/small/qrels": QRELS,
}
# In rising order of the lines, with white space collapsed.
DIGESTS = {
    name: hashlib.sha256(lines.encode()).hexdigest()
    for name, lines in {
        "queries": '1048585\tna\u00efve\n12\t"quoted query\n300\twhat is plain\n',
        "qrels": "12\t9\n300\t10\n300\t8\n",
    }.items()
}
# Query 915593 is in the first fold of DL-Hard, 42 is not.
HARD_FILES = {
    "msmarco-passage/collection.tsv": COLLECTION,
    "msmarco-passage/trec-dl-2019/queries.tsv": "915593\thow hard\n",
    "msmarco-passage/trec-dl-2020/queries.tsv": "42\thow easy\n",
    "msmarco-passage/trec-dl-hard/qrels": "915593 0 10 3\n42 0 9 1\n",
}
CRANFIELD_FILES = {
    "cranfield/docs.txt": (
        ".I 1\n.T\nwings in a\nslipstream .\n.A\nbrenckman,m.\n.B\nj. ae. scs. 25\n.W\n"
        "wings were tested .\n.I 2\n.T\n.A\n.B\n.W\n"
    ),
    "cranfield/queries.txt": ".I 001\n.W\nwhat of\nwings .\n.I 004\n.W\nwhat of heat .\n",
    "cranfield/qrels.txt": "1 1 2\n1 2 -1\n2 1 4\n",
}
DAMAGES = {
    "docs: 3 columns": ("collection.tsv", COLLECTION + "\n2\ta\tb\n", "line 9 of its docs"),
    "docs: 1 column": ("collection.tsv", COLLECTION + "\n2\n", "line 9 of its docs"),
    "docs: not UTF-8": ("collection.tsv", COLLECTION + "\n2\t\udcff\n", "line 9 of its docs"),
    "queries: 3 columns": ("dev/small/queries.tsv", "1\ta\n2\tb\tc\n", "line 2 of its queries"),
    "queries: not UTF-8": ("dev/small/queries.tsv", "1\ta\n2\t\udcff\n", "line 2 of its queries"),
    "qrels: 3 columns": ("dev/small/qrels", "300\t0\t10\n", "expected 4 columns"),
    "qrels: not UTF-8": ("dev/small/qrels", "300\t0\t\udcff\t1\n", "UnicodeDecodeError"),
    "qrels: no grade": ("dev/small/qrels", "300\t0\t10\tx\n", "ValueError"),
    "qrels: huge grade": ("dev/small/qrels", "300\t0\t10\t2147483648\n", "32 bits"),
    "qrels: no such card": ("dev/small/qrels", "300\t0\t77\t1\n", "(300, 77) is for a card"),
    "qrels: no such query": ("dev/small/qrels", "77\t0\t10\t1\n", "(77, 10) is for a query"),
    "qrels: two grades": ("dev/small/qrels", "300 0 9 1\n300 0 9 2\n", "judged twice"),
    "queries: id twice": ("dev/small/queries.tsv", QUERIES + "12\tx\n", "'12' is there twice"),
    "docs: id twice": ("collection.tsv", COLLECTION + "\n9\tx\n", "'9' is there twice"),
}
REFUSED = {
    "irds:no/such/collection": "knows no such collection",
    "irds:\ud800": "knows no such collection",
    "irds:msmarco-passage": "no queries and no qrels",
    "irds:msmarco-passage/eval/small": "has no qrels",
    "irds:antique/test": "could not be downloaded or read",
    "irds:beir/scifact/test": "could not be downloaded or read",
    "irds:msmarco-passage/dev": "could not be downloaded or read",
    # Made when it is first named, from a list that must be downloaded.
    "irds:clirmatrix/en/bi139-base/de/train": "could not be downloaded or read",
}


@fixture(scope="module")
def home(tmp_path_factory: TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("irds") / "home"


@fixture(scope="module")
def outcomes(home: Path) -> dict[str, dict]:
    """All that needs no home of its own, in one process."""
    jobs = {
        "msmarco": job(MSMARCO, MSMARCO_FILES),
        "cranfield": job("irds:cranfield", CRANFIELD_FILES),
    }
    for name, (file, content, _) in DAMAGES.items():
        jobs[name] = job(MSMARCO, MSMARCO_FILES | {f"msmarco-passage/{file}": content})
    jobs |= {spec: job(spec, {}) for spec in REFUSED}
    jobs["passages missing"] = job(MSMARCO, MSMARCO_FILES, published=DIGESTS)
    return run(home, jobs)


def test_passages_are_kept_byte_for_byte_in_their_order(outcomes):
    found = outcomes["msmarco"]
    assert found["error"] is None
    assert found["cards"] == [
        [number, "", text, [["text", text]] if text else [], None, "passage", MSMARCO]
        for number, text in PASSAGES.items()
    ]


def test_queries_and_judgments_keep_their_order(outcomes):
    found = outcomes["msmarco"]
    assert found["queries"] == [
        ["300", "what is  plain", [], MSMARCO],
        ["12", '"quoted\rquery', [], MSMARCO],
        ["1048585", "na\u00efve", [], MSMARCO],
    ]
    # The repeated line counts once.
    assert found["qrels"] == [["300", "10", 1], ["12", "9", 1], ["300", "8", 0]]


def test_passages_are_a_stream(outcomes):
    assert outcomes["msmarco"]["is_stream"] is True
    # All that stands before a damaged line has been handed on when it is met.
    assert len(outcomes["docs: 3 columns"]["cards"]) == len(PASSAGES)


def test_a_made_up_collection_is_labelled_as_not_the_real_one(outcomes):
    found = outcomes["msmarco"]
    assert found["checksums"] == DIGESTS
    assert found["real"] is False
    assert len(found["notes"]) == 1 and "not the real collection" in found["notes"][0]
    assert found["about"]["real"] is False and found["notes"][0] in found["about"]["notes"]


def test_the_real_queries_over_a_part_of_the_passages_are_labelled_too(outcomes):
    found = outcomes["passages missing"]
    assert (found["real"], found["notes"]) == (True, [])  # as far as the queries and judgments go
    (note,) = found["about"]["notes"]
    assert found["about"]["real"] is False and "8 cards, where 8,841,823 are expected" in note


def test_a_part_of_a_collection_is_labelled_as_such(outcomes):
    about = outcomes["cranfield"]["about"]
    assert about["counts"] == {"cards": 2, "queries": 2, "judged_queries": 2, "judgments": 3}
    (note,) = about["notes"]
    assert about["real"] is False and "2 cards, where 1,400 are expected" in note


def test_cranfield_is_read_by_title_and_text(outcomes):
    found = outcomes["cranfield"]
    title, text = "wings in a\nslipstream .", "wings were tested ."
    assert found["cards"] == [
        ["1", title, text, [["title", title], ["text", text]], None, "passage", "irds:cranfield"],
        ["2", "", "", [], None, "passage", "irds:cranfield"],
    ]
    queries = [["1", "what of\nwings ."], ["2", "what of heat ."]]  # numbered as in the qrels
    assert [query[:2] for query in found["queries"]] == queries
    # Its codes 2, -1 and 4 run from best to least: the gains are 5 - code, and 0 for -1.
    assert found["qrels"] == [["1", "1", 3], ["1", "2", 0], ["2", "1", 1]]


@mark.parametrize("name", DAMAGES)
def test_damage_is_refused_in_one_line(outcomes, name):
    message = outcomes[name]["error"]
    assert message.isprintable()
    assert message.startswith(f"{MSMARCO}: ") and DAMAGES[name][2] in message


@mark.parametrize("spec", REFUSED)
def test_what_cannot_be_had_is_refused_in_one_line(outcomes, spec):
    message = outcomes[spec]["error"]
    assert message.isprintable()
    assert message.startswith(spec.replace("\ud800", "\\ud800")) and REFUSED[spec] in message


def test_failed_downloads_leave_nothing_half_done(outcomes, home):
    laid = MSMARCO_FILES | CRANFIELD_FILES
    files = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert files >= laid.keys()
    # What else is there are the marks with which ir_datasets remembers its own version.
    assert {Path(name).name for name in files - laid.keys()} <= {"irds_version.txt"}


@mark.parametrize("mark_of_version", [None, "v2\n"])
def test_files_without_the_mark_of_ir_datasets_are_used_and_kept(tmp_path, mark_of_version):
    files = MSMARCO_FILES | HARD_FILES
    version = files.pop("msmarco-passage/irds_version.txt")
    if mark_of_version:
        assert version != mark_of_version
        files["msmarco-passage/irds_version.txt"] = mark_of_version
    home = tmp_path / "home"
    found = run(home, {"msmarco": job(MSMARCO, files), "hard": job(HARD, {})})
    assert len(found["msmarco"]["cards"]) == len(PASSAGES)
    assert found["hard"]["qrels"] == [["915593", "10", 3]]
    for name, content in files.items():
        assert (home / name).read_bytes() == content.encode()


def test_a_home_that_cannot_be_made_is_refused(tmp_path):
    home = tmp_path / "home"
    home.write_text("a file", encoding="utf-8")
    message = run(home, {"any": job("irds:cranfield", {})})["any"]["error"]
    assert message.isprintable()
    assert str(home) in message and "IR_DATASETS_HOME" in message

"""Loads ir_datasets collections, in a process of its own: ir_datasets reads its home when imported.

`run` starts the process, which reads jobs from the JSON file named first, lays each one's files
under IR_DATASETS_HOME, loads its corpus, and prints what came of all of them as JSON.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent_discovery.corpora import load_corpus
from agent_discovery.corpora.corpus import write_corpus
from agent_discovery.errors import InputError


def job(spec: str, files: dict[str, str], **more: dict) -> dict[str, Any]:
    """What a process is to do: lay the files, then load the corpus."""
    return {"spec": spec, "files": files, **more}


def run(home: Path, jobs: dict[str, dict[str, Any]]) -> dict[str, dict]:
    """The outcome of each job under this home, without a network."""
    listed = home.with_suffix(".jobs")
    listed.write_text(json.dumps(jobs), encoding="utf-8")
    dead_proxy = "http://127.0.0.1:9"
    proxies = {name: dead_proxy for name in ("http_proxy", "https_proxy", "HTTPS_PROXY")}
    places = {"IR_DATASETS_HOME": str(home), "IR_DATASETS_TMP": str(home.with_suffix(".tmp"))}
    done = subprocess.run(
        [sys.executable, __file__, listed],
        env={**os.environ, **proxies, **places, "IR_DATASETS_DL_TRIES": "1", "no_proxy": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def lay(home: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape"))


def outcome(spec: str) -> dict:
    """What a corpus is read as, or as far as it is read, and the error that ends it."""
    found = {"cards": [], "error": None}
    try:
        corpus = load_corpus(spec)
        found["is_stream"] = iter(corpus.cards) is corpus.cards
        found |= {"queries": corpus.queries, "qrels": corpus.qrels, "notes": corpus.notes}
        found |= {"checksums": corpus.checksums, "real": corpus.real}
        for card in corpus.cards:
            found["cards"].append(card)
        with TemporaryDirectory() as folder:
            write_corpus(load_corpus(spec), Path(folder))
            found["about"] = json.loads((Path(folder) / "corpus.json").read_text(encoding="utf-8"))
    except InputError as error:
        found["error"] = str(error)
    except Exception as error:
        found["error"] = f"not an InputError: {error!r}"
    return found


def publish(spec: str, digests: dict[str, str]) -> None:
    """Make a collection of these digests the real one of that name."""
    from agent_discovery.corpora.irds import REAL_COLLECTIONS

    REAL_COLLECTIONS[spec.removeprefix("irds:")] = digests


def main() -> None:
    home = Path(os.environ["IR_DATASETS_HOME"])
    found = {}
    for name, job in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")).items():
        lay(home, job["files"])
        if "published" in job:
            publish(job["spec"], job["published"])
        found[name] = outcome(job["spec"])
    print(json.dumps(found))


if __name__ == "__main__":
    main()

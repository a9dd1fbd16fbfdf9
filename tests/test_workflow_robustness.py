"""`snakemake robustness` on a few requests: what it writes, twice, and the page of its figures."""

import pandas as pd
import pytest
from checkout import deterministic_files, error_lines, lay_out, snakemake
from reliability_figures import PAGE, filled

from agent_discovery.robustness.attacks import ATTACKS

pytestmark = pytest.mark.workflow

RESULTS = "results/default/robustness/agentbench"
SMALL = "robustness={arbitrated: 3, n: 20}"
TARGETS = [f"{RESULTS}/{table}.md" for table in ("reach", "choice")]


def test_the_page_has_the_figures_of_the_golden_tables():
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page and page.count("| every word |") == 2


def test_the_tables_say_who_chose_and_are_the_same_when_replayed(tmp_path):
    folder = lay_out(tmp_path)
    ended = snakemake(folder, *TARGETS, "--config", SMALL)
    assert ended.returncode == 0, ended.stdout
    choice = pd.read_csv(folder / RESULTS / "choice.csv", keep_default_na=False)
    assert set(choice["arbiter"]) == {"offline-arbiter-1 (stand-in)"}
    assert set(choice["prompt"]) == {"plain", "hardened"} and (choice["calls"] <= 3).all()
    assert list(choice["attack"].drop_duplicates()) == ["none", *(one.name for one in ATTACKS)]
    text = (folder / RESULTS / "choice.md").read_text()
    assert "stand-in that picks by shared words and reads no instruction" in text
    made = deterministic_files(folder / RESULTS)
    assert {"figures/choice.svg", "figures/reach.png", "choice.tex", "reach.csv"} <= set(made)

    ended = snakemake(folder, *TARGETS, "--config", SMALL, "llm={arbiter: replay}")
    assert ended.returncode == 0, ended.stdout
    assert deterministic_files(folder / RESULTS) == made

    other = "robustness={arbitrated: 4, n: 20}"
    ended = snakemake(folder, *TARGETS, "--config", other, "llm={arbiter: replay}")
    assert ended.returncode == 2
    assert any("no answer is recorded" in line for line in error_lines(ended.stdout))

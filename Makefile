# Two commands set everything up: `make reproduce` and `make test`.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin
INSTALLED = $(VENV)/installed

.PHONY: reproduce test lint format golden bench bench-full

reproduce: $(INSTALLED)
	$(BIN)/snakemake reproduce-all
	@echo
	@echo "RQ1 on agentbench: results/default/rq1/agentbench/table2.md and figures/"
	@echo "RQ2 on toolpool:   results/default/rq2/toolpool/table3.md and figures/"
	@echo "RQ3 on toolpool:   results/default/rq3/toolpool/table4.md, table5.md and figures/"
	@echo "The verdicts:      results/default/verdicts/toolpool/verdicts.md (or: $(BIN)/snakemake check)"

test: lint
	$(BIN)/python -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check workflow

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt workflow

# Minutes; bench-full takes hours, 12 GiB of disk and 8 GiB of memory. Both write benchmarks/results/.
bench: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m benchmarks.bench --sizes 100000
	$(BIN)/python -m benchmarks.bench_report

bench-full: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m benchmarks.bench --sizes 1000000 8841823
	$(BIN)/python -m benchmarks.bench_report

# After an intended change of a result: make the golden tables anew, and look at the difference.
golden: $(INSTALLED)
	$(BIN)/snakemake reproduce-all
	$(BIN)/python tests/golden.py results/default results/golden
	$(BIN)/snakemake rq1 rq3 --configfile config/local-llm.yaml
	$(BIN)/python tests/golden.py results/local-llm results/golden/local-llm

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	@touch $@

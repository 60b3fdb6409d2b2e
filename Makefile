# Two commands: `make run` and `make test`. Both create .venv and install what they need.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check browser-test lock clean help

help:
	@echo "make run            install and serve the whole product on http://127.0.0.1:$(PORT)"
	@echo "make test           install and run all checks and tests"
	@echo "make browser-test   run the browser tests (needs Chromium)"

run: $(VENV)/.installed
	$(BIN)/python manage.py serve --port $(PORT)

test: $(VENV)/.installed-test check
	$(BIN)/python -m pytest

check: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy rag console bot workers
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

browser-test: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/e2e --override-ini addopts="-q --strict-markers -p no:cacheprovider"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Footnote needs Python 3.11 or newer; this is %s. Name one: make run PYTHON=python3.12" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)

# torch first and pinned: its version decides which build pip takes.
$(VENV)/.installed: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-test: requirements-test.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache

# Pins every package anew. torch's local build label is removed: any machine takes its own build of that version.
lock: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile -q --strip-extras --no-header --allow-unsafe --annotation-style line --no-emit-options \
	    --no-emit-index-url --no-emit-find-links --extra server -o requirements.txt pyproject.toml
	$(BIN)/pip-compile -q --strip-extras --no-header --allow-unsafe --annotation-style line --no-emit-options \
	    --no-emit-index-url --no-emit-find-links --extra server --extra recordings --extra test --extra browser \
	    -o requirements-test.txt pyproject.toml
	sed -i 's/^torch==\([0-9.]*\)+[a-z0-9.]*/torch==\1/' requirements.txt requirements-test.txt

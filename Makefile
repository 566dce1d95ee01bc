# Everything a newcomer needs: Python 3.11 or newer and make. `make demo` and `make test` set themselves up.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Test processes: one more than the two processors that CI has, for tests that wait.
WORKERS ?= 3
RUN := .venv/.installed-run
DEV := .venv/.installed-dev
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test lint audit bench quality clean

demo: $(RUN)
	$(BIN)/wordquarry demo --data demo

test: $(DEV)
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture

audit: $(DEV)
	$(BIN)/python .ci/audit.py

bench: $(DEV)
	$(BIN)/python -m benchmarks.run

quality: $(DEV)
	$(BIN)/wordquarry quality

clean:
	rm -rf .venv demo *.egg-info

$(RUN): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wordquarry needs Python 3.11 or newer; give it with make PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --constraint constraints.txt --editable .
	touch $@

$(DEV): $(RUN)
	$(PIP) install --constraint constraints.txt --editable '.[dev]'
	touch $@

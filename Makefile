# Everything a newcomer needs: Python 3.11 or newer and make. `make demo` and `make test` set themselves up.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Test processes: two more than the two processors that CI has, for tests that wait.
WORKERS ?= 4
RUN := .venv/.installed-run
DEV := .venv/.installed-dev
DOCS := .venv/.installed-docs
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Compiled on all processors, which pip does on one; libraries hold files for other versions of Python as well.
INSTALL := $(PIP) install --no-compile --constraint constraints.txt --editable
COMPILE := $(BIN)/python -m compileall -q -q -j 0 .venv/lib || true

.PHONY: demo test lint docs wheel audit bench quality figures pictures release clean

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

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel: $(RUN)
	rm -rf build/lib
	$(PIP) wheel --no-deps --wheel-dir build/wheel .

audit: $(DEV)
	$(BIN)/python .ci/vulnerabilities.py

bench: $(DEV)
	$(BIN)/python -m benchmarks.run

quality: $(DEV)
	$(BIN)/wordquarry quality all --record

figures: $(DEV)
	$(BIN)/python -m benchmarks.figures

# What the pages look like on wide and narrow screens, light and dark; needs a browser.
pictures: $(DEV)
	WORDQUARRY_PICTURES=1 $(BIN)/python -m pytest -q -k serves_everyone tests/audits/test_pages_for_everyone.py

release: $(DEV)
	$(BIN)/python .ci/cut_release.py $(VERSION)

clean:
	rm -rf .venv build demo *.egg-info

$(RUN): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wordquarry needs Python 3.11 or newer; give it with make PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) .
	$(COMPILE)
	touch $@

$(DEV): $(RUN)
	$(INSTALL) '.[dev]'
	$(COMPILE)
	touch $@

$(DOCS): $(RUN)
	$(INSTALL) '.[docs]'
	$(COMPILE)
	touch $@

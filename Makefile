# Everything a newcomer needs: Python 3.11 or newer and make. `make demo` and `make test` set themselves up.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Test processes: two more than the two processors that CI has, for tests that wait.
WORKERS ?= 4
RUN := .venv/.installed-run
DEV := .venv/.installed-dev
DOCS := .venv/.installed-docs
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PINNED := --constraint constraints.txt --editable
# uv takes a tenth of pip's processor time; where it cannot install (an index that only pip is told of), pip does.
INSTALL = { $(PIP) install uv==0.13.9 && $(BIN)/uv pip install --quiet --python $(BIN)/python $(PINNED) $(1); } \
	|| $(PIP) install $(PINNED) $(1)
# Compiled once for all processes, on all processors. Libraries hold files for other versions of Python as well.
COMPILE := $(BIN)/python -m compileall -q -q -j 0 -x '/tests?/' .venv/lib $(filter-out tests/,$(wildcard */)) || true
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-full lint docs wheel audit bench quality figures pictures release clean

demo: $(RUN)
	$(BIN)/wordquarry demo --data demo

# What docs/tests.md says of each tier: before each change, and before each release and every night.
test: $(DEV)
	$(PYTEST)

test-full: $(DEV)
	WORDQUARRY_TESTS=full $(PYTEST)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel:
	rm -rf build/lib build/env
	$(PYTHON) -m venv build/env
	build/env/bin/python -m pip --quiet --disable-pip-version-check wheel --no-deps --wheel-dir build/wheel .

audit: $(DEV)
	$(BIN)/python .ci/vulnerabilities.py

bench: $(DEV)
	$(BIN)/python -m benchmarks.run

quality: $(DEV)
	$(BIN)/wordquarry quality all --record

figures: $(DEV)
	$(BIN)/python -m benchmarks.run --pages

# What the pages look like on wide and narrow screens, light and dark; needs a browser.
pictures: $(DEV)
	WORDQUARRY_TESTS=full WORDQUARRY_PICTURES=1 $(BIN)/python -m pytest -q -k serves_everyone tests/audits/test_pages_for_everyone.py

release: test-full
	$(BIN)/python .ci/cut_release.py $(VERSION)

clean:
	rm -rf .venv build demo *.egg-info

$(RUN): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wordquarry needs Python 3.11 or newer; give it with make PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(call INSTALL,.)
	$(COMPILE)
	touch $@

$(DEV): $(RUN)
	$(call INSTALL,'.[dev]')
	$(COMPILE)
	touch $@

$(DOCS): $(RUN)
	$(call INSTALL,'.[docs]')
	touch $@

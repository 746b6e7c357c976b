# Everything a fresh machine needs: `make run` and `make test` install into .venv what they use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -n auto --maxprocesses 4 --dist worksteal $(if $(filter none,$(BROWSER)),--ignore tests/browser)
BUILT_FROM := pyproject.toml CMakeLists.txt $(shell find src/core -name '*.hpp' -o -name '*.cpp')

.PHONY: run test types site tests test-all sanitize matrix docs bench format lock clean

run: $(VENV)/installed
	$(BIN)/boardwright serve --open

test: $(VENV)/installed-dev $(if $(filter none,$(BROWSER)),,$(VENV)/browser)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory --jobs types site tests

types:
	$(BIN)/pyright

site:
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

tests:
	$(PYTEST)

# Before a release: everything at full size, and the tests marked slow.
test-all: $(VENV)/installed-dev $(if $(filter none,$(BROWSER)),,$(VENV)/browser)
	$(PYTEST) --full

# The documentation on http://127.0.0.1:8001, rebuilt when a page changes.
docs: $(VENV)/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --strict --dev-addr 127.0.0.1:8001

# The C++ engine under the address, undefined-behaviour and thread sanitizers: some minutes.
sanitize: $(VENV)/installed-dev
	tests/core/sanitize.sh

# Every supported Python that is installed, with the oldest and newest dependencies; the wheel and the sdist. Hours.
matrix: $(VENV)/installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/release/matrix.py

bench: $(VENV)/installed-dev
	games=$$($(BIN)/python -c 'import boardwright; print(*boardwright.game_names())') && for game in $$games; do \
	  $(BIN)/boardwright bench engine $$game && $(BIN)/boardwright bench search $$game || exit 1; \
	done

# Tests of the pages need a Chromium. One on the path is used; else this installs Debian's (as root) or Playwright's
# and says so. `make test BROWSER=none` leaves these tests out and installs nothing.
$(VENV)/browser: $(VENV)/installed-dev
	@found=; for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do \
	  command -v $$name >/dev/null && found=yes; done; \
	if [ -z "$$found" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing a Chromium from Debian for the tests of the pages (to skip both: make test BROWSER=none)"; \
	  { apt-get update -qq && for name in chromium-headless-shell chromium; do \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$name && break; done; } >/dev/null && found=yes; fi; \
	if [ -z "$$found" ]; then \
	  echo "fetching Playwright's Chromium for the tests of the pages (to skip both: make test BROWSER=none)"; \
	  $(BIN)/playwright install chromium || { echo "error: no Chromium for the tests of the pages: install one (Debian: apt install chromium-headless-shell), or run make test BROWSER=none" >&2; exit 1; }; fi
	@touch $@

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Renews requirements-dev.txt: the newest versions that pyproject.toml allows, for every Python and system.
lock: $(VENV)/installed-dev
	echo "# The versions that make test installs, with their hashes. Made by: make lock" >$(VENV)/lock
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --no-emit-index-url --extra dev pyproject.toml >>$(VENV)/lock
	mv $(VENV)/lock requirements-dev.txt

clean:
	rm -rf $(VENV) boardwright/_core.pyi build dist .cache .pytest_cache .hypothesis .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) not found: install Python 3.11, 3.12 or 3.13, or name it: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { echo "error: $$($(PYTHON) --version) is not supported: boardwright needs Python 3.11 to 3.13; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { echo "error: no C++ compiler found: install one (Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/pip $(BUILT_FROM)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

# The versions in requirements-dev.txt, with checked hashes; `make matrix` tries the oldest and newest allowed ones.
$(VENV)/installed-dev: $(BIN)/pip requirements-dev.txt $(BUILT_FROM)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@ $(VENV)/installed

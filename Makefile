# Floatgate: everything a user or contributor does, by one word. `make` lists the words.
# Needs Python >= 3.11, a Rust toolchain and make; all else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PROFILE ?= --release
# Clippy compiles nothing: it shares a folder with the tests where they have a profile by name.
CHECKED := $(filter-out --release,$(PROFILE))
# Profile-guided optimisation: PGO=1 builds with what `make pgo` has recorded.
PGO_FOLDER := $(abspath target/pgo)
PGO_PROFILE := $(PGO_FOLDER)/merged.profdata
ifdef PGO
$(if $(wildcard $(PGO_PROFILE)),,$(error PGO=1: no $(PGO_PROFILE): expected `make pgo` before))
export RUSTFLAGS := $(RUSTFLAGS) -Cprofile-use=$(PGO_PROFILE)
endif

CARGO_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -name '*.rs' -o -name Cargo.toml)
TRACES := $(or $(FLOATGATE_TRACES),../shared/traces)
DEMO_TRACE := examples/traces/server.csv.gz

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-rust test-papers test-python lint-rust lint-python fuzz mutants bench evidence codes tables pgo lint docs docs-site docs-api capi capi-header lab portable cluster wheel wheel-check wheels licences pages format clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMPS)/package ## Create .venv with a working .venv/bin/floatgate

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is $$($(PYTHON) --version): expected Python 3.11 or later (make PYTHON=...)"; exit 1; }
	@cargo --version > /dev/null 2>&1 || { echo "make: no cargo: expected a Rust toolchain (https://rustup.rs)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2'
	@mkdir -p $(STAMPS) && touch $@

# The extension is built in place (python/floatgate/_core.*.so); Python files need no rebuild. Each line says how long it took.
INSTALL = . $(BIN)/activate && PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 maturin develop --quiet $(PROFILE)
SINCE = began=$$(date +%s)
TOOK = echo "make: $(1) in $$(($$(date +%s) - began)) s"

EXTRAS := compiled,cluster,dev,docs,frames,lab,metrics,study
define REQUIREMENTS
import tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
extras = [project["optional-dependencies"][name] for name in "$(EXTRAS)".split(",")]
print(*project["dependencies"], *sum(extras, []), sep="\n")
endef
export REQUIREMENTS

# Packages of others are fetched while the engine is built.
$(STAMPS)/package: $(STAMPS)/venv $(CARGO_SOURCES) $(if $(PGO),$(PGO_PROFILE))
	@echo 'make: building the engine and what tests, docs and the laboratory need (minutes the first time)'
	@$(BIN)/python -c "$$REQUIREMENTS" > $(STAMPS)/requirements.txt
	@$(SINCE); $(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(STAMPS)/requirements.txt & fetched=$$!; \
		$(INSTALL) --skip-install && wait $$fetched && $(INSTALL) --extras $(EXTRAS) && $(call TOOK,built and installed)
	@touch $@ $(STAMPS)/core

# What a run needs, and no more.
$(STAMPS)/core: $(STAMPS)/venv $(CARGO_SOURCES) $(if $(PGO),$(PGO_PROFILE))
	@echo 'make: building the engine (minutes the first time)'
	@$(SINCE); $(INSTALL) && $(call TOOK,built)
	@touch $@

demo: $(STAMPS)/core ## Play a trace on a drive; leaves out/demo/report.html
	@$(SINCE); $(BIN)/floatgate run small-tlc $(DEMO_TRACE) --precondition instant --loop 10 --out out/demo --force && \
		$(call TOOK,simulated and reported)
	@echo
	@echo 'result  $(abspath out/demo/run.json)'
	@echo 'report  $(abspath out/demo/report.html)'

test: test-rust test-papers test-python ## Pass every test: Rust, Python, papers in quick form

# What the papers came to is not simulated again by the tests that break them.
REPRODUCED := $(abspath out/reproduce)

# With `make -j2 test` Rust's tests run beside the papers, and beside Python's, which begin when the papers are done.
ifneq ($(filter test,$(MAKECMDGOALS)),)
test-python: test-papers
endif

# Examples, which hold no tests, are compiled by lint alone.
test-rust:
	FLOATGATE_TRACES='$(abspath $(TRACES))' cargo test --profile quick --workspace --tests

test-papers: $(STAMPS)/package
	$(BIN)/floatgate reproduce --quick --force --out $(REPRODUCED)

test-python: $(STAMPS)/package
	$(if $(filter test,$(MAKECMDGOALS)),FLOATGATE_REPRODUCED='$(REPRODUCED)/results.csv') \
		FLOATGATE_TRACES='$(abspath $(TRACES))' $(BIN)/python -m pytest --numprocesses=logical --dist=loadfile

fuzz: ## Fuzz each parser for FUZZ_SECONDS (60), where nightly and cargo-fuzz are
	@rustup toolchain list 2> /dev/null | grep -q '^nightly' || \
		{ echo 'make fuzz: no nightly toolchain: expected rustup toolchain install nightly'; exit 1; }
	@cargo +nightly fuzz --version > /dev/null 2>&1 || \
		{ echo 'make fuzz: no cargo-fuzz: expected cargo install cargo-fuzz'; exit 1; }
	for target in $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs))); do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(or $(FUZZ_SECONDS),60) || exit 1; done

mutants: ## Break the engine in small ways and list what no test notices (MUTANTS='--shard 0/8'), where cargo-mutants is
	@cargo mutants --version > /dev/null 2>&1 || \
		{ echo 'make mutants: no cargo-mutants: expected cargo install cargo-mutants'; exit 1; }
	cargo mutants --output out $(MUTANTS)

# Other simulators come from PEERS="mqsim=/path/to/MQSim ..." (benches/peers/README.md).
ifdef PEERS
bench: $(STAMPS)/package
	FLOATGATE_TRACES='$(abspath $(TRACES))' PYTHONPATH=benches $(BIN)/python -m peers $(PEERS) \
		$(if $(SAVE),--save $(SAVE)) $(if $(DOCS),--docs)
else
bench: ## Measure speed and memory beside the memory wall, or other simulators (PEERS=...)
	FLOATGATE_TRACES='$(abspath $(TRACES))' cargo run --quiet --release --package floatgate-bench -- $(if $(SAVE),--save $(SAVE))
endif

# SECONDS ends each point after so many: `make evidence SECONDS=60`. A floor's point takes a core-hour.
evidence: ## Count our decoders' failures at every point of AFF3CT's public curves
	cargo run --quiet --release --package ecc --example evidence -- $(or $(SECONDS),1000000)

codes: ## Grow the LDPC codes of our own again into codes/, the same bytes
	cargo run --quiet --release --package ecc --example codes -- codes

# Each command stands in its file, too. Hard reads have the words that a GPU counted beside these.
GPU_COUNTS := benches/gpu/runs/2026-11-28-h200.json,benches/gpu/runs/2026-11-28-h200-packed.json
TABLE := --channel gauss --hard-ratio 6 --elsewhere $(GPU_COUNTS) --easy
tables: $(STAMPS)/package ## Count the tables that drives read with again into codes/tables/, the same bytes
	for code in nand-4k-889 nand-4k-928; do \
		$(BIN)/floatgate ecc measure $$code $(TABLE) --words 10000 --out codes/tables/$$code.toml || exit 1; done

pgo: ## Record which code is hot; PGO=1 then makes setup, bench and wheel build a quicker core
	release/profile.sh $(PGO_FOLDER)

lint: lint-rust lint-python ## Check format, clippy, ruff and types

lint-rust: $(STAMPS)/package
	@rustfmt --check --edition 2024 $(shell git ls-files '*.rs')
	PYO3_BUILD_EXTENSION_MODULE=1 cargo clippy $(CHECKED) --workspace --all-targets -- -D warnings

lint-python: $(STAMPS)/package
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(STAMPS)/package ## Rewrite all sources in the house format
	rustfmt --edition 2024 $(shell git ls-files '*.rs')
	$(BIN)/python -m floatgate.generate
	$(BIN)/ruff check --fix --select I
	$(BIN)/ruff format

docs: docs-site docs-api ## Build the documentation site into out/site and the Rust API reference into target/doc

docs-site: $(STAMPS)/package
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo 'wrote $(abspath out/site/index.html)'

docs-api: $(STAMPS)/package
	RUSTDOCFLAGS='-D warnings' PYO3_BUILD_EXTENSION_MODULE=1 cargo doc --workspace --no-deps
	@echo 'wrote $(abspath $(or $(CARGO_TARGET_DIR),target)/doc/sim/index.html)'

# Where drives and chips are found is compiled into the library.
PREFIX ?= $(abspath out/capi)
BUILT_CAPI = $(or $(CARGO_TARGET_DIR),target)/$(patsubst --%,%,$(lastword $(PROFILE)))
capi: ## Build libfloatgate, to step a drive from C, and install it below PREFIX (out/capi)
	FLOATGATE_SHARE_DIR='$(PREFIX)/share/floatgate' cargo build --quiet $(PROFILE) --package capi
	@mkdir -p '$(PREFIX)/lib/pkgconfig' '$(PREFIX)/include' '$(PREFIX)/share/floatgate'
	install -m 755 $(BUILT_CAPI)/libfloatgate.so '$(PREFIX)/lib/'
	install -m 644 $(BUILT_CAPI)/libfloatgate.a '$(PREFIX)/lib/'
	install -m 644 crates/capi/include/floatgate.h '$(PREFIX)/include/'
	cp -R drives chips '$(PREFIX)/share/floatgate/'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(shell sed -n '/workspace.package/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)|' \
		crates/capi/floatgate.pc.in > '$(PREFIX)/lib/pkgconfig/floatgate.pc'
	@echo 'installed $(PREFIX)/lib/libfloatgate.so; export PKG_CONFIG_PATH=$(PREFIX)/lib/pkgconfig'

capi-header: ## Write the C header anew, where cbindgen is
	@cbindgen --version > /dev/null 2>&1 || \
		{ echo 'make capi-header: no cbindgen: expected cargo install cbindgen'; exit 1; }
	cbindgen --quiet --config crates/capi/cbindgen.toml --output crates/capi/include/floatgate.h crates/capi

# Needs the target beside the toolchain, and nothing else: compression is in plain Rust there.
WASM := wasm32-wasip1
lab: ## Build the lab for browsers into out/lab, where rustc's target for WebAssembly is
	@rustup target list --installed 2> /dev/null | grep -qx $(WASM) || \
		{ echo 'make lab: no $(WASM): expected rustup target add $(WASM)'; exit 1; }
	cargo build --quiet --profile web --target $(WASM) --package web
	$(PYTHON) crates/web/page/build.py target/$(WASM)/web/web.wasm out/lab

portable: $(STAMPS)/package ## Compare runs, states and traces on other processors, Windows and WebAssembly, as far as they can be had here
	$(BIN)/python tests/portable.py

# Needs Debian's packages munge, slurmctld, slurmd and slurm-client.
cluster: $(STAMPS)/package ## Run a study through Slurm, two nodes of which this starts, while jobs are taken away
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'dask-jobqueue>=0.9,<0.10'
	$(BIN)/python tests/cluster/slurm.py

wheel: $(STAMPS)/package ## Build the wheel into target/wheels (PROFILE='--profile quick' is quicker)
	. $(BIN)/activate && maturin build --quiet $(PROFILE) --strip --out target/wheels

# As PyPI takes them: PROCESSORS='x86_64 aarch64'; TWICE=1 builds once more elsewhere and compares all bytes. In the Debian of
# tests/portable/chroot.sh where it is (PORTABLE), else with the machine's own compiler.
PROCESSORS ?= $(shell uname -m)
PORTABLE ?= $(abspath out/portable)
RELEASED := target/wheels/floatgate-*manylinux_2_17_*
wheels: $(STAMPS)/venv ## Build the wheels of a release with Zig's linker, and try them without a compiler
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'ziglang>=0.17,<0.18' 'twine>=7,<8'
	rm -f $(RELEASED).whl
	. $(BIN)/activate && PORTABLE='$(PORTABLE)' python release/wheels.py $(PROCESSORS) $(if $(TWICE),--twice)
	$(BIN)/twine check --strict $(RELEASED).whl
	$(BIN)/python tests/wheel.py --short "$$(ls $(RELEASED)$$(uname -m).whl)"
	$(if $(filter aarch64,$(filter-out $(shell uname -m),$(PROCESSORS))),PYTHON=$(BIN)/python release/emulated.sh '$(PORTABLE)' $(RELEASED)aarch64.whl)

licences: $(STAMPS)/venv ## Write down what is compiled into the wheel, with its terms
	$(BIN)/python release/licences.py

wheel-check: wheel ## Install the wheel alone: is it below 150 MB, and does what the README shows run?
	$(BIN)/python tests/wheel.py "$$(ls -t target/wheels/floatgate-*.whl | head -1)"

pages: docs-site ## Look at every report and page of the site in Chromium: axe-core, widths, console, weight
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'axe-playwright-python>=0.1.8,<0.2'
	$(BIN)/python tests/pages.py

clean: ## Remove what make has made, but for out/
	cargo clean
	rm -rf $(VENV) python/floatgate/_core*.so

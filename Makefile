# Everything is run from the checkout by relative paths, so the path to it may
# hold spaces. `make` alone prints what there is.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# make run ARGS="--listen 127.0.0.1:8080"
ARGS ?=
# make bench LANE=hub
LANE ?=

.PHONY: help
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

.PHONY: run
run: build ## Build all and start Fluxway on 127.0.0.1:7777 (ARGS="…" goes to `fluxway up`)
	@exec bin/fluxway up $(ARGS)

.PHONY: build
build: web ## Build bin/fluxway: one static binary with the web UI inside
	@scripts/build

.PHONY: web
web: ## Build the web UI into web/dist, if its sources changed
	@scripts/web-build

.PHONY: test
test: ## Everything CI runs; installs what it needs where it may
	@scripts/test

.PHONY: check
check: ## The fast subset: format, vet, short tests on SQLite, arch, web checks
	@scripts/check

.PHONY: lint
lint: ## Format, vet, staticcheck, and the linters of the web UI
	@scripts/lint

.PHONY: bench-recall
bench-recall: ## Measure how well memory finds things again (SET=tune or mixed for the sets its weights were chosen on)
	@go run ./e2e/recall $(if $(SET),-set '$(SET)')

.PHONY: bench
bench: ## Measure every lane beside its baseline (LANE=hub for one; ARGS=-million for a million facts)
	@go run ./e2e/bench $(if $(LANE),-lane '$(LANE)') $(ARGS)

.PHONY: shots
shots: build ## Pictures of every page in both themes, into docs/pictures
	@FLUXWAY_BIN="$$PWD/bin/fluxway" node e2e/shots.mjs

.PHONY: generate
generate: ## Write generated files again: OpenAPI, JSON Schema, TypeScript types
	@scripts/generate

.PHONY: test-deps
test-deps: ## Install what `make test` needs from the system (as root)
	@scripts/install-test-deps

.PHONY: clean
clean: ## Remove what the other targets made inside this checkout
	@rm -rf bin .cache web/node_modules web/tools/*/node_modules internal/memory/gte/weights/*.bin
	@find web/dist -mindepth 1 ! -name .gitkeep -delete

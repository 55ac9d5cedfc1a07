# Everything here needs Go, git and make, and nothing else that is not in the
# repository. `make help` lists the targets.

GO      ?= go
MODULE  ?=

# How many generated transcripts the laws are tried on, with and without -race,
# and how many inputs the fuzz targets try (not how long they run: go test may
# call its own deadline a failure).
CHECKS      ?= 20000
RACE_CHECKS ?= 2000
RACE        ?= -short
RACE_ROOMS  ?= . ./budget/... ./condensertest ./examples/conductor ./message ./summarize ./transcript
FUZZ        ?= 60000

.DEFAULT_GOAL := help
.PHONY: help demo test full race fuzz bench cover lint tidy mutants rename vet format record vectors oracle

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## condense a recorded session and print what was done (no key, no network)
	$(GO) run ./examples/quickstart

test: format vet ## all tests: vet, format, import policy, 20,000 transcripts, short fuzz, a part with -race
	CONDENSER_CHECKS=$(CHECKS) $(GO) test ./...
	cd tools && $(GO) test ./...
	$(MAKE) fuzz
	$(MAKE) race

full: format vet lint ## the same at full size, with lint, mutants, coverage and benchmarks (takes long)
	CONDENSER_CHECKS=200000 $(GO) test -timeout 60m ./...
	cd tools && $(GO) test ./...
	$(MAKE) fuzz FUZZ=1500000
	$(MAKE) race RACE_CHECKS=20000 RACE='-timeout 60m' RACE_ROOMS=./...
	$(MAKE) mutants cover bench vectors oracle

race: ## the tests with the race detector, 2,000 transcripts, where a C compiler answers
	@if CGO_ENABLED=1 $(GO) build -race -o .bin/race ./examples/quickstart 2>/dev/null; then \
		echo "go test -race $(RACE) $(RACE_ROOMS)"; \
		CONDENSER_CHECKS=$(RACE_CHECKS) CGO_ENABLED=1 $(GO) test -race $(RACE) $(RACE_ROOMS); \
	else \
		echo "race: no C compiler answers here, so nothing was run with -race"; \
	fi

fuzz: ## every fuzz target for a short while (FUZZ=60000 inputs, a tenth of whole pipelines)
	$(GO) test -run '^$$' -fuzz FuzzUnmarshal -fuzztime $(FUZZ)x ./message
	$(GO) test -run '^$$' -fuzz FuzzPipeline -fuzztime $$(($(FUZZ) / 10))x ./condensertest

bench: ## a table of medians with ratios to baselines; fails on a missed ratio
	cd tools && $(GO) run ./bench ..

cover: ## statement coverage by room; fails below 90 %, or below all of it where everything rests
	cd tools && $(GO) run ./cover ..

mutants: ## switch off each guard in turn: a test must fail, and its name is printed
	cd tools && $(GO) run ./mutants

lint: ## staticcheck, pinned in tools/go.mod
	cd tools && $(GO) build -o ../.bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	.bin/staticcheck ./...
	cd tools && ../.bin/staticcheck ./...

tidy: ## go mod tidy for both modules
	$(GO) mod tidy
	cd tools && $(GO) mod tidy

vet: ## go vet, also for windows, 386 and js/wasm
	$(GO) vet ./...
	cd tools && $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...
	GOOS=linux GOARCH=386 $(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./...

format: ## fails if a file is not gofmt-ed
	@files="$$(gofmt -l $$(git ls-files '*.go'))"; if [ -n "$$files" ]; then echo "not gofmt-ed:"; echo "$$files"; exit 1; fi

rename: ## give the checkout another module path: make rename MODULE=example.com/you/condenser
	cd tools && $(GO) run ./rename -dir .. -module '$(MODULE)'

record: ## record testdata/sessions anew
	cd tools && $(GO) run ./record -out ../testdata/sessions

oracle: ## compare the exact counters with tiktoken-go: 60,000 texts, 20,000 fuzzed ones, all recorded sessions
	CONDENSER_ORACLE=full $(GO) test -timeout 60m -run Oracle -v ./budget/tiktoken

vectors: ## check the conformance vectors, where they are
	@if [ -f ../shared/vectors/windowbudget.jsonl ]; then $(GO) run ./internal/conformance -check ../shared/vectors/windowbudget.jsonl; \
	else echo "vectors: ../shared/vectors is not here"; fi

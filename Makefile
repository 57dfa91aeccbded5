# make check is what must pass before a change is done; .ci/run adds what takes longer.
GOFUMPT     = mvdan.cc/gofumpt@v0.12.0
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 30s
CORPUS     ?=

.PHONY: soak check test bench relevance calibrate fuzz golden format release release-check

check:
	@unformatted="$$(go run $(GOFUMPT) -l .)"; [ -z "$$unformatted" ] || { echo "gofumpt would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	GOOS=darwin go vet ./...
	go run $(STATICCHECK) ./...
	go test -race ./...

test:
	go test ./...

bench:
	go run ./bench $(CORPUS)

relevance:
	go run ./bench relevance $(CORPUS)

# How well links that are worked out foretell those that authors wrote: the tables of docs/correlation.md.
calibrate:
	go run ./bench calibrate $(CORPUS)

fuzz:
	go test -run '^$$' -fuzz FuzzParse -fuzztime $(FUZZTIME) ./chunker
	go test -run '^$$' -fuzz FuzzCompile -fuzztime $(FUZZTIME) ./store
	go test -run '^$$' -fuzz FuzzParse -fuzztime $(FUZZTIME) ./internal/config
	go test -run '^$$' -fuzz FuzzSession -fuzztime $(FUZZTIME) -fuzzminimizetime 2s ./mcp
	go test -run '^$$' -fuzz FuzzLines -fuzztime $(FUZZTIME) ./mcp
	go test -run '^$$' -fuzz FuzzGlance -fuzztime $(FUZZTIME) ./internal/bridge

golden:
	go test ./chunker ./store ./mcp ./cmd/shelfd -update

format:
	go run $(GOFUMPT) -w .

release:
	packaging/release

release-check:
	packaging/check

# Random changes of real files against fresh indexes, for so many seconds a test: make soak SECONDS=600
SECONDS ?= 120
soak:
	cd indexer && SHELFD_SOAK_SECONDS=$(SECONDS) go test -count=1 -timeout 0 -run 'EqualsRebuild|EqualRebuild'

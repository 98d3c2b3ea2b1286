# One configuration for everything: what is tested is what is shipped.
SWIFT_FLAGS := -c release --explicit-target-dependency-import-check error

.PHONY: setup build test check lint format sizes demo clean

setup:
	@Scripts/setup

build: setup
	swift build $(SWIFT_FLAGS)

test: setup
	swift test $(SWIFT_FLAGS)

check: setup lint sizes test

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples Benchmarks Fuzz

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Examples Benchmarks Fuzz

sizes:
	@Scripts/sizes

demo: setup
	@Scripts/demo

clean:
	rm -rf .build demo

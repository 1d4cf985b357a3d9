# The few things a person types; cmake, ninja and tools/ do the work.
.DEFAULT_GOAL := build
.PHONY: build test fuzz demo format tidy clean help

build: ## install what is missing, build the programs into build/bin
	@tools/setup build env KJOULE_WITHOUT_TORCH=1 tools/build
	@tools/build

test: ## install what is missing, build and run every test
	@tools/setup test env KJOULE_WITHOUT_TORCH=1 tools/build
	@tools/test

HOURS ?= 1
fuzz: ## feed the readers of files with libFuzzer for HOURS=n in all
	@tools/setup test
	@seconds=$$(tests/fuzz/seconds $(HOURS)) && tests/fuzz/run $$seconds

demo: build ## export a small model, record it, replay it, print the comparison
	@tools/demo

format: ## format our C++
	@tools/setup test
	@tools/format

tidy: ## clang-tidy over our C++
	@tools/setup tidy
	@tools/tidy

clean: ## remove what was built; .venv stays
	rm -rf build build-*/

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

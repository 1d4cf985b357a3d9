# The few things a person types; cmake, ninja and tools/ do the work.
.DEFAULT_GOAL := build
.PHONY: build test demo format tidy clean help
jobs := $(shell nproc)

build: ## install what is missing, build the programs into build/bin
	@tools/setup
	@cmake --preset release -Wno-dev --log-level=NOTICE
	@cmake --build build --target programs -- -j $(jobs)

test: ## install what is missing, build and run every test
	@tools/setup test
	@tools/test

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

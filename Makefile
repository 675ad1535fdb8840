# SPDX-License-Identifier: Apache-2.0
# The usual commands; `make help` lists them. CMake does the work: see CMakePresets.json.
PRESET ?= release
JOBS ?= $(shell nproc)
BUILD := build/$(PRESET)
# clang-tidy looks at these: all sources, or with `make lint BASE=HEAD~3` those that changed since that commit.
SOURCES = $(shell find isa ir models interp sim tools tests examples -name '*.[ch]pp' | sort)
LINT_FILES = $(filter %.cpp,$(if $(BASE),$(filter $(shell git diff --name-only $(BASE)),$(SOURCES)),$(SOURCES)))

.DEFAULT_GOAL := help
.PHONY: help run test build setup configure style lint format bench docs rebase-goldens install clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "make %-16s %s\n", $$1, $$2 }'

run: configure ## install the packages, build the program, run step 16 of the tutorial on four devices
	cmake --build --preset $(PRESET) -j $(JOBS) --target a2a3sim
	$(BUILD)/a2a3sim run examples/16_putting_it_together.py -p a2a3sim -d 0,1,2,3

test: build ## install the packages, build everything, run every test
	@tools/setup/install_packages.sh plots
	ctest --preset $(PRESET) -j $(JOBS)

build: configure ## build everything (PRESET=release, dev or asan)
	cmake --build --preset $(PRESET) -j $(JOBS)

setup: ## install the Debian packages that are missing
	@tools/setup/install_packages.sh build

configure: setup
	cmake --preset $(PRESET)

style: ## check formatting, includes, licence lines and file lengths (seconds)
	@tools/setup/install_packages.sh style
	@clang-format --dry-run -Werror $(SOURCES)
	python3 tests/style/sources_test.py

lint: style ## style, then clang-tidy (minutes; BASE=commit looks only at what changed since)
	@tools/setup/install_packages.sh build tidy
	cmake --preset dev
	$(if $(LINT_FILES),run-clang-tidy -quiet -p build/dev -j $(JOBS) $(LINT_FILES:%=$(CURDIR)/%$$))

format: ## format all C++ sources
	@tools/setup/install_packages.sh style
	clang-format -i $(SOURCES)

bench: configure ## build and run the benchmarks
	cmake --build --preset $(PRESET) -j $(JOBS) --target bench
	$(BUILD)/bench

docs: build ## rewrite the generated parts of README.md and docs/
	python3 tools/docs/generate.py --programs $(BUILD)

rebase-goldens: configure ## rewrite the golden files from what the program says now; read the diff
	cmake --build --preset $(PRESET) -j $(JOBS) --target golden_tests
	A2A3_REBASE=1 $(BUILD)/tests/golden_tests

install: build ## install under PREFIX (default /usr/local)
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

clean: ## remove the build directories
	rm -rf build

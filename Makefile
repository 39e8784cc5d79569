# A short front for CMake. `make help` lists what there is.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SEED ?= 1

export DESTDIR
MAKEFLAGS += --no-print-directory

.PHONY: all
all: ## build into build/
	@scripts/setup build
	@cmake -S . -B build >/dev/null
	@cmake --build build -j$(JOBS)

.PHONY: demo
demo: ## build, and watch a program in which a bank transfer is cut in two
	@scripts/setup build
	@cmake -S . -B build >/dev/null
	@cmake --build build -j$(JOBS) --target seriatim_cli seriatim_rt
	@scripts/demo

.PHONY: test
test: ## build with gcc, clang and sanitizers, and run every test
	@scripts/setup test
	@scripts/test -j$(JOBS)

.PHONY: bench
bench: all ## measure engines, what it costs to watch programs, and prediction (QUICK=1: see that it works)
	@scripts/setup bench
	@python3 bench/run.py $(if $(QUICK),--quick)
	@python3 bench/programs.py $(if $(QUICK),--scale 1 --rounds 1)
	@python3 bench/real/cost.py $(if $(QUICK),--quick)
	@python3 bench/predict.py $(if $(QUICK),--quick)
	@python3 bench/segments.py $(if $(QUICK),--tiny)

.PHONY: fuzz
fuzz: all ## compare engines and reference on random traces, until stopped (SEED=1) or COUNT of them
	build/differential --seed $(SEED) $(if $(COUNT),--count $(COUNT),--forever)

.PHONY: install
install: all ## install program, library, manual pages and completion (PREFIX=/usr/local, DESTDIR=)
	@scripts/install build "$(PREFIX)"

.PHONY: uninstall
uninstall: ## remove what the last `make install` installed
	@scripts/uninstall build

.PHONY: package
package: ## make a Debian package, build/packages/seriatim_*.deb
	@scripts/setup package
	@$(MAKE) all
	@rm -rf build/packages
	@cd build && cpack --config CPackConfig.cmake
	@rm -rf build/packages/_CPack_Packages

.PHONY: format
format: ## put the C files into shape with clang-format
	@scripts/setup format
	@find bench examples include src tests -name '*.[ch]' -exec clang-format -i {} +

.PHONY: clean
clean: ## remove what was built
	@rm -rf build build-clang build-sanitize build-threads build-fuzz

.PHONY: help
help: ## say this
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

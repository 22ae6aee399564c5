# Every target is one script of lab/. `make help` says what there is.
# Variables: QUICK=1 (run, bench), REPS=n (bench), STEP=name (refresh), FORCE=1 (tree),
# NAME=kernel (kernel), MINUTES=, SEED= (torture, test-debug, test-race), KERNEL= (torture),
# FLAVOUR=cloud-amd64|amd64 (deb, deb-test), ONLY=, CLOCK=icount (test-suites).

NAME ?= ours

.PHONY: help deps base tree kernel run bench bench-report
.PHONY: bench-engine bench-memcg bench-iter bench-softlimit bench-listlru bench-traces bench-real bench-ablate
.PHONY: deb deb-test fuzz sim test test-debug test-race test-builds test-suites torture
.PHONY: docs series series-check refresh shell clean distclean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

deps: ## install the Debian packages that are missing (lab/deps --list: which, and why)
	@lab/deps

base: deps ## fetch and unpack the pinned kernel source to build/base
	@lab/base

tree: deps ## lay build/linux: the pristine source, one commit a step of patches/series
	@lab/tree

kernel: tree ## build a kernel; NAME=ours|stock|nogen|debug|kasan|rt|race|kunit
	@lab/kernel $(NAME)

run: tree ## boot ours, stock and classic, print the comparison; QUICK=1: ours only
	@lab/bench/run

bench: deps ## all benchmarks, REPS=3 times; one page, Documentation/mm/lru_gen_results.md (QUICK=1)
	@lab/bench/all

bench-report: deps ## only the page and pictures again, from build/bench
	@lab/bench/all --report

bench-engine: deps ## the eviction and aging figures on classic, stock MGLRU, ours (CASES= KERNELS=)
	@lab/bench/engine

bench-memcg: deps ## what memcgs give to global reclaim, the same way; a picture (CASES= KERNELS= QUICK=1)
	@lab/bench/memcg

bench-iter: deps ## reclaim below a limit: how long, how even; a picture (CASES= KERNELS= QUICK=1)
	@lab/bench/iter

bench-listlru: deps ## what many memcgs and mounts cost, stock and ours; a picture (CASES= QUICK=1)
	@lab/bench/listlru

bench-softlimit: deps ## soft limits of memcgs, the same way (CASES= KERNELS= QUICK=1)
	@lab/bench/softlimit

sim: ## simulate the policy beside LRU, LFU, OPT; TRACE=FILE KIND=read|mmap|anon FRAMES=n: a trace
	@lab/sim $(if $(TRACE),--trace "$(TRACE)" --kind "$(or $(KIND),read)" --frames "$(FRAMES)")

bench-real: deps ## real programs from a Debian root image (CASES= KERNELS= QUICK=1 RIVAL=); REPS=n: a page
	@$(if $(REPS),lab/bench/all --real,lab/bench/real)

bench-ablate: deps ## what each part of the engine buys: ours without one at a time (CASES= PARTS=)
	@lab/bench/ablate

bench-traces: deps ## the policy on the traces in DIR= beside libCacheSim's (KINDS= ONLY=)
	@lab/bench/traces

fuzz: tree ## 100,000 texts made up at random for every file that takes text (KERNEL= INPUTS= SEED=)
	@INPUTS=$${INPUTS:-100000} SEED=$${SEED:-$$(date +%s)} lab/check/fuzz $${KERNEL:-ours}

test: tree ## every check and test, a line each, and the totals
	@lab/test

test-debug: tree ## unit tests, selftests and torture on a kernel with KASAN and all else (MINUTES=3 SEED= KERNEL=rt)
	@lab/test-debug "$(MINUTES)" "$(SEED)" "$(KERNEL)"

test-race: tree ## loads and torture on a kernel that looks for data races (MINUTES=3 SEED=)
	@lab/test-race "$(MINUTES)" "$(SEED)"

test-builds: tree ## compile every configuration that must stay whole, boot nogen; FULL=1: link some
	@lab/builds
	@lab/nogen

test-suites: tree ## the kernel's own suites on stock and ours, case by case (ONLY="mm stress" CLOCK=icount)
	@lab/suites $(ONLY)

docs: tree ## render our pages of the kernel's documentation to build/docs
	@lab/docs

deb: tree ## Debian packages of our kernel in build/deb; FLAVOUR=amd64: the full one
	@lab/deb

deb-test: deps ## unpack what make deb made, boot it with its modules, build a module against it
	@lab/deb --test

torture: deps ## everything at once under reclaim, by a seed (MINUTES=3 SEED= KERNEL=debug)
	@lab/torture "$(MINUTES)" "$(SEED)" "$(KERNEL)"

series: tree ## the mailing-list series in build/series, for git am
	@lab/series

series-check: tree ## prove that git am of the series gives the tree that is built
	@lab/series --check

refresh: deps ## fold edits in build/linux into patches/; STEP=name for a file no step has
	@lab/refresh

shell: kernel ## boot the last built kernel to a prompt
	@lab/guest --shell

clean: ## remove what was built; keeps the download, the base and the compiler cache
	@lab/clean

distclean: ## remove all of build/
	@lab/clean all

# `make run` and `make test` do all the set-up there is; see `make help` for the rest.

PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
INSTALL ?= install

# The Swift runtime is linked in, so the program depends on Debian's libraries only.
RELEASE := swift build -c release --static-swift-stdlib
PROGRAM := .build/release/netvane

.DEFAULT_GOAL := help
.PHONY: help run test lint bench build install clean

help: ## show this list
	@printf 'Netvane: make TARGET [ARGS="…"]\n\n'
	@sed -nE 's/^([a-z]+):[^#]*## (.*)$$/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | \
	  while IFS="$$(printf '\t')" read -r target text; do printf '  %-9s %s\n' "$$target" "$$text"; done

run: ## watch this machine's network with the policies in policies/ (ARGS: more flags of `netvane run`)
	@.ci/setup
	@test -x $(PROGRAM) || printf 'building the release program; only the first time takes long\n'
	@$(RELEASE) --product netvane --quiet
	@$(PROGRAM) run policies $(ARGS)

test: ## all tests, those on a real kernel in a fresh namespace included
	@.ci/setup test
	swift build --build-tests
	swift test --disable-xctest --skip-build --skip '^KernelTests\.' $(ARGS)
	.build/debug/netvane test policies
	.ci/kernel-tests

lint: ## format of the Swift files, syntax of Lua files and scripts
	@.ci/setup
	.ci/lint

bench: ## measure (ARGS="--size small" for a quick look)
	@.ci/setup
	$(RELEASE) --product netvane
	$(RELEASE) --product netvane-bench
	.build/release/netvane-bench $(ARGS)

build: ## the release program, in .build/release/netvane
	@.ci/setup
	$(RELEASE) --product netvane

install: ## copy the program and the policies below PREFIX (/usr/local; DESTDIR is honoured)
	@test -x $(PROGRAM) || $(MAKE) --no-print-directory build
	$(INSTALL) -D -m 755 $(PROGRAM) "$(DESTDIR)$(PREFIX)/bin/netvane"
	@find policies -type f \( -name '*.lua' -o -name '.lua[rc]*' -o -name README.md \) | while IFS= read -r file; do \
	  $(INSTALL) -D -m 644 "$$file" "$(DESTDIR)$(PREFIX)/share/netvane/$$file" || exit 1; done
	@printf 'installed below %s\n' "$(DESTDIR)$(PREFIX)"

clean: ## remove what was built
	rm -rf .build

# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make            build/skep
# make demo       set up, build, profile this machine, draw it
# make check      every test          make bench   every claim beside its peer
# make install    PREFIX=/usr/local DESTDIR=
# Switches: SAN=1 (ASan+UBSan, in build/san), CLANG=1 (clang for user space, in build/clang),
#           NO_LIBDW=1 NO_LZMA=1 NO_DEMANGLE=1 NO_ZSTD=1 (drop an optional library), V=1 (show commands)

PREFIX ?= /usr/local
CLANG_BPF ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
MULTIARCH := $(shell gcc -print-multiarch)
ARCH := $(shell uname -m | sed 's/x86_64/x86/;s/aarch64/arm64/')

B := build
CC := gcc
OPT := -O2
ifdef CLANG
B := build/clang
CC := clang
endif
ifdef SAN
B := build/san
OPT := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
endif
ifdef FUZZ
B := build/fuzz
CC := clang
OPT := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
endif
ifeq ($(V),)
Q := @
say = @printf '  %-7s %s\n' $(1) $(2);
endif

WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla
CPPFLAGS += -D_GNU_SOURCE -Iuser -I. -I$B
CFLAGS += -std=gnu11 -g $(OPT) $(WARN) $(if $(WERROR),-Werror)
LDLIBS := -lbpf -lelf -lz
ifndef NO_LIBDW
CPPFLAGS += -DHAVE_LIBDW
LDLIBS += -ldw
endif
ifndef NO_LZMA
CPPFLAGS += -DHAVE_LZMA
LDLIBS += -llzma
endif
ifndef NO_DEMANGLE
CPPFLAGS += -DHAVE_DEMANGLE
LDLIBS += -liberty
endif
ifndef NO_ZSTD
CPPFLAGS += -DHAVE_ZSTD
LDLIBS += -lzstd
endif
LDLIBS += -lm -pthread

SRC := $(wildcard user/*.c user/*/*.c)
OBJ := $(SRC:%.c=$B/%.o)
LIBOBJ := $(filter-out $B/user/main.o,$(OBJ))
BPF := $(wildcard bpf/*.bpf.c)
SKEL := $(BPF:bpf/%.bpf.c=$B/skel/%.skel.h)
UNIT := $(patsubst tests/unit/%.c,$B/unit/%,$(wildcard tests/unit/*.c))

all: $B/skep $B/layers.ok

$B/skep: $(OBJ)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$B/%.o: %.c | skel
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$B/user/render/html.o: user/render/flame.html
$B/user/render/svg.o: user/render/flame_svg.js

# The BPF side. -g gives BTF; bpftool's linker keeps BTF and drops DWARF.
$B/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF,$<)mkdir -p $(@D) && $(CLANG_BPF) -target bpf -D__TARGET_ARCH_$(ARCH) -mcpu=v3 -O2 -g \
		-Wall -Wextra -Wno-unused-parameter -I. -Ibpf -Ivmlinux -idirafter /usr/include/$(MULTIARCH) \
		-MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.tmp && $(BPFTOOL) gen object $@ $@.tmp && rm $@.tmp

$B/skel/%.skel.h: $B/bpf/%.bpf.o
	$(call say,SKEL,$@)mkdir -p $(@D) && $(BPFTOOL) gen skeleton $< name $*_bpf > $@.tmp && mv $@.tmp $@

skel: $(SKEL)
.PHONY: all skel clean install check unit demo bench fuzz
.SECONDARY:

# Every source file is linked into one archive for tests, fuzzers and benchmarks.
$B/libskep.a: $(LIBOBJ)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^

$B/unit/%: tests/unit/%.c $B/libskep.a
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $B/libskep.a $(LDLIBS) -lcmocka -o $@

$B/fuzz/%: tests/fuzz/%.c $B/libskep.a
	$(call say,FUZZ,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer -MMD -MP $< $B/libskep.a $(LDLIBS) -o $@

# One-way dependencies: fails the build on an #include that points the wrong way.
$B/layers.ok: tools/layers.sh $(SRC) $(wildcard user/*.h user/*/*.h)
	$(call say,LAYERS,user/)tools/layers.sh && touch $@

clean:
	rm -rf build

# Packages first, then a make of its own: what this file finds on the machine may have changed.
demo:
	@tools/packages.sh build && $(MAKE) --no-print-directory all $B/work/shares && tools/demo.sh

check:
	@tools/packages.sh test && $(MAKE) --no-print-directory check-built

check-built: all work $(UNIT)
	@$(MAKE) --no-print-directory SAN=1 unit
	@$(MAKE) --no-print-directory FUZZ=1 fuzzers
	@tests/run.sh

unit: $(UNIT)

fuzzers: $(patsubst tests/fuzz/%.c,$B/fuzz/%,$(wildcard tests/fuzz/*.c))

# No warning from gcc and clang.
lint:
	@$(MAKE) --no-print-directory B=build/lint-gcc WERROR=1 all
	@$(MAKE) --no-print-directory CLANG=1 B=build/lint-clang WERROR=1 all

$B/perf/%: tests/perf/%.c $B/libskep.a
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $< $B/libskep.a $(LDLIBS) -o $@

bench: all work
	@for b in startup sampling picture symbols weight; do tests/perf/$$b.sh || exit 1; done

install: all
	install -D -m 755 $B/skep $(DESTDIR)$(PREFIX)/bin/skep
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 && install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$B/skep completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/skep
	$B/skep completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_skep
	$B/skep completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/skep.fish
.PHONY: check-built fuzzers lint

-include $(OBJ:.o=.d) $(BPF:%.bpf.c=$B/%.bpf.d) $(UNIT:=.d)

# Workloads that print the truth (tests/work). One rule per way of building what skep has to see through.
W := $B/work
WORKC := -O2 -g -fno-omit-frame-pointer -Itests/work -Wall -Wextra
WORK := $(addprefix $W/,shares recurse threads children shares_static shares_stripped shares_cxx)
WORK += $(if $(shell command -v rustc),$W/shares_rust) $(if $(shell command -v go),$W/shares_go)

work: $(WORK)
$W/%: tests/work/%.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) $< -o $@ -pthread
$W/shares_static: tests/work/shares.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) -static $< -o $@
$W/shares_stripped: tests/work/shares.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) $< -o $@ && objcopy --only-keep-debug $@ $@.debug && \
		strip $@ && objcopy --add-gnu-debuglink=$@.debug $@
$W/shares_cxx: tests/work/shares_cxx.cc tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && g++ $(WORKC) $< -o $@
$W/shares_rust: tests/work/shares.rs
	$(call say,WORK,$@)mkdir -p $W && rustc -O -g -C force-frame-pointers=yes $< -o $@
$W/shares_go: tests/work/shares.go
	$(call say,WORK,$@)mkdir -p $W && GO111MODULE=off GOFLAGS= GOCACHE=$(abspath $B/gocache) go build -o $@ $<
.PHONY: work

# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make            build/skep
# make demo       set up, build, profile this machine, draw it
# make check      most tests: 8 minutes on two cores; one virtual machine (KERNELS=5.10: another kernel than the newest)
# make check-all  every test: half an hour; four virtual machines       make bench   every claim beside its peer
# make check-vm   KERNELS="5.10 7.2": all root tests on those kernels, in virtual machines
# make cross      every object for arm64, by gcc-aarch64-linux-gnu; with that machine's libraries: ARCH=arm64 CC=aarch64-linux-gnu-gcc all
# make install    PREFIX=/usr/local DESTDIR=
# CC CPPFLAGS CFLAGS LDFLAGS LDLIBS are the user's: they come after ours, from the command line or the environment.
# Switches: SAN=1 (ASan+UBSan, in build/san), CLANG=1 (clang for user space, in build/clang), FUZZ=1 (in build/fuzz),
#           NO_LIBDW=1 NO_LZMA=1 NO_DEMANGLE=1 NO_ZSTD=1 NO_CAPSTONE=1 NO_NCURSES=1 NO_MICROHTTPD=1 NO_CURL=1 NO_JSON_C=1 NO_DEBUGINFOD=1 (drop an optional library), WERROR=1, V=1 (show commands),
#           LINES=1 (source lines in the verifier's log of skep -vv)

PREFIX ?= /usr/local
CLANG_BPF ?= clang
HOSTCC ?= gcc
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool) bpftool)
NATIVE := $(shell uname -m | sed 's/x86_64/x86/;s/aarch64/arm64/')
ARCH := $(NATIVE)

# K: what no switch changes, the programs in the kernel and their skeletons
B := build
K := build$(if $(filter-out $(NATIVE),$(ARCH)),/$(ARCH))
ifeq ($(origin CC),default)
CC := gcc
endif
SKEP_CFLAGS := -std=gnu11 -Wall -Wextra -Wno-missing-field-initializers -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla $(if $(WERROR),-Werror)
# For any x86-64 GCC 12 clears and copies structures of more than 100 bytes by "rep stos" and "rep movs", 10 ns each: a tenth of the time to read a
# recording. So many instructions are faster, a call is, where they are more.
STRINGS := -mmemset-strategy=unrolled_loop:512:noalign,libcall:-1:noalign -mmemcpy-strategy=unrolled_loop:512:noalign,libcall:-1:noalign
SANITIZE := -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
ifdef CLANG
B := build/clang
CC := clang
endif
ifdef SAN
B := build/san
CFLAGS ?= -g -O1
SKEP_CFLAGS += $(SANITIZE)
endif
ifdef FUZZ
B := build/fuzz
CC := clang
CFLAGS ?= -g -O1
SKEP_CFLAGS += -fsanitize=fuzzer-no-link $(SANITIZE)
endif
ifeq ($(shell $(CC) $(STRINGS) -E - </dev/null >/dev/null 2>&1 && echo yes),yes)
SKEP_CFLAGS += $(STRINGS)
endif
CFLAGS ?= -g -O2
ifeq ($(V),)
say = @printf '  %-7s %s\n' $(1) $(2);
endif

SKEP_CPPFLAGS := -D_GNU_SOURCE -Iuser -I. -I$B -I$K
SKEP_LDLIBS := -lbpf -lelf -lz
HEADERS := bpf/libbpf.h libelf.h zlib.h xxhash.h
ifndef NO_LIBDW
SKEP_CPPFLAGS += -DHAVE_LIBDW
SKEP_LDLIBS += -ldw
HEADERS += elfutils/libdw.h
endif
ifndef NO_LZMA
SKEP_CPPFLAGS += -DHAVE_LZMA
SKEP_LDLIBS += -llzma
HEADERS += lzma.h
endif
ifndef NO_DEMANGLE
SKEP_CPPFLAGS += -DHAVE_DEMANGLE
SKEP_LDLIBS += -liberty
HEADERS += libiberty/demangle.h
endif
ifndef NO_ZSTD
SKEP_CPPFLAGS += -DHAVE_ZSTD
SKEP_LDLIBS += -lzstd
HEADERS += zstd.h
endif
# Which disassembler, was decided once: it is skep annotate's too. Opened at run time by what needs it.
ifndef NO_CAPSTONE
SKEP_CPPFLAGS += -DHAVE_CAPSTONE
HEADERS += capstone/capstone.h
endif
# For skep agent --listen, which opens it.
ifndef NO_MICROHTTPD
SKEP_CPPFLAGS += -DHAVE_MICROHTTPD
HEADERS += microhttpd.h
endif
# For skep agent --push and --store URL, which open it.
ifndef NO_CURL
SKEP_CPPFLAGS += -DHAVE_CURL
HEADERS += curl/curl.h
endif
# For names of containers in skep agent, which opens it: reads what runtimes keep as JSON.
ifndef NO_JSON_C
SKEP_CPPFLAGS += -DHAVE_JSON_C
HEADERS += json-c/json.h
endif
# For debug files from DEBUGINFOD_URLS, by a child that opens it.
ifndef NO_DEBUGINFOD
SKEP_CPPFLAGS += -DHAVE_DEBUGINFOD
HEADERS += elfutils/debuginfod.h
endif
ifndef NO_NCURSES
SKEP_CPPFLAGS += -DHAVE_NCURSES
SKEP_LDLIBS += -lncursesw -ltinfo
HEADERS += curses.h
endif
SKEP_LDLIBS += -lm -pthread

COMPILE := $(CC) $(SKEP_CPPFLAGS) $(CPPFLAGS) $(SKEP_CFLAGS) $(CFLAGS)
LIBS := $(LDFLAGS) $(SKEP_LDLIBS) $(LDLIBS)
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
COMPILE_BPF := $(CLANG_BPF) -target bpf -D__TARGET_ARCH_$(ARCH) -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter \
	-I. -Ibpf -Ivmlinux -idirafter /usr/include/$(MULTIARCH) -idirafter /usr/$(MULTIARCH)/include

SRC := $(wildcard user/*.c user/*/*.c user/*/*/*.c)
OBJ := $(SRC:%.c=$B/%.o)
LIBOBJ := $(filter-out $B/user/main.o,$(OBJ))
BPF := $(wildcard bpf/*.bpf.c)
SKEL := $(BPF:bpf/%.bpf.c=$K/skel/%.skel.h)
# Programs of one file that are linked with the archive of all others.
programs = $(patsubst tests/$(1)/%.c,$B/$(1)/%,$(wildcard tests/$(1)/*.c))
UNIT := $(call programs,unit)
FUZZERS := $(call programs,fuzz)
PERF := $(call programs,perf)
SYNTAX := $(patsubst %.c,$B/%.syntax,$(SRC) $(wildcard tests/unit/*.c))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all objects syntax cross clean install deb check check-built check-all check-all-built check-vm vm unit fuzzers demo bench lint work

all: $B/skep $B/layers.ok
objects: $(OBJ)
syntax: $(SYNTAX)

# What everything is built with. Objects depend on it, so another switch or flag builds them again. It is also the
# first thing to be made: what the build needs and does not find is said here, once.
FLAGS := $(COMPILE) :: $(LIBS)
ifneq ($(file <$B/flags),$(FLAGS))
.PHONY: $B/flags
endif
FLAGS_BPF := $(COMPILE_BPF) :: $(BPFTOOL) $(LINES)
ifneq ($(file <$K/flags-bpf),$(FLAGS_BPF))
.PHONY: $K/flags-bpf
endif
lacks = { echo "skep: the build needs $(1): tools/packages.sh build" >&2; exit 1; }
$B/flags:
	@command -v $(firstword $(CC)) >/dev/null || $(call lacks,$(firstword $(CC))); \
	for header in $(HEADERS); do \
		echo "#include <$$header>" | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 || $(call lacks,<$$header>); \
	done; \
	mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(FLAGS))' >$@

$K/flags-bpf:
	@for tool in $(CLANG_BPF) $(BPFTOOL); do \
		command -v $$tool >/dev/null || $(call lacks,$$tool); \
	done; \
	mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(FLAGS_BPF))' >$@

$B/skep: $(OBJ) $B/flags
	$(call say,LINK,$@)$(COMPILE) $(OBJ) $(LIBS) -o $@

$B/%.o: %.c $B/flags | $(SKEL)
	$(call say,CC,$<)mkdir -p $(@D) && $(COMPILE) -MMD -MP -c $< -o $@

# What a compiler has to say, without code.
$B/%.syntax: %.c $B/flags | $(SKEL)
	$(call say,SYNTAX,$<)mkdir -p $(@D) && $(COMPILE) -MMD -MP -MT $@ -MF $@.d -fsyntax-only $< && touch $@

$B/user/render/tree/html.o: $B/gen/flame.html
$B/gen/flame.html: tools/page.sh $(wildcard user/render/tree/page/*)
	$(call say,GEN,$@)mkdir -p $(@D) && tools/page.sh >$@
$B/user/event/syscalls.o $B/user/event/syscalls.syntax: $B/gen/syscalls_native.h $B/gen/syscalls_compat.h
$B/gen/syscalls_%.h: tools/syscalls.sh $B/flags
	$(call say,GEN,$@)mkdir -p $(@D) && tools/syscalls.sh "$(CC)" $* >$@
$B/user/render/tree/svg.o: user/render/tree/flame_svg.js
$B/gen/names_%.h: tools/names.sh user/calls/names.txt $B/flags
	$(call say,GEN,$@)mkdir -p $(@D) && tools/names.sh $* user/calls/names.txt >$@
# Whoever includes calls/names.h, before there are dependencies to read.
$(OBJ) $(SYNTAX): | $B/gen/names_lists.h
$B/user/calls/lists.o $B/user/calls/lists.syntax: $B/gen/names_words.h

# The BPF side. -g gives BTF; bpftool's linker keeps BTF and drops DWARF; lines and labels go last.
$K/bpf/%.bpf.o: bpf/%.bpf.c $K/bpf_slim $K/flags-bpf
	$(call say,BPF,$<)mkdir -p $(@D) && $(COMPILE_BPF) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.tmp && \
		$(BPFTOOL) gen object $@ $@.tmp && rm $@.tmp $(if $(LINES),,&& $K/bpf_slim $@)

$K/bpf_slim: tools/bpf_slim.c
	$(call say,CC,$<)mkdir -p $(@D) && $(HOSTCC) -O2 -Wall -Wextra $< -lbpf -lelf -o $@

$K/skel/%.skel.h: $K/bpf/%.bpf.o tools/skeleton.sh
	$(call say,SKEL,$@)mkdir -p $(@D) && tools/skeleton.sh $(BPFTOOL) $< $*_bpf >$@.tmp && mv $@.tmp $@

# Every source file is linked into one archive for tests, fuzzers and benchmarks.
$B/libskep.a: $(LIBOBJ)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^

$(UNIT): MORE := -lcmocka
$(FUZZERS): MORE := -fsanitize=fuzzer
$(UNIT) $(FUZZERS) $(PERF): $B/%: tests/%.c $B/libskep.a
	$(call say,CC,$<)mkdir -p $(@D) && $(COMPILE) -MMD -MP -MT $@ -MF $@.d $< $B/libskep.a $(LIBS) $(MORE) -o $@

# One-way dependencies: fails the build on an #include that points the wrong way.
$B/layers.ok: tools/layers.sh $(SRC) $(wildcard user/*.h user/*/*.h user/*/*/*.h)
	$(call say,LAYERS,user/)tools/layers.sh && mkdir -p $(@D) && touch $@

clean:
	rm -rf build

# Packages first, then a make of its own: what this file finds on the machine may have changed.
demo:
	@tools/packages.sh build && $(MAKE) --no-print-directory all $B/work/shares && tools/demo.sh

check check-all:
	@tools/packages.sh test && $(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$$(nproc)) $@-built

check-built: vm
	@$(MAKE) --no-print-directory SAN=1 unit
	@tests/run.sh --quick

check-all-built: vm unit
	@$(MAKE) --no-print-directory SAN=1 unit
	@$(MAKE) --no-print-directory FUZZ=1 fuzzers
	@tests/run.sh

unit: $(UNIT)

# The root tests on other kernels, in virtual machines: make check-vm [KERNELS="5.10 7.2"]
check-vm: vm
	@tools/packages.sh test && tests/run.sh vm

vm: all work $B/verify $B/vm/break.bpf.o

$B/verify: tools/verify.c $B/flags
	$(call say,CC,$@)$(COMPILE) $< $(LIBS) -o $@

$B/vm/break.bpf.o: tests/vm/break.bpf.c $K/flags-bpf
	$(call say,BPF,$<)mkdir -p $(@D) && $(COMPILE_BPF) -c $< -o $@

fuzzers: $(FUZZERS)

# For arm64 all but the link, by Debian's cross compiler: of the libraries only headers are there, which are the same on both. Nobody runs the
# objects: without optimisation they take half of the time.
CROSS_CFLAGS ?= -O0
cross:
	@$(MAKE) --no-print-directory ARCH=arm64 CC=aarch64-linux-gnu-gcc B=build/arm64 WERROR=1 CFLAGS="$(CROSS_CFLAGS)" objects \
		CPPFLAGS="-idirafter /usr/include -idirafter /usr/include/$(MULTIARCH)"

# No warning from gcc and clang.
lint:
	@$(MAKE) --no-print-directory B=build/lint-gcc WERROR=1 all unit
	@$(MAKE) --no-print-directory CLANG=1 WERROR=1 syntax

# Every claim beside its peer: half an hour. Then README has the figures. What was just built is on the disk before.
BENCHMARKS := startup list sampling walk picture report writers tracepoint symbols jit ehframe weight counting by trace probe sched timehist offcpu net top agent agentload agentchurn fleet unwind
bench: all work $(PERF)
	@sync; status=0; for b in $(BENCHMARKS); do tests/perf/$$b.sh || status=1; done; [ $$status = 0 ] && tools/figures.sh $(BENCHMARKS)

# Installs what was built, with whatever switches; builds only when nothing was.
DEST := $(DESTDIR)$(PREFIX)
SHARE := $(DEST)/share
install: $(if $(wildcard $B/skep),,all)
	install -D -m 755 $B/skep "$(DEST)/bin/skep"
	install -d "$(SHARE)/man/man1" "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" \
		"$(SHARE)/fish/vendor_completions.d"
	install -m 644 man/*.1 "$(SHARE)/man/man1"
	install -d "$(DEST)/lib/systemd/system" "$(DEST)/lib/sysusers.d"
	sed 's|@BIN@|$(PREFIX)/bin|' tools/service/skep-agent.service.in | install -m 644 /dev/stdin "$(DEST)/lib/systemd/system/skep-agent.service"
	install -m 644 tools/service/skep.sysusers "$(DEST)/lib/sysusers.d/skep.conf"
	$B/skep completion bash | install -m 644 /dev/stdin "$(SHARE)/bash-completion/completions/skep"
	$B/skep completion zsh | install -m 644 /dev/stdin "$(SHARE)/zsh/site-functions/_skep"
	$B/skep completion fish | install -m 644 /dev/stdin "$(SHARE)/fish/vendor_completions.d/skep.fish"

deb: $(if $(wildcard $B/skep),,all)
	tools/deb.sh

-include $(OBJ:.o=.d) $(BPF:%.bpf.c=$K/%.bpf.d) $(wildcard $B/root/*.d) $(addsuffix .d,$(UNIT) $(FUZZERS) $(PERF) $(SYNTAX))

# Workloads that print the truth (tests/work). One rule per way of building what skep has to see through. Their flags
# are part of what is tested: the user's do not reach them. rustc would look for the job server of make.
W := $B/work
WORKC := -O2 -g -fno-omit-frame-pointer -Itests/work -Wall -Wextra
LINKED := static static_pie pie nopie
WORK := $(addprefix $W/,shares slower traced jitted jitswap openfiles recurse threads phases children vdso onethread manythreads masked inlined refuse usage calls callrate hitrate tasks waits waits_no_fp uring operations sockets handshake usdt unwind corewalk strange returns strings swap faults deepcall crowd probed probed_cxx shares_stripped shares_cxx $(LINKED:%=shares_%))
WORK += $(if $(filter x86,$(ARCH)),$W/burn32)
# What unwinding has to see through, in each way that compilers make frames.
STACKS := O0 O2 O3 O2_fp static pie stripped
WORK += $(STACKS:%=$W/stacks_%) $W/stacks_library.so
WORK += $(if $(shell command -v musl-gcc),$W/stacks_musl $W/stacks_musl_stripped \
	$W/library_musl $W/library_musl_stripped $W/library_musl_bare)
GO_WORK := $(patsubst %,$W/%_go,shares probed clock garbage cgo)
WORK += $(if $(shell command -v rustc),$W/shares_rust $W/probed_rust) $(if $(shell command -v go),$(GO_WORK))

work: $(WORK)
$W/%: tests/work/%.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) $< -o $@ -pthread
$W/calls $W/traced: tests/work/compat.h
$W/shares_static: HOW := -static
$W/shares_static_pie: HOW := -fPIE -static-pie
$W/shares_pie: HOW := -fPIE -pie
$W/shares_nopie: HOW := -fno-pie -no-pie
$(LINKED:%=$W/shares_%): tests/work/shares.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) $(HOW) $< -o $@
STACKC := -g -fomit-frame-pointer -Itests/work -Wall -Wextra
$W/stacks_O0: HOW := -O0
$W/stacks_O2: HOW := -O2
$W/stacks_O3: HOW := -O3
$W/stacks_O2_fp: HOW := -O2 -fno-omit-frame-pointer
$W/stacks_static: HOW := -O2 -static -DSTATIC
$W/stacks_pie: HOW := -O2 -fPIE -pie
$W/stacks_stripped: HOW := -O2 -s
$(STACKS:%=$W/stacks_%): tests/work/stacks.c tests/work/burn.h tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(STACKC) $(HOW) $< -o $@ -pthread -ldl
$W/burn32: tests/work/burn32.c
	$(call say,WORK,$@)mkdir -p $W && gcc -m32 -O2 -g -fno-pie -no-pie -fno-stack-protector -nostdlib -static -Wall -Wextra $< -o $@
$W/strange $W/returns: $W/%: tests/work/%.c tests/work/burn.h tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(STACKC) -O2 $< -o $@
$W/stacks_musl: HOW :=
$W/stacks_musl_stripped: HOW := -s
$W/stacks_musl $W/stacks_musl_stripped: tests/work/stacks.c tests/work/burn.h tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && musl-gcc $(STACKC) -O2 -static -DSTATIC $(HOW) $< -o $@
$W/library_musl: HOW := -fasynchronous-unwind-tables
$W/library_musl_stripped: HOW := -fasynchronous-unwind-tables -s
$W/library_musl_bare: HOW := -fno-asynchronous-unwind-tables -s
$W/library_musl $W/library_musl_stripped $W/library_musl_bare: tests/work/library.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && musl-gcc $(STACKC) -O2 -static $(HOW) $< -o $@
$W/strings: tests/work/strings.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(STACKC) -O2 -fno-builtin $< -o $@
$W/waits_no_fp: tests/work/waits.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(STACKC) -O2 $< -o $@ -pthread
$W/stacks_library.so: tests/work/stacks_library.c
	$(call say,WORK,$@)mkdir -p $W && gcc $(STACKC) -O2 -fPIC -shared $< -o $@
$W/deepcall: tests/work/deepcall.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(STACKC) -O2 $< -o $@
$W/usdt: tests/work/usdt.c
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) -fno-pie -no-pie $< -o $@
$W/shares_stripped: tests/work/shares.c tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && gcc $(WORKC) $< -o $@ && objcopy --only-keep-debug $@ $@.debug && \
		strip $@ && objcopy --add-gnu-debuglink=$@.debug $@
$W/shares_cxx $W/probed_cxx: $W/%_cxx: tests/work/%_cxx.cc tests/work/work.h
	$(call say,WORK,$@)mkdir -p $W && g++ $(WORKC) $< -o $@
$W/shares_rust $W/probed_rust: $W/%_rust: tests/work/%.rs
	$(call say,WORK,$@)mkdir -p $W && MAKEFLAGS= rustc -O -g -C force-frame-pointers=yes $< -o $@
$(GO_WORK): $W/%_go: tests/work/%.go
	$(call say,WORK,$@)mkdir -p $W && GO111MODULE=off GOFLAGS= GOCACHE=$(abspath $B/gocache) go build -o $@ $<

# Walks a stack of its own in the kernel. Without frame pointers, whatever the compiler does by itself.
$B/root/unwind.bpf.o: tests/root/unwind.bpf.c $K/flags-bpf
	$(call say,BPF,$<)mkdir -p $(@D) && $(COMPILE_BPF) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@
$B/root/unwind.skel.h: $B/root/unwind.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name unwind_bpf >$@
$B/root/%.o: tests/root/%.c $B/root/unwind.skel.h
	$(call say,WORK,$@)$(COMPILE) -I$B/root -O2 -fomit-frame-pointer -MMD -MP -c $< -o $@
$W/unwind: $(addprefix $B/root/,unwind.o unwind_asks.o unwind_tables.o) $B/libskep.a
$W/corewalk: $B/root/corewalk.o $B/libskep.a
$W/unwind $W/corewalk:
	$(call say,WORK,$@)mkdir -p $W && $(COMPILE) $^ $(LIBS) -o $@

# aiflame: `make help` lists targets and knobs.
# SPDX-License-Identifier: MIT

# ---- knobs -------------------------------------------------------------------------------------
SAN      ?=
O        ?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
PREFIX   ?= /usr/local
DESTDIR  ?=
# where programs and plugins are linked. `make dist` links the same objects once more, elsewhere and
# with stand-ins of an old C library, which are in GLIBC
L        ?= $(O)
GLIBC    ?=
# where `perf script --list-dlfilters` looks; below PREFIX if it is your own
PERF_DLFILTERS ?= $(if $(filter-out /usr /usr/local,$(PREFIX)),$(PREFIX),/usr)/lib/perf-core/dlfilters
DEBUG    ?=
WERROR   ?= $(if $(CI),1)
V        ?=
CXX      := $(if $(filter default,$(origin CXX)),g++,$(CXX))
# What CXX compiles for: x86_64 or aarch64, and Debian's name of its libraries' folder. For another
# machine than this one (CXX=aarch64-linux-gnu-g++) the binutils are those beside the compiler, and
# nothing that was built is run.
HERE     := $(shell uname -m)
MACHINE  := $(or $(firstword $(subst -, ,$(shell $(CXX) -dumpmachine 2> /dev/null))),$(HERE))
TRIPLET  := $(MACHINE)-linux-gnu
CROSS    := $(if $(filter-out $(HERE),$(MACHINE)),$(TRIPLET)-)
AR       := $(CROSS)ar
# where the compiler finds a library; without a compiler, as before `make demo` has installed one, nowhere
library_file = $(shell $(CXX) -print-file-name=$(1) 2> /dev/null)
comma    := ,
# the fuzzers that `make fuzz` runs (empty: all), and the seconds for each
FUZZ     ?=
FUZZ_SECONDS ?= 60
# the demo's OpenCL build options (see scripts/demo.sh)
DEMO_OPTIONS ?= -g

Q := $(if $(V),,@)

# A job for each processor. A -j on the command line wins, and the makes below inherit the jobs.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif

# `make clean` removes O, and make writes into it as soon as it starts. So O has to be one that make has
# begun (it has `flags` then), a new or an empty one, or one below build/; never the sources' own.
in_build := $(filter $(CURDIR)/build $(CURDIR)/build/%,$(abspath $(O)))
if_wrong  = $(if $(strip $(O)),$(if $(filter $(abspath $(O))/%,$(CURDIR)/),O=$(O) has the sources in it,$(if \
  $(in_build)$(wildcard $(O)/flags),,$(if $(wildcard $(O)/* $(O)/.[!.]*),O=$(O) has files that make did not put there))),O is empty)
ifneq ($(if_wrong),)
$(error $(if_wrong): choose a directory of its own)
endif

# ---- programs, plugins, demos, one a line -----------------------------------------------------------------
PROGRAMS := \
  aiflame \
  aiflame-annotate \
  aiflame-cost \
  aiflame-diff \
  aiflame-export \
  aiflame-forecast \
  aiflame-merge \
  aiflame-report \
  aiflame-svg \
  gpustall-record \
  stackcollapse-aiflame \
  stackcollapse-hpctoolkit \
  stackcollapse-iaprof \
  stackcollapse-ncu \
  stackcollapse-nsys \
  stackcollapse-pprof \
  stackcollapse-proton \
  stackcollapse-rocprof \
  stackcollapse-torch-memory \
  stackcollapse-trace \
  stackcollapse-unitrace \
  stackcollapse-xplane \
  #
# started by programs, not by users: built into libexec
HELPERS := push-profile
# a plugin is a folder; what it needs is in its plugin.mk, if anything: see plugins/README.md
SOURCE_PLUGINS := $(patsubst plugins/sources/%/plugin.cc,%,$(sort $(wildcard plugins/sources/*/plugin.cc)))
AGENTS := $(filter-out common,$(notdir $(patsubst %/,%,$(sort $(wildcard plugins/agents/*/)))))
# programs that read a vendor's energy counters
ENERGY := $(filter-out common,$(notdir $(patsubst %/,%,$(sort $(wildcard plugins/energy/*/)))))
plugin_mks := $(sort $(wildcard plugins/*/*/plugin.mk))
include $(plugin_mks)
# ordinary OpenCL programs, for recording, measuring and testing
DEMOS := \
  callers \
  cl_launches \
  cl_memory \
  embeds_python \
  execs \
  forks \
  idle_causes \
  launch_cost \
  matmul \
  queries \
  ranges \
  #

# A plugin is left out when the header of its interface is missing, and where its vendor has nothing
# for the machine: MACHINE_NAME is the only one then.
with_header = $(foreach a,$(1),$(if $(filter-out $(MACHINE),$(MACHINE_$(a))),,$(if $(HEADER_$(a)),$(if $(wildcard $(HEADER_$(a))),$(a)),$(a))))
sources_here := $(call with_header,$(SOURCE_PLUGINS))
agents_here  := $(call with_header,$(AGENTS))
energy_here  := $(call with_header,$(ENERGY))
left_out     := $(sort $(filter-out $(sources_here) $(agents_here) $(energy_here),$(SOURCE_PLUGINS) $(AGENTS) $(ENERGY)))

# Libraries by program. --as-needed drops the common ones that a program does not use.
COMMON_LIBS                = -l:libboost_program_options.a $(call static,lzma bz2) -lzstd -lz
# Programs have their libraries inside: they start sooner, and run on other distributions. ALONE: the
# compiler's, which takes a third off the time to start. WHOLE: the C library too, for a filter that
# loads nothing, which takes another quarter off; without libc.a it is ALONE. The others load sources,
# disassemblers or what their libraries load, so they need the C library outside. Sanitizers need all
# of them outside.
ALONE                     := $(if $(SAN),,-static-libstdc++ -static-libgcc)
WHOLE                     := $(if $(SAN),,$(if $(filter /%,$(call library_file,libc.a)),-static-pie,$(ALONE)))
static                     = $(foreach l,$(1),$(if $(SAN),-l$(l),-l:lib$(l).a))
# RE2 of Debian 13 needs Abseil, whose libraries need each other
ABSEIL                    := $(wildcard $(dir $(call library_file,libre2.a))libabsl_*.a)
RE2_LIBS                  := $(call static,re2) $(if $(SAN),,$(if $(ABSEIL),-Wl$(comma)--start-group $(ABSEIL) -Wl$(comma)--end-group))
# the same for test programs, whose libraries are outside as gtest is
SYMBOL_LIBS               := -ldw -lelf -liberty -ldeflate -llzma
# The static libraries of elfutils 0.192, in Debian 13, lack a part of their own (eu_tsearch).
ELFUTILS_VERSION_H        := $(wildcard /usr/include/elfutils/version.h)
ELFUTILS_LACKS            := $(if $(ELFUTILS_VERSION_H),$(shell awk '/define _ELFUTILS_VERSION/ && $$3 >= 192' $(ELFUTILS_VERSION_H)))
elfutils                   = $(if $(ELFUTILS_LACKS),$(1:%=-l%),$(call static,$(1)))
OBJECT_LIBS               := $(call elfutils,dw elf) $(call static,deflate iberty lzma bz2 zstd z stdc++)
LIBS_aiflame              := $(WHOLE)
LIBS_aiflame-annotate     := $(ALONE) $(RE2_LIBS) $(OBJECT_LIBS) -ldl -lpthread
LIBS_aiflame-cost         := $(WHOLE)
LIBS_aiflame-diff         := $(WHOLE)
LIBS_aiflame-export       := $(WHOLE)
LIBS_aiflame-forecast     := $(WHOLE)
LIBS_aiflame-merge        := $(WHOLE)
LIBS_aiflame-svg          := $(WHOLE)
# libcurl here needs this machine's C library; where the program runs, it needs the one there
LIBS_push-profile         := $(ALONE) $(if $(GLIBC),-Wl$(comma)--allow-shlib-undefined) -lcurl
LIBS_aiflame-report       := $(WHOLE) $(RE2_LIBS)
LIBS_gpustall-record      := $(ALONE) $(call static,bpf) $(OBJECT_LIBS) -ldl
LIBS_stackcollapse-aiflame := $(ALONE) $(call static,traceevent) $(OBJECT_LIBS) -ldl

# Those that read other profilers' files demangle names, and most of them open no objects.
IMPORT_LIBS               := $(call elfutils,elf) $(call static,deflate iberty lzma zstd z stdc++)
IMPORTER                  := $(if $(ELFUTILS_LACKS),$(ALONE),$(WHOLE))
$(foreach p,iaprof ncu proton torch-memory trace unitrace xplane,$(eval LIBS_stackcollapse-$(p) := $(IMPORTER) $(IMPORT_LIBS)))
LIBS_stackcollapse-pprof  := $(IMPORTER) $(RE2_LIBS) $(IMPORT_LIBS)
# libdw and SQLite have a dlopen(3) in them
LIBS_stackcollapse-hpctoolkit := $(ALONE) $(OBJECT_LIBS) -ldl
$(foreach p,nsys rocprof,$(eval LIBS_stackcollapse-$(p) := $(ALONE) $(call static,sqlite3) $(IMPORT_LIBS) -lm -ldl -lpthread))

# ---- flags -------------------------------------------------------------------------------------
# -Wrestrict: g++ 12 sees overlaps in std::string's own code with -O3 (GCC bug 105651)
# -Wunused-result: an answer that is passed over loses something in silence (scripts/check-answers.sh)
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror=unused-result \
  $(if $(findstring clang,$(CXX)),,-Wno-restrict) $(if $(WERROR),-Werror)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all \
  -DAIFLAME_SANITIZED)
# With -O3, aiflame-svg takes 5 % less time than with -O2 (a million stacks). Sanitizers get -O1:
# their code takes many times as long to compile with -O3 (a third less with -O1 than with -O2), and
# g++ 12 gives false warnings.
OPTIMISE := $(if $(DEBUG),-O0,$(if $(SAN),-O1,-O3))
# libperf is GPL-2.0-only, and so are the binaries that link it: gpustall-record and opencl-cpu.so
LIBPERF  := build/libperf$(CROSS:%-=-%)
# -g1 has what stacks need: functions, inlined ones too, and lines. Local variables and types, which a
# debugger shows, take a quarter of the time to compile and most of the space: DEBUG=1 has them.
DEBUG_INFO := $(if $(DEBUG),-g,-g1)
BASE_CXXFLAGS := -std=c++20 $(DEBUG_INFO) $(OPTIMISE) -fPIC -fvisibility=hidden $(WARNINGS) -I. -I$(O)/gen \
  -isystem $(LIBPERF)/include $(if $(wildcard $(HEADER_cupti)),$(cuda_include:%=-isystem %))
ALL_CXXFLAGS   = $(BASE_CXXFLAGS) $(SANFLAGS) $(CXXFLAGS)
# Agents are loaded into foreign programs, so they are never instrumented. A thread-local variable
# of theirs must not be allocated where a launch is made: it may interrupt malloc(3).
AGENT_CXXFLAGS = $(BASE_CXXFLAGS) -fno-exceptions -fno-rtti -fno-omit-frame-pointer \
  -ftls-model=initial-exec -include plugins/agents/common/old_libc.h $(CXXFLAGS)
# libraries that glibc has since emptied: see old_libc.h
AGENT_NEEDS := libc.so.6 libdl.so.2 libpthread.so.0
OLD_LIBC := -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -Wl,--as-needed
# The demos stand for a user's programs: optimised, with and without frame pointers.
DEMO_CXXFLAGS  = -std=c++20 -g -O2 $(WARNINGS) -I. $(CXXFLAGS)
ALL_LDFLAGS    = $(SANFLAGS) -Wl,--as-needed $(LDFLAGS)
# A plugin keeps what is inside to itself: its host may have another libstdc++.
PLUGIN_LDFLAGS = $(ALL_LDFLAGS) -shared $(ALONE) -Wl,--exclude-libs,ALL
# for whatever has its C library outside, given the other flags
OLD_GLIBC      = $(if $(GLIBC),$(if $(filter -static-pie,$(1)),,-L$(GLIBC) $(OLD_LIBC)))
OLD_START      = $(if $(call OLD_GLIBC,$(1)),-Wl$(comma)--wrap=__libc_start_main $(GLIBC)/start.o)

# ---- sources and what is made of them ----------------------------------------------------------
# the sources of folders and of the rooms in them
sources  = $(sort $(wildcard $(foreach d,$(1),$(addsuffix /*.cc,$(d) $(d)/* $(d)/*/* $(d)/*/*/* $(d)/*/*/*/*))))
objects  = $(patsubst %.cc,$(O)/obj/%.o,$(1))
common_sources := $(call sources,libcommon)
tool_sources   := $(foreach p,$(PROGRAMS) $(HELPERS),$(call sources,tools/$(p)))
plugin_sources := $(call sources,plugins/sources/common $(sources_here:%=plugins/sources/%))
dlfilter_sources := $(call sources,plugins/dlfilter)
unit_sources   := $(call sources,tests/unit) $(wildcard tests/fakes/*.cc)
# what unit tests call of tools and plugins: everything but mains and plugin entries
tested_sources := $(sort $(filter-out %/main.cc %/plugin.cc,$(tool_sources) $(plugin_sources) \
  $(dlfilter_sources) $(call sources,plugins/agents/common plugins/sources/cupti)) $(tested_agent_parts))

bin      := $(addprefix $(L)/bin/,$(PROGRAMS))
libexec  := $(L)/libexec/aiflame
helpers  := $(addprefix $(libexec)/,$(HELPERS))
plugins  := $(patsubst %,$(libexec)/%.so,$(sources_here))
agents   := $(patsubst %,$(libexec)/%-agent.so,$(agents_here))
energy   := $(patsubst %,$(libexec)/energy-%,$(energy_here))
# what aiflame-forecast knows of devices; it looks beside itself, in ../share
share    := $(L)/share/aiflame
devices  := $(patsubst tools/aiflame-forecast/devices/%,$(share)/devices/%,$(wildcard tools/aiflame-forecast/devices/*))
# A program that the kernel runs, which clang compiles. PoCL brings one, with its version in its name.
kernel_cc := $(firstword $(notdir $(wildcard /usr/bin/clang /usr/bin/clang-[1-9][0-9])))
python_probe := $(if $(kernel_cc),$(libexec)/python-probe.o)
# For bash. The programs tell their options. Where they cannot run, completions are those that a build
# for this machine has made.
completions := $(if $(CROSS),$(patsubst build/completions/%,$(L)/completions/%,$(wildcard $(PROGRAMS:%=build/completions/%))),$(PROGRAMS:%=$(L)/completions/%))
# the name that Level Zero's loader opens
range_library := $(libexec)/ranges/libroctx64.so.4
tracing_layer := $(if $(filter %/level-zero-agent.so,$(agents)),$(libexec)/level-zero/libze_tracing_layer.so.1)
# loaded by perf script; needs its header, which older packages of perf lack
dlfilter := $(if $(wildcard /usr/include/perf/perf_dlfilter.h),$(L)/dlfilters/aiflame-dlfilter.so)
libcommon := $(O)/obj/libcommon.a
libperf_a := $(LIBPERF)/lib/libperf.a
LIBPERF_LIBS := $(libperf_a) $(LIBPERF)/lib/libapi.a

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help deps demo test test-vm test-arm64 ci selftest test-programs demo-programs unittest clitest lint hook format \
  bless bench fuzz fuzz-programs soak install uninstall dist tarball deb clean left-out demo-left-out demo-built
.DEFAULT_GOAL := all

built := $(bin) $(helpers) $(python_probe) $(devices) $(plugins) $(agents) $(energy) $(tracing_layer) $(range_library) $(dlfilter) $(completions)
all: $(built) left-out  ## build everything into O

help:  ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z][a-z0-9 -]*\):.*##  *\(.*\)/  \1|\2/p' Makefile | column -t -s'|'
	@echo 'Knobs: O=dir DEBUG=1 SAN=address,undefined WERROR=1 V=1 PREFIX=/usr/local DESTDIR=dir'
	@echo '       PERF_DLFILTERS=dir where perf script finds its filters'
	@echo '       STRIP= keeps the debug information of what is installed; TEST_PACKAGES=few'
	@echo '       DEMO_OPTIONS="OpenCL build options" CXX=clang++ CXXFLAGS=... LDFLAGS=...'

# ---- rules -------------------------------------------------------------------------------------
# Objects depend on their flags, so that changing a knob rebuilds.
$(shell mkdir -p $(O)/gen; f='$(CXX) $(subst ','"'"',$(ALL_CXXFLAGS)) | $(ALL_LDFLAGS)'; \
  printf '%s\n' "$$f" | cmp -s - $(O)/flags || printf '%s\n' "$$f" > $(O)/flags)

$(O)/obj/%.o: %.cc $(O)/flags | $(libperf_a)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  CXX   $<')
	$(Q)$(CXX) $(ALL_CXXFLAGS) $(MORE) -MMD -MP -c -o $@ $<

# Unit tests are built without optimisation, which halves the time that takes. Where nothing is
# optimised, headers take most of it, so those that most sources include are parsed once: g++ and
# clang++ both take NAME.gch, if it lies there, in the place of NAME.
of_tests   := $(call objects,$(unit_sources))
of_sources := $(if $(DEBUG),$(call objects,$(common_sources) $(tested_sources)))
for_tests   := $(O)/gen/tests/unit/precompiled.h
for_sources := $(O)/gen/libcommon/base/precompiled.h
$(of_tests): private MORE := -O0 -include $(for_tests)
$(for_tests).gch: private MORE := -O0
$(of_sources): private MORE := -include $(for_sources)
$(of_tests): $(for_tests).gch
$(of_sources): $(for_sources).gch
$(for_tests).gch $(for_sources).gch: $(O)/gen/%.gch: % libcommon/base/precompiled.h $(O)/flags
	@mkdir -p $(@D)
	@$(if $(V),,echo '  CXX   $<')
	$(Q)echo '#include "$<"' > $(@:.gch=)
	$(Q)$(CXX) $(ALL_CXXFLAGS) $(MORE) -x c++-header -o $@ $(@:.gch=)

$(O)/agent/%.o: %.cc $(O)/flags
	@mkdir -p $(@D)
	@$(if $(V),,echo '  CXX   $<')
	$(Q)$(CXX) $(AGENT_CXXFLAGS) -MMD -MP -c -o $@ $<

$(O)/demo/%.o: %.cc $(O)/flags
	@mkdir -p $(@D)
	@$(if $(V),,echo '  CXX   $<')
	$(Q)$(CXX) $(DEMO_CXXFLAGS) -fomit-frame-pointer -MMD -MP -c -o $@ $<

$(O)/demo-fp/%.o: %.cc $(O)/flags
	@mkdir -p $(@D)
	@$(if $(V),,echo '  CXX   $< (frame pointers)')
	$(Q)$(CXX) $(DEMO_CXXFLAGS) -fno-omit-frame-pointer -MMD -MP -c -o $@ $<

$(libcommon): $(call objects,$(common_sources))
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(libperf_a): scripts/build-libperf.sh
	$(Q)scripts/build-libperf.sh $(LIBPERF) '$(CXX)'

ifneq ($(GLIBC),)
$(bin) $(helpers) $(energy) $(plugins) $(agents) $(dlfilter): $(GLIBC)/libc.so
$(GLIBC)/libc.so: $(wildcard scripts/old-libc/*)
	@echo '  GLIBC $(GLIBC)'
	$(Q)scripts/old-libc/build.sh $(GLIBC) $(CXX)
endif

# What the binary of a folder needs of libcommon is an archive of its own, so that nothing else has to
# be compiled for it. It is a thin one: the objects stay where they are. reached.mk is new when a source
# begins to need another.
reached.mk := $(O)/gen/reached.mk
$(shell scripts/sources-reached.sh > $(reached.mk).$$$$; \
  if cmp -s $(reached.mk).$$$$ $(reached.mk); then rm $(reached.mk).$$$$; else mv $(reached.mk).$$$$ $(reached.mk); fi)
include $(reached.mk)
reached = $(O)/obj/$(1)/reached.a
define reached_rule
$(call reached,$(1)): $$(call objects,$$(sort $$(reached_$(1)) $(if $(filter plugins/sources/%,$(1)),$$(reached_plugins/sources/common)))) $(reached.mk)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)$$(AR) rcsT $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(PROGRAMS:%=tools/%) $(HELPERS:%=tools/%) $(SOURCE_PLUGINS:%=plugins/sources/%) plugins/dlfilter,$(eval $(call reached_rule,$(f))))

# Programs depend on this file too, since it lists their libraries.
# $(1): where it is built, $(2): its name
define program_rule
$(1)/$(2): $$(call objects,$$(call sources,tools/$(2))) $$(call reached,tools/$(2)) $(if $(filter gpustall-record,$(2)),$$(libperf_a)) Makefile
	@mkdir -p $$(@D)
	@$$(if $$(V),,echo '  LINK  $$@')
	$$(Q)$$(CXX) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) $$(call OLD_START,$$(LIBS_$(2))) \
	  $$(call OLD_GLIBC,$$(LIBS_$(2))) $$(LIBPERF_$(2)) $$(LIBS_$(2)) $$(COMMON_LIBS)
endef
LIBPERF_gpustall-record := $(LIBPERF_LIBS)
$(foreach p,$(PROGRAMS),$(eval $(call program_rule,$(L)/bin,$(p))))
$(foreach p,$(HELPERS),$(eval $(call program_rule,$(libexec),$(p))))

$(completions): $(L)/completions/%: $(if $(CROSS),build/completions/%,$(L)/bin/% scripts/bash-completion.sh)
	@mkdir -p $(@D)
	$(Q)$(if $(CROSS),cat,scripts/bash-completion.sh) $< > $@

$(L)/bin/aiflame-export: | $(libexec)/push-profile

$(L)/bin/aiflame-forecast: | $(devices)
$(share)/devices/%: tools/aiflame-forecast/devices/%
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

define plugin_rule
$(libexec)/$(1).so: $$(call objects,$$(call sources,plugins/sources/common plugins/sources/$(1)) plugins/without_bzip2.cc) $$(call reached,plugins/sources/$(1)) Makefile $(plugin_mks)
	@mkdir -p $$(@D)
	@$$(if $$(V),,echo '  LINK  $$@')
	$$(Q)$$(CXX) $$(PLUGIN_LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) $$(OLD_GLIBC) $$(LIBPERF_LIBS) $$(LIBS_source_$(1)) $$(call static,zstd lzma z)
endef
$(foreach p,$(SOURCE_PLUGINS),$(eval $(call plugin_rule,$(p))))

# Vendors' libraries are loaded into these alone, by name.
define energy_rule
$(libexec)/energy-$(1): $$(call objects,$$(call sources,plugins/energy/common plugins/energy/$(1))) Makefile
	@mkdir -p $$(@D)
	@$$(if $$(V),,echo '  LINK  $$@')
	$$(Q)$$(CXX) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(OLD_START) $$(OLD_GLIBC) $$(ALONE) -ldl
endef
$(foreach p,$(ENERGY),$(eval $(call energy_rule,$(p))))

# Bound at load: to bind a function at its first call takes more of the program's stack than a launch.
define agent_rule
$(libexec)/$(1)-agent.so: $$(patsubst %.cc,$(O)/agent/%.o,$$(call sources,plugins/agents/$(1) plugins/agents/common) $$(SHARED_agent_$(1))) $$(wildcard plugins/agents/$(1)/*.map) Makefile $(plugin_mks)
	@mkdir -p $$(@D)
	@$$(if $$(V),,echo '  LINK  $$@')
	$$(Q)$$(CXX) -shared -Wl,--as-needed -Wl,-z,nodelete -Wl,-z,now $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) \
	  $$(LIBS_agent_$(1)) $$(OLD_LIBC) $$(patsubst %,-Wl$$(comma)--version-script=%,$$(filter %.map,$$^))
	$$(Q)scripts/check-needs.sh 2.17 '$$(AGENT_NEEDS)' $$@
endef
$(foreach p,$(AGENTS),$(eval $(call agent_rule,$(p))))

$(libexec)/level-zero/libze_tracing_layer.so.1: $(libexec)/level-zero-agent.so
	@mkdir -p $(@D)
	$(Q)ln -sf ../level-zero-agent.so $@

$(range_library): $(libexec)/ranges-agent.so
	@mkdir -p $(@D)
	$(Q)ln -sf ../ranges-agent.so $@

# as bpf_tracing.h names machines
BPF_MACHINE := $(if $(filter aarch64,$(MACHINE)),arm64,x86)
# Its debug information is what the kernel asks for (BTF): which types the program has.
$(libexec)/python-probe.o: tools/gpustall-record/python/python_probe.bpf.c tools/gpustall-record/python/python_probe.h
	@mkdir -p $(@D)
	@$(if $(V),,echo '  BPF   $@')
	$(Q)$(kernel_cc) -target bpf -O2 -g -Wall -Wextra -Werror -D__TARGET_ARCH_$(BPF_MACHINE) -I. -I/usr/include/$(TRIPLET) -c -o $@ $<

$(L)/dlfilters/aiflame-dlfilter.so: $(call objects,$(dlfilter_sources) plugins/without_bzip2.cc) $(call reached,plugins/dlfilter)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(PLUGIN_LDFLAGS) -o $@ $(filter %.o %.a,$^) $(OLD_GLIBC) $(call static,zstd lzma z)

# after all else, where it is read
left-out: | $(built)
left-out:
	@$(say_left_out) :
say_left_out = $(foreach p,$(left_out),echo '$(p) is left out: $(if $(filter-out $(MACHINE),$(MACHINE_$(p))),it is for $(MACHINE_$(p)) alone,$(HEADER_$(p)) is missing, of package $(PACKAGE_$(p)))';) \
  $(if $(completions),,echo 'completions for bash are left out: the programs that make them do not run on this machine; a `make` for it has them';) \
  $(if $(python_probe),,echo 'python-probe.o is left out: clang is missing; uprobes see no Python functions then';) \
  $(if $(dlfilter),,echo 'aiflame-dlfilter.so is left out: perf/perf_dlfilter.h is missing, of package linux-perf';)

# Scripts that a program embeds: viewer.js becomes a C++ raw string, for #include "…/viewer.js.inc".
# Comments and indentation go, since every picture carries the script.
$(O)/gen/%.js.inc: %.js Makefile
	@mkdir -p $(@D)
	$(Q){ printf 'R"JS('; sed '/^ *\/\//d; s/^ *//; /^$$/d' $<; printf ')JS"\n'; } > $@
$(O)/gen/%.css.inc: %.css Makefile
	@mkdir -p $(@D)
	$(Q){ printf 'R"CSS('; sed 's/^ *//' $<; printf ')CSS"\n'; } > $@
embedded := $(patsubst %,$(O)/gen/%.inc,$(wildcard tools/*/page/*.js tools/*/page/*.css libcommon/*/*.js libcommon/*/*.css))
# made before the first objects; later ones know from their depfiles which scripts they have
$(call objects,$(call sources,tools/aiflame-svg tools/aiflame-annotate)): | $(embedded)

# ---- tests, checks, demo -----------------------------------------------------------------------
include tests/programs.mk

demo-programs: $(demo_programs) $(demo_programs:%=%-fp) $(demo_kernels)
test-programs: $(O)/tests/unit $(recorded) $(attackers) $(attack_libraries) demo-programs $(O)/tests/libopencl-null.so $(O)/tests/libautograd-fake.so \
  $(O)/tests/libenergy-fake.so $(O)/tests/libxe-fake.so $(if $(tracing_layer),$(ze_programs) $(O)/tests/liblevel-zero-fake.so) \
  $(if $(filter cupti,$(agents_here)),$(cuda_tests))

deps:  ## install what is missing, also for the tests (root), else name it
	$(Q)scripts/install-deps.sh

# what scripts/demo.sh runs, and nothing else: half of the sources
demo_built := $(addprefix $(L)/bin/,gpustall-record stackcollapse-aiflame aiflame-svg aiflame-diff) \
  $(libexec)/opencl-cpu.so $(libexec)/opencl-agent.so $(addprefix $(O)/tests/demo/,matmul matmul.cl)
demo-built: $(demo_built)

demo:  ## install what it needs, record a real OpenCL program and draw it; no accelerator needed
	@echo 'make demo: installs packages where they are missing (1 GB), builds four programs ($(demo_minutes) minutes on'
	@echo '  $(processors) idle processors), then records and draws (half a minute)'
	$(Q)scripts/install-deps.sh demo
	+$(Q)scripts/count-steps.sh $(MAKE) --no-print-directory demo-built
	$(Q)scripts/demo.sh $(O) '$(DEMO_OPTIONS)'
	$(Q)$(MAKE) --no-print-directory demo-left-out
demo-left-out:
	@echo 'make demo has built what it runs; `make install` builds the rest$(if $(strip $(say_left_out)), but for this:,.)'
	@$(say_left_out) :
processors    = $(shell nproc)
demo_minutes  = $(shell echo $$(((6 + $(processors) - 1) / $(processors))))

test: deps  ## GoogleTest and Bats
	$(Q)$(MAKE) --no-print-directory all test-programs
	$(Q)scripts/run-tests.sh $(O)

ci:  ## what CI runs: lint, the unit tests by clang++ under sanitizers, and all tests
	+$(Q)MAKE='$(MAKE)' scripts/ci.sh

unittest: $(O)/tests/unit  ## GoogleTest alone
	$(Q)scripts/run-tests.sh $(O) unit

clitest: all test-programs  ## Bats alone
	$(Q)scripts/run-tests.sh $(O) cli

lint: $(libperf_a) $(embedded) $(agents)  ## clang-format, clang-tidy, shellcheck, the page's scripts, manual pages, includes, names, agents' needs
	$(Q)scripts/lint.sh $(O) '$(filter-out -O% -Wno-restrict,$(BASE_CXXFLAGS))' $(LINT)

hooks = $$(git rev-parse --git-path hooks)
hook:  ## before each commit, lint what is committed
	$(Q)mkdir -p $(hooks)
	$(Q)printf '#!/bin/sh\nexec make --no-print-directory lint LINT=staged\n' > $(hooks)/pre-commit
	$(Q)chmod +x $(hooks)/pre-commit

format:  ## rewrite the sources as clang-format has them
	$(Q)git ls-files '*.cc' '*.h' | xargs clang-format -i

bless: all test-programs  ## rewrite the goldens; read the diff
	$(Q)BLESS=1 scripts/run-tests.sh $(O)

# Emulated, so in minutes: before a release (CONTRIBUTING.md).
test-vm: all test-programs  ## run the recorder on the kernels of Debian 12 and 13, in QEMU; root
	$(Q)scripts/test-vm.sh $(O)

test-arm64: all  ## build for AArch64 and test that, emulated; root
	$(Q)scripts/test-arm64.sh $(O) build/arm64

selftest: all test-programs  ## check that the samples of this machine's GPU land where they must
	$(Q)scripts/gpustall-selftest.sh $(O)

bench: all demo-programs test-programs $(O)/tests/measure $(O)/tests/perf_text  ## measure, side by side with the peers that are on PATH
	$(Q)scripts/bench.sh $(O)

# Built by clang++ in a directory of their own. `make test` does not need them.
fuzz: $(libperf_a)  ## libFuzzer on each reader: FUZZ='perf_data elf' FUZZ_SECONDS=60
	$(Q)scripts/fuzz.sh check
	$(Q)$(MAKE) --no-print-directory O=build/fuzz CXX=clang++ SAN=fuzzer-no-link,address,undefined \
	  fuzz-programs
	$(Q)scripts/fuzz.sh run build/fuzz $(FUZZ_SECONDS) $(FUZZ)

# clang-tidy with its analyzer on all sources, all Bats tests in their long form, then every fuzzer:
# about five hours.
SOAK_SECONDS ?= 600
soak: all test-programs  ## lint all, run the tests in their long form: SOAK_SECONDS=3600 for each fuzzer
	$(Q)$(MAKE) --no-print-directory lint
	$(Q)SOAK=1 scripts/run-tests.sh $(O) cli
	$(Q)SOAK=1 scripts/run-tests.sh $(O) attack
	$(Q)$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(SOAK_SECONDS)

# ---- install -----------------------------------------------------------------------------------
completions_dir := $(PREFIX)/share/bash-completion/completions
# STRIP= keeps the debug information
STRIP    ?= $(CROSS)strip
strip_flag := $(if $(STRIP),-s --strip-program='$(STRIP)')
# man finds the pages beside a folder of PATH by itself
where_to_begin = echo 'installed into $(PREFIX)'; \
  if ! command -v man > /dev/null; then echo 'man is missing (Debian: man-db); the manual pages are in $(PREFIX)/share/man'; \
  elif [ "$$(man -w 7 aiflame 2> /dev/null)" = '$(PREFIX)/share/man/man7/aiflame.7' ]; then echo 'to begin with: man 7 aiflame'; \
  else echo 'to begin with: man -M $(PREFIX)/share/man 7 aiflame'; fi

install: all  ## into $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/aiflame
	install $(strip_flag) -m 755 $(bin) $(DESTDIR)$(PREFIX)/bin
	install $(strip_flag) -m 755 $(helpers) $(plugins) $(agents) $(energy) $(DESTDIR)$(PREFIX)/libexec/aiflame
	$(if $(python_probe),install -m 644 $(python_probe) $(DESTDIR)$(PREFIX)/libexec/aiflame)
	$(if $(tracing_layer),install -d $(DESTDIR)$(PREFIX)/libexec/aiflame/level-zero)
	install -d $(DESTDIR)$(PREFIX)/libexec/aiflame/ranges
	cp -P $(range_library) $(DESTDIR)$(PREFIX)/libexec/aiflame/ranges
	$(if $(tracing_layer),cp -P $(tracing_layer) $(DESTDIR)$(PREFIX)/libexec/aiflame/level-zero)
	$(if $(dlfilter),install -D $(strip_flag) -m 755 $(dlfilter) $(DESTDIR)$(PERF_DLFILTERS)/aiflame-dlfilter.so)
	install -m 755 scripts/launch-probes.sh $(DESTDIR)$(PREFIX)/libexec/aiflame/launch-probes
	install -m 755 scripts/fold-fleet.sh $(DESTDIR)$(PREFIX)/libexec/aiflame/fold-fleet
	for page in man/*.[1-8]; do \
	  install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done
	install -d $(DESTDIR)$(PREFIX)/share/aiflame/devices
	install -m 644 tools/aiflame-forecast/devices/* $(DESTDIR)$(PREFIX)/share/aiflame/devices
	install -d $(DESTDIR)$(completions_dir)
	$(if $(completions),install -m 644 $(completions) $(DESTDIR)$(completions_dir))
	install -D -m 644 plugins/abi/gpustall_plugin.h $(DESTDIR)$(PREFIX)/include/aiflame/gpustall_plugin.h
	@$(if $(DESTDIR),:,$(where_to_begin))

uninstall:  ## take it out again
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,$(PROGRAMS)) \
	  $(addprefix $(DESTDIR)$(completions_dir)/,$(PROGRAMS))
	rm -f $(DESTDIR)$(PERF_DLFILTERS)/aiflame-dlfilter.so
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,libexec/aiflame share/aiflame include/aiflame)
	for page in man/*.[1-8]; do \
	  rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; \
	done

# ---- for other machines ------------------------------------------------------------------------
VERSION  := $(shell sed -n 's/.*kVersion = "\(.*\)".*/\1/p' libcommon/base/program.h)
dist_name := aiflame-$(VERSION)-$(MACHINE)
# the time of all files is the last commit's
dist_make = SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(MAKE) --no-print-directory L=$(O)/dist/linked GLIBC=$(O)/dist/glibc

dist:  ## what runs with glibc 2.28 or newer: a tarball, and on Debian two packages, in O/dist
	+$(Q)$(dist_make) all
	+$(Q)$(dist_make) tarball $(if $(shell command -v dpkg-deb),deb)
	@cd $(O)/dist && echo "made in $$PWD:" && ls -lh *.tar.gz *.deb 2> /dev/null | awk '{ printf "  %-40s %6s\n", $$NF, $$5 }'
	@$(if $(strip $(say_left_out)),echo 'they lack what was left out:'; $(say_left_out) :)

tarball:
	$(Q)rm -rf $(O)/dist/tree
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(O)/dist/tree PREFIX=/$(dist_name) > /dev/null
	$(Q)scripts/dist/strip.sh $(O)/dist/tree '$(CROSS)strip'
	$(Q)scripts/dist/tarball.sh $(O)/dist/tree $(dist_name)

deb:
	$(Q)rm -rf $(O)/dist/deb
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(O)/dist/deb PREFIX=/usr > /dev/null
	$(Q)scripts/dist/strip.sh $(O)/dist/deb '$(CROSS)strip'
	$(Q)scripts/dist/deb.sh $(O)/dist/deb $(VERSION) $(if $(filter aarch64,$(MACHINE)),arm64,amd64)

clean:  ## remove what was built (libperf too)
	rm -rf $(O) build

-include $(shell find $(O)/obj $(O)/agent $(O)/demo $(O)/demo-fp $(O)/agent-cxx -name '*.d' 2>/dev/null)

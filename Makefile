# SPDX-License-Identifier: Apache-2.0
# Top-level Makefile. `make` alone lists the targets; docs/extend/building.md explains how to add programs and tests.
#
# Every folder with something to build has a build.mk that calls the macros below; all of them are included here.
# Everything that is made lands under build/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# All cores, unless the command line, the environment, or the make that started this one says otherwise. (make 4.3 does
# not show -j in MAKEFLAGS while it reads the makefile; PPID of the shell is make itself.)
JOBS := $(shell { echo "$${MAKEFLAGS:-}"; tr '\0' ' ' </proc/$$PPID/cmdline; } | \
  grep -E '(^| )-([a-zA-Z]*j|-jobs)' >/dev/null || echo -j$$(nproc))
MAKEFLAGS += $(JOBS) --no-builtin-rules --no-print-directory

B := build
CXX := clang++
VERILATOR := verilator
VERILATOR_ROOT ?= /usr/share/verilator
PYTHON := python3

# V=1 shows the commands instead of one line per step.
Q := $(if $(V),,@)
# In front of a make that takes long: its steps are numbered.
STEPS := scripts/with-steps.sh
say = @printf '  %-9s %s\n' '$(1)' '$(2)'

# The version that images and tools carry: git, else what `git archive` wrote into VERSION. A tarball unpacked inside
# another repository must not take that repository's version, hence the comparison of the top-level folders.
VERSION := $(shell \
  if [ "$$(git rev-parse --show-toplevel 2>/dev/null)" = "$$(pwd -P)" ]; then \
    GIT_OPTIONAL_LOCKS=0 git describe --tags --always --dirty 2>/dev/null; \
  else \
    grep -v '^$$Format\|^$$' VERSION 2>/dev/null | head -n 1; \
  fi)
VERSION := $(or $(VERSION),unknown)

# The processor whose instructions simulators consist of: this machine's, or by name (x86-64 is what all have) for programs to give
# away. Those have folders of their own, and all that is not a simulator is the same for both.
MACHINE := native
SIMULATORS := $(B)$(addprefix /,$(filter-out native,$(MACHINE)))
VERILATED := $(B)/verilated$(addprefix -,$(filter-out native,$(MACHINE)))

SHARED_CXXFLAGS := -fPIC -fvisibility=hidden
# Lines are what a stack trace needs; more takes a sixth of the compiler's time.
BASE_CXXFLAGS := -std=c++20 -gline-tables-only -Wall -Wextra -Wpedantic -Werror -I. -I$(B)/gen -Icpe-kernels/sdk/include

# --------------------------------------------------------------------------------------------------------------------
# Building blocks

.PHONY: FORCE generated
# Files that must exist before anything is compiled; a folder that generates some adds them to this target:
#   generated: build/gen/x.hpp
generated:
	@:

# $(call text_file,FILE,VARIABLE): FILE holds the text of VARIABLE and changes only when the text does, so that what
# depends on it is rebuilt exactly when a flag changes. The recipe is made of make functions: it starts no process.
define text_file
$(1): FORCE
	$$(if $$(subst x$$(strip $$(file <$(1))),,x$$(strip $$($(2)))),$$(shell mkdir -p $(dir $(1)))$$(file >$(1),$$($(2))))
endef

empty :=
space := $(empty) $(empty)
comma := ,
hash := \#
define newline


endef
# A fifth of a compiler's time, half without optimisation, goes into headers of the libraries. It reads them once for all
# objects with the same flags: $(call precompiled,COMMAND) is the file with what it read. `make PRECOMPILED=` does without,
# and finds out who lacks an #include.
PRECOMPILED := scripts/precompiled.hpp
.SECONDEXPANSION:
precompiled = $(if $(PRECOMPILED),$(if $(filter -include,$(1)),,$(call \
  precompiled_with,$(call flags_of_headers,$(1) $(LESS_CXXFLAGS)))))
# What does not change what headers say would only make for more files; the last level of optimisation holds.
flags_of_headers = $(strip $(filter-out -c -I% $(B)/% -isystem /% -W% -O% -ffp-contract=off \
  $(filter-out -DDOCTEST% -DREADS_OPTIONS -DVM_% -D_%,$(filter -D%,$(1))),$(1)) $(lastword $(filter -O%,$(1))))
# The folder is named after compiler and flags, and the rule finds them by that name.
precompiled_with = $(eval PRECOMPILED_$(call flags_name,$(1)) := $(1))$(B)/precompiled/$(call flags_name,$(1))/headers.pch
flags_name = $(patsubst -%,%,$(subst /,.,$(subst =,-,$(subst $(comma),-,$(subst $(space),,$(strip $(1)))))))
$(B)/precompiled/%/headers.pch: $(PRECOMPILED)
	$(call say,HEADERS,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(PRECOMPILED_$*) $(if $(filter -fsanitize%,$(PRECOMPILED_$*)),,$(if $(filter -DREADS_OPTIONS,$(PRECOMPILED_$*)),-fpch-codegen)) \
	  $(if $(filter -DVM_%,$(PRECOMPILED_$*)),$(VLT_INCLUDES)) -fpch-instantiate-templates -MD -MP -MF $(@:.pch=.d) -MT $@ -x c++-header -o $@ - <$<
-include $(wildcard $(B)/precompiled/*/headers.d)
# Command lines and JSON are headers only, and large: two thirds of what an object that reads them would have to compile.
# $(READS_OPTIONS): its flags. What of those headers is no template is compiled once then, in $(OPTIONS_HEADERS), with
# which its programs link; what nobody uses of it may name what no library has, and is left out.
# $(OPTION_READERS): such sources, which run once or when somebody asks.
READS_OPTIONS := -O0 -DREADS_OPTIONS
OPTION_READERS := $(addprefix host/,lib/boards tools/flash/swai_image daemon/cards/control \
    $(addprefix daemon/http/,fields problem speech_reply speech_request text_reply text_request)) \
  $(addprefix sim/,fast/session iss/mpe/iss_run iss/cpe/iss_cpe_run card/options run/kernel/report run/kernel/tool board/usb/options board/usb/report) \
  $(addprefix verif/,host/tools/flash/power_cut host/models/text/reference_main host/models/speech/host_main \
    host/models/speech/reference_main sim/iss/random/rv_random rtl/lib/test_main cpe-kernels/operators/graph_image)
$(foreach o,$(OPTION_READERS),$(B)/obj/%/$(o).o): LESS_CXXFLAGS := $(READS_OPTIONS)
# $(call headers_for,SOURCES LIBS,FLAGS): what a program links with then.
headers_for = $(if $(filter host/tools/swai/%.cpp host/tools/cli/%.cpp bench/%.cpp $(OPTION_READERS:=.cpp) $(READER_ARCHIVES),$(1)),$(if $(filter -fsanitize%,$(2)),,$(OPTIONS_HEADERS)))
OPTIONS_HEADERS := $(if $(PRECOMPILED),$(dir $(call precompiled,$(CXX) $(BASE_CXXFLAGS) -O2 $(SHARED_CXXFLAGS) $(READS_OPTIONS)))headers.a -Wl$(comma)--gc-sections)
$(B)/precompiled/%/headers.a: $(B)/precompiled/%/headers.pch
	$(call say,AR,$@)
	$(Q)$(CXX) -O0 -c -o $(@:.a=.o) $< && rm -f $@ && ar rcs $@ $(@:.a=.o)

# $(call cxx_objects,OBJECT_FOLDER,SOURCES,FLAGS,ORDER_ONLY): one object per source, with header dependencies.
define cxx_objects
$(call cxx_flags,$(1),$(3))
$(call cxx_objects_of,$(1),$(2),$(4))
endef
define cxx_flags
$(1)_flags := $(strip $(CXX) $(2))
$(call text_file,$(1)/flags,$(1)_flags)
endef
define cxx_objects_of
$(patsubst %.cpp,$(1)/%.o,$(2)): $(1)/%.o: %.cpp $(1)/flags | generated $(3)
	$$(call say,CXX,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$($(1)_flags) $$(LESS_CXXFLAGS) $$(addprefix -include-pch ,$$(filter %.pch,$$|)) -MMD -MP -c -o $$@ $$<
$(patsubst %.cpp,$(1)/%.o,$(2)): | $$$$(call precompiled,$$$$($(1)_flags))
-include $(patsubst %.cpp,$(1)/%.d,$(2))
endef

# What is compiled with the same flags is compiled once, whoever uses it: its object lies below build/obj/FLAGS/. A shared
# library may consist of it, too, which costs programs nothing; what has to be fastest is in none.
flags_folder = $(B)/obj/$(call flags_name,-O2 $(1))
# $(call objects_of,SOURCES,EXTRA_CXXFLAGS): where they are.
objects_of = $(patsubst %.cpp,$(call flags_folder,$(2))/%.o,$(1))

# $(call shared_objects,SOURCES,EXTRA_CXXFLAGS): compiles those that nobody has asked for yet.
shared_objects = $(call shared_objects_in,$(call flags_folder,$(2)),$(1),$(2))
define shared_objects_in
$(if $(filter-out $(COMPILED_IN_$(1)),$(2)),$(call cxx_objects_of,$(1),$(sort $(filter-out $(COMPILED_IN_$(1)),$(2)))))
$(if $(COMPILED_IN_$(1)),,$(call cxx_flags,$(1),$(BASE_CXXFLAGS) -O2 $(if $(filter -O3,$(3)),,$(SHARED_CXXFLAGS)) $(3)))
COMPILED_IN_$(1) += $(2)
endef

# Test cases of doctest run once, so optimising them takes longer than it saves; what they test is optimised.
$(B)/obj/%_test.o: LESS_CXXFLAGS := -O0 -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS
$(B)/obj/%/doctest_main.o: LESS_CXXFLAGS := -O0
# Neither do command lines and JSON that are compiled for a model, or for libsdaa.
$(foreach o,host/transport/negotiation host/runtime/record,$(B)/obj/%/$(o).o) \
  $(foreach o,card/options card/report run/mpe/mpe_run,$(VERILATED)/%/sim/$(o).o): LESS_CXXFLAGS := -O0
# Nor what plays a client, a card or an attacker for tests, which wait for others.
PLAYS := $(filter-out %_test.cpp,$(wildcard $(patsubst %,verif/%/*.cpp,attack host/runtime host/transport system kit/toys)) \
  $(addprefix verif/host/models/,graph/named.cpp graph/random_text.cpp graph/walked.cpp files/samples.cpp))
$(PLAYS:%.cpp=$(B)/obj/O2/%.o): LESS_CXXFLAGS := -O0

# Tests of host code have twins with sanitizers, build/sanitized/NAME, for `make test-long`: compiling all of it once more takes as
# long as all else that is no simulator. One set of flags, so that fuzzers, which go by coverage, share what is compiled.
SANITIZER := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize=fuzzer-no-link
THREAD_SANITIZER := -O1 -fno-omit-frame-pointer -fsanitize=thread
sanitized = $(patsubst $(B)/lib/%,$(B)/lib/sanitized/%,$(1))

# $(call parts,FILE,OBJECTS): what FILE is made of. An object that comes to it may be older, and one that goes is no input.
define parts
$(1)_parts := $(2)
$(call text_file,$(1:$(B)/%=$(B)/obj/parts/%),$(1)_parts)
$(1): $(2) $(1:$(B)/%=$(B)/obj/parts/%)
endef

# Where GNU's gold is, it links: in half the time.
LINK := $(CXX) $(if $(shell command -v ld.gold),-fuse-ld=gold)

# $(call cxx_program,NAME,SOURCES,LIBS,EXTRA_CXXFLAGS): build/NAME. LIBS: -l flags and archives made by cxx_library, which may
# use each other.
cxx_program = $(call program_with,$(1),$(2),$(3) $(call headers_for,$(2) $(3),$(4)),$(4))
define program_with
$(call shared_objects,$(2),$(4))
$(call parts,$(B)/$(1),$(call objects_of,$(2),$(4)) $(filter %.a,$(3)))
$(B)/$(1):
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(LINK) $(4) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $(3) -Wl,--end-group -pthread
PROGRAMS += $(B)/$(1)
endef

# $(call cxx_test,NAME,SOURCES,LIBS,EXTRA_CXXFLAGS): a program of tests, and its twin with sanitizers, libraries of ours included.
define cxx_test
$(call cxx_program,$(1),$(2),$(3),$(4))
$(call cxx_program,sanitized/$(1),$(2),$(call sanitized,$(3)),$(4) $(SANITIZER))
endef

# $(call as_one,NAME,SOURCES): a source that includes all of these, which all name things differently then. For tests of a
# program that share large headers of ours: each of them takes longer to read those than for all else.
as_one = $(eval $(call source_of_all,$(B)/gen/$(1)_test,$(2)))$(B)/gen/$(1)_test.cpp
define source_of_all
$(1)_text = $$(subst $$(space),$$(newline),$$(patsubst %,$$(hash)include"%",$(2)))
$$(eval $$(call text_file,$(1).cpp,$(1)_text))
endef

# $(call cxx_fuzzer,NAME,SOURCES,LIBS,EXTRA_CXXFLAGS): build/NAME, which libFuzzer leads.
cxx_fuzzer = $(call cxx_program,$(1),$(2),$(call sanitized,$(3)) -fsanitize=fuzzer,$(4) $(SANITIZER))

# $(call cxx_library,NAME,SOURCES,EXTRA_CXXFLAGS): build/lib/NAME.a, for several programs, and build/lib/sanitized/NAME.a for
# tests with sanitizers.
define cxx_library
$(call cxx_archive,$(1),$(2),$(3))
$(call cxx_archive,sanitized/$(1),$(2),$(3) $(SANITIZER))
endef
define cxx_archive
$(call shared_objects,$(2),$(3))
READER_ARCHIVES += $(if $(filter $(OPTION_READERS:=.cpp),$(2)),$(B)/lib/$(1).a)
$(call parts,$(B)/lib/$(1).a,$(call objects_of,$(2),$(3)))
$(B)/lib/$(1).a:
	$$(call say,AR,$$@)
	$$(Q)mkdir -p $$(@D) && rm -f $$@ && ar rcs $$@ $$(filter %.o,$$^)
endef

# What distinguishes the variants of a verilated program: flags for Verilator, for the generated C++ (hot, cold),
# for our C++, for the Verilator runtime, its sources, and libraries. Verilator's own makefile puts -Os behind
# user flags; OPT_FAST and OPT_SLOW are its only way in.
# Counting toggles takes a hundred times longer than counting lines, so that is a variant of its own.
VARIANTS := fast wave unopt cov toggle
VLT_fast := -O3
VLT_wave := -O3 --trace-fst --trace-structs --trace-params
VLT_unopt := -O0
VLT_cov := -O3 --coverage-line
VLT_toggle := -O3 --coverage-toggle
HOT_fast := -O3 -march=$(MACHINE)
HOT_wave := -O1
HOT_unopt := -O0
HOT_cov := -O1
HOT_toggle := -O1
OUR_fast := -O3 -march=$(MACHINE)
OUR_wave := -O1 -DWAVE=1
OUR_unopt := -O0
OUR_cov := -O1 -DCOVERAGE=1
OUR_toggle := $(OUR_cov)
VM_fast := -DVM_COVERAGE=0 -DVM_TRACE=0 -DVM_TRACE_FST=0
VM_wave := -DVM_COVERAGE=0 -DVM_TRACE=1 -DVM_TRACE_FST=1
VM_unopt := $(VM_fast)
VM_cov := -DVM_COVERAGE=1 -DVM_TRACE=0 -DVM_TRACE_FST=0
VM_toggle := $(VM_cov)
# A testbench (tb-*) runs for seconds, and so does the tool for groups of 2 x 2, with whose model tb-group-tiny is built: more
# than -O1 takes longer than it saves. Their models, and that of the small card, which is as fast at -O1, are compiled as one
# file each, which reads all headers once (scripts/include-all.sh).
is_testbench = $(and $(filter fast,$(1)),$(filter tb-% cpe-run-tiny,$(2)))
is_one_file = $(or $(is_testbench),$(and $(filter fast,$(1)),$(filter swai-card-tiny,$(2))))
QUICK := -O1 -march=$(MACHINE)
hot = $(if $(is_one_file),$(QUICK),$(HOT_$(1)))
our = $(if $(is_testbench),$(QUICK),$(OUR_$(1)))
parallel = $(if $(is_one_file),VM_PARALLEL_BUILDS=0,$(PARALLEL_$(1)))
RUNTIME_fast := verilated verilated_threads
RUNTIME_wave := verilated verilated_threads verilated_fst_c
RUNTIME_unopt := $(RUNTIME_fast)
RUNTIME_cov := verilated verilated_threads verilated_cov
RUNTIME_toggle := $(RUNTIME_cov)
VLT_LIBS_wave := -lz
# Without optimisation a model is a thousand small files, each of which reads all headers: compiled as one they take seconds.
PARALLEL_unopt := VM_PARALLEL_BUILDS=0
VLT_ALWAYS := --cc --assert --no-timing --x-assign unique --x-initial unique
VLT_INCLUDES := -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
program_fast := $(SIMULATORS)
program_wave := $(B)/wave
program_unopt := $(B)/unopt
program_cov := $(B)/cov
program_toggle := $(B)/toggle

# $(call verilator_runtime,VARIANT): Verilator's runtime library, shared by all programs of the variant.
define verilator_runtime
$(VERILATED)/$(1)/runtime.a: $(patsubst %,$(VERILATED)/$(1)/runtime/%.o,$(RUNTIME_$(1)))
	$$(Q)rm -f $$@ && ar rcs $$@ $$^
$(patsubst %,$(VERILATED)/$(1)/runtime/%.o,$(RUNTIME_$(1))): \
    $(VERILATED)/$(1)/runtime/%.o: $(VERILATOR_ROOT)/include/%.cpp
	$$(call say,CXX,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CXX) -std=c++20 -w $(HOT_$(1)) $(VM_$(1)) $(VLT_INCLUDES) -c -o $$@ $$<
endef
$(foreach v,$(VARIANTS),$(eval $(call verilator_runtime,$(v))))

# $(call for_variant,VARIANT,WORDS): `fast:x` is x in the fast variant only, `other:x` in all but that.
for_variant = $(if $(filter fast,$(1)),$(patsubst fast:%,%,$(filter-out other:%,$(2))),$(patsubst other:%,%,$(filter-out fast:%,$(2))))

# Sources beside a model that include none of it: compiled once for all programs and variants, without a program's own flags.
MODEL_FREE := abi/%.cpp $(addprefix sim/common/,gdb_stub%.cpp memory_model.cpp tohost.cpp) sim/iss/cpe/%.cpp \
  sim/run/mpe/reference_memory.cpp verif/kit/%.cpp $(addprefix verif/rtl/group/,channel/schedule.cpp hbm_model.cpp) \
  $(addprefix verif/rtl/cpe/,core/program.cpp systolic/run.cpp vector/vector_program.cpp) verif/rtl/lib/test_main.cpp

# $(call verilated_program,NAME,TOP_MODULE,SV_SOURCES,CPP_SOURCES,VERILATOR_FLAGS,LIBS,EXTRA_CXXFLAGS)
# build/NAME (fast), and build/VARIANT/NAME for each other variant. The model is VTOP_MODULE, so our C++ includes
# "VTOP_MODULE.h". SV_SOURCES, VERILATOR_FLAGS and LIBS may depend on the variant, as for_variant has it.
define verilated_program
TOP_OF_$(1) := $(2)
CPP_OF_$(1) := $(4)
CXXFLAGS_OF_$(1) := $(7)
$(foreach v,$(VARIANTS),$(eval $(call verilated_model,$(2),\
  $(call for_variant,$(v),$(3)),$(call for_variant,$(v),$(5)),$(v),$(VERILATED)/$(v)/$(1))))
$(call verilated_user,$(1),$(1),$(4),$(6),,$(2),$(7))
endef

# $(call verilated_sibling,NAME,PROGRAM,CPP_SOURCES,LIBS): another program on the model of verilated_program PROGRAM,
# with its flags. The model, and the sources that both name, are compiled once.
verilated_sibling = $(call verilated_user,$(1),$(2),$(3),$(4),$(CPP_OF_$(2)),$(TOP_OF_$(2)),$(CXXFLAGS_OF_$(2)))

# $(call verilated_user,NAME,MODEL,CPP_SOURCES,LIBS,THOSE_OF_MODEL,TOP_MODULE,EXTRA_CXXFLAGS): the program NAME on the
# model that the program MODEL came with; what that one compiles too is taken from there.
define verilated_user
$(call shared_objects,$(filter $(MODEL_FREE),$(3)))
$(foreach v,$(VARIANTS),$(eval $(call verilated_cpp,$(VERILATED)/$(v)/$(1),$(filter-out $(MODEL_FREE) $(5),$(3)),$(7),$(v),\
  $(VERILATED)/$(v)/$(2))))
$(foreach v,$(VARIANTS),$(eval $(call verilated_link,$(1),$(VERILATED)/$(v)/$(2),$(6),\
  $(patsubst %.cpp,$(VERILATED)/$(v)/$(1)-obj/%.o,$(filter-out $(MODEL_FREE) $(5),$(3)))\
  $(patsubst %.cpp,$(VERILATED)/$(v)/$(2)-obj/%.o,$(filter-out $(MODEL_FREE),$(filter $(5),$(3))))\
  $(call objects_of,$(filter $(MODEL_FREE),$(3))),$(call for_variant,$(v),$(4)) $(call headers_for,$(3) $(4)),$(7),$(v))))
VERILATED_PROGRAMS += $(1)
PROGRAMS += $(B)/$(1)
endef

# $(call verilated_model,TOP_MODULE,SV_SOURCES,VERILATOR_FLAGS,VARIANT,MODEL_FOLDER,MAKE_FLAGS): FOLDER/VTOP_MODULE__ALL.a
define verilated_model
$(5)_flags := $(strip $(VERILATOR) $(VLT_ALWAYS) $(VLT_$(4)) $(3) --top-module $(1) --Mdir $(5).new --prefix V$(1))
$(call text_file,$(5).flags,$(5)_flags)
$(5).stamp: $(2) $(5).flags | generated
	$$(call say,VERILATE,$(5))
	$$(Q)rm -rf $(5).new && mkdir -p $(5).new
	$$(Q)$$($(5)_flags) $(2) 2>&1 | { grep -v '^-Info: Command Line disabled gate' || true; }
	$$(Q)scripts/keep-same.sh $(5).new $(5)
	$$(Q)inputs=$$$$(sed 's|^[^:]*: *||' $(5)/V$(1)__ver.d | xargs -n 1 | sort -u | xargs); \
	  printf '%s: %s\n%s:\n' $$@ "$$$$inputs" "$$$$inputs" >$(5).d
	$$(Q)touch $$@
-include $(5).d
$(5)/%.h: $(5).stamp ;
$(5)/V$(1)__ALL.a: $(5).stamp
	$$(call say,CXX,$$@)
	+$$(Q)$$(MAKE) -s -C $(5) -f V$(1).mk V$(1)__ALL.a $(call parallel,$(4),$(notdir $(5))) $(6) CXX='$(CXX) -std=c++20 -w' \
	  VERILATOR_INCLUDER=$(CURDIR)/scripts/include-all.sh OPT_FAST='$(call hot,$(4),$(notdir $(5)))' OPT_SLOW=-O0 \
	  >$(5).log || { cat $(5).log; exit 1; }
	$$(Q)touch $$@
endef

# $(call verilated_cpp,PREFIX,CPP_SOURCES,EXTRA_CXXFLAGS,VARIANT,MODEL_FOLDER): our objects, in PREFIX-obj/.
define verilated_cpp
$(call cxx_objects,$(1)-obj,$(2),$(BASE_CXXFLAGS) $(VLT_INCLUDES) $(VM_$(4)) -I$(5) $(call our,$(4),$(notdir $(1))) $(3),$(5).stamp)
endef

# $(call verilated_link,NAME,MODEL_FOLDER,TOP_MODULE,OBJECTS,LIBS,EXTRA_CXXFLAGS,VARIANT)
define verilated_link
$(program_$(7))/$(1): $(4) $(2)/V$(3)__ALL.a $(VERILATED)/$(7)/runtime.a $(filter %.a,$(5))
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(LINK) $(6) -o $$@ $$(filter %.o,$$^) $(2)/V$(3)__ALL.a $(VERILATED)/$(7)/runtime.a \
	  -Wl,--start-group $(5) -Wl,--end-group $(VLT_LIBS_$(7)) \
	  -pthread -latomic
endef

# The version as a header, for programs that print it.
generated: $(B)/gen/version.hpp
define VERSION_HEADER
#pragma once
namespace swai {
inline constexpr char kVersion[] = "$(VERSION)";
}  // namespace swai
endef
$(eval $(call text_file,$(B)/gen/version.hpp,VERSION_HEADER))

# First those whose lists of sources others name.
NAMED_MKS := $(addsuffix /build.mk,host/lib host/transport)
BUILD_MKS := $(wildcard $(NAMED_MKS)) \
  $(filter-out $(NAMED_MKS),$(sort $(wildcard */build.mk */*/build.mk */*/*/build.mk */*/*/*/build.mk */*/*/*/*/build.mk)))
include $(BUILD_MKS)

# --------------------------------------------------------------------------------------------------------------------
# Targets for people

RUNNER := $(PYTHON) scripts/run-tests.py
BENCH := $(PYTHON) scripts/bench.py
export VERILATED_PROGRAMS
# Scripts that import each other would leave compiled copies beside themselves.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(B)/pycache

.PHONY: help
help: ## this list (the default)
	@printf 'make TARGET, where TARGET is one of:\n\n'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile $(BUILD_MKS) | expand -t 16
	@printf '\nEverything is built under build/. V=1 shows the commands. See docs/extend/building.md and docs/verify/testing.md.\n'

# What a card runs to write down speech.
SPEECH_PROGRAMS := $(addprefix $(B)/,cpe-kernels/operators.elf programs/listen.elf)

.PHONY: demo
demo: ## the simulated card: it boots our firmware from flash, and writes down what is said in a recording
	@scripts/install-deps.sh demo
	@$(STEPS) $(MAKE) generated $(B)/swai-card firmware
	@# The card writes to its flash (boot counter); every demo starts from the same image.
	@rm -f $(B)/demo.flash* && cp $(B)/firmware/flash.bin $(B)/demo.flash
	$(B)/swai-card --flash $(B)/demo.flash --until-ready --stats
	@# What comes next is built, too: `make run-example E=axpy` begins at once then.
	@$(STEPS) $(MAKE) $(B)/swai $(FILES_OF_axpy) $(B)/models/digits $(SPEECH_PROGRAMS)
	$(B)/swai --tier rtl transcribe -m $(B)/models/digits models/digits/test/010.flac --stats
	@printf 'Next: make run-example E=axpy, or build/swai doctor\n'

# What the functional model of the card needs to run models.
FAST_CARD := $(addprefix $(B)/,swai swai-card-fast firmware/flash.bin firmware/rom.hex programs/decode.elf) $(SPEECH_PROGRAMS)

# A model of speech of our own, as a folder that programs for models read.
$(B)/models/digits: $(addprefix models/,digits/spread.py digits/digits.safetensors digits/gpt2.tiktoken studies/bpe.py)
	$(call say,MODEL,$@)
	$(Q)$(PYTHON) models/digits/spread.py $@
	@touch $@

.PHONY: train-digits
train-digits: ## train the digits model from nothing (an hour of one core): make train-digits DATA=FOLDER
	@[ -d '$(DATA)' ] || { echo 'DATA=FOLDER must name the training data; models/digits/README.md describes it' >&2; exit 2; }
	@scripts/install-deps.sh train
	rm -rf $(B)/digits && mkdir -p $(B)/digits
	set -o pipefail; /usr/bin/python3 models/digits/train.py --data '$(DATA)' | tee $(B)/digits/training.log
	/usr/bin/python3 models/digits/export.py $(B)/digits/checkpoint.pt
	/usr/bin/python3 models/digits/evaluate.py --data '$(DATA)' --checkpoint $(B)/digits/checkpoint.pt
	cp $(B)/digits/training.log models/digits/training.log

.PHONY: demo-whisper
demo-whisper: ## fetch Whisper tiny.en (71 MB); the card's model writes down what is said in a recording
	@scripts/install-deps.sh demo
	@$(STEPS) $(MAKE) $(FAST_CARD)
	@scripts/get-model whisper-tiny.en
	$(B)/swai --tier fast transcribe -m $(B)/models/whisper-tiny.en examples/sounds/jfk.wav --stats

QUESTION := What is the capital of France?
.PHONY: demo-chat
demo-chat: ## fetch SmolLM2 (93 MB); the card's model answers: make demo-chat QUESTION="..."
	@scripts/install-deps.sh demo
	@$(STEPS) $(MAKE) $(FAST_CARD)
	@scripts/get-model smollm2-135m
	$(B)/swai --tier fast generate -m $(B)/models/smollm2-135m/*.gguf --precision w8a8 --chat -p '$(QUESTION)' --stats

.PHONY: docs-site
docs-site: ## build the pages of docs/ as a web site, build/site (mkdocs comes from PyPI)
	@command -v mkdocs >/dev/null || { echo 'mkdocs is missing: python3 -m pip install mkdocs' >&2; exit 2; }
	mkdocs build --strict

.PHONY: test
test: TESTS := $(if $(CHANGED),--changed $(CHANGED)) $(if $(SEED),--seed $(SEED))
test: ## build and run all tests, or those that a change can touch: make test CHANGED=main
	@scripts/install-deps.sh
	@since=$$([ -e $(B)/obj ] || date +%s); \
	  $(STEPS) $(MAKE) $$($(RUNNER) $(TESTS) --needs); \
	  $(RUNNER) $(TESTS) $${since:+--since $$since}

MINUTES := 15
.PHONY: test-sample
test-sample: TESTS := --sample $(MINUTES)
test-sample: ## some long tests, drawn by the commit's hash, 15 minutes of CPU: make test-sample [MINUTES=n]
	@scripts/install-deps.sh
	@$(STEPS) $(MAKE) $$($(RUNNER) $(TESTS) --needs)
	@$(RUNNER) $(TESTS)

.PHONY: test-long
test-long: TESTS := $(if $(PART),--part $(PART),--long)
test-long: ## all tests, with the long ones (hours), or the long ones of a part: make test-long PART=mpe
	@scripts/install-deps.sh
	@$(STEPS) $(MAKE) $$($(RUNNER) $(TESTS) --needs)
	@$(RUNNER) $(TESTS)

.PHONY: test-models
test-models: ## models that people use, fetched with scripts/get-model, on the card's functional model
	@scripts/install-deps.sh
	@scripts/get-model whisper-tiny.en whisper-base smollm2-135m minilm-onnx minilm-onnx-dynamic minilm-onnx-weights
	@$(STEPS) $(MAKE) $(FAST_CARD) $(B)/llama-reference $(B)/models/digits $(B)/onnx-clean
	@$(PYTHON) verif/host/models/files/real_models_test.py
	@$(PYTHON) verif/host/models/onnx/judge_test.py --models

.PHONY: test-list
test-list: ## list the tests
	@$(RUNNER) --list

TB_OPTIONS = --tb '$(T)' $(if $(SEED),--seed $(SEED)) $(if $(filter-out 0,$(WAVE)),--variant wave)
.PHONY: tb
tb: ## one test: make tb T=name [SEED=n] [WAVE=1]
	@$(STEPS) $(MAKE) $$($(RUNNER) $(TB_OPTIONS) --needs)
	@$(RUNNER) $(TB_OPTIONS)

# The tests short enough for counting toggles, too.
TOGGLE_OPTIONS := --coverage --variant toggle --only 'lib.*' --only mpe.random_short
.PHONY: coverage
coverage: ## line, branch and toggle coverage of the RTL by the tests that are marked for it
	@scripts/install-deps.sh
	@rm -rf $(B)/coverage/raw
	@$(STEPS) $(MAKE) $$($(RUNNER) --coverage --variant cov --needs) $$($(RUNNER) $(TOGGLE_OPTIONS) --needs)
	@$(RUNNER) --coverage --variant cov
	@$(RUNNER) $(TOGGLE_OPTIONS)
	@$(PYTHON) scripts/coverage.py --gate rtl/mpe=90 --gate rtl/lib=90 --gate rtl/cpe=90 --gate rtl/group=90 --gate rtl/hbm=90 \
	  --gate rtl/cpe/core=90 --gate rtl/cpe/memory=90 --gate rtl/cpe/channel=90 \
	  --gate rtl/cpe/systolic=90 --gate rtl/cpe/vector=90 --gate rtl/fp=90

.PHONY: synth
synth: generated ## size of every block on a Lattice ECP5 (Yosys); fails on latches
	@scripts/install-deps.sh synth
	@$(STEPS) $(MAKE) $(B)/synth/node_modules/.package-lock.json
	@$(PYTHON) scripts/synth/synth.py

$(B)/synth/node_modules/.package-lock.json: scripts/synth/package.json
	$(call say,NPM,$(@D))
	$(Q)mkdir -p $(B)/synth && cp $< $(B)/synth/
	$(Q)cd $(B)/synth && npm install --no-audit --no-fund --no-update-notifier --loglevel=error
	$(Q)touch $@

.PHONY: bench
bench: ## measure, with the targets beside the figures; all figures go to build/bench/bench.json
	@scripts/install-deps.sh
	@$(STEPS) $(MAKE) $$($(BENCH) --needs)
	@$(BENCH)

.PHONY: bench-long
bench-long: ## the same with the measurements that take long
	@scripts/install-deps.sh
	@$(STEPS) $(MAKE) $$($(BENCH) --long --needs)
	@$(BENCH) --long

.PHONY: lint
lint: generated ## check RTL (verilator -Wall), C++ (clang-format, cppcheck), and all files for leftovers
	@scripts/install-deps.sh
	@$(RUNNER) --long --only repo.lint-rtl --only repo.format --only repo.cppcheck --only repo.files

.PHONY: format
format: ## format all C++ files
	@scripts/lint/cpp.sh format

.PHONY: clean
clean: ## remove build/
	rm -rf $(B)

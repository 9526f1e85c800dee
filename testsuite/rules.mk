# Build the unit tests and run the test suite.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check check-attach check-fuzz check-needs check-runtest unit-tests

cleaned += testsuite/work testsuite/site.exp testsuite/hugetext.sum \
  testsuite/hugetext.log testsuite/summary testsuite/unit/*.d \
  testsuite/unit/*.log \
  $(call unit_names,tst) $(call unit_names,fuzz)

# Unit tests: the plan alone, on the host.

unit_flags = $(CPPFLAGS) -I$(srcdir)/elf -I$(srcdir)/testsuite/unit \
  -I$(srcdir)/tools \
  -O2 -g -std=gnu11 -fno-sanitize-recover=undefined \
  -Wall -Wextra -Werror -MMD -MP
unit_names = $(patsubst $(srcdir)/%.c,%, \
  $(wildcard $(srcdir)/testsuite/unit/$(1)-*.c))

# The test last: of two sources the compiler notes the headers of the last.
testsuite/unit/tst-%: $(srcdir)/testsuite/unit/tst-%.c $(policy_sources)
	@mkdir -p testsuite/unit
	@echo '  compile $@'
	@$(CC) $(unit_flags) $(SANITIZE) -MF $@.d -o $@ $(policy_sources) $< \
	  $(unit_libs)

testsuite/unit/fuzz-%: $(srcdir)/testsuite/unit/fuzz-%.c $(policy_sources)
	@mkdir -p testsuite/unit
	@echo '  compile $@'
	@$(FUZZ_CC) $(unit_flags) -MF $@.d -o $@ $(policy_sources) $< $(unit_libs)

# What is printed may have been chosen by others.
testsuite/unit/tst-terminal testsuite/unit/tst-group \
testsuite/unit/tst-settings \
testsuite/unit/tst-profile testsuite/unit/fuzz-profile: \
  unit_libs = $(srcdir)/tools/util/printable.c $(srcdir)/tools/util/allocate.c

testsuite/unit/tst-index testsuite/unit/fuzz-index: \
  unit_libs = $(srcdir)/tools/util/allocate.c

testsuite/unit/tst-compare: unit_libs = -lm

testsuite/unit/tst-cacheinfo: unit_libs = -I$(srcdir)/sysdeps/x86_64 \
  -I$(srcdir)/testsuite/unit/stock -Wl,-z,norelro

config_files = index/config object/settings trust/identity util/filelist

# The command's parsers of what others say.
parsers = elf maps unit config image
parser_flags = -D_GNU_SOURCE -DLOADER_PATH='"/a"' -DSYSTEM_LOADER='"/b"' \
  -DCONFIG_PATH='"/etc/hugetext.conf"' \
  -I$(srcdir)/tools/policy
parser_files = $(addprefix $(srcdir)/tools/,$(addsuffix .c,\
  util/allocate util/budget util/printable util/regular $(1)))
testsuite/unit/tst-record testsuite/unit/fuzz-record: fuzz_files =
testsuite/unit/tst-record testsuite/unit/fuzz-record \
$(parsers:%=testsuite/unit/fuzz-%): unit_libs = $(parser_flags) \
  $(call parser_files,$(fuzz_files))
testsuite/unit/fuzz-elf: fuzz_files = heat/folder heat/profile object/elfhead \
  object/elfobject object/loader host/child host/machine \
  host/looker host/mapped host/process host/procmaps trust/rewrite util/filelist
testsuite/unit/fuzz-maps: fuzz_files = host/looker host/machine
testsuite/unit/fuzz-unit: fuzz_files = host/group host/looker host/machine \
  host/process
testsuite/unit/fuzz-config: fuzz_files = $(config_files)
testsuite/unit/tst-config: unit_libs = $(parser_flags) \
  $(call parser_files,$(config_files))
testsuite/unit/fuzz-image: fuzz_files = trust/identity trust/trusted

# The policy of the object that follows code.
code_policy = $(srcdir)/code/blocks.c
testsuite/unit/tst-code testsuite/unit/fuzz-code: $(code_policy)
testsuite/unit/tst-code testsuite/unit/fuzz-code: \
  unit_libs = -I$(srcdir)/code $(code_policy) -pthread

unit-tests: $(call unit_names,tst) $(if $(FUZZ_CC),$(call unit_names,fuzz))

# A thousand times "hugetext attach" to each of processes that it could harm;
# then twenty times to servers under load.

check-attach:
	@ATTACHES=$(or $(ATTACHES),1000) $(MAKE) --no-print-directory check \
	  RUNTESTFLAGS='interrupted.exp harm.exp crowd.exp'
	@$(srcdir)/scripts/check-attach-servers '$(CURDIR)/hugetext'

# What explain says of all the programs and libraries that agreement.exp names,
# against what the kernel has.

.PHONY: check-explain
check-explain:
	@HUGETEXT_MANY=1 $(MAKE) --no-print-directory check \
	  RUNTESTFLAGS=agreement.exp
	@sed -n 's/^figure: //p' testsuite/hugetext.log

# A JVM's code, for longer.

.PHONY: check-jvm
check-jvm:
	@JVM_GENERATIONS=$(or $(GENERATIONS),60) $(MAKE) --no-print-directory \
	  check RUNTESTFLAGS=jvm.exp

# Whether "hugetext measure" finds a gain that is there, and none where there is
# none, twenty times each.

.PHONY: check-measure
check-measure: all
	@$(srcdir)/scripts/check-measure '$(CURDIR)'

# A million random inputs each for the readers of the index, of profiles and of
# the loader's record, for what runs filters and for what is printed; then as
# many from the fuzzer, if there is one, also for the plan, for code made at run
# time and for the command's parsers.

define run_fuzzer
	testsuite/unit/fuzz-$* -runs=1000000 -max_len=4096 -timeout=10 \
	  -verbosity=0 -print_final_stats=1 \
	  -artifact_prefix=testsuite/unit/fuzz-$*- 2>&1 \
	  | tee testsuite/unit/fuzz-$*.log \
	  | grep -F 'stat::number_of_executed_units: 1000000' \
	  || { cat testsuite/unit/fuzz-$*.log; exit 1; }
endef

fuzzed = index profile bpf printable record
fuzzed_only = code phdr $(parsers)
check-fuzz: $(fuzzed:%=check-fuzz-%)
.PHONY: $(patsubst %,check-fuzz-%,$(fuzzed) $(fuzzed_only))
$(fuzzed:%=check-fuzz-%): check-fuzz-%: testsuite/unit/tst-% \
	$(if $(FUZZ_CC),testsuite/unit/fuzz-%)
	testsuite/unit/tst-$* 1000000 $$(date +%s) \
	  | grep -Fx 'ok random bytes: 1000000 cases'
ifneq ($(FUZZ_CC),)
	$(run_fuzzer)

check-fuzz: $(fuzzed_only:%=check-fuzz-%)
$(fuzzed_only:%=check-fuzz-%): check-fuzz-%: testsuite/unit/fuzz-%
	$(run_fuzzer)
endif

-include $(wildcard testsuite/unit/*.d)

# The test suite.

cleaned += testsuite/work-* testsuite/parts

testsuite/site.exp: Makefile FORCE
	@mkdir -p testsuite
	@{ echo '# Where the test suite finds what it tests.'; \
	   echo 'set srcdir "$(abspath $(srcdir))/testsuite"'; \
	   echo 'set objdir "$(CURDIR)/testsuite"'; \
	   echo 'set HUGETEXT_SRCDIR "$(abspath $(srcdir))"'; \
	   echo 'set HUGETEXT_BUILDDIR "$(CURDIR)"'; \
	   echo 'set LOADER "$(CURDIR)/ld-hugetext.so"'; \
	   echo 'set STOCK_LOADER "$(SYSTEM_LOADER)"'; \
	   echo 'set STOCK_REBUILD "$(abspath $(STOCK_REBUILD))"'; \
	   echo 'set HUGETEXT_CMD "$(CURDIR)/hugetext"'; \
	   echo 'set INDEX_PATH "$(INDEX_PATH)"'; \
	   echo 'set LOADER_FOLDER "$(loaderdir)"'; \
	   echo 'set CC_FOR_TARGET "$(CC)"'; \
	   echo 'set CXX_FOR_TARGET "$(CXX)"'; \
	   echo 'set READELF_FOR_TARGET "$(READELF)"'; \
	   echo 'set GLIBC_VERSION "$(GLIBC_VERSION)"'; \
	   echo 'set HOST_CPU "$(host_cpu)"'; \
	 } >$@

check-runtest:
	@command -v $(RUNTEST) >/dev/null || { \
	  echo 'runtest is missing: install the Debian package dejagnu' >&2; \
	  exit 1; }

# Which tests: files of them side by side, of all directories hugetext.NAME or
# of the NAMEs in TESTS; or, one after the other, what RUNTESTFLAGS says.
TESTS =
test_directories = $(foreach name,$(TESTS),$(notdir $(or \
  $(wildcard $(srcdir)/testsuite/hugetext.$(name)),\
  $(error TESTS=$(name): there is no testsuite/hugetext.$(name)))))

# What is compiled for some of them only.
needed = $(if $(TESTS),$(filter $(1),$(TESTS)),yes)
# With -j this is to be made alone: tests that call make would inherit it.
check-needs: all stock $(if $(call needed,unit),unit-tests) \
	$(if $(call needed,bench),bench/tlbsim/tlbsim bench/alternate)
check: check-runtest check-needs testsuite/site.exp
	@rm -f testsuite/hugetext.sum testsuite/summary
	@cd testsuite && status=0; \
	$(abspath $(scripts))/without-index '$(INDEX_PATH)' \
	  $(if $(RUNTESTFLAGS),,$(abspath $(scripts))/run-tests $$(($(JOBS) + 1))) \
	  $(RUNTEST) --tool hugetext --srcdir $(abspath $(srcdir))/testsuite \
	  $(if $(RUNTESTFLAGS),--outdir . $(RUNTESTFLAGS)) \
	  $(if $(TESTS),HUGETEXT_DIRECTORIES='$(test_directories)') </dev/null \
	  || status=$$?; \
	$(abspath $(scripts))/check-summary hugetext.sum $$status >summary \
	  && status=0 || status=1; \
	cat summary; exit $$status

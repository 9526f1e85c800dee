# Build the unit tests and run the test suite.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check check-attach check-changed check-fuzz check-needs \
  check-nightly check-runtest fuzzers quick unit-programs unit-tests

cleaned += testsuite/work testsuite/site.exp testsuite/hugetext.sum \
  testsuite/hugetext.log testsuite/summary testsuite/nightly.new \
  testsuite/tested testsuite/times \
  testsuite/unit/*.d testsuite/unit/found \
  testsuite/unit/*.log testsuite/unit/policy testsuite/unit/policy-fuzz \
  testsuite/unit/tools testsuite/unit/tools-fuzz \
  $(call unit_names,tst) $(call unit_names,fuzz)

# Unit tests: the plan alone, on the host.

unit_flags = $(CPPFLAGS) $(loader_includes) -I$(srcdir)/testsuite/unit \
  -I$(srcdir)/tools \
  -O2 -g -std=gnu11 -fno-sanitize-recover=undefined \
  -Wall -Wextra -Werror -MMD -MP
unit_names = $(patsubst $(srcdir)/%.c,%, \
  $(wildcard $(srcdir)/testsuite/unit/$(1)-*.c))

# The policy, compiled once for all unit tests and once for all fuzzers.
policy_names = $(notdir $(policy_sources:.c=.o))
unit_policy = $(addprefix testsuite/unit/policy/,$(policy_names))
fuzz_policy = $(addprefix testsuite/unit/policy-fuzz/,$(policy_names))

.SECONDARY: $(unit_policy) $(fuzz_policy)

testsuite/unit/policy/%.o: $(srcdir)/elf/policy/%.c
	@mkdir -p $(@D)
	@$(CC) $(unit_flags) $(SANITIZE) -c -o $@ $<

testsuite/unit/policy-fuzz/%.o: $(srcdir)/elf/policy/%.c
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(unit_flags) -c -o $@ $<

# Files of tools/ likewise.  Definitions that come from the command's build
# flags are replaced by made-up paths.
unit_tool_flags = -D_GNU_SOURCE -DLOADER_PATH='"/a"' -DATTACH_PATH='"/a"' \
  -DSYSTEM_LOADER='"/b"' \
  -DCONFIG_PATH='"/etc/hugetext.conf"' -DINDEX_PATH='"/c"' \
  -DSTATE_PATH='"/d"' \
  -I$(srcdir)/tools/policy -I$(srcdir)/sysdeps/$(host_cpu)

testsuite/unit/tools/%.o: $(srcdir)/tools/%.c
	@mkdir -p $(@D)
	@$(CC) $(unit_flags) $(unit_tool_flags) $(SANITIZE) -c -o $@ $<

testsuite/unit/tools-fuzz/%.o: $(srcdir)/tools/%.c
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(unit_flags) $(unit_tool_flags) -c -o $@ $<

# files_NAME are the files of tools/ that NAME is linked with; those that it
# includes are not among them.  unit_libs are other sources and flags, unit_link
# libraries.
unit_tools = $(sort $(files_$(1):%=testsuite/unit/tools/%.o))
fuzz_tools = $(sort $(files_$(1):%=testsuite/unit/tools-fuzz/%.o))

.SECONDEXPANSION:

testsuite/unit/tst-%: $(srcdir)/testsuite/unit/tst-%.c $(unit_policy) \
		      $$(call unit_tools,tst-$$*)
	@mkdir -p testsuite/unit
	@echo '  compile $@'
	@$(CC) $(unit_flags) $(SANITIZE) -MF $@.d -o $@ $(unit_policy) \
	  $(call unit_tools,tst-$*) $(unit_libs) $< $(unit_link)

testsuite/unit/fuzz-%: $(srcdir)/testsuite/unit/fuzz-%.c $(fuzz_policy) \
		       $$(call fuzz_tools,fuzz-$$*)
	@mkdir -p testsuite/unit
	@echo '  compile $@'
	@$(FUZZ_CC) $(unit_flags) -MF $@.d -o $@ $(fuzz_policy) \
	  $(call fuzz_tools,fuzz-$*) $(unit_libs) $< $(unit_link)

# What is printed may have been chosen by others.
printing = util/printable util/allocate
files_tst-terminal = $(printing)
files_tst-output = $(printing)
testsuite/unit/tst-output: unit_libs = -D_GNU_SOURCE
files_tst-group = $(printing)
files_tst-settings = $(printing) util/problem util/terminal
files_tst-profile = $(printing) util/problem
files_fuzz-profile = $(printing) util/problem

files_tst-survey = util/allocate
files_tst-adapt = util/allocate
files_tst-index = util/allocate util/problem
files_tst-tlb = util/problem
files_fuzz-index = util/allocate util/problem

files_tst-unprivileged = host/namespace util/allocate util/clock util/patience \
  util/problem
testsuite/unit/tst-unprivileged: unit_libs = -D_GNU_SOURCE

files_tst-maps-reader = $(parsing) object/elfhead

files_tst-stuck = host/machine host/namespace host/procstat host/readerchild \
  host/unprivileged util/allocate util/clock util/message util/printable \
  util/patience util/problem util/regular util/signals util/witness util/wait
testsuite/unit/tst-stuck: unit_libs = -D_GNU_SOURCE

files_tst-small-files = host/machine util/allocate
testsuite/unit/tst-small-files: unit_libs = -D_GNU_SOURCE

files_tst-public = host/machine host/namespace host/procstat \
  host/readerchild host/stuck host/unprivileged \
  util/allocate util/clock util/descriptors util/message util/printable \
  util/patience util/problem util/regular util/signals util/witness util/wait
testsuite/unit/tst-public: unit_libs = -D_GNU_SOURCE

files_tst-userfile = util/allocate util/clock util/message util/printable \
  util/patience util/problem util/signals util/witness util/wait
testsuite/unit/tst-userfile: unit_libs = -D_GNU_SOURCE

files_tst-wait = util/clock util/signals util/witness
testsuite/unit/tst-wait: unit_libs = -D_GNU_SOURCE

files_tst-lease = tracee/lease tracee/thread tracee/watch util/clock util/problem
testsuite/unit/tst-lease: unit_libs = -D_GNU_SOURCE -I$(srcdir)/sysdeps/$(host_cpu)

files_tst-child = util/clock util/patience util/signals util/witness util/wait
testsuite/unit/tst-child: unit_libs = -D_GNU_SOURCE

files_tst-procfile = trust/mount util/descriptors util/printable util/problem \
  util/regular
testsuite/unit/tst-procfile: unit_libs = -D_GNU_SOURCE -DINDEX_PATH='"/c"'

testsuite/unit/tst-compare testsuite/unit/tst-observed: unit_link = -lm

testsuite/unit/tst-cacheinfo: unit_libs = -I$(srcdir)/sysdeps/x86_64 \
  -I$(srcdir)/testsuite/unit/stock -Wl,-z,norelro

# The command's parsers of untrusted input.
parsers = elf maps unit config image elfparts wanted inspector-answers record
$(parsers:%=testsuite/unit/fuzz-%) testsuite/unit/tst-record \
testsuite/unit/tst-answers testsuite/unit/tst-brief \
testsuite/unit/tst-collect testsuite/unit/tst-count testsuite/unit/tst-memory \
testsuite/unit/tst-config \
testsuite/unit/tst-elfhead \
testsuite/unit/tst-reader: \
  unit_libs = $(unit_tool_flags)
parsing = util/allocate util/budget util/printable util/problem util/regular
# What asks the inspector, without what it answers.
asking = $(parsing) host/confinement host/inspector host/machine \
  host/namespace host/procfile host/procstat host/readerchild host/stuck \
  host/unprivileged trust/mount util/clock util/descriptors util/message \
  util/patience util/problem util/signals util/witness util/wait
answering = $(asking) host/brief host/group host/mapped host/process host/procmaps \
  object/elfhead object/elfobject object/settings text/answer text/inspect \
  text/objtext text/record text/textblocks util/terminal
configuring = $(parsing) index/config object/settings trust/identity trust/mount \
  util/filelist util/terminal
files_tst-record = $(asking)
files_tst-reader = $(filter-out host/readerchild,$(asking))
files_fuzz-record = $(asking)
files_fuzz-elf = $(asking) heat/directory heat/profile object/elfhead \
  object/elfobject object/loader host/mapped host/process host/reader \
  host/procmaps trust/identity trust/rewrite trust/trusted util/filelist util/path
files_tst-elfhead = $(filter-out heat/directory object/elfhead,$(files_fuzz-elf))
files_fuzz-maps = $(asking)
files_fuzz-inspector-answers = $(answering)
files_tst-answers = $(answering)
files_tst-collect = $(answering) object/loader text/inspect-off trust/identity
files_tst-brief = $(filter-out host/inspector,$(asking)) host/child \
  host/group host/process host/reader host/systemctl host/unitname \
  trust/identity trust/trusted util/filelist util/path util/similar
files_tst-memory = $(asking) host/procmaps host/reader trust/identity \
  trust/trusted util/path
files_fuzz-unit = $(parsing) host/group host/unitname util/filelist \
  util/message
# tst-count simulates the inspector.
files_tst-count = $(parsing) heat/profile object/elfhead util/message \
  util/problem
files_fuzz-config = $(configuring) trust/change trust/rewrite trust/trusted util/path
files_tst-config = $(configuring)
files_fuzz-wanted = $(parsing) util/filelist util/message util/problem
files_fuzz-image = $(parsing) trust/identity trust/mount
files_fuzz-elfparts = $(parsing) trust/identity trust/mount util/message
testsuite/unit/fuzz-elfparts: unit_link = -lelf

.SECONDARY: \
  $(foreach name,$(notdir $(call unit_names,tst)),$(call unit_tools,$(name))) \
  $(foreach name,$(notdir $(call unit_names,fuzz)),$(call fuzz_tools,$(name)))

# The policy of the object that finds code made at run time and makes it huge.
code_policy = $(srcdir)/code/blocks.c
testsuite/unit/tst-code testsuite/unit/fuzz-code: $(code_policy)
testsuite/unit/tst-code testsuite/unit/fuzz-code: \
  unit_libs = -I$(srcdir)/code $(code_policy) -pthread

fuzzers: $(if $(FUZZ_CC),$(call unit_names,fuzz))
unit-programs: $(call unit_names,tst)
unit-tests: unit-programs fuzzers

# A thousand times "hugetext attach", and adapt, to processes that they could harm;
# then twenty times to servers under load.

check-attach:
	@ATTACHES=$(or $(ATTACHES),1000) $(MAKE) --no-print-directory check \
	  RUNTESTFLAGS='interrupted.exp harm.exp adapt-harm.exp crowd.exp'
	@$(srcdir)/scripts/check-attach-servers '$(CURDIR)/hugetext'

# Loaders that cost more than they should: whether budget.exp sees each.

.PHONY: check-mutants
check-mutants: all check-runtest
	@$(srcdir)/scripts/check-mutants '$(CURDIR)' $(MUTANTS)

# Compare what "hugetext explain" says about the programs and libraries of
# agreement.exp with the page mappings of the kernel.

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

# Give a million inputs of the fuzzer, if there is one, to each parser of
# untrusted input, to the placement plan and to the code object.  Before that,
# test as many random inputs in those unit tests that need no fuzzer.  With
# FUZZ_SECONDS=N each fuzzer runs for N seconds instead.

fuzz_limit = $(if $(FUZZ_SECONDS),-max_total_time=$(FUZZ_SECONDS),-runs=1000000)
define run_fuzzer
	@mkdir -p testsuite/unit/found
	testsuite/unit/fuzz-$* $(fuzz_limit) -max_len=4096 -timeout=60 \
	  -verbosity=0 -print_final_stats=1 \
	  -artifact_prefix=testsuite/unit/found/fuzz-$*- \
	  >testsuite/unit/fuzz-$*.log 2>&1 \
	  || { cat testsuite/unit/fuzz-$*.log; exit 1; }
	@grep -F 'stat::number_of_executed_units:' testsuite/unit/fuzz-$*.log
endef

fuzzed = index profile bpf printable record
fuzzed_only = $(filter-out $(fuzzed), \
  $(patsubst testsuite/unit/fuzz-%,%,$(call unit_names,fuzz)))
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

-include $(wildcard testsuite/unit/*.d testsuite/unit/policy*/*.d \
  testsuite/unit/tools*/*/*.d)

# The test suite.

cleaned += testsuite/work-* testsuite/parts testsuite/make.lock \
  testsuite/units.lock

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
	   echo 'set SETTINGS_PLACES "$(settings_places)"'; \
	   echo 'set LOADER_DIRECTORY "$(loaderdir)"'; \
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

# Which tests to run: by default, those of all directories hugetext.NAME, in
# parallel; with TESTS, those of the NAMEs in TESTS, in parallel; with
# RUNTESTFLAGS, those that it names, one after the other.
TESTS =
test_directories = $(foreach name,$(TESTS),$(notdir $(or \
  $(wildcard $(srcdir)/testsuite/hugetext.$(name)),\
  $(error TESTS=$(name): there is no testsuite/hugetext.$(name)))))

# The files that these are, and what they share in their directories.
chosen_directories = $(filter hugetext.%,$(RUNTESTFLAGS)) $(test_directories)
chosen_names = $(filter %.exp,$(subst =, ,$(RUNTESTFLAGS)))
chosen_files = $(or $(wildcard \
  $(chosen_directories:%=$(srcdir)/testsuite/%/*.exp) \
  $(chosen_names:%=$(srcdir)/testsuite/hugetext.*/%)), \
  $(wildcard $(srcdir)/testsuite/hugetext.*/*.exp))

# Compile some programs only if one of the selected test files names them.
# Unit tests are compiled while other tests run, if there are others.
naming = $(shell grep -lE -e '$(1)' $(chosen_files) \
  $(wildcard $(addsuffix *.tcl,$(sort $(dir $(chosen_files))))))
needed = $(if $(call naming,STOCK_REBUILD|stock-src),stock) \
  $(if $(chosen),$(if $(call naming,hugetext_make_units),unit-tests)) \
  $(if $(call naming,bench/alternate),bench/alternate) \
  $(if $(call naming,lab/(tlbsim|misses)),$(lab_tested))

# Make this target alone with -j, because tests that call make would inherit -j.
check-needs: all document-parts $$(needed)

# The same in two parts, by two makes at the same time.  The build of glibc is
# mostly sequential and leaves processors idle, and a single make would begin
# each of its steps only after everything else that it can begin.  This make
# starts both, because what a shell script starts in the background ignores an
# interrupt.
.PHONY: check-needs-parts check-needs-glibc check-needs-others \
  make-needs-glibc make-needs-others
check-needs-parts: make-needs-glibc make-needs-others
make-needs-glibc make-needs-others: make-%:
	@env -u MAKEFLAGS -u MFLAGS $(MAKE) --no-print-directory \
	  -j "$$(nproc)" check-$*
check-needs-glibc: ld-hugetext.so $$(filter stock,$$(needed))
check-needs-others: hugetext hugetext-attach hugetext-guard hugetext-code.so \
  document-parts $$(filter-out stock,$$(needed))

# The programs under test: no test may rebuild them.
tested = $(wildcard ld-hugetext.so hugetext hugetext-attach hugetext-guard \
  hugetext-code.so)

# What scripts/without-settings hides from tests: the index and the store, the
# settings files, and the profiles and links in the state directory.
settings_places = $(dir $(INDEX_PATH)) $(CONFIG_PATH) \
  $(CONFIG_PATH:.conf=.d)/ $(STATE_PATH)/

# Run the tests, with $(1) as more arguments of runtest.
define run_tests
	@rm -f testsuite/hugetext.sum testsuite/summary
	@test "$$(id -u)" -ne 0 || $(scripts)/keep-settings --put-back
	@sha256sum $(tested) >testsuite/tested
	@cd testsuite && status=0; \
	$(abspath $(scripts))/with-thp \
	  $(abspath $(scripts))/without-settings '$(settings_places)' \
	  $(if $(RUNTESTFLAGS),,$(abspath $(scripts))/run-tests $$(($(JOBS) + 1))) \
	  $(RUNTEST) --tool hugetext --srcdir $(abspath $(srcdir))/testsuite \
	  $(if $(RUNTESTFLAGS),--outdir . $(RUNTESTFLAGS)) $(1) </dev/null \
	  || status=$$?; \
	$(abspath $(scripts))/check-summary hugetext.sum $$status >summary \
	  && status=0 || status=1; \
	$(if $(chosen),,$(nightly) record $(nightly_of) hugetext.sum >nightly.new \
	  || rm -f nightly.new;) \
	(cd .. && sha256sum --quiet -c testsuite/tested) \
	  || { echo 'ERROR: built anew while tests used it'; status=1; }; \
	cat summary; exit $$status
endef

# Without TESTS, RUNTESTFLAGS and NIGHTLY, the tests that testsuite/nightly
# lists, and whose inputs have not changed since, are left out.  Tests that
# pass are recorded in nightly.new, because the build may be in the source
# tree.
nightly = $(abspath $(scripts))/nightly
nightly_of = '$(abspath $(srcdir))' '$(CURDIR)' '$(CC)'
chosen = $(TESTS)$(RUNTESTFLAGS)
unchanged_tests = $(if $(chosen)$(NIGHTLY),:,$(nightly) unchanged $(nightly_of))
check: check-runtest check-needs testsuite/site.exp
	$(call run_tests,$(if $(TESTS),HUGETEXT_DIRECTORIES='$(test_directories)') \
	  HUGETEXT_UNCHANGED="`$(unchanged_tests) | tr '\n' ' '`")

# Run all tests, with more inputs for the fuzzers, and record their digests, so
# that "make check" on the same kind of machine can leave out unchanged tests.
# If a fuzzer has found something, the tests run nevertheless, but the fuzzers
# have no digest.
check-nightly:
	@fuzz=0; \
	$(MAKE) --no-print-directory -k check-fuzz || fuzz=1; \
	$(MAKE) --no-print-directory check NIGHTLY=yes; status=$$?; \
	test $$fuzz -eq 0 || { status=1; test ! -e testsuite/nightly.new \
	  || sed -i 's,^\(hugetext.unit/fuzz\) [^ ]*,\1 -,' testsuite/nightly.new; }; \
	cp testsuite/nightly.new $(srcdir)/testsuite/nightly || status=1; \
	exit $$status

# What a contributor runs after an edit: the files with a line "# In make
# quick.", without fuzzers, exhaustive unit tests and the rebuilt stock loader.
quick: check-runtest all document-parts testsuite/site.exp \
	$(filter-out %-exhaustive %-random,$(call unit_names,tst))
	$(call run_tests,HUGETEXT_QUICK=yes)

# The tests of what has changed since the commit BASE, by testsuite/covers.
BASE = HEAD
check-changed:
	@tests=$$($(scripts)/changed-tests $(srcdir) $(BASE)) \
	  && if test -z "$$tests"; then echo "nothing has changed since $(BASE)"; \
	    else echo "tests of $$tests"; \
	      $(MAKE) --no-print-directory check TESTS="$$tests"; fi

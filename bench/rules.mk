# Build and run the benchmarks and tlbsim.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: bench bench-kit bench-misses

cleaned += bench/ld-hugetext-kit.tar.xz bench/results bench/tmp bench/log bench/glibc-2.44 \
  bench/alternate bench/samples bench/tlbsim/tlbsim bench/tlbsim/*.[od]

# The simulator of instruction TLBs, with the loader's plan in it.

tlbsim_objects = $(patsubst $(srcdir)/%.c,%.o, \
  $(wildcard $(srcdir)/bench/tlbsim/*.c)) \
  $(patsubst %,tools/%.o,index/file policy/dl-hugetext-owner \
    policy/dl-hugetext-procfile store/stored host/machine \
    host/looker host/mapped host/process host/procmaps trust/identity) \
  $(patsubst %,tools/object/%.o,elfhead elfobject plan program settings) \
  $(patsubst %,tools/util/%.o,allocate budget filelist options output printable \
    regular) \
  $(policy_objects)

bench/tlbsim/%.o: $(srcdir)/bench/tlbsim/%.c
	@mkdir -p bench/tlbsim
	@echo '  compile $@'
	@$(CC) $(tool_flags) -O2 -MMD -MP -c -o $@ $<

bench/tlbsim/tlbsim: $(tlbsim_objects)
	@echo '  link $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(tlbsim_objects)

-include $(wildcard bench/tlbsim/*.d)

# Benchmarks: half an hour on a machine that does nothing else.

bench/alternate: $(addprefix $(srcdir)/bench/,alternate.c frames.c frames.h)
	@mkdir -p bench
	@echo '  compile $@'
	@$(CC) $(CPPFLAGS) -D_GNU_SOURCE $(CFLAGS) -std=gnu11 -Wall -Wextra \
	  $(LDFLAGS) -o $@ $(filter %.c,$^)

bench/samples: $(srcdir)/bench/samples.c
	@mkdir -p bench
	@echo '  compile $@'
	@$(CC) $(CPPFLAGS) -D_GNU_SOURCE $(CFLAGS) -std=gnu11 -Wall -Wextra \
	  $(LDFLAGS) -o $@ $<

bench: all bench/alternate bench/samples
	@$(srcdir)/bench/run '$(CURDIR)'

bench-misses: all bench/alternate bench/tlbsim/tlbsim
	@$(srcdir)/bench/misses '$(CURDIR)'

# An archive that measures on another machine, without this tree.
bench-kit: all bench/alternate
	@$(srcdir)/bench/kit/pack '$(CURDIR)'

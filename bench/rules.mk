# Build and run the benchmarks and tlbsim.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: bench bench-misses

cleaned += bench/results bench/tmp bench/log bench/glibc-2.44 \
  bench/alternate bench/samples bench/tlbsim/tlbsim bench/tlbsim/*.[od]

# The simulator of instruction TLBs, with the loader's plan in it.

tlbsim_objects = $(patsubst $(srcdir)/%.c,%.o, \
  $(wildcard $(srcdir)/bench/tlbsim/*.c)) \
  $(addprefix tools/,elfobject.o heat.o root/identity.o index-file.o options.o \
    output.o plan.o procmaps.o program.o settings.o stored.o machine.o \
    dl-hugetext-owner.o dl-hugetext-procfile.o elfhead.o budget.o regular.o \
    printable.o) \
  $(policy_objects)

bench/tlbsim/%.o: $(srcdir)/bench/tlbsim/%.c
	@mkdir -p bench/tlbsim
	@echo '  compile $@'
	@$(CC) $(tool_flags) -O2 -MMD -MP -c -o $@ $<

bench/tlbsim/tlbsim: $(tlbsim_objects)
	@echo '  link $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(tlbsim_objects)

-include $(wildcard bench/tlbsim/*.d)

# Benchmarks: a quarter of an hour on a machine that does nothing else.

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

# Experiments and measurements that run only from a checkout; release tarballs
# and packages do not contain them.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: bench-kit bench-misses bench-peers

cleaned += lab/ld-hugetext-kit.tar.xz lab/tlbsim/tlbsim lab/tlbsim/*.[od]

include $(wildcard $(srcdir)/lab/*/rules.mk)

# The parts of lab/ that "make check" tests.
lab_tested = lab/tlbsim/tlbsim

# The simulator of instruction TLBs, with the loader's plan in it.

tlbsim_objects = $(patsubst $(srcdir)/%.c,%.o, \
  $(wildcard $(srcdir)/lab/tlbsim/*.c))

lab/tlbsim/%.o: $(srcdir)/lab/tlbsim/%.c
	@mkdir -p lab/tlbsim
	@echo '  compile $@'
	@$(CC) $(tool_flags) -O2 -MMD -MP -c -o $@ $<

lab/tlbsim/tlbsim: $(tlbsim_objects) tools/common.a
	@echo '  link $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(tool_libs) $(libc_libs)

-include $(wildcard lab/tlbsim/*.d)

bench-misses: all bench/alternate lab/tlbsim/tlbsim
	@$(srcdir)/lab/misses '$(CURDIR)'

# Compare with other projects in one run.  IODLR=FILE names liblppreload.so of
# Intel's iodlr.
bench-peers: all bench/alternate
	@$(srcdir)/lab/peers '$(CURDIR)'

# Make an archive that measures on another machine without this source tree.
bench-kit: all bench/alternate
	@$(srcdir)/lab/kit/pack '$(CURDIR)'

# Check that "hugetext measure" finds an existing gain, and finds no gain if
# there is none, twenty times each.

.PHONY: check-measure
check-measure: all
	@$(srcdir)/lab/check-measure '$(CURDIR)'

# Check "hugetext measure --service" in the same way, in a root directory with
# systemd and the release MEASURE_SUITE of Debian.  This needs root and an idle
# machine.

.PHONY: check-measure-service
MEASURE_SUITE = bookworm
check-measure-service: services/$(MEASURE_SUITE).deb
	@$(srcdir)/lab/check-measure-service services $(MEASURE_SUITE)

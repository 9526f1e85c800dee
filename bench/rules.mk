# Build and run the benchmarks.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: bench

cleaned += bench/results bench/tmp bench/log bench/glibc-2.44 \
  bench/alternate bench/samples

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

# Make patches for glibc from the loader's core, and run glibc's tests with
# them.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: upstream-series check-upstream-series

distcleaned += upstream

# GLIBC is a checkout of glibc's master, or an unpacked source of a release.
upstream-series:
	@test -n "$(GLIBC)" || { echo 'make upstream-series GLIBC= needs a' \
	  'checkout of glibc' >&2; exit 1; }
	@$(srcdir)/lab/upstream/series $(srcdir) '$(GLIBC)' upstream

# Check that the series applies, builds, and passes "make check subdirs=elf"
# with huge text off and on.  This takes half an hour on two processors, and 6
# GB.  BASE=yes also runs those tests that already fail without these
# patches.
check-upstream-series: upstream-series
	@CC='$(CC)' CXX='$(CXX)' JOBS='$(JOBS)' \
	  $(srcdir)/lab/upstream/check $(srcdir) upstream

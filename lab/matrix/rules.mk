# Check with other versions of glibc.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-matrix check-upstream

cleaned += matrix

# Other versions of glibc, each with its release of Debian in a root directory
# of its own, other kernels in qemu, and other machines.  Takes root's rights,
# 40 gigabytes and, with two processors, two hours.  MATRIX=2.41:x86_64 runs one
# cell again, and 2.41:x86_64:6.12 one with the kernel of that series.
# Upstream's releases are among the cells where DIR says where they are.
#
# A cell runs the tests of the loader, which depends on the version, but not
# the tests of failing system calls, which would take half of the time:
# MATRIX_TESTS=faults runs these, MATRIX_TESTS= all tests.
MATRIX_TESTS = backings code handover interchange layout limits opening \
  programs reports secure settings stock store
# The last share root directories with the first.
MATRIX = 2.31:x86_64 2.36:x86_64 2.41:x86_64 2.43:x86_64 2.44:x86_64 \
  2.36:aarch64:user $(KERNELS_aarch64:%=2.36:aarch64:%) \
  2.41:aarch64:user 2.41:aarch64:6.12 2.43:aarch64:user 2.43:aarch64:7.2 \
  2.44:aarch64:user 2.44:aarch64:7.2 \
  2.31:x86_64:5.10 $(KERNELS_x86_64:%=2.36:x86_64:%) 2.41:x86_64:6.12 \
  2.43:x86_64:7.2 2.44:x86_64:7.2

check-matrix:
	@RELEASES='$(abspath $(DIR))' TESTS='$(MATRIX_TESTS)' \
	  $(srcdir)/lab/matrix/run matrix $(abspath $(srcdir)) $(MATRIX) \
	  $(if $(DIR),$(UPSTREAM:%=%:upstream))

# Releases of glibc as they came out, for distributions that are not at hand:
# DIR has glibc-VERSION.tar.*, and a version that is not there is passed over.
# RUNTESTFLAGS names some tests only.
UPSTREAM = 2.32 2.34 2.35 2.38 2.39 2.42

check-upstream:
	@test -d "$(DIR)" || { echo 'make check-upstream DIR= needs a directory' \
	  'with sources of glibc, glibc-2.39.tar.xz for one' >&2; exit 1; }
	@RELEASES='$(abspath $(DIR))' TESTS='$(MATRIX_TESTS)' \
	  RUNTESTFLAGS='$(RUNTESTFLAGS)' \
	  $(srcdir)/lab/matrix/run matrix $(abspath $(srcdir)) \
	  $(UPSTREAM:%=%:upstream)

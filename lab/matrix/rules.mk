# Check with other versions of glibc.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-matrix check-upstream

cleaned += matrix

# Check other versions of glibc, each with its release of Debian in a separate
# root directory, other kernels in qemu, and other architectures.  This needs
# root, 40 gigabytes and, with two processors, two hours.  MATRIX=2.41:x86_64
# runs one cell again, and MATRIX=2.41:x86_64:6.12 runs a cell with the kernel
# of this series.  If DIR names a directory with upstream releases of glibc,
# these are also cells.
#
# A cell runs those tests of the loader that depend on the versions.  It does
# not run the tests with failing system calls, which would take half of the
# time.  MATRIX_TESTS=faults runs the tests with failing system calls; an empty
# MATRIX_TESTS runs all tests.
MATRIX_TESTS = backings code handover interchange layout limits opening \
  programs reports secure settings stock store
# The last cells share root directories with the first cells.
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

# Upstream releases of glibc, for distributions that cannot be tested here: DIR
# has glibc-VERSION.tar.*, and missing versions are skipped.  RUNTESTFLAGS
# selects tests.
UPSTREAM = 2.32 2.34 2.35 2.38 2.39 2.42

check-upstream:
	@test -d "$(DIR)" || { echo 'make check-upstream DIR= needs a directory' \
	  'with sources of glibc, glibc-2.39.tar.xz for one' >&2; exit 1; }
	@RELEASES='$(abspath $(DIR))' TESTS='$(MATRIX_TESTS)' \
	  RUNTESTFLAGS='$(RUNTESTFLAGS)' \
	  $(srcdir)/lab/matrix/run matrix $(abspath $(srcdir)) \
	  $(UPSTREAM:%=%:upstream)

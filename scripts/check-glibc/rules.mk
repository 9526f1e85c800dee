# Check with glibc's own tests.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-glibc

cleaned += check-glibc

# Run glibc's own tests with huge text off and on.  Building all of glibc takes
# a quarter of an hour, and running the tests takes about as long.  The files
# use 15 GB.  DIRECTORIES=elf selects one of glibc's directories;
# scripts/check-glibc/run describes BIG=yes and START=kernel.  An interrupted
# run continues where it was interrupted.
DIRECTORIES = elf dlfcn nptl
BIG = no
START = loader

check-glibc: glibc/source
	@$(configure_env) CXX='$(CXX)' GLIBC_SOURCE='$(GLIBC_SOURCE)' \
	  GLIBC_VERSION=$(GLIBC_VERSION) BIG=$(BIG) START=$(START) \
	  $(scripts)/check-glibc/run check-glibc $(abspath $(srcdir)) \
	  $(host_cpu) $(JOBS) $(DIRECTORIES)

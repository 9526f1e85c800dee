# Check with glibc's own tests.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-glibc

cleaned += check-glibc

# Huge text off and on.  Building all of glibc takes a quarter of an hour, its
# tests about as long, and in the end 15 GB.  DIRECTORIES=elf is one of glibc's
# directories; BIG=yes and START=kernel are what scripts/check-glibc/run says.
# A run that was interrupted goes on where it was.
DIRECTORIES = elf dlfcn nptl
BIG = no
START = loader

check-glibc: glibc/source
	@$(configure_env) CXX='$(CXX)' GLIBC_SOURCE='$(GLIBC_SOURCE)' \
	  GLIBC_VERSION=$(GLIBC_VERSION) BIG=$(BIG) START=$(START) \
	  $(scripts)/check-glibc/run check-glibc $(abspath $(srcdir)) \
	  $(host_cpu) $(JOBS) $(DIRECTORIES)

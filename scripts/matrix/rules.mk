# Check with other versions of glibc.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-matrix

cleaned += matrix

# Other versions of glibc, each with its release of Debian in a root directory
# of its own, and other machines.  Takes root's rights, some gigabytes, and an
# hour and a half.  MATRIX=2.41:x86_64 runs one cell again, and
# 2.41:x86_64:6.12 one with the kernel of that series that the release has.
MATRIX = 2.36:x86_64 2.41:x86_64 2.43:x86_64 2.44:x86_64 \
  2.36:aarch64:user 2.36:aarch64:6.1 2.36:aarch64:6.12 2.36:aarch64:7.2 \
  2.36:aarch64:6.12-16k

check-matrix:
	@$(scripts)/matrix/run matrix $(abspath $(srcdir)) $(MATRIX)

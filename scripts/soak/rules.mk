# Services under load for hours, under the stock loader and under ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-soak

distcleaned += soak

# As root, SOAK_MINUTES and a quarter of an hour the first time, on Debian 12.
# After make deb-libc6 with the libc6 of that.

SOAK_MINUTES = 180

check-soak: services/bookworm.deb
	@$(scripts)/soak/run soak $(srcdir) services/bookworm.deb \
	  $(SOAK_MINUTES) deb-libc6

# Services under load for hours, under the stock loader and under ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-soak

distcleaned += soak

# As root, SOAK_MINUTES and a quarter of an hour the first time.  After make
# deb-libc6 with the libc6 of that, if it is one for SOAK_SUITE.

SOAK_MINUTES = 180
SOAK_SUITE = bookworm

check-soak: services/$(SOAK_SUITE).deb
	@$(srcdir)/lab/soak/run soak/$(SOAK_SUITE) $(srcdir) $(SOAK_SUITE) \
	  services/$(SOAK_SUITE).deb $(SOAK_MINUTES) deb-libc6

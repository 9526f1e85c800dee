# Run services under load for hours, under the stock loader and under ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-soak

distcleaned += soak

# The check needs root.  It takes SOAK_MINUTES minutes, the first time a
# quarter of an hour more.  If make deb-libc6 has built a libc6 for SOAK_SUITE,
# the check uses this libc6.

SOAK_MINUTES = 180
SOAK_SUITE = bookworm

check-soak: services/$(SOAK_SUITE).deb
	@$(srcdir)/lab/soak/run soak/$(SOAK_SUITE) $(srcdir) $(SOAK_SUITE) \
	  services/$(SOAK_SUITE).deb $(SOAK_MINUTES) deb-libc6

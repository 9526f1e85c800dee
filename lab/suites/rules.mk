# Compare tests of other projects under the stock loader and under ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-suites

distcleaned += suites

# As root, hours and 20 GB for all: in one root of Debian each suite runs under
# the stock loader, then under ours in each way of SUITES_WITH.  What ended is
# not run again, but under ours after a change of the loader.  SUITES="tcl git"
# takes two of lab/suites/recipes.

SUITES = $(sort $(notdir $(wildcard $(srcdir)/lab/suites/recipes/*)))
SUITES_WITH = auto copies

check-suites: ld-hugetext.so hugetext-code.so hugetext
	@$(srcdir)/lab/suites/run suites $(srcdir) "$(SUITES_WITH)" $(SUITES)

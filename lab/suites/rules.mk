# Compare tests of other projects under the stock loader and under ours.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-suites

distcleaned += suites

# This needs root and, for all suites, hours and 20 GB.  In one Debian root
# directory, each suite runs under the stock loader, and then under our loader
# in each way of SUITES_WITH.  A suite that has finished does not run again,
# except under our loader after a change of the loader.  SUITES="tcl git"
# selects two recipes of lab/suites/recipes.

SUITES = $(sort $(notdir $(wildcard $(srcdir)/lab/suites/recipes/*)))
SUITES_WITH = auto copies

check-suites: ld-hugetext.so hugetext-code.so hugetext
	@$(srcdir)/lab/suites/run suites $(srcdir) "$(SUITES_WITH)" $(SUITES)

# Measure the share of the samples of real programs that is on huge pages:
# without a profile, with a profile, and after "hugetext adapt".  This takes an
# hour.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: lab-heat
lab-heat: all bench/alternate bench/samples
	@$(srcdir)/lab/heat/run '$(CURDIR)'

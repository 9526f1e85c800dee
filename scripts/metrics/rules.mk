# Let a real Prometheus scrape the metrics of "hugetext status".
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-metrics

distcleaned += metrics

check-metrics: hugetext ld-hugetext.so
	@$(scripts)/metrics/check .

# Show the page of "hugetext report" in a real browser.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-report

distcleaned += report

check-report: hugetext ld-hugetext.so
	@CC='$(CC)' $(scripts)/report/check .

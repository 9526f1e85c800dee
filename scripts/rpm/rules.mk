# Build RPM packages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: rpm

distcleaned += rpm-packages

rpm:
	$(scripts)/rpm/package $(srcdir) rpm-packages $(PACKAGE_VERSION) \
	  $(GLIBC_SOURCE)

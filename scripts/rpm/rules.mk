# Build and check RPM packages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: rpm check-rpm check-rpm-glibc

distcleaned += rpm-packages rpm-check rpm-glibc

rpm:
	$(scripts)/rpm/package $(srcdir) rpm-packages $(PACKAGE_VERSION) \
	  $(GLIBC_SOURCE)

check-rpm: rpm
	$(scripts)/rpm/check $(srcdir) rpm-check rpm-packages deb-roots \
	  $(DEB_SUITE)

# RELEASE=TARBALL selects another release of glibc.
check-rpm-glibc:
	$(scripts)/rpm/check-glibc $(srcdir) rpm-glibc $(host_cpu) \
	  $(or $(RELEASE),$(GLIBC_SOURCE)) '$(CC)' $(JOBS)

# Build and check Debian packages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: deb check-deb deb-libc6 check-deb-libc6

distcleaned += deb-libc6 deb-roots

# Debian packages.  The package of the command and the extra loader is built
# in the source directory, as Debian's tools want it, and left in the one above
# that; the rest is as root and takes its time.

DEB_SUITE = bookworm
DEB_NEXT_SUITE = trixie
deb_package = $(srcdir)/../ld-hugetext_$(PACKAGE_VERSION)_$$(dpkg \
  --print-architecture).deb

deb:
	unset MAKEFLAGS MFLAGS MAKELEVEL; \
	cd $(srcdir) && dpkg-buildpackage -b -us -uc

check-deb:
	$(scripts)/deb/check deb-roots $(DEB_SUITE) $(DEB_NEXT_SUITE) \
	  $(deb_package)

deb-libc6:
	$(scripts)/deb/libc6 $(srcdir) $(host_cpu) deb-libc6 $(JOBS)

check-deb-libc6:
	$(scripts)/deb/check-libc6 deb-roots $(DEB_SUITE) deb-libc6

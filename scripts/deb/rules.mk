# Build and check Debian packages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: deb check-deb deb-libc6 deb-libc6-source check-deb-libc6

distcleaned += deb deb-libc6 deb-roots

# Debian packages.  The package of the command and the extra loader is built
# in a copy of the source and left in the directory above the source, as
# Debian's tools do; the rest is as root and takes its time.

DEB_SUITE = bookworm
DEB_NEXT_SUITE = trixie
deb_package = $(srcdir)/../ld-hugetext_$(PACKAGE_VERSION)-1_$$(dpkg \
  --print-architecture).deb

deb:
	$(scripts)/deb/package $(srcdir) deb

check-deb:
	@test -f "$(deb_package)" || $(MAKE) --no-print-directory deb
	$(scripts)/deb/check deb-roots $(DEB_SUITE) $(DEB_NEXT_SUITE) \
	  $(deb_package)

deb-libc6:
	$(scripts)/deb/libc6 $(srcdir) $(host_cpu) deb-libc6 $(JOBS)

# Only its source, with our files in it.
deb-libc6-source:
	$(scripts)/deb/libc6 $(srcdir) $(host_cpu) deb-libc6 $(JOBS) '' source

check-deb-libc6:
	$(scripts)/deb/check-libc6 deb-roots $(DEB_SUITE) deb-libc6

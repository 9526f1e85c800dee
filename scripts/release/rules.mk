# Make and check a release, and whether builds are reproducible.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: release check-release check-reproducible

distcleaned += release release.new release-work reproducible

# RELEASE_SUITES lists releases of Debian, the oldest first: check-release
# upgrades from each release to the next one.  LIBC6_SUITES lists the releases
# whose libc6 is rebuilt, which takes half an hour for each (bookworm trixie).
# KEY=ID signs with this key of gpg.
RELEASE_SUITES = bookworm trixie
RELEASE_ARCHITECTURES = amd64
RELEASE_LIBC6 =
KEY =

release:
	KEY='$(KEY)' ARCHITECTURES='$(RELEASE_ARCHITECTURES)' \
	  LIBC6_SUITES='$(RELEASE_LIBC6)' \
	  $(scripts)/release/release $(srcdir) \
	  ld-hugetext-$(PACKAGE_VERSION) release release-work \
	  $(RELEASE_SUITES)

# Check each suite, and the upgrade from each suite to the next.  Packages for
# architectures other than the machine's are checked in emulation.
check-release:
	@set -- $(RELEASE_SUITES); status=0; \
	while test $$# -gt 0; do \
	  for architecture in $(filter-out $(shell dpkg --print-architecture), \
	      $(RELEASE_ARCHITECTURES)); do \
	    $(scripts)/release/check-emulated release release-work $$1 \
	      $$architecture || status=1; \
	  done; \
	  $(scripts)/release/check release release-work $$1 || status=1; \
	  test -z "$$2" || $(scripts)/release/check release release-work $$1 $$2 \
	    || status=1; \
	  shift; \
	done; \
	exit $$status

check-reproducible:
	$(scripts)/release/reproducible $(srcdir) reproducible

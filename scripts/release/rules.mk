# Make and check a release, and whether builds are reproducible.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: release check-release check-reproducible

distcleaned += release release-work reproducible

# Releases of Debian, each with the next one to which check-release upgrades;
# those whose libc6 is rebuilt, which takes most of an hour each (bookworm trixie);
# KEY=ID signs with that key of gpg's.
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

check-release:
	for suite in $(RELEASE_SUITES); do \
	  $(scripts)/release/check release release-work $$suite || exit 1; \
	done
	$(scripts)/release/check release release-work \
	  $(wordlist 1,2,$(RELEASE_SUITES))

check-reproducible:
	$(scripts)/release/reproducible $(srcdir) reproducible

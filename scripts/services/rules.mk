# Check enabled services, in Debian root directories in which systemd runs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-services check-rollout check-sessions paste-sessions

distcleaned += services sessions

# These checks must run as root, and take an hour the first time.  For each
# release of Debian, the package is built in a root directory, and a second
# root directory is made with the services.  The check of each release also
# tries the loader of another release.  SERVICES=trixie checks only one
# release.

SERVICES_SUITES = bookworm trixie
SERVICES = $(SERVICES_SUITES)

services/%.deb: FORCE
	@$(scripts)/services/package services $* $(srcdir) $@

check-services: $(SERVICES_SUITES:%=services/%.deb)
	@failed=; for suite in $(SERVICES); do \
	  for other in $(SERVICES_SUITES); do \
	    test $$other = $$suite || break; \
	  done; \
	  $(scripts)/services/check services $$suite services/$$suite.deb \
	    services/$$other.deb || failed="$$failed $$suite"; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

# Run examples/ansible with three root directories.  This must run as root.  It
# is skipped if Ansible is not installed.

check-rollout: $(SERVICES:%=services/%.deb)
	@$(scripts)/services/rollout services $(SERVICES)

# Run the manual's sessions that need services in a root directory with
# systemd; the first run takes ten minutes.  paste-sessions puts the present
# output of these sessions into the manual.

check-sessions: all
	@$(scripts)/services/sessions sessions . $(srcdir)/manual/hugetext.texi check

paste-sessions: all
	@$(scripts)/services/sessions sessions . $(srcdir)/manual/hugetext.texi paste

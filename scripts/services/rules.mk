# Check services that are enabled, in Debian with systemd running.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-services check-rollout check-sessions paste-sessions

distcleaned += services sessions

# As root, an hour the first time: for each release our package is built in a
# root, and another root is made with the services.  Each has the other's
# loader as a foreign one.  SERVICES=trixie checks one alone.

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

# examples/ansible against three roots, as root; skipped where Ansible is not.

check-rollout: $(SERVICES:%=services/%.deb)
	@$(scripts)/services/rollout services $(SERVICES)

# The manual's sessions that need services, in such a root; the first time takes ten
# minutes.  paste-sessions puts their present output into the manual.

check-sessions: all
	@$(scripts)/services/sessions sessions . $(srcdir)/manual/hugetext.texi check

paste-sessions: all
	@$(scripts)/services/sessions sessions . $(srcdir)/manual/hugetext.texi paste

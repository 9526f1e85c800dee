# Check the loader on machines that confine programs.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-confined

cleaned += confined

# Boot Debian's kernel with AppArmor in qemu.  The check takes two minutes
# without KVM, and downloads a few hundred megabytes of packages.  The check is
# not a part of "make check".
CONFINED_KERNELS = 6.18

check-confined: check-runtest all testsuite/site.exp
	$(scripts)/confined/check confined $(srcdir) '$(CC)' $(READELF) \
	  "$$(sed -n 's/^architecture //p' glibc/options)" $(CONFINED_KERNELS)
	@cd confined && cp ../testsuite/site.exp . && status=0; \
	$(abspath $(scripts))/without-settings '$(settings_places)' \
	  $(RUNTEST) --tool hugetext --srcdir $(abspath $(srcdir))/testsuite \
	  --outdir . HUGETEXT_CONFINED=$$PWD confined.exp </dev/null \
	  || status=$$?; \
	$(abspath $(scripts))/check-summary hugetext.sum $$status

# Check the loader on other kernels.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-kernels

cleaned += kernels

# Boot other kernels in qemu.  This takes a quarter of an hour without KVM, and
# some hundred megabytes of packages.  It is not a part of "make check".  For
# AArch64, there are also kernels with small pages of 16 KiB and of 64 KiB; the
# latter is built by these rules.  For x86-64, these rules build a kernel with
# CONFIG_READ_ONLY_THP_FOR_FS, as other distributions have it.
ifneq ($(CROSS),yes)
kernel_root = /
else
kernel_root = host-tree
endif
KERNELS_x86_64 = 5.10 6.1 6.1-rothp 6.12 6.18 7.2
KERNELS_aarch64 = 6.1 6.12 7.2 6.12-16k 7.2-64k
KERNELS = $(KERNELS_$(host_cpu))

check-kernels: check-runtest all testsuite/site.exp
	EMULATOR='$(EMULATOR)' $(scripts)/kernels/check kernels \
	  $(abspath $(srcdir)) '$(CC)' $(READELF) ld-hugetext.so \
	  $(SYSTEM_LOADER) "$$(sed -n 's/^architecture //p' glibc/options)" \
	  $(kernel_root) $(KERNELS)
	@cd kernels && cp ../testsuite/site.exp . && status=0; \
	$(abspath $(scripts))/without-settings '$(settings_places)' \
	  $(RUNTEST) --tool hugetext --srcdir $(abspath $(srcdir))/testsuite \
	  --outdir . HUGETEXT_KERNELS=$$PWD kernels.exp </dev/null \
	  || status=$$?; \
	$(abspath $(scripts))/check-summary hugetext.sum $$status

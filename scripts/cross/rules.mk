# Build ld-hugetext for another architecture, and check it in emulation.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: check-user

cleaned += host-tree host-tree.apt host-tree.stamp

# For another architecture, unpack the stock loader, for comparison, and the
# libraries that the command needs from Debian's packages.  If the packages
# cannot be fetched, skip the comparison and do not build the command.  If
# HOST_TREE is set to nothing, the rules use the stock loader and the libraries
# that the package manager has installed on this machine.

ifeq ($(CROSS),yes)
HOST_TREE = host-tree
host_option = $$(sed -n 's/^$(1) //p' glibc/options)
host_packages = libc6 libc6-dev libelf-dev libjson-c-dev libstdc++6 \
  busybox-static coreutils python3-minimal
host_loader = $(HOST_TREE)$(SYSTEM_LOADER)

host-tree.stamp: Makefile $(scripts)/cross/rules.mk glibc/options \
		$(scripts)/debian-tree $(scripts)/debian-apt
	$(if $(HOST_TREE),$(step) glibc/log/host-tree \
	  'fetch packages for $(host_cpu)' $(scripts)/debian-tree host-tree \
	  "$(call host_option,suite)" $(call host_option,architecture) \
	  $(host_packages) || rm -rf host-tree)
	@touch $@

glibc/interchange: ld-hugetext.so $(scripts)/glibc/check-interchange \
		host-tree.stamp
	@if ! test -e $(host_loader); then \
	  echo '  no packages for $(host_cpu): the loader is not compared'; \
	elif ! test -n '$(EMULATOR)'; then \
	  echo '  no qemu-user for $(host_cpu): the loader is not compared'; \
	elif $(scripts)/glibc/inquire $(host_loader) \
	      $(host_libs)/libc.so.6 \
	    | grep -qxF 'version $(GLIBC_VERSION)'; then \
	  EMULATOR='$(EMULATOR)' $(scripts)/glibc/check-interchange $(READELF) \
	    ./ld-hugetext.so $(host_loader); \
	else \
	  echo '  $(host_loader) is not $(GLIBC_VERSION): not compared'; \
	fi
	@touch $@

.PHONY: cross-hugetext
cross-hugetext: host-tree.stamp
	@if test -e $(host_loader); then \
	  $(MAKE) --no-print-directory hugetext hugetext-attach hugetext-guard; \
	else \
	  echo '  no packages for $(host_cpu): hugetext is not built'; \
	fi

tool_tree_flags = $(if $(HOST_TREE),-isystem $(HOST_TREE)/usr/include)
# Link the libraries by their paths: the linker must not search $(host_libs),
# because it would find another libc there.
host_libs = $(HOST_TREE)/usr/lib/$(HOST)
tool_libs = $(host_libs)/libelf.so $(host_libs)/libjson-c.so \
  -Wl,-rpath-link,$(host_libs) -lm
# A command prefix that runs programs of the other architecture on this
# machine.
run_emulated = $(if $(EMULATOR),$(EMULATOR) -L $(or $(HOST_TREE),/))
endif

# Test the behaviour on another architecture, in emulation by qemu-user.
# Features that qemu-user lacks, such as huge pages, are not tested.
foreign_tests = layout.exp dlopen.exp libraries.exp machine.exp malformed.exp \
  marked.exp off.exp pages.exp process.exp report.exp secure.exp tunables.exp \
  effects.exp static.exp

# If "make stock" has been run, there are also tests that compare with a
# rebuilt loader.
check-user: check-runtest all testsuite/site.exp
	@rm -f testsuite/hugetext.sum testsuite/summary
	@cd testsuite && status=0; \
	$(abspath $(scripts))/without-settings '$(settings_places)' \
	  $(abspath $(scripts))/cross/foreign-run $(EMULATOR) ../host-tree \
	  $(RUNTEST) --tool hugetext --srcdir $(abspath $(srcdir))/testsuite \
	  --outdir . HUGETEXT_EMULATED=$(EMULATOR) $(RUNTESTFLAGS) \
	  $(foreign_tests) \
	  </dev/null || status=$$?; \
	if test $$status = 77; then \
	  echo 'UNSUPPORTED: no emulation of $(host_cpu) here' | tee summary; \
	else \
	  $(abspath $(scripts))/check-summary hugetext.sum $$status >summary \
	    && status=0 || status=1; \
	  cat summary; exit $$status; \
	fi

# Build the loader and the stock loader from the distribution's glibc.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: stock check-interchange

cleaned += glibc

# The glibc source.  With FORCE, here and below, the command runs each time.
# The command takes little time, and touches its target only if something has
# changed.

glibc/source: FORCE
	@mkdir -p glibc/log
	@$(scripts)/glibc/source $(GLIBC_SOURCE) >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new

glibc/options: FORCE
	@mkdir -p glibc
	@$(scripts)/glibc/options $(GLIBC_VERSION) $(host_cpu) >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new

# The vendor string that a distribution's own build prints; the installed libc
# contains it.
vendor = $$($(scripts)/glibc/inquire $(SYSTEM_LOADER) 2>/dev/null \
  | sed -n 's/^vendor //p')
pkgversion = $$(vendor=$(vendor); sed -n \
  "s/^package \\(.\\)/$${vendor:-Debian} GLIBC \\1/p" glibc/source)
configure_env = env CC='$(CC)' BUILD_CC='$(BUILD_CC)' HOST='$(HOST)' \
  BUILD='$(BUILD)' WERROR='$(GLIBC_WERROR)' PKGVERSION="$(pkgversion)"

glibc/unpacked: glibc/source $(scripts)/glibc/unpack
	@rm -rf glibc/obj glibc/laid*
	$(step) glibc/log/unpack 'unpack the source of glibc $(GLIBC_VERSION)' \
	  $(scripts)/glibc/unpack $(GLIBC_SOURCE) glibc/src glibc/src.list
	@touch $@

# The overlay.  First add the files that glibc's configure reads.  Add our code
# only after the long step, which does not depend on our code.

lay = @$(scripts)/glibc/lay-overlay $(srcdir) $(host_cpu) glibc

glibc/laid-configure: glibc/unpacked FORCE
	$(lay) configure

glibc/configured: glibc/laid-configure glibc/options \
		  $(scripts)/glibc/configure
	@rm -f glibc/obj/config.status
	$(step) glibc/log/configure 'configure glibc' $(configure_env) \
	  $(scripts)/glibc/configure glibc/src glibc/obj glibc/options
	@touch $@

# The list of tunables: keep a copy of glibc's own list, then append our
# tunables.

glibc/dl-tunable-list.h: glibc/configured
	@rm -f glibc/obj/dl-tunable-list.*
	$(step) glibc/log/tunables 'list the tunables of glibc' \
	  $(scripts)/glibc/make $(JOBS) glibc/src glibc/obj tunables
	@cp glibc/obj/dl-tunable-list.h $@

our_tunables = glibc/dl-tunables-hugetext.list

$(our_tunables): $(settings_table)
	@mkdir -p $(@D)
	@$(scripts)/tables/settings $(srcdir)/elf/policy/dl-hugetext-settings.def list \
	  >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new

glibc/tunables: glibc/dl-tunable-list.h $(our_tunables) \
		$(scripts)/glibc/append-tunables \
		$(scripts)/glibc/append-tunables.awk
	@$(scripts)/glibc/append-tunables glibc/src glibc/obj \
	  glibc/dl-tunable-list.h $(our_tunables)
	@touch $@

# After a change of our tunables, only the loader must be built again.
glibc/lib: glibc/configured | glibc/tunables
	$(step) glibc/log/lib 'compile the parts of libc that a loader contains' \
	  $(scripts)/glibc/make $(JOBS) glibc/src glibc/obj lib
	@touch $@

glibc/laid-code: glibc/lib FORCE | glibc/stock-copied
	$(lay) code

# A file that changes if HUGETEXT_CORE (build only the core, without the
# optional parts) changes.  glibc's objects do not depend on this setting, so
# the rule removes the objects of elf.
glibc/core: FORCE
	@mkdir -p glibc
	@echo '$(HUGETEXT_CORE)' | cmp -s - $@ \
	  || { rm -f glibc/obj/elf/*.os glibc/obj/elf/librtld.*; \
	       echo '$(HUGETEXT_CORE)' >$@; }

# The build ID of the installed libc, if the libc is of the glibc release that
# is built.
libc_id = $$(test '$(CROSS)' = yes \
  || $(scripts)/glibc/inquire $(SYSTEM_LOADER) 2>/dev/null \
  | sed -n '/^version $(GLIBC_VERSION)$$/,$$s/^id //p')

glibc/libc-id: glibc/source $(scripts)/glibc/inquire
	@mkdir -p glibc
	@echo "$(libc_id)" >$@.new
	@cmp -s $@.new $@ || rm -f glibc/obj/elf/dl-hugetext-handover.os
	@mv $@.new $@

glibc/loader: glibc/laid-code glibc/tunables glibc/core glibc/libc-id
	$(step) glibc/log/loader 'compile and link ld-hugetext.so' \
	  env HUGETEXT_INDEX='$(INDEX_PATH)' HUGETEXT_CORE='$(HUGETEXT_CORE)' \
	  HUGETEXT_LIBC_ID="$$(cat glibc/libc-id)" \
	  HUGETEXT_CODE='$(loaderdir)/hugetext-code.so' \
	  $(scripts)/glibc/make $(JOBS) glibc/src glibc/obj loader
	@touch $@

ld-hugetext.so: glibc/loader
	@cp glibc/obj/elf/ld.so $@.new
	@mv -f $@.new $@

# Whether the loader can replace the system's loader, if both have the same
# version.

ifneq ($(CROSS),yes)
glibc/interchange: ld-hugetext.so $(scripts)/glibc/check-interchange
	@if $(scripts)/glibc/inquire $(SYSTEM_LOADER) \
	    | grep -qxF 'version $(GLIBC_VERSION)'; then \
	  $(scripts)/glibc/check-interchange $(READELF) ./ld-hugetext.so \
	    $(SYSTEM_LOADER); \
	else \
	  echo '  $(SYSTEM_LOADER) is not $(GLIBC_VERSION): not compared'; \
	fi
	@touch $@
endif

check-interchange: ld-hugetext.so
	$(scripts)/glibc/check-interchange $(READELF) ./ld-hugetext.so \
	  $(SYSTEM_LOADER)

# The stock loader, rebuilt from the same source with the same compiler.
# Objects that were compiled before our code was added are not compiled again.

glibc/stock-unpacked: glibc/source $(scripts)/glibc/unpack
	$(step) glibc/log/stock-unpack 'unpack unchanged glibc, for tests to compare' \
	  $(scripts)/glibc/unpack $(GLIBC_SOURCE) glibc/stock-src \
	  glibc/stock-src.list
	@touch $@

glibc/stock-copied: glibc/lib
	$(step) glibc/log/stock-copy 'keep a copy of these parts, for tests' \
	  $(scripts)/glibc/copy-objects glibc/obj glibc/stock-obj \
	  glibc/dl-tunable-list.h
	@touch $@

glibc/stock-obj/elf/ld.so: glibc/stock-copied glibc/stock-unpacked
	$(step) glibc/log/stock-lib 'compile the same parts of unchanged glibc' \
	  $(scripts)/glibc/make $(JOBS) glibc/stock-src glibc/stock-obj lib
	$(step) glibc/log/stock-loader 'compile and link the loader of unchanged glibc' \
	  $(scripts)/glibc/make $(JOBS) glibc/stock-src glibc/stock-obj loader
	@touch $@

# All libraries of glibc without our files, installed below glibc/stock-root.

glibc/stock-installed: glibc/stock-obj/elf/ld.so
	$(step) glibc/log/stock-shared 'compile all libraries of unchanged glibc' \
	  $(scripts)/glibc/make $(JOBS) glibc/stock-src glibc/stock-obj shared
	@rm -rf glibc/stock-root
	$(step) glibc/log/stock-install 'install unchanged glibc in glibc/stock-root' \
	  $(scripts)/glibc/make $(JOBS) glibc/stock-src glibc/stock-obj \
	  install glibc/stock-root
	@touch $@

# Some tests compare with the rebuilt stock loader.  If the system's own loader
# was built from the same source by the same compiler, you can use it instead:
# set STOCK_REBUILD to its path.
STOCK_REBUILD = glibc/stock-obj/elf/ld.so

stock: $(STOCK_REBUILD)

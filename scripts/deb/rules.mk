# Build and check Debian packages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

.PHONY: deb check-deb deb-libc6 deb-libc6-source check-deb-libc6

cleaned += stand-in.so
distcleaned += deb deb-libc6 deb-roots

# Build the stand-in: the program that packages install in place of the loader
# as long as the loader's trial fails.

stand_in_source = $(srcdir)/debian/stand-in.c
stand_in_headers = $(srcdir)/elf/core/hugetext-note.h \
  $(wildcard $(srcdir)/sysdeps/$(host_cpu)/*.h)

stand-in.so: $(stand_in_source) $(stand_in_headers) flags
	$(CC) $(place_flags) $(CPPFLAGS) $(CFLAGS) -Wall -Wextra \
	  -I$(srcdir)/sysdeps/$(host_cpu) -DSYSTEM_LOADER='"$(SYSTEM_LOADER)"' \
	  -ffreestanding -fPIC -fno-stack-protector -fno-ident \
	  -o $@.new $(stand_in_source) -nostdlib -shared -s \
	  -Wl,-e,_start,-z,noexecstack,--hash-style=gnu
	$(scripts)/deb/hide-from-ldconfig $@.new
	mv -f $@.new $@

# Build and check Debian packages.  The package with the command and the loader
# is built in a copy of the source and written to the directory above the
# source, as Debian's tools do.  The other targets must run as root, and take
# some minutes.

DEB_SUITE = bookworm
DEB_NEXT_SUITE = trixie
deb_version = $(PACKAGE_VERSION)-1_$$(dpkg --print-architecture)

deb:
	$(scripts)/deb/package $(srcdir) deb

check-deb: deb
	$(scripts)/deb/check deb-roots $(DEB_SUITE) $(DEB_NEXT_SUITE) \
	  $(srcdir)/../ld-hugetext_$(deb_version).deb \
	  $(srcdir)/../ld-hugetext-attach_$(deb_version).deb

deb-libc6:
	$(scripts)/deb/libc6 $(srcdir) $(host_cpu) deb-libc6 $(JOBS)

# Unpack only the source, with our files added.
deb-libc6-source:
	$(scripts)/deb/libc6 $(srcdir) $(host_cpu) deb-libc6 $(JOBS) source

check-deb-libc6:
	$(scripts)/deb/check-libc6 deb-roots $(DEB_SUITE) deb-libc6

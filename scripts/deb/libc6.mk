# Append the tunables of ld-hugetext after all tunables of glibc, because their
# ids are an ABI.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# glibc's debian/rules includes this file as debian/rules.d/hugetext.mk.

hugetext_obj = $(CURDIR)/$(DEB_BUILDDIRLIBC)
hugetext_ours = $(CURDIR)/debian/hugetext

$(stamp)build_libc: $(stamp)hugetext-tunables

$(stamp)hugetext-tunables: $(stamp)configure_libc
	rm -f $(hugetext_obj)/dl-tunable-list.*
	$(MAKE) -r -C elf objdir=$(hugetext_obj) \
	  $(hugetext_obj)/dl-tunable-list.stmp
	cp $(hugetext_obj)/dl-tunable-list.h $(hugetext_obj)/hugetext-stock.h
	sh $(hugetext_ours)/append-tunables $(CURDIR) $(hugetext_obj) \
	  $(hugetext_obj)/hugetext-stock.h \
	  $(hugetext_ours)/dl-tunables-hugetext.list
	touch $@

# Build the command hugetext.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

cleaned += hugetext hugetext-guard tools/*/*.[od]

# The command hugetext, from tools/ and files of the loader's: its policy, and
# what bounds copies, for which tools/policy has the system calls.  Where it looks
# for the loader if that is not beside it: a package may offer it elsewhere.

LOADER_PATH = $(loaderdir)/ld-hugetext.so

# Where links to the loader are while services have it.

STATE_PATH = /var/lib/hugetext

# Where profiles are.

PROFILES_PATH = $(STATE_PATH)/profiles

tool_libs = -lelf -ljson-c -lm
# Libraries of their own before glibc 2.34.
libc_libs = -ldl -pthread
tool_flags = $(CPPFLAGS) $(tool_tree_flags) -D_GNU_SOURCE \
  -I$(srcdir)/tools/policy -I$(srcdir)/elf -I$(srcdir)/tools \
  -I$(srcdir)/sysdeps/$(host_cpu) \
  -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"' \
  -DLOADER_PATH='"$(LOADER_PATH)"' \
  -DSYSTEM_LOADER='"$(SYSTEM_LOADER)"' \
  -DCONFIG_PATH='"$(CONFIG_PATH)"' -DINDEX_PATH='"$(INDEX_PATH)"' \
  -DSTATE_PATH='"$(STATE_PATH)"' \
  -DPROFILES_PATH='"$(PROFILES_PATH)"' \
  -DGUARD_PATH='"$(loaderdir)/hugetext-guard"' $(CFLAGS) -std=gnu11 -Wall -Wextra
policy = $(addprefix dl-hugetext-,names object placement plan hot ways index \
  pattern)
policy_sources = $(policy:%=$(srcdir)/elf/%.c)
policy_objects = $(policy:%=tools/policy/%.o)
hugetext_objects = $(patsubst $(srcdir)/%.c,%.o, \
  $(filter-out $(srcdir)/tools/static/%, $(wildcard $(srcdir)/tools/*/*.c))) \
  $(policy_objects) \
  $(patsubst %,tools/policy/dl-hugetext-%.o,ledger memory owner procfile)

tools/%.o: $(srcdir)/tools/%.c
	@mkdir -p $(@D)
	@echo '  compile $@'
	@$(CC) $(tool_flags) -MMD -MP -c -o $@ $<

tools/policy/dl-hugetext-%.o: $(srcdir)/elf/dl-hugetext-%.c
	@mkdir -p $(@D)
	@echo '  compile $@'
	@$(CC) $(tool_flags) -MMD -MP -c -o $@ $<

# It has to run where no loader does.
hugetext-guard: $(srcdir)/tools/static/hugetext-guard.c
	@echo '  link $@'
	@$(CC) $(tool_flags) $(LDFLAGS) -no-pie -static -o $@ $<

hugetext: $(hugetext_objects)
	@echo '  link $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(hugetext_objects) $(tool_libs) \
	  $(libc_libs)

-include $(wildcard tools/*/*.d)

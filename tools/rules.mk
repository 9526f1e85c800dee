# Build the command hugetext.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

cleaned += flags hugetext hugetext-attach hugetext-guard tools/common.a \
  tools/*/*.[od]

# The command "hugetext" consists of tools/ and of two parts of the loader:
# elf/policy, which decides what becomes huge, and the functions that limit the
# memory for copies.  The loader makes system calls without libc; for the
# command, tools/policy implements the same calls with libc.

# The path at which the command looks for the loader if the loader is not in the
# directory of the command.  A package may offer the loader at another path.

LOADER_PATH = $(loaderdir)/ld-hugetext.so

# The directory of links to the loader, one for each service whose loader has
# passed the trial.

STATE_PATH = /var/lib/hugetext

# The directory of profiles.

PROFILES_PATH = $(STATE_PATH)/profiles

tool_libs = -lelf -ljson-c -lm
# These functions are in separate libraries before glibc 2.34.
libc_libs = -ldl -pthread
tool_flags = $(place_flags) $(HARDEN_CFLAGS) $(CPPFLAGS) $(tool_tree_flags) \
  -D_GNU_SOURCE \
  -I$(srcdir)/tools/policy $(loader_includes) -I$(srcdir)/tools \
  -I$(srcdir)/sysdeps/$(host_cpu) \
  -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"' \
  -DLOADER_PATH='"$(LOADER_PATH)"' \
  -DSYSTEM_LOADER='"$(SYSTEM_LOADER)"' \
  -DCONFIG_PATH='"$(CONFIG_PATH)"' -DINDEX_PATH='"$(INDEX_PATH)"' \
  -DSTATE_PATH='"$(STATE_PATH)"' \
  -DPROFILES_PATH='"$(PROFILES_PATH)"' \
  -DATTACH_PATH='"$(loaderdir)/hugetext-attach"' \
  -DGUARD_PATH='"$(loaderdir)/hugetext-guard"' $(CFLAGS) -std=gnu11 -Wall -Wextra \
  $(tool_errors)
# Many switch statements have a case for each row of a .def table.  Make the
# compiler's warning about a missing case an error, so that no row can be
# forgotten.
tool_errors = -Werror=switch
# This header replaces printf and similar functions by functions that print "?"
# for a newline in a name, because other users may have chosen the name.
print_flags = -include util/output.h
policy = $(addprefix dl-hugetext-,names object placement plan hot ways index \
  maps-reader pattern)
policy_sources = $(policy:%=$(srcdir)/elf/policy/%.c)
policy_objects = $(policy:%=tools/policy/%.o)
all_objects = $(patsubst $(srcdir)/%.c,%.o, \
  $(sort $(filter-out $(srcdir)/tools/static/%, \
           $(wildcard $(srcdir)/tools/*/*.c)))) \
  $(policy_objects) \
  $(patsubst %,tools/policy/dl-hugetext-%.o,ledger memory owner procfile)

# Only the separate program hugetext-attach traces other processes; hugetext
# executes it.
attach_objects = $(filter tools/adapt/% tools/attach/% tools/tracee/%, \
    $(all_objects)) \
  tools/cmd/adapt.o tools/cmd/attach.o tools/cmd/attach-main.o
hugetext_objects = $(filter-out $(attach_objects),$(all_objects))

# The objects in tools/ and in code/ that must be compiled again if the flags
# change.
all_flags = $(subst ',,$(CC) $(tool_flags) $(print_flags) $(code_flags) \
  $(code_link) $(HARDEN_LDFLAGS) $(PIE_LDFLAGS) $(STATIC_LDFLAGS) $(LDFLAGS))

flags: FORCE
	@echo '$(all_flags)' | cmp -s - $@ || echo '$(all_flags)' >$@

tools/%.o: $(srcdir)/tools/%.c flags
	@mkdir -p $(@D)
	@echo '  compile $@'
	@$(CC) $(tool_flags) $(print_flags) -MMD -MP -c -o $@ $<

tools/policy/dl-hugetext-%.o: dl-hugetext-%.c flags
	@mkdir -p $(@D)
	@echo '  compile $@'
	@$(CC) $(tool_flags) -MMD -MP -c -o $@ $<

# hugetext-guard must run even if no dynamic loader works, and its own code
# runs before the C library is initialised.
hugetext-guard: $(srcdir)/tools/static/hugetext-guard.c flags
	@echo '  link $@'
	@$(CC) $(tool_flags) $(HARDEN_LDFLAGS) $(LDFLAGS) $(STATIC_LDFLAGS) \
	  -Wl,-e,hugetext_guard_begin -o $@ $<

hugetext: $(hugetext_objects)
	@echo '  link $@'
	@$(CC) $(HARDEN_CFLAGS) $(CFLAGS) $(PIE_LDFLAGS) $(HARDEN_LDFLAGS) \
	  $(LDFLAGS) -o $@ $(hugetext_objects) $(tool_libs) $(libc_libs)

tools/common.a: $(hugetext_objects)
	@rm -f $@
	@$(AR) rc $@ $(hugetext_objects)

hugetext-attach: $(attach_objects) tools/common.a
	@echo '  link $@'
	@$(CC) $(HARDEN_CFLAGS) $(CFLAGS) $(PIE_LDFLAGS) $(HARDEN_LDFLAGS) \
	  $(LDFLAGS) -o $@ $^ $(tool_libs) $(libc_libs)

-include $(wildcard tools/*/*.d)

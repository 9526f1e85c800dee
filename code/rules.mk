# Build hugetext-code.so, which puts code made at run time on huge pages.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later

cleaned += hugetext-code.so code/*.[od]

# hugetext-code.so consists of the files of code/ and of files of the loader,
# which use the system calls in code/hugetext-glibc.h.  hugetext-code.so needs
# no other object.  Flags of distributions must not add a dependency on another
# object, so there is no link-time optimization, and no check that calls libc.
# If a program is marked for shadow stacks or branch targets, hugetext-code.so
# must have the same marks.  RELRO costs one mprotect in programs that track
# code made at run time.  If this mprotect fails, the program continues and its
# code stays on small pages, because the loader catches the error (map_object).
# hugetext-code.so is compiled without stack canaries, because reading a canary
# needs a thread pointer.  A thread without a thread pointer (clone without
# CLONE_SETTLS) may call mmap, which hugetext-code.so replaces.

code_objects = $(patsubst $(srcdir)/%.c,%.o, \
    $(sort $(wildcard $(srcdir)/code/*.c))) \
  $(patsubst %,code/dl-hugetext-%.o,ledger memory procfile)
code_marks_x86_64 = -fcf-protection=full
code_marks_aarch64 = -mbranch-protection=standard -mno-outline-atomics
code_flags = $(place_flags) $(HARDEN_CFLAGS) $(CPPFLAGS) -D_GNU_SOURCE \
  -I$(srcdir)/code $(loader_includes) -I$(srcdir)/sysdeps/$(host_cpu) \
  $(CFLAGS) -std=gnu11 -Wall -Wextra -fPIC -ffreestanding \
  -fno-lto -fno-stack-protector -fno-plt \
  -U_FORTIFY_SOURCE -Wp,-U_FORTIFY_SOURCE \
  -fvisibility=hidden -ffunction-sections -fno-tree-loop-distribute-patterns \
  -fasynchronous-unwind-tables -g $(code_marks_$(host_cpu))
code_link = -nostdlib -shared -Wl,-e,hugetext_code -Wl,--gc-sections \
  -Wl,-z,now,-z,defs,-z,noexecstack,-z,noseparate-code,-z,relro \
  -Wl,--hash-style=gnu -Wl,-soname,hugetext-code.so

code/%.o: $(srcdir)/code/%.c flags
	@mkdir -p code
	@echo '  compile $@'
	@$(CC) $(code_flags) -MMD -MP -c -o $@ $<

code/dl-hugetext-%.o: dl-hugetext-%.c flags
	@mkdir -p code
	@echo '  compile $@'
	@$(CC) $(code_flags) -MMD -MP -c -o $@ $<

hugetext-code.so: $(code_objects)
	@echo '  link $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) $(code_link) -o $@ $(code_objects)

-include $(wildcard code/*.d)

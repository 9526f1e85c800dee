/* Core files: the memory of a process that was, and which files it had mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A core is whoever's: all numbers in it are bounded before they are used.  */

#ifndef CORE_H
#define CORE_H

#include "text/loader-record.h"

#include <elf.h>

struct core;

/* Open the core FD, which stays the caller's, as *CORE.  Returns NULL, or why
   it cannot be read; "" if it is no core.  */
extern const char *core_open (int fd, struct core **core);
extern void core_close (struct core *core);

/* Read the record that ld-hugetext.so has left in CORE.  Returns NULL, or why
   it cannot be read; then there is nothing to free.  */
extern const char *core_record (const struct core *core,
                                struct loader_record *record);

/* The file of the object that has the address FROM, by the first of its
   mappings from there on that is writable; NULL if it is not known.  */
extern const char *core_file (const struct core *core, uint64_t from);

/* Program headers of the ELF object at START in CORE, at most MAX in PHDR.
   Returns how many; 0 if the core does not have them.  */
extern size_t core_headers (const struct core *core, uint64_t start,
                            Elf64_Phdr phdr[], size_t max);

#endif

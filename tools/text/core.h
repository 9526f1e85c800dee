/* Core files: the memory of an ended process, and the files that it had
   mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Any user may have written a core: all numbers in it are bounded before they
   are used.  */

#ifndef CORE_H
#define CORE_H

#include "text/loader-record.h"

#include <elf.h>

struct core;

/* Open the core FD, which the caller still owns, as *CORE.  Return NULL, or
   why it cannot be read; "" if the file is no core.  */
extern const char *core_open (int fd, struct core **core);
extern void core_close (struct core *core);

/* Read the loader's record in CORE.  Return NULL, or why it cannot be read;
   then there is nothing to free.  */
extern const char *core_record (const struct core *core,
                                struct loader_record *record);

/* Return the file of the object at address FROM, by the first writable mapping
   from there on; NULL if it is not known.  */
extern const char *core_file (const struct core *core, uint64_t from);

/* Copy the program headers of the ELF object at START in CORE, at most MAX, to
   PHDR.  Return their number; 0 if the core does not have them.  */
extern size_t core_headers (const struct core *core, uint64_t start,
                            Elf64_Phdr phdr[], size_t max);

#endif

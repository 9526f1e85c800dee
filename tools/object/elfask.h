/* Questions about ELF files: an unprivileged process reads the headers of the
   files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELFASK_H
#define ELFASK_H

#include "util/problem.h"
#include "object/elfobject.h"

/* Let a reader (host/reader.h) describe the file FD, and store the description
   in ELF.  Return false if the file is not an ELF object.  */
extern bool elfask_read (int fd, struct elf_object *elf,
                         struct problem *problem);

/* Let a reader open the file PATH, which a process may have chosen, and
   describe it.  Set ELF to the description of the file, and SIZE to the size
   of the file in bytes.  Return false if the file is not an ELF object.  If
   the kind of the file is unknown, the code of PROBLEM is PROBLEM_UNKNOWN.  */
extern bool elfask_read_path (const char *path, struct elf_object *elf,
                              uint64_t *size, struct problem *problem);

/* Let a reader decide whether the object FD, whose path is PATH, is a
   loader.  */
extern struct truth elfask_is_loader (const char *path, int fd);

/* The possible answers to the question which dynamic loader a file is.  */
enum elfask_loader
{
  ELFASK_UNKNOWN, /* The reader has given no answer.  */
  ELFASK_NONE,
  ELFASK_OTHER, /* The file is a dynamic loader, but not ld-hugetext.so.  */
  ELFASK_OURS,
};

/* Let a reader open the file PATH, and decide whether it is a loader.  */
extern enum elfask_loader elfask_loader (const char *path);

/* Let a reader call maps_reader_check (maps-reader.h), and return the
   result.  */
extern bool elfask_check_maps (int fd, const char *path,
                               const struct hugetext_object *object,
                               struct problem *problem);

#endif

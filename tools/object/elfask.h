/* Questions about ELF files: an unprivileged process reads the headers of the
   files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELFASK_H
#define ELFASK_H

#include "util/problem.h"
#include "object/elfobject.h"

/* Let an unprivileged process (host/reader.h) read the file FD, and store the
   description of the file in ELF.  Return false if the file is not an ELF
   object.  */
extern bool elfask_read (int fd, struct elf_object *elf,
                         struct problem *problem);

/* Let an unprivileged process open and read the file PATH.  An inspected
   process may have chosen PATH.  DEVICE and INODE are the numbers of the file
   that a process has mapped, or INODE is 0.  Set ELF to the description of the
   file, and SIZE to the size of the file in bytes.  Return false if the file
   is not an ELF object, or if it is not the mapped file.  If the kind of the
   file is unknown, the code of PROBLEM is PROBLEM_UNKNOWN.  */
extern bool elfask_read_path (const char *path, dev_t device, ino_t inode,
                              struct elf_object *elf, uint64_t *size,
                              struct problem *problem);

/* Let an unprivileged process find out whether the object FD, whose path is
   PATH, is a dynamic loader.  */
extern struct truth elfask_is_loader (const char *path, int fd);

/* Whether a file is a dynamic loader, and which one.  */
enum elfask_loader
{
  ELFASK_UNKNOWN, /* The unprivileged process has given no answer.  */
  ELFASK_NONE,
  ELFASK_OTHER, /* The file is a dynamic loader, but not ld-hugetext.so.  */
  ELFASK_OURS,
};

/* Let an unprivileged process open the file PATH, and find out whether the
   file is a dynamic loader.  */
extern enum elfask_loader elfask_loader (const char *path);

/* Let an unprivileged process call maps_reader_check (maps-reader.h), and
   return the result.  */
extern bool elfask_check_maps (int fd, const char *path,
                               const struct hugetext_object *object,
                               struct problem *problem);

#endif

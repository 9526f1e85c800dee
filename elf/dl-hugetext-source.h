/* The file that an object was mapped from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SOURCE_H
#define _DL_HUGETEXT_SOURCE_H 1

#include <ldsodefs.h>
#include <stdbool.h>

#include "dl-hugetext-attempt.h"

/* The facts by which a file is opened again.  */
struct hugetext_file_name
{
  const char *path;              /* By which it was opened, NULL if the kernel
                                    mapped it.  Owned by the link map.  */
  struct hugetext_identity file; /* When it was mapped: to check that
                                    the path still leads to it, and to
                                    find its image.  */
};

/* Set FILE to the identity of the file FD, all zeros if it is not known.  */
extern void _dl_hugetext_identify (int fd, struct hugetext_identity *file)
    attribute_hidden;

/* Note in NAME how the file of L, open on FD, was opened.  */
extern void _dl_hugetext_note_file (struct hugetext_file_name *name,
                                    const struct link_map *l,
                                    int fd) attribute_hidden;

/* Open the file NAME of L; -1 if it is not there any more.  */
extern int _dl_hugetext_open_file (const struct hugetext_file_name *name,
                                   const struct link_map *l) attribute_hidden;

/* Open the file of the program that the kernel has mapped, if it is still
   the one with headers PHDR; -1 otherwise.  */
extern int _dl_hugetext_open_program (const ElfW (Phdr) * phdr,
                                      size_t phnum) attribute_hidden;

/* Whether text at [START, END) is the same as its copy at COPY.  Read by a
   system call, which fails where an access would kill.  */
extern bool _dl_hugetext_is_unmodified (struct hugetext_attempt *attempt,
                                        uintptr_t start, uintptr_t end,
                                        uintptr_t copy) attribute_hidden;

#endif /* dl-hugetext-source.h */

/* The file that an object was mapped from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SOURCE_H
#define _DL_HUGETEXT_SOURCE_H 1

#include <ldsodefs.h>
#include <stdbool.h>

#include "dl-hugetext-attempt.h"

/* The facts by which the loader opens an object's file again.  */
struct hugetext_file_name
{
  const char *path;              /* The path by which the file was opened, NULL
                                    if the kernel mapped it.  The link map owns
                                    the string.  */
  struct hugetext_identity file; /* The identity at the time of mapping: the
                                    loader checks by it that the path still
                                    leads to the same file, and finds the
                                    file's image.  */
};

/* Note in NAME the facts by which L's file, open on FD, can be opened again.
   L is NULL if the object is a program that the kernel has mapped.  */
extern void _dl_hugetext_note_file (struct hugetext_file_name *name,
                                    const struct link_map *l,
                                    int fd) attribute_hidden;

/* Open L's file by NAME. -1 if the path does not lead to that file any
   more.  */
extern int _dl_hugetext_open_file (struct hugetext_scratch *scratch,
                                   const struct hugetext_file_name *name,
                                   const struct link_map *l) attribute_hidden;

/* Open the file of the program that the kernel has mapped. -1 if the file's
   headers are not PHDR.  */
extern int _dl_hugetext_open_program (struct hugetext_scratch *scratch,
                                      const ElfW (Phdr) * phdr,
                                      size_t phnum) attribute_hidden;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Read the record of the image of OBJECT, which was mapped from FILE, into
   RECORD.  False if the store has no image of this very file.  */
extern bool
_dl_hugetext_find_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         struct hugetext_index_image *record) attribute_hidden;

/* Open the image of OBJECT, which was mapped from FILE, and read its record
   into RECORD. -1 if the store has no image of this very file.  */
extern int
_dl_hugetext_open_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         struct hugetext_index_image *record) attribute_hidden;

#endif

#endif /* dl-hugetext-source.h */

/* The files that a process has mapped, and their program headers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJFILE_H
#define OBJFILE_H

#include "object/elfhead.h"
#include "host/procmaps.h"

/* The loadable segments of one file.  */
struct segments
{
  Elf64_Phdr *list;
  size_t count;
};

/* Read the headers of the file that MAP of process PID shows into *SEGMENTS;
   none if it is no object.  False if it cannot be opened.  If DIRECT, read it
   around the page cache.  */
extern bool objfile_segments (pid_t pid, const struct mapping *map,
                              bool direct, struct segments *segments);

/* Free SEGMENTS.  */
extern void objfile_free (struct segments *segments);

#endif

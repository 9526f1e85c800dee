/* Put a copy of a file in its place, so that there is the old file or the new
   one at any moment, and nothing else.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REPLACE_H
#define REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct replacement
{
  const char *path; /* Canonical.  */
  int old, new, directory;
  struct stat status; /* Of the old file.  */
  bool leased;        /* We learn who opens that for writing.  */
  char name[NAME_MAX + 1], temporary[NAME_MAX + 1];
};

/* Get ready to replace the file PATH, a canonical one that is open for reading
   on FD.  Returns NULL, or why it is not replaced, in static memory.  Nothing
   has been changed.  In both cases it is to be ended.  */
extern const char *replace_begin (struct replacement *replacement,
                                  const char *path, int fd);

/* Make the copy, all but in place, written a block at a time, compared and on
   the disk.  Returns NULL, or what is wrong.  It is open for reading on
   REPLACEMENT->new.  */
extern const char *replace_copy (struct replacement *replacement);

/* Put it in place.  Returns NULL, or why the old file is still there.  */
extern const char *replace_commit (struct replacement *replacement);

/* Give back what REPLACEMENT has; a copy that is not in place is gone.  */
extern void replace_end (struct replacement *replacement);

#endif

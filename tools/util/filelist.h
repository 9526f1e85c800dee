/* A list of file names.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILELIST_H
#define FILELIST_H

#include <stdbool.h>
#include <stddef.h>

struct file_list
{
  char **names;
  size_t count;
  size_t late; /* The number of files, at the end of NAMES, that the program
                  does not need when it starts, but opens while it runs.  */
};

/* Add a copy of NAME.  */
extern void file_list_add (struct file_list *files, const char *name);

/* Return true if NAME is in FILES, which may be NULL.  */
extern bool file_list_has (const struct file_list *files, const char *name);

/* Free the names.  Free the names in the list, which is empty afterwards.  */
extern void file_list_free (struct file_list *files);

#endif

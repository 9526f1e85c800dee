/* A list of file names.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/filelist.h"
#include "util/allocate.h"

#include <stdlib.h>
#include <string.h>

/* Copy the name, because callers reuse the buffer for the next name.  */

void
file_list_add (struct file_list *files, const char *name)
{
  files->names
      = allocate_more (files->names, files->count, sizeof *files->names);
  files->names[files->count++] = allocate_text (name);
}

/* A linear search is fast enough, because lists have only tens of names.  */

bool
file_list_has (const struct file_list *files, const char *name)
{
  for (size_t i = 0; files != NULL && i < files->count; ++i)
    if (strcmp (files->names[i], name) == 0)
      return true;
  return false;
}

void
file_list_free (struct file_list *files)
{
  for (size_t i = 0; i < files->count; ++i)
    free (files->names[i]);
  free (files->names);
  *files = (struct file_list){ .names = NULL };
}

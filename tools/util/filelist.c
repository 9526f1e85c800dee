/* A list of files' names.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/filelist.h"

#include <stdlib.h>
#include <string.h>

bool
file_list_add (struct file_list *files, const char *name)
{
  char **names = reallocarray (files->names, files->count + 1, sizeof *names);
  if (names == NULL)
    return false;
  files->names = names;
  names[files->count] = strdup (name);
  return names[files->count] != NULL && ++files->count > 0;
}

void
file_list_free (struct file_list *files)
{
  for (size_t i = 0; i < files->count; ++i)
    free (files->names[i]);
  free (files->names);
}

/* Make folders that all users can reach.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "folder.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool
folder_make (const char *path)
{
  struct stat status;
  char parent[PATH_MAX];
  if (stat (path, &status) == 0)
    return true;
  snprintf (parent, sizeof parent, "%s", path);
  if (strcmp (path, "/") == 0 || strcmp (path, ".") == 0
      || !folder_make (dirname (parent)))
    return false;
  return (mkdir (path, 0755) == 0 ? chmod (path, 0755) == 0
                                  : errno == EEXIST);
}

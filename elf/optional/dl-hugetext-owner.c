/* The check that only root can change a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A user namespace has its own user IDs.  Users of the host that have no ID in
   the namespace appear as the overflow user (user_namespaces(7)).  In a
   namespace that an ordinary user has made (by "hugetext run" or a sandbox),
   the host's root has no ID, and therefore the host's index and store appear
   to belong to the overflow user.  The loader trusts the overflow user if root
   has no ID in the namespace, and if no user of the namespace has the overflow
   user's ID.  In the initial namespace root has an ID, so the loader does not
   trust the overflow user.  In a container that has a real user with the
   overflow user's ID (rootless podman has 65,536 users), the loader does not
   use the host's index and store.  Users of the host who have no ID in the
   namespace also appear as the overflow user, but they cannot put files into
   the directories of the index and of the store.  Only root, or the user who
   made the container's files, can put files into these directories.  */

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-index.h"
#include "dl-hugetext-procfile.h"

/* The usual ID of the overflow user in Linux.  If the administrator has set
   another ID for the overflow user, the loader trusts only files that belong
   to root.  */
#define OVERFLOW_USER 65534

/* Return true if the overflow user may stand for the host's root.  The
   overflow user may stand for the host's root if two conditions are true: the
   host's root has no ID in the namespace, and no user of the namespace has the
   overflow user's ID.  */
static bool
overflow_is_root (void)
{
  char map[4096];
  const char *range = map;
  /* If the contents of /proc/self/uid_map do not fit in MAP, return false, so
     that the loader trusts only files that belong to root.  */
  long int n = _dl_hugetext_read_start ("/proc/self/uid_map", map, sizeof map);
  if (n <= 0 || n == sizeof map - 1)
    return false;
  while (*range != '\0')
    {
      /* A line of /proc/self/uid_map has three numbers: the first ID of a
         range, the ID of the same user in the outer namespace, and the length
         of the range.  */
      size_t first = _dl_hugetext_take_number (&range, 10);
      size_t around = _dl_hugetext_take_number (&range, 10);
      size_t count = _dl_hugetext_take_number (&range, 10);
      if (around == 0 || count == SIZE_MAX
          || (first <= OVERFLOW_USER && OVERFLOW_USER - first < count))
        return false;
      range += *range == '\n';
    }
  return range != map;
}

const char *
_dl_hugetext_distrust (mode_t mode, uid_t owner)
{
  if (!S_ISREG (mode))
    return "the file is not a regular file";
  if (owner != 0 && (owner != OVERFLOW_USER || !overflow_is_root ()))
    return "the owner is not root";
  if ((mode & (S_IWGRP | S_IWOTH)) != 0)
    return "users other than root have write permission";
  return NULL;
}

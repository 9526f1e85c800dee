/* The owner of a file: the check that only root can change it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A user namespace has numbers of its own for users, and shows all users that
   it has none for as one, the overflow user (user_namespaces(7)).  The real
   root is one of those in a namespace that an ordinary user has made, as
   "hugetext run" and sandboxes do: there the host's index and store are the
   overflow user's.  So he is trusted where he can be root and is no user of
   the namespace's own.  In the first namespace neither is so; where a
   container has a user of that number (rootless podman has 65,536 of them) the
   second is not, and it goes without index and store.  Other users that have
   no number look the same: what keeps those out is the folder, in which only
   root, or the user who has made the container's files, can put anything.  */

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "dl-hugetext-owner.h"
#include "dl-hugetext-procfile.h"

/* The overflow user, unless the administrator has changed its number; then he
   is not trusted.  */
#define OVERFLOW_USER 65534

/* The contents of /proc/self/uid_map.  */
struct users
{
  bool any;
  bool plain; /* Root, or a user with the overflow user's
                 number, has a number.  */
};

/* A line of it: the first number of a range, that of the same user in the
   namespace around it, how many.  */
static bool
take_range (void *closure, const char *line)
{
  struct users *users = closure;
  size_t first = _dl_hugetext_take_number (&line, 10);
  size_t around = _dl_hugetext_take_number (&line, 10);
  size_t count = _dl_hugetext_take_number (&line, 10);
  users->any = true;
  users->plain
      = (around == 0 || count == SIZE_MAX
         || (first <= OVERFLOW_USER && OVERFLOW_USER - first < count));
  return users->plain;
}

/* Whether the overflow user may be root.  */
static bool
overflow_is_root (void)
{
  struct users users = { .any = false };
  char line[128];
  return (_dl_hugetext_read_lines ("/proc/self/uid_map", line, sizeof line,
                                   take_range, &users)
          && users.any && !users.plain);
}

const char *
_dl_hugetext_distrust (mode_t mode, uid_t owner)
{
  if (!S_ISREG (mode))
    return "it is not a regular file";
  if (owner != 0 && (owner != OVERFLOW_USER || !overflow_is_root ()))
    return "it is not root's";
  if ((mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others can write to it";
  return NULL;
}

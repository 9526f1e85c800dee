/* What tells a file from others, as the loader asks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "identity.h"

#include <stddef.h>

struct hugetext_identity
identity_of (const struct stat *status)
{
  return (struct hugetext_identity){
    .device = status->st_dev,
    .inode = status->st_ino,
    .size = status->st_size,
    .mtime = (status->st_mtim.tv_sec * (int64_t)1000000000
              + status->st_mtim.tv_nsec),
  };
}

const char *
identity_problem (const struct stat *status, uid_t root)
{
  if (!S_ISREG (status->st_mode))
    return "it is not a regular file";
  /* The real root's files seem to belong to 65534 in namespaces, and ours may
     be one.  */
  if (status->st_uid != root && status->st_uid != 0
      && status->st_uid != 65534)
    return "it is not root's";
  if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others can write to it";
  return NULL;
}

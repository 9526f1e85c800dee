/* The write-back of files before the kernel gathers their pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-sync.h"
#include "dl-hugetext-sys.h"

bool
_dl_hugetext_write_back (struct hugetext_attempt *attempt, int fd)
{
  if (!_dl_hugetext_can (attempt, HUGETEXT_CAN_SYNC))
    return false;
  long int result = sys_sync (fd);
  /* Read-only filesystems may not have the call.  */
  return !sys_failed (result) || result == -EINVAL || result == -EROFS;
}

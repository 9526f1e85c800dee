/* The memory and addresses that limits of the process and its control groups
   leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel can reclaim text in the page cache, but no copies (without swap):
   near a limit, copies would have a process killed that runs under the stock
   loader.  The copy itself does not kill: if a huge page does not fit a
   control group, the fault falls back to a small page.  But for the next small
   page that the program or a system call needs, the kernel finds nothing left
   to reclaim.  */

#include <dl-hugetext-sys.h>

#include "dl-hugetext-limits.h"
#include "dl-hugetext-procfile.h"

size_t
_dl_hugetext_memory_left (char *buffer, size_t size)
{
  size_t left = _dl_hugetext_groups_left (buffer, size);
  /* Beside the groups' limits: the machine's available memory in KiB, without
     its last eighth, and the memory that the machine lets processes commit,
     where it counts that (proc(5), overcommit_memory).  */
  if (_dl_hugetext_read_start ("/proc/meminfo", buffer, size) > 0)
    {
      size_t available = _dl_hugetext_beyond (
          _dl_hugetext_number_after (buffer, "MemAvailable:"),
          _dl_hugetext_number_after (buffer, "MemTotal:"), 8);
      size_t limit = _dl_hugetext_number_after (buffer, "CommitLimit:");
      size_t used = _dl_hugetext_number_after (buffer, "Committed_AS:");
      size_t commit
          = used < limit ? _dl_hugetext_beyond (limit - used, limit, 8) : 0;
      if (commit < available
          && _dl_hugetext_read_start ("/proc/sys/vm/overcommit_memory", buffer,
                                      size)
                 > 0
          && *buffer == '2')
        available = commit;
      if (available < left / 1024)
        left = available * 1024;
    }
  return left;
}

bool
_dl_hugetext_limit_allows (int resource, uint64_t size)
{
  struct sys_limit limit;
  return (!sys_failed (sys_prlimit (resource, &limit))
          && limit.current >= size);
}

/* The memory and addresses that limits of the process and its control groups
   leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text in the page cache can be reclaimed, copies cannot (without swap), so
   that copies near a limit would have the process killed where the stock
   loader's would have run.  Not by the copy itself: a huge page that does not
   fit a control group is not had, and the fault falls back to a small one;
   but the next small page that the program needs, a system call's as well as
   its own, has nobody left to take it from.  */

#include <string.h>
#include <sys/resource.h>

#include <dl-hugetext-sys.h>

#include "dl-hugetext-groups.h"
#include "dl-hugetext-limits.h"
#include "dl-hugetext-procfile.h"

size_t
_dl_hugetext_memory_left (char *buffer, size_t size)
{
  size_t left = _dl_hugetext_groups_left (buffer, size);
  /* Outside of all groups: what the machine has available, in KiB, but not its
     last eighth; and what it lets processes commit themselves to, where it
     keeps an account of that (proc(5), overcommit_memory).  */
  if (_dl_hugetext_read_start ("/proc/meminfo", buffer, size))
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
          && *buffer == '2')
        available = commit;
      if (available < left / 1024)
        left = available * 1024;
    }
  return left;
}

static bool
is_limited (int resource)
{
  struct sys_limit limit;
  return (!sys_failed (sys_prlimit (resource, &limit))
          && limit.current != UINT64_MAX);
}

bool
_dl_hugetext_space_limited (void)
{
  return is_limited (RLIMIT_AS);
}

bool
_dl_hugetext_data_limited (void)
{
  return is_limited (RLIMIT_DATA);
}

bool
_dl_hugetext_may_make_file (size_t size)
{
  struct sys_limit limit;
  return (!sys_failed (sys_prlimit (RLIMIT_FSIZE, &limit))
          && limit.current >= size);
}

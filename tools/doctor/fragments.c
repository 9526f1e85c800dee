/* The fragmentation of the machine's memory: find out how many huge pages are
   free.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In /proc/buddyinfo, each zone of memory has a line.  The line says how many
   areas of 1, 2, 4... contiguous pages are free.  If no area as large as a
   huge page is free, the kernel moves pages to make one (compaction), which
   may fail.  */

#include "doctor/fragments.h"
#include "host/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return how many huge pages the free areas of the zone on LINE contain.  A
   huge page is as large as 2^ORDER small pages.  */
static size_t
count_free (const char *line, unsigned int order)
{
  const char *at = strstr (line, "zone");
  size_t sum = 0;
  char *end;
  if (at == NULL)
    return 0;
  /* The word after "zone" is the name of the zone.  */
  at += strlen ("zone");
  at += strspn (at, " ");
  at += strcspn (at, " \n");
  for (unsigned int i = 0; i < 8 * sizeof sum; ++i, at = end)
    {
      const size_t pieces = strtoul (at, &end, 10);
      if (end == at)
        break;
      if (i >= order)
        sum += pieces << (i - order);
    }
  return sum;
}

struct fragments
fragments_read (size_t block)
{
  struct fragments found = { 0, 0, 0 };
  const unsigned int order
      = __builtin_ctzl (block / (size_t) sysconf (_SC_PAGESIZE));
  char line[512];
  FILE *stream = fopen ("/proc/buddyinfo", "re");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    found.free += count_free (line, order);
  if (stream != NULL)
    fclose (stream);
  const long failed = machine_field ("/proc/vmstat", "compact_fail");
  const long made = machine_field ("/proc/vmstat", "compact_success");
  found.failures = failed > 0 ? failed : 0;
  found.compactions = found.failures + (made > 0 ? made : 0);
  return found;
}

/* The file /proc/PID/stat.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/procstat.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool
procstat_read (int fd, struct procstat *stat)
{
  char line[512];
  *stat = (struct procstat){ .state = '?' };
  const ssize_t length = read (fd, line, sizeof line - 1);
  line[length > 0 ? length : 0] = '\0';

  /* The name is in parentheses and may contain any character, even a newline
     or a parenthesis.  The kernel writes the fields after the last
     parenthesis, so the process cannot forge them.  */
  char *name = strchr (line, '('), *end = strrchr (line, ')');
  unsigned long long start;
  if (name == NULL || end == NULL
      || sscanf (end + 1,
                 " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d"
                 " %*d %*d %ld %*d %llu",
                 &stat->state, &stat->flags, &stat->threads, &start)
             != 4)
    return false;
  stat->start = start;
  *end = '\0';
  snprintf (stat->name, sizeof stat->name, "%s", name + 1);
  return true;
}

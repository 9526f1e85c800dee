/* A library that tries to change the memory files that this process executes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   At exit, it prints how many executable mappings of memory files there are,
   and how many of these files it could write to or lengthen through
   /proc/self/map_files.  */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Return 1 if this process can write to the file PATH or lengthen it,
   otherwise 0.  */
static int
is_changed (const char *path)
{
  char byte;
  int fd = open (path, O_RDWR | O_CLOEXEC);
  int changed = (fd >= 0 && pread (fd, &byte, 1, 0) == 1
                 && (pwrite (fd, &byte, 1, 0) == 1
                     || ftruncate (fd, lseek (fd, 0, SEEK_END) + 4096) == 0));
  if (fd >= 0)
    close (fd);
  return changed;
}

static void __attribute__ ((destructor)) change_files (void)
{
  char line[512], path[600];
  int files = 0, changed = 0;
  FILE *maps = fopen ("/proc/self/./maps", "re");
  if (maps == NULL)
    return;
  while (fgets (line, sizeof line, maps) != NULL)
    if (strstr (line, "r-xp") != NULL && strstr (line, "/memfd:") != NULL)
      {
        unsigned long start, end;
        if (sscanf (line, "%lx-%lx", &start, &end) != 2)
          continue;
        snprintf (path, sizeof path, "/proc/self/map_files/%lx-%lx", start,
                  end);
        ++files;
        changed += is_changed (path);
      }
  fclose (maps);
  printf ("memory files: %d, changed: %d\n", files, changed);
}

/* The settings of the machine, from files in /proc and /sys.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that replaces /proc/self/cgroup (machine_set_groups).  */
static struct
{
  bool given;
  int fd;
} groups;

void
machine_set_groups (int fd)
{
  groups.given = true;
  groups.fd = fd;
}

int
machine_open (const char *path)
{
  if (!groups.given || strcmp (path, "/proc/self/cgroup") != 0)
    return open (path, O_RDONLY | O_CLOEXEC);
  errno = ENOENT;
  return (groups.fd >= 0 && lseek (groups.fd, 0, SEEK_SET) == 0
              ? dup (groups.fd)
              : -1);
}

static FILE *
open_stream (const char *path)
{
  int fd = machine_open (path);
  return fd < 0 ? NULL : fdopen (fd, "r");
}

const char *
machine_line (const char *path)
{
  static char line[256];
  FILE *stream = open_stream (path);
  if (stream == NULL)
    return NULL;
  bool good = fgets (line, sizeof line, stream) != NULL;
  fclose (stream);
  line[strcspn (line, "\n")] = '\0';
  return good ? line : NULL;
}

/* Return the number at the beginning of TEXT, or -1 if TEXT begins with
   anything else.  */
static long
number_in (const char *text)
{
  char *end;
  long value = strtol (text, &end, 10);
  return end == text ? -1 : value;
}

long
machine_number (const char *path)
{
  const char *line = machine_line (path);
  return line != NULL ? number_in (line) : -1;
}

long
machine_number_after (FILE *stream, const char *field)
{
  char line[256];
  long value = -1;
  if (stream == NULL)
    return -1;
  while (value < 0 && fgets (line, sizeof line, stream) != NULL)
    if (strncmp (line, field, strlen (field)) == 0)
      value = number_in (line + strlen (field));
  fclose (stream);
  return value;
}

long
machine_pool (size_t size, const char *name)
{
  char path[128];
  snprintf (path, sizeof path, "/sys/kernel/mm/hugepages/hugepages-%zukB/%s",
            size / 1024, name);
  return machine_number (path);
}

size_t
machine_pool_free (size_t size)
{
  /* The kernel's count of free huge pages includes huge pages that are
     reserved for mappings of other processes.  */
  const long reserved = machine_pool (size, "resv_hugepages");
  const long unused
      = machine_pool (size, "free_hugepages") - (reserved > 0 ? reserved : 0);
  return unused > 0 ? unused : 0;
}

long
machine_field (const char *path, const char *field)
{
  return machine_number_after (open_stream (path), field);
}

const char *
machine_choice (const char *path)
{
  static char choice[64];
  const char *line = machine_line (path);
  const char *start = line != NULL ? strchr (line, '[') : NULL;
  choice[0] = '\0';
  if (start != NULL)
    snprintf (choice, sizeof choice, "%.*s", (int) strcspn (start + 1, "]"),
              start + 1);
  return choice;
}

#define SWITCH_SIZE 128

/* Set PATH to the file that switches transparent huge pages of SIZE bytes on
   or off (Linux 6.8 or later).  If SIZE is 0, set PATH to the file that
   switches transparent huge pages of all sizes on or off.  */
static void
name_switch (size_t size, char path[static SWITCH_SIZE])
{
  static const char dir[] = "/sys/kernel/mm/transparent_hugepage";
  if (size == 0)
    snprintf (path, SWITCH_SIZE, "%s/enabled", dir);
  else
    snprintf (path, SWITCH_SIZE, "%s/hugepages-%zukB/enabled", dir,
              size / 1024);
}

/* Return true if "never" is the selected value, "[never]", in the file
   "enabled" for transparent huge pages of SIZE bytes (name_switch).  */
static bool
machine_is_switched_off (size_t size)
{
  char path[SWITCH_SIZE];
  name_switch (size, path);
  return strcmp (machine_choice (path), "never") == 0;
}

bool
machine_thp_off (size_t size)
{
  return machine_is_switched_off (0) || machine_is_switched_off (size);
}

const char *
machine_thp_switch (size_t size)
{
  static char text[2 * SWITCH_SIZE + 32];
  char general[SWITCH_SIZE], sized[SWITCH_SIZE];
  name_switch (0, general);
  name_switch (size, sized);
  if (!machine_is_switched_off (size))
    snprintf (text, sizeof text, "madvise >%s", general);
  else if (!machine_is_switched_off (0))
    snprintf (text, sizeof text, "inherit >%s", sized);
  else
    snprintf (text, sizeof text, "madvise >%s; echo inherit >%s", general,
              sized);
  return text;
}

const char *
machine_kernel (void)
{
  static char release[256];
  const char *line = machine_line ("/proc/sys/kernel/osrelease");
  snprintf (release, sizeof release, "%s", line != NULL ? line : "unknown");
  return release;
}

bool
machine_kernel_is (unsigned int major, unsigned int minor)
{
  unsigned int ours[2] = { 0, 0 };
  sscanf (machine_kernel (), "%u.%u", &ours[0], &ours[1]);
  return ours[0] != major ? ours[0] > major : ours[1] >= minor;
}

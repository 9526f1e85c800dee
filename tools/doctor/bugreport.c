/* The first part of "hugetext doctor --report": the versions, and the facts
   about the machine that a bug report needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Because bug reports are public, the report does not contain the names of the
   host, of users or of processes, and names only files in the system's
   directories.  */

#include "doctor/bugreport.h"
#include "host/machine.h"
#include "object/loader.h"
#include "util/printable.h"
#include "util/count.h"

#include <gnu/libc-version.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

/* Directories whose files belong to the system or to ld-hugetext.  */
static const char *const known_places[]
    = { "/usr/",  "/lib/", "/lib64/", "/bin/",
        "/sbin/", "/proc", "/sys/",   "/var/cache/hugetext" };

static bool
is_known_place (const char *path)
{
  for (size_t i = 0; i < sizeof known_places / sizeof *known_places; ++i)
    if (strncmp (path, known_places[i], strlen (known_places[i])) == 0)
      return true;
  return false;
}

/* Return true if a path begins at AT, a byte of TEXT.  */
static bool
is_path_start (const char *text, const char *at)
{
  return (at[0] == '/' && at[1] != ' ' && at[1] != '\0'
          && (at == text || strchr (" =:>(\"'", at[-1]) != NULL));
}

void
bugreport_cut (char *text)
{
  static const char mark[] = "...";
  for (char *at = text; *at != '\0'; ++at)
    if (is_path_start (text, at) && !is_known_place (at))
      {
        snprintf (at, strlen (at) + 1, "%s", mark);
        return;
      }
}

/* Print the fact WHAT with its VALUE.  If VALUE is NULL or "", print that the
   value is unknown.  */
static void
print_fact (const char *what, const char *value)
{
  char text[256];
  snprintf (text, sizeof text, "%s",
            value != NULL && value[0] != '\0' ? value : "not known");
  printable_string (text);
  printf ("%s: %s\n", what, text);
}

/* Print the fact WHAT.  The value of the fact is the part after SEPARATOR in
   the line of FILE that begins with WORD.  */
static void
print_field (const char *what, const char *file, const char *word,
             const char *separator)
{
  char line[256];
  const char *value = NULL;
  FILE *stream = fopen (file, "re");
  while (stream != NULL && value == NULL
         && fgets (line, sizeof line, stream) != NULL)
    if (strncmp (line, word, strlen (word)) == 0)
      {
        char *start = line + strlen (word);
        start += strspn (start, separator);
        start[strcspn (start, "\"\n")] = '\0';
        value = start;
      }
  if (stream != NULL)
    fclose (stream);
  print_fact (what, value);
}

static void
print_loader (const char *path)
{
  struct loader loader;
  char text[128];
  if (!loader_read (path, &loader))
    snprintf (text, sizeof text, "cannot be read");
  else if (!loader.ours)
    snprintf (text, sizeof text, "%s",
              loader.stand_in ? "is the stand-in that the package installs if "
                                "ld-hugetext.so does not work on this machine"
                              : "is not ld-hugetext.so");
  else
    snprintf (text, sizeof text, "ld-hugetext %s for glibc %s",
              loader.own[0] != '\0' ? loader.own : "(before 0.1)",
              loader.version);
  print_fact ("loader", text);
}

/* Print the type of the filesystem that PATH is on.  */
static void
print_filesystem (const char *path)
{
  static const struct
  {
    long magic;
    const char *name;
  } types[] = { { EXT4_SUPER_MAGIC, "ext4" },
                { XFS_SUPER_MAGIC, "xfs" },
                { BTRFS_SUPER_MAGIC, "btrfs" },
                { TMPFS_MAGIC, "tmpfs" },
                { OVERLAYFS_SUPER_MAGIC, "overlay" },
                { SQUASHFS_MAGIC, "squashfs" },
                { NFS_SUPER_MAGIC, "nfs" } };
  char what[64], number[32];
  const char *name = NULL;
  struct statfs facts;
  snprintf (what, sizeof what, "filesystem of %s", path);
  if (statfs (path, &facts) == 0)
    {
      snprintf (number, sizeof number, "0x%lx", (long) facts.f_type);
      name = number;
      for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (types[i].magic == (long) facts.f_type)
          name = types[i].name;
    }
  print_fact (what, name);
}

void
bugreport_head (const struct settings *settings, const char *path)
{
  static const char *const thp[]
      = { "enabled", "defrag", "shmem_enabled", "hugepages-2048kB/enabled",
          "khugepaged/defrag" };
  struct utsname system;
  char text[256];

  print_fact ("command", "ld-hugetext " PACKAGE_VERSION);
  print_loader (path);
  print_fact ("glibc", gnu_get_libc_version ());
  print_field ("system", "/etc/os-release", "PRETTY_NAME", "=\"");
  if (uname (&system) == 0)
    {
      snprintf (text, sizeof text, "%s %s", system.release, system.machine);
      print_fact ("kernel", text);
    }
  print_field ("CPU", "/proc/cpuinfo", "model name", " \t:");
  snprintf (text, sizeof text, "%ld, pages of " COUNT_FORMAT,
            sysconf (_SC_NPROCESSORS_ONLN), COUNT (getpagesize (), "byte"));
  print_fact ("CPUs", text);
  for (size_t i = 0; i < sizeof thp / sizeof *thp; ++i)
    {
      char file[128];
      snprintf (text, sizeof text, "THP %s", thp[i]);
      snprintf (file, sizeof file, THP "%s", thp[i]);
      print_fact (text, machine_line (file));
    }
  print_filesystem ("/usr");
  print_filesystem ("/var/cache");
  settings_show (stdout, settings);
}

/* The check that images in a folder can be cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command that writes an image tries it, and asks the kernel.  This file
   has the facts about kernels and filesystems that explain a failure, or
   predict it.  */

#include "store/place.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/procmaps.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

/* Whether the kernel gathers small pages of files on any filesystem: before
   Linux 7.2 it gathers pages of images only if so, or on tmpfs.  */
static bool
gathers_all (void)
{
  struct filesystem filesystem;
  if (machine_kernel_is (7, 2)
      || (machine_filesystem ("/proc/self/exe", &filesystem)
          && strcmp (filesystem.type, "tmpfs") == 0))
    return false;
  int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  bool all = fd >= 0 && filecache_gathers (fd);
  if (fd >= 0)
    close (fd);
  return all;
}

const char *
store_place_problem (const char *path, const char **remedy)
{
  static char problem[192], command[PATH_MAX + 96];
  struct filesystem filesystem;
  *remedy = command;
  if (machine_thp_off (procmaps_block ()))
    {
      *remedy = "echo madvise >" THP "enabled";
      return "transparent huge pages are off";
    }
  if (!machine_filesystem (path, &filesystem))
    return NULL;
  bool memory = strcmp (filesystem.type, "tmpfs") == 0;
  if (memory && strcmp (machine_choice (THP "shmem_enabled"), "deny") == 0)
    {
      *remedy = "echo never >" THP "shmem_enabled";
      return "tmpfs has no huge pages here (shmem_enabled is deny)";
    }
  /* MADV_COLLAPSE works on tmpfs, however it is mounted.  */
  if (machine_huge_files (&filesystem) || (memory && machine_kernel_is (6, 1))
      || gathers_all ())
    return NULL;
  snprintf (problem, sizeof problem,
            "Linux %.48s has files of %s%s in small pages only",
            machine_kernel (), filesystem.type,
            memory ? " without huge=always" : "");
  /* The size is a limit, and takes no memory before it is used.  */
  snprintf (command, sizeof command,
            "mount -t tmpfs -o %shuge=always,mode=755,size=1g hugetext %s",
            memory ? "remount," : "", path);
  return problem;
}

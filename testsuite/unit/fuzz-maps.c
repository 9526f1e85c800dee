/* libFuzzer target: lines of /proc/PID/maps, smaps, stat and others cannot
   harm the command, although processes choose the names in them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "damage.h"
#include "host/procfile.h"

/* The fuzzer's bytes, in place of the kernel's files.  */
static const char *said;
static size_t said_size;

static FILE *
open_said (const char *path, const char *mode)
{
  (void) path;
  (void) mode;
  return said_size > 0 ? fmemopen ((void *) said, said_size, "r") : NULL;
}

static FILE *
stream_said (pid_t pid, const char *name)
{
  (void) pid;
  return open_said (name, "r");
}

#define fopen open_said
#define procfile_stream stream_said
#include "host/procmaps.c"
#include "host/process.c"
#include "host/group.c"
#undef fopen

static const char right[]
    = "7f0000000000-7f0000200000 r-xp 00001000 fe:00 131 /usr/lib/a b.so\n"
      "Size: 2048 kB\nRss: 4 kB\nPss: 2 kB\nAnonHugePages: 2048 kB\n"
      "FilePmdMapped: 18446744073709551615 kB\nVmFlags: rd ex ht lo bt\n"
      "7f0000200000-7f0000400000 rw-p 00000000 00:00 0 [heap]\n"
      "Private_Hugetlb: 9 kB\nShared_Dirty: 1 kB\n"
      "7f0000400000-7f0000600000 r-xs 00000000 00:01 7 /x (deleted)\n"
      "1:name=systemd:/system.slice/a.service\n0::/user.slice/user-1.slice\n"
      "4:memory:/a/b/c\nUid:\t1\t2\nGLIBC_TUNABLES=glibc.mem.x=1\n";

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[4096], path[PATH_MAX], name[PATH_MAX];
  struct procmaps maps;
  said_size
      = damage (bytes, sizeof bytes, right, sizeof right - 1, data, size);
  said = bytes;
  if (procmaps_read (1, &maps) == 0)
    {
      procmaps_details (1, &maps);
      for (size_t i = 0; i < maps.count; ++i)
        {
          EXPECT (maps.list[i].name != NULL);
          mapping_is_memory (&maps.list[i]);
          procmaps_find (&maps, maps.list[i].start);
        }
      procmaps_free (&maps);
    }
  free (process_tunables (1));
  process_number (1, "Uid:");
  if (group_read (stream_said (1, "cgroup"), path))
    {
      group_name (path, name);
      EXPECT (is_printable (name));
      EXPECT (!group_is_path (path) || group_is_name (name));
    }
  return 0;
}

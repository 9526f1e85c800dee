/* Print what tools that read /proc/PID/maps find about the process's objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Java profilers recognise an object by two lines: the first maps its ELF
   header, and a later line of the same file is executable.  Crash reporters
   recognise an object by a mapping that begins with an ELF header.  For each
   object with a name, prints a line:

     names OBJECT header=BOOLEAN text=BOOLEAN

   With the argument "wait", prints these lines again for each line of
   input.  */

#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* An object, and what /proc/self/maps says about it.  */
struct seen
{
  unsigned long start, end;
  dev_t device;
  ino_t inode;
  int header, text;
};

static void
look (struct seen *seen)
{
  char line[4400], perms[5];
  unsigned long start, end, offset, inode;
  unsigned int major, minor;
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (fgets (line, sizeof line, maps) != NULL)
    {
      if (sscanf (line, "%lx-%lx %4s %lx %x:%x %lu", &start, &end, perms,
                  &offset, &major, &minor, &inode)
              != 7
          || start < seen->start || start >= seen->end
          || strchr (line, '/') == NULL || inode != seen->inode
          || makedev (major, minor) != seen->device)
        continue;
      if (offset == 0 && perms[0] == 'r' && start == seen->start
          && memcmp ((const void *) start, ELFMAG, SELFMAG) == 0)
        seen->header = 1;
      if (perms[2] == 'x' && seen->header)
        seen->text = 1;
    }
  fclose (maps);
}

static int
say (struct dl_phdr_info *info, size_t size, void *closure)
{
  const char *path
      = info->dlpi_name[0] != '\0' ? info->dlpi_name : (const char *) closure;
  struct stat status;
  struct seen seen = { .start = -1UL };
  (void) size;
  if (stat (path, &status) != 0)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW (Phdr) *ph = &info->dlpi_phdr[i];
      unsigned long start = info->dlpi_addr + (ph->p_vaddr & -4096UL);
      if (ph->p_type != PT_LOAD)
        continue;
      seen.start = start < seen.start ? start : seen.start;
      seen.end = info->dlpi_addr + ph->p_vaddr + ph->p_memsz;
    }
  seen.device = status.st_dev;
  seen.inode = status.st_ino;
  look (&seen);
  const char *name = strrchr (path, '/');
  printf ("names %s header=%d text=%d\n", name != NULL ? name + 1 : path,
          seen.header, seen.text);
  return 0;
}

int
main (int argc, char **argv)
{
  char line[16];
  do
    {
      dl_iterate_phdr (say, argv[0]);
      puts ("end");
      fflush (stdout);
    }
  while (argc > 1 && fgets (line, sizeof line, stdin) != NULL);
  return 0;
}

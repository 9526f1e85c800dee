/* The program that runs under inject.c, which makes system calls of its loader
   fail.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: victim OWN-PATH LIBRARY

   The program calls text of its own, text of a library with which it is
   linked, and text of LIBRARY, which it opens and closes.  It compares all
   mapped segments that are not writable with the files that they come from.
   Its output does not depend on addresses.  The exit status says what failed
   first.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pages.h"

extern int linked_part (void);

static const char *own_path;

PAGES_FUNCTION (own_part)

/* Return 1 if the LENGTH bytes at ADDRESS are equal to those at OFFSET in the
   file FD, otherwise 0.  */
static int
same_as_file (const char *address, size_t length, int fd, off_t offset)
{
  static char buffer[1 << 18];
  while (length > 0)
    {
      ssize_t n = pread (
          fd, buffer, length < sizeof buffer ? length : sizeof buffer, offset);
      if (n <= 0 || memcmp (buffer, address, n) != 0)
        return 0;
      address += n;
      offset += n;
      length -= n;
    }
  return 1;
}

static int
check_object (struct dl_phdr_info *info, size_t size, void *count)
{
  (void) size;
  const char *name = info->dlpi_name[0] != '\0' ? info->dlpi_name : own_path;
  if (strstr (name, "vdso") != NULL)
    return 0;
  int fd = open (name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    {
      printf ("%s: cannot open\n", name);
      return 1;
    }
  for (int i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW (Phdr) *ph = &info->dlpi_phdr[i];
      if (ph->p_type != PT_LOAD || (ph->p_flags & PF_W) != 0)
        continue;
      const char *start = (const char *) info->dlpi_addr + ph->p_vaddr;
      if (!same_as_file (start, ph->p_filesz, fd, ph->p_offset))
        {
          printf ("%s: segment %d in memory differs from the file\n", name, i);
          close (fd);
          return 1;
        }
    }
  close (fd);
  ++*(int *) count;
  return 0;
}

/* If all objects are intact, print how many there are, and return 1; otherwise
   return 0.  */
static int
check (const char *when)
{
  int count = 0;
  if (dl_iterate_phdr (check_object, &count) != 0)
    return 0;
  printf ("%s: %d objects intact\n", when, count);
  return 1;
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  own_path = argv[1];
  printf ("own %d, linked %d\n", own_part (), linked_part ());

  void *handle = dlopen (argv[2], RTLD_NOW);
  if (handle == NULL)
    {
      printf ("dlopen: %s\n", dlerror ());
      return 3;
    }
  int (*opened_part) (void) = (int (*) (void)) dlsym (handle, "opened_part");
  if (opened_part == NULL)
    {
      printf ("dlsym: %s\n", dlerror ());
      return 4;
    }
  printf ("opened %d\n", opened_part ());
  if (!check ("opened"))
    return 5;
  if (dlclose (handle) != 0)
    {
      printf ("dlclose: %s\n", dlerror ());
      return 6;
    }
  if (!check ("closed"))
    return 7;
  printf ("own %d, linked %d\n", own_part (), linked_part ());
  return 0;
}

/* A program that opens libraries again, and checks that they are where they
   were: a program may have kept pointers into a library that it has closed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   again FILE... [-k OTHER] Opens each FILE, and then OTHER, which stays open.
   Then it closes all FILEs and opens them again, three times.  Prints how
   often a FILE that was opened again was at its first address.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 8

static struct link_map *
open_file (const char *file)
{
  struct link_map *map = dlopen (file, RTLD_NOW);
  if (map == NULL)
    {
      puts (dlerror ());
      exit (2);
    }
  return map;
}

int
main (int argc, char **argv)
{
  struct link_map *map[FILES_MAX];
  ElfW (Addr) address[FILES_MAX];
  int n = 0, same = 0;
  for (; n + 1 < argc && n < FILES_MAX && strcmp (argv[n + 1], "-k") != 0; ++n)
    {
      map[n] = open_file (argv[n + 1]);
      address[n] = map[n]->l_addr;
    }
  if (n + 2 < argc)
    open_file (argv[n + 2]);
  for (int round = 0; round < 3; ++round)
    {
      for (int i = 0; i < n; ++i)
        dlclose (map[i]);
      for (int i = 0; i < n; ++i)
        {
          map[i] = open_file (argv[i + 1]);
          same += map[i]->l_addr == address[i];
        }
    }
  printf ("%d of %d at the same address\n", same, 3 * n);
  return 0;
}

/* A program that prints at which addresses dladdr and _dl_find_object find an
   object: in its segments and holes, and in the space before and after it,
   which our loader may have reserved.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   nothing-there NAME  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  char symbol[256];
  struct dl_find_object object, other;
  Dl_info info;
  long int page = sysconf (_SC_PAGESIZE);

  snprintf (symbol, sizeof symbol, "%s_text", argc > 1 ? argv[1] : "");
  void *text = dlsym (RTLD_DEFAULT, symbol);
  if (text == NULL || _dl_find_object (text, &object) != 0)
    return 1;
  char *start = object.dlfo_map_start, *end = object.dlfo_map_end;
  for (int i = 0; i < 4; ++i)
    {
      /* These addresses are less than one block away from the object: our
         loader reserves at most one block before or after an object.  */
      char *before = start - 1 - i * page * 64;
      char *after = end + page + i * page * 64;
      if (_dl_find_object (before, &other) == 0
          && other.dlfo_link_map == object.dlfo_link_map)
        puts ("_dl_find_object wrongly finds the object before its start");
      if (_dl_find_object (after, &other) == 0
          && other.dlfo_link_map == object.dlfo_link_map)
        puts ("_dl_find_object wrongly finds the object after its end");
      if (dladdr (before, &info) != 0 && info.dli_fbase == start)
        puts ("dladdr wrongly finds the object before its start");
      if (dladdr (after, &info) != 0 && info.dli_fbase == start)
        puts ("dladdr wrongly finds the object after its end");
    }
  size_t pages = 0, by_dladdr = 0, by_find_object = 0;
  for (char *address = start; address < end; address += page, ++pages)
    {
      by_dladdr += dladdr (address, &info) != 0 && info.dli_fbase == start;
      by_find_object += (_dl_find_object (address, &other) == 0
                         && other.dlfo_link_map == object.dlfo_link_map);
    }
  printf ("of %zu pages dladdr finds %zu, _dl_find_object %zu\n", pages,
          by_dladdr, by_find_object);
  return 0;
}

/* Use objects made from text.S.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text-step.h"
#include "text.h"

/* Return the address of the symbol NAME_PART, and set *SIZE to its size.
   Return NULL if the object has no symbol of this name.  */
static char *
find (void *handle, const char *name, const char *part, size_t *size)
{
  char symbol[256];
  Dl_info info;
  const ElfW (Sym) * sym;
  snprintf (symbol, sizeof symbol, "%s_%s", name, part);
  char *address = dlsym (handle, symbol);
  if (address == NULL)
    return NULL;
  if (dladdr1 (address, &info, (void **) &sym, RTLD_DL_SYMENT) == 0
      || sym == NULL)
    {
      printf ("%s: dladdr does not know it\n", symbol);
      exit (1);
    }
  *size = sym->st_size;
  return address;
}

/* Return a 64-bit FNV-1a hash, computed word by word.  */
static uint64_t
sum (const char *address, size_t size)
{
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < size; i += sizeof (uint64_t))
    {
      uint64_t word = 0;
      memcpy (&word, address + i,
              size - i < sizeof word ? size - i : sizeof word);
      hash = (hash ^ word) * 1099511628211U;
    }
  return hash;
}

/* Call the functions in [ADDRESS, ADDRESS + SIZE).  Return the number of
   wrong results.  */
static int
call (char *address, size_t size)
{
  int wrong = 0, number = 0;
  for (size_t i = 0; i + FUNCTION <= size; i += STEP, ++number)
    {
      int (*function) (void) = (int (*) (void)) (address + i);
      wrong += function () != number;
    }
  return wrong;
}

int
text_call (void *handle, const char *name)
{
  size_t size;
  char *address = find (handle, name, "text", &size);
  return address != NULL ? call (address, size) : 1;
}

static const char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Print what dladdr and _dl_find_object return for ADDRESS, a symbol of the
   object.  */
static void
print_identity (char *address)
{
  Dl_info info;
  struct link_map *map;
  if (dladdr1 (address, &info, (void **) &map, RTLD_DL_LINKMAP) == 0)
    {
      puts ("  dladdr fails");
      exit (1);
    }
  printf ("  dladdr: %s, base at %#lx, %s at %#lx\n",
          base_name (info.dli_fname),
          (unsigned long int) info.dli_fbase - map->l_addr, info.dli_sname,
          (unsigned long int) info.dli_saddr - map->l_addr);

#if __GLIBC_PREREQ(2, 35)
  struct dl_find_object object;
  if (_dl_find_object (address, &object) != 0)
    {
      puts ("  _dl_find_object fails");
      exit (1);
    }
  printf ("  _dl_find_object: %#lx to %#lx, unwind table at %#lx, %s\n",
          (unsigned long int) object.dlfo_map_start - map->l_addr,
          (unsigned long int) object.dlfo_map_end - map->l_addr,
          object.dlfo_eh_frame == NULL
              ? 0
              : (unsigned long int) object.dlfo_eh_frame - map->l_addr,
          object.dlfo_link_map == map ? "same map" : "other map");
#endif
}

void
text_use (void *handle, const char *name, int execute_only)
{
  static const char parts[][8]
      = { "text", "text2", "rodata", "zero", "relro", "data", "bss" };
  int wrong = 0;
  printf ("%s:\n", name);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    {
      size_t size;
      char *address = find (handle, name, parts[i], &size);
      if (address == NULL)
        continue;
      printf ("  %s: %zu bytes", parts[i], size);
      if (i > 1 || !execute_only)
        printf (", sum %016lx", (unsigned long int) sum (address, size));
      if (i <= 1)
        {
          int bad = call (address, size);
          printf (", %d wrong results", bad);
          wrong += bad;
        }
      if (i >= 5)
        /* This data must be writable, so write to it.  */
        for (size_t j = 0; j < size; j += STEP)
          address[j] ^= 1;
      putchar ('\n');
      if (i == 0)
        print_identity (address);
    }
  char symbol[256];
  snprintf (symbol, sizeof symbol, "%s_test", name);
  int (*test) (void) = (int (*) (void)) dlsym (handle, symbol);
  if (test != NULL)
    printf ("  test: %d\n", test ());
  if (wrong != 0)
    exit (1);
}

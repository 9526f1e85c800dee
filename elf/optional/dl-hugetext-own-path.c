/* Objects that need their path in /proc/self/maps, where a copy has no path.
   Such objects look for their own path, or tools look for them by a function.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader searches the file of an object only before it copies blocks of
   the object.  The search takes two thirds of the time for copying the same
   number of bytes.  Objects of the distribution are not searched, because they
   also look in the directory for which they were built, where their files
   are.  */

#include <hugetext-glibc-maps.h>

#include "dl-hugetext-maps-reader.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* Read a file for struct hugetext_maps_search; CLOSURE points to its
   descriptor.  */
static long int
read_file (void *closure, char *buffer, size_t length, uint64_t offset)
{
  const int *fd = closure;
  long int n;
  do
    n = sys_pread (*fd, buffer, length, offset);
  while (n == -EINTR);
  return n;
}

/* Return the path of RECORD's object, or NULL if it is unknown.  The path of a
   program that the kernel has mapped is in BUFFER, of SIZE bytes.  */
static const char *
path_of (struct hugetext_state *state, const struct hugetext_record *record,
         char *buffer, size_t size)
{
  if (record->path != NULL)
    return record->path;
  long int length = (_dl_hugetext_unfiltered (state)
                         ? sys_readlink ("/proc/self/exe", buffer, size - 1)
                         : -EPERM);
  if (sys_failed (length))
    return NULL;
  buffer[length] = '\0';
  return buffer;
}

bool
_dl_hugetext_looks_for_path (struct hugetext_state *state,
                             const struct hugetext_record *record, int fd)
{
  char *buffer = state->scratch.text;
  const size_t size = sizeof state->scratch.text;
  const char *path = path_of (state, record, buffer, size);
  const struct hugetext_maps_search search
      = { .read = read_file, .closure = &fd, .buffer = buffer, .size = size };
  return hugetext_needs_path (&state->object, path, &search);
}

/* The function of a JVM that profilers call.  async-profiler up to 3.0 looks
   for the executable mapping that contains this function and has a path.
   Without such a mapping the JVM does not start (doc/experiments/names).  */
static const char looked_up[] = "AsyncGetCallTrace";

/* Return the hash of NAME for DT_GNU_HASH.  */
static uint32_t
hash_of (const char *name)
{
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name)
    hash = hash * 33 + (unsigned char) *name;
  return hash;
}

/* Whether L's filter allows that it has a symbol with HASH.  A table may be
   malformed.  */
static bool
may_have (const struct link_map *l, uint32_t hash)
{
  if (l->l_nbuckets == 0 || l->l_gnu_bitmask == NULL)
    return false;
  const ElfW (Addr) *word = &l->l_gnu_bitmask[hash / __ELF_NATIVE_CLASS
                                              & l->l_gnu_bitmask_idxbits];
  return (hugetext_has_bytes (l, word, sizeof *word)
          && (*word >> hash % __ELF_NATIVE_CLASS
              & *word >> (hash >> l->l_gnu_shift) % __ELF_NATIVE_CLASS & 1)
                 != 0);
}

uintptr_t
_dl_hugetext_looked_up (struct link_map *l)
{
  const uint32_t hash = hash_of (looked_up);
  const ElfW (Sym) *symbol
      = may_have (l, hash) ? hugetext_symbol (l, looked_up, hash) : NULL;
  return symbol != NULL ? l->l_addr + symbol->st_value : 0;
}

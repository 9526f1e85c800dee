/* Objects that look for their own path in /proc/self/maps, where a copy has
   none.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader searches an object only before it copies blocks of it: a search
   takes two thirds of the time of copies of as many bytes.  Objects of the
   distribution are not searched, because they also look in the directory that
   they were built for, where they are.  */

#include "dl-hugetext-maps-reader.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* Read the file CLOSURE, as struct hugetext_maps_search has it.  */
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

/* Return the path of RECORD's object, NULL if it is unknown.  That of a
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

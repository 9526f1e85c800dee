/* The search for objects that need their path in /proc/self/maps.  An object
   that needs its path must not become a copy, because /proc/self/maps shows no
   path for the addresses of a copy.  An object needs the path if it looks for
   the path itself, or if tools recognize the object by one of its functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   To find out whether an object looks for its path, the loader searches the
   object's file for the file name /proc/self/maps.  Because searching bytes
   takes two thirds as long as copying them, the loader searches only before it
   copies blocks of the object, or before it chooses an address for copies.
   The loader does not search objects of the distribution, because such an
   object needs no path of its own: it finds its files in the directory for
   which it was built.  */

#include <hugetext-glibc-maps.h>

#include "dl-hugetext-maps-reader.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The file of an object, in which hugetext_needs_path searches for the file
   name /proc/self/maps.  RECORD is the record of the object, and FD points to
   the descriptor of the object's file.  The descriptor is HUGETEXT_NOT_OPEN
   until the search opens the file.  */
struct searched
{
  struct hugetext_state *state;
  const struct hugetext_record *record;
  int *fd;
};

/* The function for the member READ of struct hugetext_maps_search.  CLOSURE is
   a struct searched.  */
static long int
own_path_read_file (void *closure, char *buffer, size_t length,
                    uint64_t offset)
{
  const struct searched *file = closure;
  long int n;
  if (*file->fd == HUGETEXT_NOT_OPEN)
    *file->fd = _dl_hugetext_open_file (file->state, file->record);
  do
    n = sys_pread (*file->fd, buffer, length, offset);
  while (n == -EINTR);
  return n;
}

/* Return the path of RECORD's object, or NULL if the path is unknown.  If the
   object is a program that the kernel has mapped, the path is in BUFFER, of
   SIZE bytes.  */
static const char *
own_path_get_path (struct hugetext_state *state,
                   const struct hugetext_record *record, char *buffer,
                   size_t size)
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
                             struct hugetext_record *record, int *fd)
{
  char *buffer = state->scratch.text;
  const size_t size = sizeof state->scratch.text;
  if (record->looks_for_path == HUGETEXT_NOT_ASKED)
    {
      const char *path = own_path_get_path (state, record, buffer, size);
      struct searched file = { state, record, fd };
      const struct hugetext_maps_search search = { .read = own_path_read_file,
                                                   .closure = &file,
                                                   .buffer = buffer,
                                                   .size = size };
      const bool needs_path
          = hugetext_needs_path (&state->object, path, &search);
      /* If the file cannot be opened, do not record an answer, because a later
         dlopen may be able to open the file.  The result false is harmless,
         because without the object's file the caller makes no copy.  */
      if (*fd != HUGETEXT_NOT_OPEN && *fd < 0)
        return false;
      record->looks_for_path = needs_path ? HUGETEXT_YES : HUGETEXT_NO;
    }
  return record->looks_for_path == HUGETEXT_YES;
}

/* The function for the member BYTES of struct hugetext_symbols.  Return the
   SIZE bytes at the link-time address ADDRESS of the object whose link map is
   CLOSURE, or NULL.  */
static const void *
own_path_get_bytes (void *closure, uintptr_t address, size_t size)
{
  const struct link_map *l = closure;
  const void *at = (const void *) (l->l_addr + address);
  return hugetext_has_bytes (l, at, size) ? at : NULL;
}

uintptr_t
_dl_hugetext_looked_up (struct link_map *l)
{
  if (l->l_nbuckets == 0 || l->l_gnu_bitmask == NULL
      || l->l_info[DT_SYMTAB] == NULL || l->l_info[DT_STRTAB] == NULL)
    return 0;
  /* The pointer l_gnu_bitmask in glibc's link map points to the Bloom filter
     of the table DT_GNU_HASH.  DT_GNU_HASH begins four words before the Bloom
     filter.  */
  const struct hugetext_symbols symbols
      = { .bytes = own_path_get_bytes,
          .closure = l,
          .hash = ((uintptr_t) l->l_gnu_bitmask - 4 * sizeof (Elf32_Word)
                   - l->l_addr),
          .symbols = D_PTR (l, l_info[DT_SYMTAB]) - l->l_addr,
          .strings = D_PTR (l, l_info[DT_STRTAB]) - l->l_addr };
  const uintptr_t found = hugetext_looked_up (&symbols);
  return found != 0 ? l->l_addr + found : 0;
}

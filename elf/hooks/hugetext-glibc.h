/* The names, parameters and behaviour of glibc's functions and macros in each
   release.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If a function or macro has different names in different releases, this
   header defines one name for all releases.  The header hugetext-glibc-maps.h
   defines the names that only optional modules need.  */

#ifndef _HUGETEXT_GLIBC_H
#define _HUGETEXT_GLIBC_H 1

/* Up to glibc 2.33, dl-tunables.h does not include the headers that it
   needs.  */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dl-tunables.h>
#include <ldsodefs.h>
#include <string.h>
#include <sysdep.h>

/* Make a system call that does not set errno.  Before glibc 2.32, the macro
   INTERNAL_SYSCALL_CALL has one more argument, which it does not use.  */
#if __GLIBC_PREREQ(2, 32)
#  define HUGETEXT_SYSCALL(name, ...) \
    INTERNAL_SYSCALL_CALL (name, ##__VA_ARGS__)
#else
#  define HUGETEXT_SYSCALL(name, ...) \
    INTERNAL_SYSCALL_CALL (name, , ##__VA_ARGS__)
#endif

/* Tunables whose values are strings.  Up to glibc 2.38, a value ends with a
   null byte.  From glibc 2.39 on, a value has a length instead of a null byte,
   and the text of the next tunable follows directly.  */

/* Return the value of the tunable glibc.mem.NAME, and set *LENGTH, a size_t,
   to the length of the value.  If the tunable is not set, return its default
   and do not call SET.  */
#if __GLIBC_PREREQ(2, 39)
#  define HUGETEXT_READ_WORD(name, length, set)                 \
    ({                                                          \
      const struct tunable_str_t *set_word = TUNABLE_GET_FULL ( \
          glibc, mem, name, const struct tunable_str_t *, set); \
      *(length) = set_word->str != NULL ? set_word->len : 0;    \
      *(length) > 0 ? set_word->str : "";                       \
    })
#else
#  define HUGETEXT_READ_WORD(name, length, set)                     \
    ({                                                              \
      const char *set_word                                          \
          = TUNABLE_GET_FULL (glibc, mem, name, const char *, set); \
      *(length) = set_word != NULL ? strlen (set_word) : 0;         \
      *(length) > 0 ? set_word : "";                                \
    })
#endif

/* Return true if glibc could not load the object of L, and has freed L without
   unmapping the object.  L points to the link map of the object that was
   mapped last.  Because glibc may have freed L, the function compares L with
   the existing link maps and does not read the memory at L.  From glibc 2.35
   on, glibc unmaps an object that it could not load, and calls the hook in
   dl-unmap-segments.h.  */
static inline bool
hugetext_is_gone (const struct link_map *l)
{
#if __GLIBC_PREREQ(2, 35)
  (void) l;
  return false;
#else
  for (Lmid_t ns = 0; ns < (Lmid_t) GL (dl_nns); ++ns)
    for (const struct link_map *map = GL (dl_ns)[ns]._ns_loaded; map != NULL;
         map = map->l_next)
      if (map == l)
        return false;
  return true;
#endif
}

#endif /* hugetext-glibc.h */

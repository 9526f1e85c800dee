/* The libc of a namespace, and a symbol in it.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   From 2.32 on the loader knows the first; 2.31 has to look.  */

#ifndef _HUGETEXT_LIBC_H
#define _HUGETEXT_LIBC_H 1

#include <gnu/lib-names.h>
#include <ldsodefs.h>
#include <string.h>

/* The libc in namespace NS, NULL if none is mapped.  */
static inline struct link_map *
hugetext_libc (Lmid_t ns)
{
#if __GLIBC_PREREQ (2, 32)
  return GL(dl_ns)[ns].libc_map;
#else
  /* By the name that it gives itself: it may have been opened by a path.  */
  struct link_map *l = GL(dl_ns)[ns]._ns_loaded;
  for (; l != NULL; l = l->l_next)
    if (l->l_info[DT_SONAME] != NULL
        && strcmp ((const char *) D_PTR (l, l_info[DT_STRTAB])
                   + l->l_info[DT_SONAME]->d_un.d_val, LIBC_SO) == 0)
      break;
  return l;
#endif
}

/* The symbol NAME in MAP, which may not be relocated yet, of any version, for
   what is looked up here has but one; NULL if it has none.  HASH is dl_new_hash
   of the name.  */
static inline const ElfW(Sym) *
hugetext_symbol (struct link_map *map, const char *name, uint32_t hash)
{
  if (map->l_nbuckets == 0 || map->l_gnu_bitmask == NULL)
    return NULL;
  const ElfW(Sym) *symbols = (const void *) D_PTR (map, l_info[DT_SYMTAB]);
  const char *strings = (const void *) D_PTR (map, l_info[DT_STRTAB]);
  Elf32_Word i = map->l_gnu_buckets[hash % map->l_nbuckets];
  if (i == 0)
    return NULL;
  do
    if ((map->l_gnu_chain_zero[i] | 1) == (hash | 1)
        && strcmp (name, strings + symbols[i].st_name) == 0)
      return &symbols[i];
  while ((map->l_gnu_chain_zero[i++] & 1) == 0);
  return NULL;
}

#endif /* hugetext-libc.h */

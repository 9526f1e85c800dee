/* Link maps, and what another libc meets in a thread, by release of glibc.
   Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_GLIBC_MAPS_H
#define _HUGETEXT_GLIBC_MAPS_H 1

#include <gnu/lib-names.h>
#include <hugetext-glibc.h>
#include <ldsodefs.h>
#if __GLIBC_PREREQ(2, 35)
#  include <sys/rseq.h>
#  include <thread_pointer.h>
#endif

/* Whether L is a libc, by DT_SONAME, because the program may have opened it by
   any path.  */
static inline bool
hugetext_is_libc (const struct link_map *l)
{
  return (l->l_info[DT_SONAME] != NULL
          && strcmp ((const char *) D_PTR (l, l_info[DT_STRTAB])
                         + l->l_info[DT_SONAME]->d_un.d_val,
                     LIBC_SO)
                 == 0);
}

/* The libc in namespace NS, which glibc's loader records from 2.32 on; NULL if
   none is mapped.  */
static inline struct link_map *
hugetext_libc (Lmid_t ns)
{
#if __GLIBC_PREREQ(2, 32)
  return GL (dl_ns)[ns].libc_map;
#else
  struct link_map *l = GL (dl_ns)[ns]._ns_loaded;
  while (l != NULL && !hugetext_is_libc (l))
    l = l->l_next;
  return l;
#endif
}

/* Return the symbol NAME in MAP, NULL if MAP has none.  MAP may not be
   relocated yet.  The version does not matter: the symbols looked up have one
   version only.  HASH is dl_new_hash of the name.  */
static inline const ElfW (Sym)
    * hugetext_symbol (struct link_map *map, const char *name, uint32_t hash)
{
  if (map->l_nbuckets == 0 || map->l_gnu_bitmask == NULL)
    return NULL;
  const ElfW (Sym) *symbols = (const void *) D_PTR (map, l_info[DT_SYMTAB]);
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

/* Return the loader's own link map, whose name differs between releases.  */
static inline struct link_map *
hugetext_own_map (void)
{
  struct link_map *l = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  while (l != NULL && l->l_ld != _DYNAMIC)
    l = l->l_next;
  return l;
}

/* The tags of the dynamic section whose addresses the loader changes:
   elf/get-dynamic-info.h adds the load bias to them.  DT_RELR is one of them
   from 2.36 on.  */

static const ElfW (Sxword) hugetext_dynamic_tags[] = {
  DT_HASH, DT_PLTGOT, DT_STRTAB, DT_SYMTAB,   DT_RELA,
  DT_REL,  DT_JMPREL, DT_VERSYM, DT_GNU_HASH,
#if __GLIBC_PREREQ(2, 36)
  DT_RELR,
#endif
};

/* Whether the loader has changed the addresses in L's dynamic section.  */
static inline bool
hugetext_dynamic_changed (const struct link_map *l)
{
#if __GLIBC_PREREQ(2, 35)
  return l->l_addr != 0 && dl_relocate_ld (l);
#else
  return l->l_addr != 0;
#endif
}

/* Return the loader's variable NAME, NULL if it has none.  HASH is dl_new_hash
   of the name.  The variable is looked up at run time, because a reference
   would cost each start one more symbol lookup.  */
static inline const void *
hugetext_rseq_variable (const char *name, uint32_t hash)
{
  struct link_map *l = hugetext_own_map ();
  if (l == NULL)
    return NULL;
  const ElfW (Sym) *symbol = hugetext_symbol (l, name, hash);
  return symbol != NULL ? DL_SYMBOL_ADDRESS (l, symbol) : NULL;
}

/* Unregister the calling thread's area for restartable sequences (rseq(2)), if
   it has one: the kernel takes only one, and glibc registers one from 2.35 on,
   when it sets up thread-local storage.  Nothing needs to be done for the
   robust list and the address of the thread's ID: the next libc simply
   replaces them.  */
static inline void
hugetext_forget_rseq (void)
{
#ifdef RSEQ_SIG
  if (GL (dl_tls_dtv_slotinfo_list) == NULL)
    /* There is no thread pointer yet.  */
    return;
  const unsigned int *size
      = hugetext_rseq_variable ("__rseq_size", 0x5702b738);
  const ptrdiff_t *offset
      = hugetext_rseq_variable ("__rseq_offset", 0x18f7caa4);
  /* The area uses 20 bytes or a few more, but glibc registers at least 32.  */
  if (size != NULL && *size != 0 && offset != NULL)
    HUGETEXT_SYSCALL (rseq, (char *) __thread_pointer () + *offset,
                      *size < 32 ? 32 : *size, 1 /* RSEQ_FLAG_UNREGISTER.  */,
                      RSEQ_SIG);
#endif
}

#endif /* hugetext-glibc-maps.h */

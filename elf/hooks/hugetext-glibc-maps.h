/* Access to link maps and to per-thread kernel state, in each release of
   glibc.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#ifndef _HUGETEXT_GLIBC_MAPS_H
#define _HUGETEXT_GLIBC_MAPS_H 1

#include <gnu/lib-names.h>
#include <hugetext-glibc.h>
#include <ldsodefs.h>
#if __GLIBC_PREREQ(2, 35)
#  include <sys/rseq.h>
#  include <thread_pointer.h>
#endif

/* Return true if L is a libc.  Compare L's DT_SONAME, because the program may
   have opened the libc by any path.  */
static inline bool
hugetext_is_libc (const struct link_map *l)
{
  return (l->l_info[DT_SONAME] != NULL
          && strcmp ((const char *) D_PTR (l, l_info[DT_STRTAB])
                         + l->l_info[DT_SONAME]->d_un.d_val,
                     LIBC_SO)
                 == 0);
}

/* Return the libc in namespace NS, or NULL if no libc is mapped.  From glibc
   2.32 on, the loader itself remembers the libc of each namespace.  */
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

/* Return true if L is the libc of its namespace.  L is mapped, but glibc has
   not added L to a list of objects yet.  */
static inline bool
hugetext_is_mapped_libc (const struct link_map *l)
{
#if __GLIBC_PREREQ(2, 32)
  return GL (dl_ns)[l->l_ns].libc_map == l;
#else
  return hugetext_is_libc (l);
#endif
}

/* Return true if the SIZE bytes at AT are in a readable segment of MAP, and
   come from the file (not from its zero-filled end).  */
static inline bool
hugetext_has_bytes (const struct link_map *map, const void *at, size_t size)
{
  for (size_t i = 0; i < map->l_phnum; ++i)
    {
      const ElfW (Phdr) *segment = &map->l_phdr[i];
      const uintptr_t offset = (uintptr_t) at - map->l_addr - segment->p_vaddr;
      if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) != 0
          && offset < segment->p_filesz && size <= segment->p_filesz - offset)
        return true;
    }
  return false;
}

/* Return the symbol NAME in MAP, or NULL if MAP has none.  HASH is dl_new_hash
   of the name.  MAP may not be relocated yet.  The function ignores symbol
   versions, because each symbol for which the function is called has only one
   version.  A malformed symbol table must not make this function read outside
   of MAP, because the stock loader does not read the symbol table of a library
   that a user only lists (ldd).  */
static inline const ElfW (Sym)
    * hugetext_symbol (struct link_map *map, const char *name, uint32_t hash)
{
  if (map->l_nbuckets == 0 || map->l_gnu_bitmask == NULL
      || map->l_info[DT_SYMTAB] == NULL || map->l_info[DT_STRTAB] == NULL)
    return NULL;
  const ElfW (Sym) *symbols = (const void *) D_PTR (map, l_info[DT_SYMTAB]);
  const char *strings = (const void *) D_PTR (map, l_info[DT_STRTAB]);
  const Elf32_Word *bucket = &map->l_gnu_buckets[hash % map->l_nbuckets];
  if (!hugetext_has_bytes (map, bucket, sizeof *bucket) || *bucket == 0)
    return NULL;
  for (Elf32_Word i = *bucket;; ++i)
    {
      const Elf32_Word *chain = &map->l_gnu_chain_zero[i];
      if (!hugetext_has_bytes (map, chain, sizeof *chain))
        return NULL;
      if ((*chain | 1) == (hash | 1)
          && hugetext_has_bytes (map, &symbols[i], sizeof *symbols)
          && hugetext_has_bytes (map, strings + symbols[i].st_name,
                                 strlen (name) + 1)
          && strcmp (name, strings + symbols[i].st_name) == 0)
        return &symbols[i];
      if ((*chain & 1) != 0)
        return NULL;
    }
}

/* Return the release of LIBC, which is mapped but not relocated, or NULL if
   LIBC does not state a release.  Do not call code of LIBC to find the
   release, because any file may claim to be a libc.  The stock loader runs no
   code of libraries that a user only lists with ldd, so this loader must not
   run such code either.  */
static inline const char *
hugetext_libc_release (struct link_map *libc)
{
  /* From glibc 2.34 on, libthread_db recognizes a libc by the string
     __nptl_version.  */
  const ElfW (Sym) *symbol
      = hugetext_symbol (libc, "__nptl_version", 0xf3998d46);
  if (symbol != NULL)
    {
      const char *release = (const char *) libc->l_addr + symbol->st_value;
      const size_t size = symbol->st_size;
      if (size == 0 || !hugetext_has_bytes (libc, release, size)
          || release[size - 1] != '\0')
        return NULL;
      for (const char *c = release; *c != '\0'; ++c)
        if (*c != '.' && (*c < '0' || *c > '9'))
          return NULL;
      return release;
    }
#if __GLIBC_PREREQ(2, 34)
  if (hugetext_symbol (libc, "gnu_get_libc_version", 0xc5dc856c) != NULL)
    return "older than 2.34";
#elif !__GLIBC_PREREQ(2, 32)
  if (hugetext_symbol (libc, "__libc_early_init", 0x069682ac) != NULL)
    return "2.32 or 2.33";
#endif
  return NULL;
}

/* Return the loader's own link map; the name of its variable differs between
   releases of glibc.  */
static inline struct link_map *
hugetext_own_map (void)
{
  struct link_map *l = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  while (l != NULL && l->l_ld != _DYNAMIC)
    l = l->l_next;
  return l;
}

/* The tags of the dynamic section whose values are addresses to which the
   loader adds the load bias (elf/get-dynamic-info.h).  From glibc 2.36 on, the
   loader adds the load bias to DT_RELR as well.  */

static const ElfW (Sxword) hugetext_dynamic_tags[] = {
  DT_HASH, DT_PLTGOT, DT_STRTAB, DT_SYMTAB,   DT_RELA,
  DT_REL,  DT_JMPREL, DT_VERSYM, DT_GNU_HASH,
#if __GLIBC_PREREQ(2, 36)
  DT_RELR,
#endif
};

/* Return true if the loader has already added the load bias to the addresses
   in L's dynamic section.  */
static inline bool
hugetext_dynamic_changed (const struct link_map *l)
{
#if __GLIBC_PREREQ(2, 35)
  return l->l_addr != 0 && dl_relocate_ld (l);
#else
  return l->l_addr != 0;
#endif
}

/* Return the loader's variable NAME, or NULL if the loader has none.  HASH is
   dl_new_hash of the name.  The function looks up the variable by its name,
   because a reference to the variable in the loader's code would add a symbol
   lookup to each program start.  */
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
   the thread has one.  The kernel accepts only one rseq area per thread.  From
   2.35 on, glibc registers an rseq area when it sets up thread-local storage.
   If the loader kept its rseq area registered and then started the system's
   loader in the same process, the system's loader could not register its own
   rseq area.  The robust list and the address of the thread ID can stay
   registered, because the next libc replaces them.  */
static inline void
hugetext_forget_rseq (void)
{
#ifdef RSEQ_SIG
  if (GL (dl_tls_dtv_slotinfo_list) == NULL)
    /* No rseq area is registered before thread-local storage is set up.  */
    return;
  const unsigned int *size
      = hugetext_rseq_variable ("__rseq_size", 0x5702b738);
  const ptrdiff_t *offset
      = hugetext_rseq_variable ("__rseq_offset", 0x18f7caa4);
  /* The variable __rseq_size says that glibc uses 20 bytes or slightly more of
     the area, but glibc registers at least 32 bytes.  */
  if (size != NULL && *size != 0 && offset != NULL)
    HUGETEXT_SYSCALL (rseq, (char *) __thread_pointer () + *offset,
                      *size < 32 ? 32 : *size, 1 /* RSEQ_FLAG_UNREGISTER.  */,
                      RSEQ_SIG);
#endif
}

#endif /* hugetext-glibc-maps.h */

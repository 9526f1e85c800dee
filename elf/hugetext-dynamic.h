/* What the loader changes in the dynamic section of an object.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   As elf/get-dynamic-info.h has it: the load bias is added to some addresses,
   of which DT_RELR is one from 2.36 on.  */

#ifndef _HUGETEXT_DYNAMIC_H
#define _HUGETEXT_DYNAMIC_H 1

#include <ldsodefs.h>

static const ElfW(Sxword) hugetext_dynamic_tags[]
  = {
      DT_HASH, DT_PLTGOT, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_REL, DT_JMPREL,
      DT_VERSYM, DT_GNU_HASH,
#if __GLIBC_PREREQ (2, 36)
      DT_RELR,
#endif
    };

/* Whether they are changed in L.  */
static inline bool
hugetext_dynamic_changed (const struct link_map *l)
{
#if __GLIBC_PREREQ (2, 35)
  return l->l_addr != 0 && dl_relocate_ld (l);
#else
  return l->l_addr != 0;
#endif
}

#endif /* hugetext-dynamic.h */

/* _dl_find_object, which glibc has from 2.35 on, from what dl_iterate_phdr
   says.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FIND_OBJECT_H
#define FIND_OBJECT_H 1

#include <dlfcn.h>
#include <link.h>

#if !__GLIBC_PREREQ(2, 35)
#  include <stdint.h>
#  include <unistd.h>

struct dl_find_object
{
  void *dlfo_map_start, *dlfo_map_end, *dlfo_eh_frame;
  struct link_map *dlfo_link_map;
};

struct find_object
{
  uintptr_t address;
  struct dl_find_object *result;
};

static int
find_object_in (struct dl_phdr_info *info, size_t size, void *closure)
{
  struct find_object *find = closure;
  uintptr_t page = sysconf (_SC_PAGESIZE), start = UINTPTR_MAX, end = 0;
  (void) size;
  find->result->dlfo_eh_frame = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW (Phdr) *ph = &info->dlpi_phdr[i];
      uintptr_t address = info->dlpi_addr + ph->p_vaddr;
      if (ph->p_type == PT_GNU_EH_FRAME)
        find->result->dlfo_eh_frame = (void *) address;
      if (ph->p_type != PT_LOAD)
        continue;
      if (address < start)
        start = address & -page;
      if (address + ph->p_memsz > end)
        end = address + ph->p_memsz;
    }
  find->result->dlfo_map_start = (void *) start;
  find->result->dlfo_map_end = (void *) end;
  return find->address >= start && find->address < end;
}

static int
_dl_find_object (void *address, struct dl_find_object *result)
{
  struct find_object find = { (uintptr_t) address, result };
  Dl_info info;
  if (dladdr1 (address, &info, (void **) &result->dlfo_link_map,
               RTLD_DL_LINKMAP)
      == 0)
    return -1;
  if (dl_iterate_phdr (find_object_in, &find) != 0)
    return 0;
  /* That tells of the caller's namespace only.  */
  const ElfW (Ehdr) *header = info.dli_fbase;
  struct dl_phdr_info other
      = { .dlpi_addr = result->dlfo_link_map->l_addr,
          .dlpi_phdr = (const void *) ((uintptr_t) header + header->e_phoff),
          .dlpi_phnum = header->e_phnum };
  return find_object_in (&other, sizeof other, &find) != 0 ? 0 : -1;
}
#endif

#endif

/* Place objects so that their text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism only: where is decided in dl-hugetext-plan.c.  An object that
   has nothing to gain is left to the stock loader.  */

#include <elf.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

void
_dl_hugetext_add_segment (struct hugetext_object *object,
                          ElfW(Addr) mapstart, ElfW(Addr) dataend,
                          ElfW(Addr) allocend, uint64_t mapoff, int prot)
{
  uintptr_t page = GLRO (dl_pagesize);

  if (allocend == mapstart)
    /* Empty: neither we nor the stock loader map anything.  */
    return;
  if (object->nsegments == HUGETEXT_SEGMENTS_MAX)
    {
      /* Too many: hugetext_object_check rejects an alignment of 0.  */
      object->align = 0;
      return;
    }

  struct hugetext_segment *s = &object->segment[object->nsegments++];
  s->start = mapstart & -page;
  s->end = (allocend + page - 1) & -page;
  /* Where there is zero fill, the page that it begins in has to be patched,
     and is no longer what the file says.  */
  s->fileend = (allocend > dataend
                ? dataend & -page : (dataend + page - 1) & -page);
  s->datastart = mapstart;
  s->dataend = dataend;
  s->offset = mapoff;
  s->read = (prot & PROT_READ) != 0;
  s->write = (prot & PROT_WRITE) != 0;
  s->exec = (prot & PROT_EXEC) != 0;
}

/* Reserve address space for PLACEMENT of an object of LENGTH bytes whose
   first page has link-time address START.  Returns the lowest address of the
   reservation, slack included, or 0.  */
static uintptr_t
reserve_space (const struct hugetext_placement *placement,
               uintptr_t page, uintptr_t start, size_t length)
{
  size_t size = placement->before + length + placement->after;
  /* The largest distance to the next suitable address is a modulus less a
     page.  */
  size_t room = size + placement->modulus - page;
  if (room < length)
    return 0;
  long int raw = sys_mmap (0, room, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                           0);
  if (sys_failed (raw))
    return 0;

  /* The lowest address at or above RAW at which the load bias has the right
     residue.  */
  uintptr_t residue = placement->residue + start - placement->before;
  uintptr_t low = raw + ((residue - raw) & (placement->modulus - 1));

  /* What is left at the ends is only address space: a failure to give it
     back costs nothing but a line in /proc/PID/maps.  */
  if (low > (uintptr_t) raw)
    sys_munmap (raw, low - raw);
  if (raw + room > low + size)
    sys_munmap (low + size, raw + room - (low + size));
  return low;
}

bool
_dl_hugetext_reserve (struct link_map *l, int fd, int type,
                      struct hugetext_object *object, size_t maplength)
{
  struct hugetext_state *state = _dl_hugetext_state ();
  struct hugetext_placement placement;

  object->relro_start = l->l_relro_addr;
  object->relro_end = l->l_relro_addr + l->l_relro_size;
  if (hugetext_object_check (object, &state->geo) != NULL
      || !hugetext_place (object, &state->geo, state->pad_threshold,
                          &placement))
    return false;

  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return false;
  record->path = l->l_name;
  if (!_dl_get_file_id (fd, &record->id))
    record->path = NULL;
  if (type != ET_DYN)
    return false;

  /* The stock loader rounds the end up to a page only implicitly.  */
  maplength = (maplength + state->geo.page - 1) & -state->geo.page;
  uintptr_t low = reserve_space (&placement, state->geo.page,
                                 object->segment[0].start, maplength);
  if (low == 0)
    return false;
  record->low = low;
  record->high = low + placement.before + maplength + placement.after;
  l->l_addr = low + placement.before - object->segment[0].start;
  return true;
}

void
_dl_hugetext_mapped (struct link_map *l, bool reserved, const char *error)
{
  if (__glibc_unlikely (error != NULL))
    /* The caller frees L but unmaps nothing.  */
    _dl_hugetext_unmap (l);
  else if (reserved)
    /* Gaps between the segments are part of the reservation.  */
    l->l_contiguous = 1;
}

bool
_dl_hugetext_unmap (struct link_map *l)
{
  struct hugetext_state *state = _dl_hugetext_state ();
  if (state == NULL)
    return false;
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (record == NULL)
    return false;

  bool reserved = record->high != 0;
  if (reserved)
    sys_munmap (record->low, record->high - record->low);
  _dl_hugetext_forget (state, record);
  return reserved;
}

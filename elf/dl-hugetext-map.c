/* Place objects so that their text can lie on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism only: where is decided in dl-hugetext-plan.c.  An object that
   has nothing to gain is left to the stock loader.  */

#include <elf.h>
#include <string.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

void
_dl_hugetext_begin (struct hugetext_object *object, ElfW(Addr) align)
{
  object->nsegments = 0;
  /* An object may ask for less than a page, or nothing (0 and 1 mean the
     same), but is mapped in pages.  */
  object->align = align < GLRO (dl_pagesize) ? GLRO (dl_pagesize) : align;
  object->bias = 0;
  object->relro_start = object->relro_end = 0;
  object->low = object->high = 0;
  object->extra_prot = 0;
}

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

void
_dl_hugetext_describe (struct hugetext_object *object, const ElfW(Phdr) *phdr,
                       size_t phnum, ElfW(Addr) bias, uintptr_t page)
{
  _dl_hugetext_begin (object, page);
  object->bias = bias;
  for (size_t i = 0; i < phnum; ++i)
    {
      const ElfW(Phdr) *ph = &phdr[i];
      int prot = ((ph->p_flags & PF_R ? PROT_READ : 0)
                  | (ph->p_flags & PF_W ? PROT_WRITE : 0)
                  | (ph->p_flags & PF_X ? PROT_EXEC : 0));
      if (ph->p_type == PT_LOAD)
        {
          size_t n = object->nsegments;
          _dl_hugetext_add_segment (object, ph->p_vaddr & -page,
                                    ph->p_vaddr + ph->p_filesz,
                                    ph->p_vaddr + ph->p_memsz,
                                    ph->p_offset & -page, prot);
          if (object->nsegments > n)
            object->segment[n].datastart = ph->p_vaddr;
          if (ph->p_align > object->align)
            object->align = ph->p_align;
        }
      else if (ph->p_type == PT_GNU_RELRO)
        {
          object->relro_start = ph->p_vaddr & -page;
          object->relro_end
            = (ph->p_vaddr + ph->p_memsz + page - 1) & -page;
        }
    }
}

bool
_dl_hugetext_reserve_at (uintptr_t address, size_t size)
{
  long int got = sys_mmap (address, size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                           | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == (long int) address)
    return true;
  /* Before Linux 4.17 the address is but a hint.  */
  if (!sys_failed (got))
    sys_munmap (got, size);
  return false;
}

uintptr_t
_dl_hugetext_reserve_space (const struct hugetext_placement *placement,
                            uintptr_t page, uintptr_t start, size_t length,
                            uintptr_t near)
{
  size_t size = placement->before + length + placement->after;
  /* What the lowest address is congruent to when the load bias has the
     right residue.  */
  uintptr_t residue = placement->residue + start - placement->before;

  if (near > size + placement->modulus)
    {
      uintptr_t high = near - size;
      uintptr_t low = high - ((high - residue) & (placement->modulus - 1));
      if (_dl_hugetext_reserve_at (low, size))
        return low;
    }

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
  uintptr_t low = raw + ((residue - raw) & (placement->modulus - 1));

  /* What is left at the ends is only address space: a failure to give it
     back costs nothing but a line in /proc/PID/maps.  */
  if (low > (uintptr_t) raw)
    sys_munmap (raw, low - raw);
  if (raw + room > low + size)
    sys_munmap (low + size, raw + room - (low + size));
  return low;
}

/* The path by which L is being opened, NULL if unknown.  A program given to
   the loader as an argument has no name in its link map, and is looked for
   among the libraries unless its name has a slash.  */
static const char *
path_of (const struct link_map *l)
{
  if (l->l_name[0] != '\0')
    return l->l_name;
  return strchr (rtld_progname, '/') != NULL ? rtld_progname : NULL;
}

/* The next block of OBJECT, at its present load bias, that may be taken and
   be its file's own.  Sets OFFSET to its place in the file.  */
static bool
next_file_block (const struct hugetext_object *object,
                 const struct hugetext_state *state, uintptr_t from,
                 uintptr_t *block, uint64_t *offset)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  for (; hugetext_next_block (object, geo, from, block);
       from = *block + geo->block)
    if (hugetext_block_judge (object, geo, state->set.pad_threshold, *block)
        == HUGETEXT_TAKE
        && hugetext_block_file_offset (object, geo, *block, offset))
      return true;
  return false;
}

/* Have all blocks of OBJECT, open on FD, cached in huge pages, up to the
   cap.  Now, because later is too late: the first access to any of its data
   makes the kernel read megabytes around them in small pages.  */
static void
wake_file (struct hugetext_state *state, int fd,
           const struct hugetext_object *object)
{
  uintptr_t block;
  uint64_t offset, first = 0;
  size_t n = 0, total = 0;

  for (uintptr_t from = 0; ; from = block + state->set.geo.block)
    {
      bool more = (total < state->set.cap
                   && next_file_block (object, state, from, &block,
                                       &offset));
      if (n > 0 && (!more || offset != first + n * state->set.geo.block
                    || n == HUGETEXT_RUN_MAX))
        {
          _dl_hugetext_file_wake (state, fd, first, n);
          n = 0;
        }
      if (!more)
        break;
      if (n++ == 0)
        first = offset;
      ++total;
    }
}

bool
_dl_hugetext_file_fits (struct hugetext_state *state, int fd,
              struct hugetext_object *object,
              const struct hugetext_placement *placement)
{
  uintptr_t block, from = 0;
  uint64_t offset[3];
  size_t n = 0;

  object->bias = (placement != NULL
                  ? placement->modulus + placement->residue : 0);
  object->low = 0;
  object->high = UINTPTR_MAX;

  for (; n < 3 && next_file_block (object, state, from, &block, &offset[n]);
       ++n)
    from = block + state->set.geo.block;

  /* One block tells, and the second rather than the first: that one has been
     read from already.  It may be in the middle of being read, too; then the
     third.  */
  bool huge = (n > 0
               && _dl_hugetext_file_wake (state, fd, offset[n > 1], 1) == 1);
  if (!huge && n > 2)
    huge = _dl_hugetext_file_wake (state, fd, offset[2], 1) == 1;
  if (huge)
    wake_file (state, fd, object);
  _dl_hugetext_scan_end (state);
  return huge;
}

bool
_dl_hugetext_place_for_file (struct hugetext_state *state, int fd,
                struct hugetext_object *object,
                struct hugetext_placement *placement)
{
  struct hugetext_placement congruent;
  if (!hugetext_place_congruent (object, &state->set.geo,
                                 state->set.pad_threshold, &congruent)
      || (state->set.backing != HUGETEXT_FILE
          && !hugetext_prefer_congruent (&congruent, placement))
      || !_dl_hugetext_file_fits (state, fd, object, &congruent))
    return false;
  *placement = congruent;
  return true;
}

bool
_dl_hugetext_reserve (struct link_map *l, int fd, int type,
                      struct hugetext_object *object, size_t maplength)
{
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  struct hugetext_placement placement;

  object->relro_start = l->l_relro_addr;
  object->relro_end = l->l_relro_addr + l->l_relro_size;
  if (hugetext_object_check (object, &set->geo) != NULL
      || !hugetext_place (object, &set->geo, set->pad_threshold, &placement))
    return false;

  struct hugetext_state *state = _dl_hugetext_state ();
  if (state == NULL)
    return false;
  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return false;
  record->path = path_of (l);
  if (!_dl_get_file_id (fd, &record->id))
    record->path = NULL;
  bool may_use_file = _dl_hugetext_may_use_file (state);
  if (type != ET_DYN)
    {
      record->hopeless
        = may_use_file && !_dl_hugetext_file_fits (state, fd, object, NULL);
      return false;
    }
  if (may_use_file)
    record->hopeless
      = !_dl_hugetext_place_for_file (state, fd, object, &placement);
  if (state->no_slack && _dl_hugetext_has_slack (&placement))
    {
      record->hopeless = true;
      return false;
    }

  /* The stock loader rounds the end up to a page only implicitly.  */
  maplength = (maplength + state->set.geo.page - 1) & -state->set.geo.page;
  uintptr_t low = _dl_hugetext_reserve_space (&placement,
                                              state->set.geo.page,
                                              object->segment[0].start,
                                              maplength, 0);
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
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (__glibc_likely (state == NULL))
    return false;
  /* Should this be a dlopen that failed: what was learnt for it is over.  */
  state->watch.known = false;
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (record == NULL)
    return false;

  bool reserved = record->high != 0;
  if (reserved)
    sys_munmap (record->low, record->high - record->low);
  _dl_hugetext_forget (state, record);
  return reserved;
}

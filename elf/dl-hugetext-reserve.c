/* The reservation of address space in which an object's text can lie on huge
   pages, and its return.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-placement.c decides the address.  The stock loader maps an
   object that has nothing to gain.  */

#include <elf.h>

#include "dl-hugetext.h"
#include "dl-hugetext-work.h"
#include "dl-hugetext-sys.h"

/* An object that spans more blocks than this, data and gaps included (256 GiB
   with 2 MiB blocks), is left to the stock loader, which maps all of the span
   at once: that may fail where a reservation does not.  */
#define SPAN_MAX (128 * (uintptr_t) HUGETEXT_BLOCKS_MAX)

/* Describe the object of MAPPING in STATE's object, from its file's program
   headers.  False if it cannot have blocks, or if glibc has read the headers
   differently.  */
static bool
describe_file (struct hugetext_state *state,
               const struct hugetext_mapping *mapping)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  struct hugetext_object *object = &state->object;
  const ElfW (Phdr) *phdr = mapping->phdr;
  size_t size = mapping->header->e_phnum * sizeof *phdr;

  if (phdr == NULL)
    {
      if (size > sizeof state->scratch.phdr
          || sys_pread (mapping->fd, state->scratch.phdr, size,
                        mapping->header->e_phoff)
                 != (long int) size)
        return false;
      phdr = state->scratch.phdr;
    }
  hugetext_describe (object, phdr, mapping->header->e_phnum, geo->page);
  if (mapping->align > object->align)
    object->align = mapping->align;
  return (hugetext_object_check (object, geo) == NULL
          && hugetext_object_length (object) <= SPAN_MAX * geo->block
          && hugetext_object_start (object) == mapping->start
          && (hugetext_object_length (object)
              == ((mapping->length + geo->page - 1) & -geo->page)));
}

bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping)
{
  struct hugetext_placement placement;

  struct hugetext_state *state = _dl_hugetext_state ();
  if (state == NULL || !_dl_hugetext_allows (state->set.has.advice, l->l_name)
      || !describe_file (state, mapping))
    return false;
  if (!_dl_hugetext_place (state, &placement))
    return false;
  struct hugetext_record *record
      = _dl_hugetext_begin_object (state, l, mapping->fd);
  if (record == NULL)
    return false;

  /* There is likely room below the last object: the kernel, too, places
     mappings below one another.  */
  bool reserved = (_dl_hugetext_choose (state, mapping->fd, record,
                                        mapping->type != ET_DYN, &placement)
                   && _dl_hugetext_reserve_space (
                       &state->object, &placement, state->set.geo.page,
                       state->last_low, record, &l->l_addr));
  if (reserved)
    state->last_low = record->low;
  if (!state->attempt.start)
    _dl_hugetext_pause (&state->attempt);
  return reserved;
}

void
_dl_hugetext_mapped (struct link_map *l, bool reserved, const char *error)
{
  if (__glibc_unlikely (error != NULL))
    /* Unmap the object, because the caller frees L but unmaps nothing.  */
    _dl_hugetext_unmap (l);
  else if (reserved)
    /* The reservation includes the gaps between segments.  */
    l->l_contiguous = 1;
}

bool
_dl_hugetext_unmap (struct link_map *l)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (__glibc_likely (state == NULL))
    return false;
  /* End the attempt: this may be a dlopen that failed.  A start goes on
     without an object that cannot be preloaded.  */
  _dl_hugetext_end (&state->attempt);
  if (!state->attempt.start)
    _dl_hugetext_forget_heats (&state->heats);
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (record == NULL)
    return false;

  /* If text was lost, another thread may have mapped something there: then
     nothing is unmapped, and address space is lost, too.  */
  bool unmapped = record->lost;
  if (!record->lost && record->high != 0)
    {
      sys_munmap (record->low, record->high - record->low);
      unmapped = true;
    }
  _dl_hugetext_forget (state, record);
  return unmapped;
}

/* Examine objects before glibc maps them, and give the kernel hints.  A hint
   is an address that the loader proposes to the kernel for an object while the
   process still has too little text to gain from huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most processes never have enough text for huge pages, and the kernel maps
   their objects at the hints.  When a process has enough text to gain from
   huge pages, the loader reserves the slack around its earlier objects
   (_dl_hugetext_claim_hinted), and dl-hugetext-place.c places the next
   objects.  */

#include <elf.h>

#include "dl-hugetext.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

bool
_dl_hugetext_best_place (struct hugetext_state *state,
                         struct hugetext_placement *placement)
{
  struct hugetext_scratch *scratch = &state->scratch;
  scratch->site
      = (struct hugetext_site){ .object = &state->object,
                                .geo = &state->set.geo,
                                .pad_threshold = state->set.pad_threshold,
                                .names = state->set.places_names };
  return hugetext_place (&scratch->site, &scratch->room, placement);
}

struct hugetext_record *
_dl_hugetext_begin_object (struct hugetext_state *state, struct link_map *l,
                           int fd, uint64_t digest)
{
  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return NULL;
  _dl_hugetext_note_file (record, fd);
  record->digest = digest;
  return record;
}

bool
_dl_hugetext_is_small_so_far (uintptr_t text)
{
  return (!_dl_hugetext_program_runs () && !_dl_hugetext_set.has.heats
          && _dl_hugetext_is_small (text));
}

/* Forget the newest record if its object could not be loaded and has been
   freed.  Older records need no check, because their objects are still
   loaded.  */
static void
forget_gone (struct hugetext_state *state)
{
  struct hugetext_record *last = state->records;
  if (last != NULL && last->map != NULL && hugetext_is_gone (last->map))
    _dl_hugetext_forget (state, last);
}

struct hugetext_state *
_dl_hugetext_placing_state (void)
{
  struct hugetext_state *state
      = (_dl_hugetext_is_small_so_far (0) ? _dl_hugetext_early_state ()
                                          : _dl_hugetext_state ());
  if (state != NULL)
    forget_gone (state);
  return state;
}

/* The maximum number of blocks that an object may span, including data and
   gaps (256 GiB with blocks of 2 MiB).  If an object spans more than SPAN_MAX
   blocks, the loader does not place it, and the code of the stock loader maps
   the object as one range.  Mapping an object of this length as a whole may
   fail even if the loader can reserve the object's addresses.  */
#define SPAN_MAX (128 * (uintptr_t) HUGETEXT_BLOCKS_MAX)

/* Describe MAPPING's object in STATE->object, from the program headers in the
   object's file.  Return false if the object cannot have blocks.  */
static bool
describe_headers (struct hugetext_state *state,
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
  return (hugetext_object_check (object, geo) == NULL
          && hugetext_object_length (object) <= SPAN_MAX * geo->block);
}

/* Return true if STATE's object begins at START and has LENGTH bytes. glibc
   has computed START and LENGTH from the program headers that it has read.  */
static bool
is_range (const struct hugetext_state *state, ElfW (Addr) start, size_t length)
{
  const uintptr_t page = state->set.geo.page;
  return (hugetext_object_start (&state->object) == start
          && (hugetext_object_length (&state->object)
              == ((length + page - 1) & -page)));
}

/* Describe MAPPING's object in STATE->object, from the program headers in the
   object's file.  Return false if the object cannot have blocks, or if the
   program headers in the file differ from those that glibc has read.  */
static bool
describe_file (struct hugetext_state *state,
               const struct hugetext_mapping *mapping)
{
  if (!describe_headers (state, mapping))
    return false;
  if (mapping->align > state->object.align)
    state->object.align = mapping->align;
  return (hugetext_object_check (&state->object, &state->set.geo) == NULL
          && is_range (state, mapping->start, mapping->length));
}

/* Find out whether and where STATE's object can have blocks, and note the
   result in STATE->scratch.examined.  FREE is true if the stock loader lets
   the kernel choose the object's address, and false if the object has a
   link-time address (prelink), which the stock loader proposes to the kernel.
   If FREE is true, and the process still has too little text to gain from huge
   pages, choose a hint for the object's address.  Choose a hint even for an
   object that cannot have blocks: at an address that the kernel chooses, the
   object might use addresses that the loader later needs around another
   object.  */
static void __attribute_noinline__
examine_find_places (struct hugetext_state *state, bool free)
{
  struct hugetext_examined *examined = &state->scratch.examined;
  const struct hugetext_placement anywhere
      = { .modulus = state->set.geo.page };
  examined->small
      = _dl_hugetext_is_small_so_far (hugetext_object_text (&state->object));
  examined->gains = _dl_hugetext_best_place (state, &examined->placement);
  if (examined->gains)
    examined->digest = hugetext_object_digest (&state->object);
  if (!examined->small || !free
      || !_dl_hugetext_hint_space (
          state, examined->gains ? &examined->placement : &anywhere,
          &examined->hint))
    examined->hint.bias = 0;
}

/* glibc is about to map the object L: LENGTH bytes of the file FD at START,
   aligned to ALIGN.  Return true if STATE->scratch.examined describes this
   object.  Before glibc 2.35, an auditor's la_activity may open other objects
   after the loader has examined L.  If an auditor has opened another object,
   return false, because FD is not the last file on which the stock loader has
   called fstat.  */
static bool
is_examined (const struct hugetext_state *state, const struct link_map *l,
             int fd, ElfW (Addr) start, size_t length, ElfW (Addr) align)
{
  return (state->examined && !_dl_hugetext_program_runs ()
          && _dl_hugetext_asked_file (l, fd) != NULL
          && align <= state->object.align && is_range (state, start, length));
}

bool
_dl_hugetext_take_hint (struct hugetext_state *state, struct link_map *l,
                        int fd)
{
  const struct hugetext_examined *examined = &state->scratch.examined;
  const struct hugetext_hint *hint = &examined->hint;
  if (examined->gains)
    {
      struct hugetext_record *record
          = _dl_hugetext_begin_object (state, l, fd, examined->digest);
      if (record == NULL)
        return true;
      record->hint = hint->bias;
      if (hint->bias != 0)
        {
          record->entry.low = hint->low;
          record->entry.high = hint->high;
        }
    }
  if (hint->bias != 0)
    l->l_addr = hint->bias;
  return true;
}

/* Return true if the loader has passed the kernel a hint for the address of
   RECORD's object, but has not yet reserved the slack (address space) around
   the object.  */
static bool
is_hinted (const struct hugetext_record *record)
{
  return record->hint != 0 && !record->populated;
}

bool
_dl_hugetext_has_hinted (const struct hugetext_state *state)
{
  const struct hugetext_record *record = state->records;
  while (record != NULL && !is_hinted (record))
    record = record->next;
  return record != NULL;
}

void
_dl_hugetext_claim_hinted (struct hugetext_state *state)
{
  for (struct hugetext_record *record = state->records; record != NULL;
       record = record->next)
    if (is_hinted (record))
      {
        _dl_hugetext_begin (state);
        _dl_hugetext_claim_space (record, state->set.geo.page,
                                  !state->attempt.no_slack);
      }
}

void
_dl_hugetext_examine (const struct hugetext_mapping *mapping)
{
  struct hugetext_state *state = _dl_hugetext_placing_state ();
  if (state == NULL)
    return;
  state->examined = false;
  if (!describe_headers (state, mapping))
    return;
  examine_find_places (state,
                       (mapping->header->e_type == ET_DYN
                        && hugetext_object_start (&state->object) == 0));
  state->examined = true;
}

bool
_dl_hugetext_examine_file (struct hugetext_state *state,
                           const struct link_map *l,
                           const struct hugetext_mapping *mapping)
{
  if (is_examined (state, l, mapping->fd, mapping->start, mapping->length,
                   mapping->align))
    return true;
  if (!describe_file (state, mapping))
    return false;
  examine_find_places (state, !mapping->fixed && mapping->start == 0);
  return true;
}

bool
_dl_hugetext_hint (struct link_map *l, int fd, ElfW (Addr) start,
                   size_t length, ElfW (Addr) align)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (state == NULL || !is_examined (state, l, fd, start, length, align)
      || !state->scratch.examined.small
      || !_dl_hugetext_allows (state->set.has.advice, l->l_name))
    return false;
  state->examined = false;
  return _dl_hugetext_take_hint (state, l, fd);
}

/* RECORD describes the program, which the kernel has mapped and whose link map
   is L.  Open the program's file, and note the file's identity in RECORD.  */
static void
identify_program (struct hugetext_state *state, struct hugetext_record *record,
                  const struct link_map *l)
{
  record->unopened = false;
  const int fd = _dl_hugetext_open_program (state, l->l_phdr, l->l_phnum);
  if (fd < 0)
    return;
  _dl_hugetext_note_file (record, fd);
  sys_close (fd);
}

void
_dl_hugetext_claim_places (struct hugetext_state *state,
                           const struct link_map *root)
{
  forget_gone (state);
  _dl_hugetext_claim_hinted (state);
  for (struct hugetext_record *record = state->records; record != NULL;
       record = record->next)
    /* ROOT, the object that is being loaded, may be an auditor (LD_AUDIT),
       which the loader maps before the program.  */
    if (record->unopened && !record->populated
        && root->l_type == lt_executable)
      identify_program (state, record, root);
}

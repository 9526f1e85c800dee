/* The place of an object: address space in which its text can lie on huge
   pages, found before the object is mapped, and given back.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy (dl-hugetext-placement.c) decides, and this file has the answers
   that it asks for.  The stock loader maps an object that has nothing to
   gain.  */

#include <elf.h>

#include "dl-hugetext.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The closure of the policy's questions about an object that is being
   placed.  */
struct question
{
  struct hugetext_state *state;
  int fd;
  const struct hugetext_record *record;
  struct hugetext_site site;
};

static bool
answer (void *closure, enum hugetext_fact fact)
{
  struct question *question = closure;
  switch (fact)
    {
    case HUGETEXT_IS_TRACED:
      return _dl_hugetext_traced (question->state);
    case HUGETEXT_HAS_IMAGE:
      return _dl_hugetext_find_image (question->state, question->record);
    case HUGETEXT_HAS_FILE_BLOCK:
      return _dl_hugetext_try_file (question->state, question->fd,
                                    question->record, &question->site);
    case HUGETEXT_HAS_FILE_BLOCKS:
      return _dl_hugetext_cache_file (question->state, question->fd,
                                      question->record, &question->site);
    default:
      return false;
    }
}

/* Find the PLACEMENT that puts most text of STATE's object into blocks.  False
   if no placement gives it a block.  */
static bool
place (struct hugetext_state *state, struct hugetext_placement *placement)
{
  const struct hugetext_site site
      = { .object = &state->object,
          .geo = &state->set.geo,
          .pad_threshold = state->set.pad_threshold };
  return hugetext_place (&site, placement);
}

/* Make a record of STATE's object, which is mapped from FD, for L; NULL if
   there is no memory for one.  FD is -1 if the file cannot be opened, L is
   NULL if the object is the program and has no link map yet.  */
static struct hugetext_record *
begin_object (struct hugetext_state *state, struct link_map *l, int fd)
{
  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return NULL;
  _dl_hugetext_begin (state);
  _dl_hugetext_note_file (record, fd);
  record->digest = hugetext_object_digest (&state->object);
  /* Unless the loader tries it.  */
  record->file_ruled_out = true;
  return record;
}

/* Choose the place of STATE's object, whose file is open on FD, and whose
   identity is in RECORD: change PLACEMENT, made by place.  The decision is
   hugetext_choose's, with the facts of this machine.  If the object can use
   huge pages of its file, have the kernel cache as much of the file in huge
   pages as the object can use; else note in RECORD that it cannot.  False if
   the object stays where it would be anyway.  */
static bool
choose (struct hugetext_state *state, int fd, struct hugetext_record *record,
        bool fixed, struct hugetext_placement *placement)
{
  struct question question
      = { .state = state,
          .fd = fd,
          .record = record,
          .site = { .object = &state->object,
                    .geo = &state->set.geo,
                    .pad_threshold = state->set.pad_threshold,
                    .choice = state->set.backing,
                    .heat = _dl_hugetext_heat (state, record),
                    .fixed = fixed,
                    .no_slack = state->attempt.no_slack,
                    .ask = answer,
                    .closure = &question } };
  struct hugetext_site_verdict verdict
      = hugetext_choose (&question.site, placement);
  record->file_ruled_out = !verdict.file;
  return !verdict.stays;
}

/* Compute the load bias of the program with headers PHDR; false if it is
   unknown.  */
static bool
load_bias (const ElfW (Phdr) * phdr, ElfW (Word) phnum, ElfW (Addr) * bias)
{
  for (ElfW (Word) i = 0; i < phnum; ++i)
    if (phdr[i].p_type == PT_PHDR)
      {
        *bias = (uintptr_t) phdr - phdr[i].p_vaddr;
        return true;
      }
  return false;
}

ElfW (Addr) _dl_hugetext_program (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                                  ElfW (auxv_t) * auxv)
{
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  struct hugetext_state *state;
  struct hugetext_record *record;
  struct hugetext_placement placement;
  ElfW (Addr) bias, delta = 0;
  bool leaves = false;

  if (!_dl_hugetext_allows (set->has.advice, "")
      || !load_bias (phdr, phnum, &bias)
      || (state = _dl_hugetext_state ()) == NULL)
    return 0;
  hugetext_describe (&state->object, phdr, phnum, set->geo.page);
  state->object.bias = bias;
  if (hugetext_object_check (&state->object, &set->geo) != NULL
      || !place (state, &placement))
    return 0;
  int fd = _dl_hugetext_open_program (state, phdr, phnum);
  record = begin_object (state, NULL, fd);
  if (record != NULL && fd >= 0)
    {
      if (hugetext_may_use_file (set->backing))
        _dl_hugetext_prepare_program (state, (uintptr_t) phdr);
      leaves = choose (state, fd, record, !_dl_hugetext_may_move (state),
                       &placement);
      state->attempt.exec_has_read = false;
      state->object.bias = bias;
    }
  if (leaves)
    delta = _dl_hugetext_move_program (state, record, &placement, fd, auxv);
  if (fd >= 0)
    sys_close (fd);
  return delta;
}

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
  if (!place (state, &placement))
    return false;
  struct hugetext_record *record = begin_object (state, l, mapping->fd);
  if (record == NULL)
    return false;

  /* There is likely room below the last object, or where one was: the kernel,
     too, places mappings below one another.  */
  bool reserved
      = (choose (state, mapping->fd, record, mapping->fixed, &placement)
         && _dl_hugetext_reserve_space (state, record, &placement,
                                        state->next_below, &l->l_addr));
  if (reserved)
    state->next_below = record->low;
  if (!state->attempt.start)
    _dl_hugetext_pause (state);
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
  _dl_hugetext_end (state);
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
      /* Objects that are closed and opened again come to where they were, as
         the kernel's highest gap is theirs under the stock loader: plugins
         leave pointers to themselves with libraries that stay.  */
      if (record->high > state->next_below)
        state->next_below = record->high;
    }
  _dl_hugetext_forget (state, record);
  return unmapped;
}

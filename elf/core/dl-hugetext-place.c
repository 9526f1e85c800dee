/* The placement of an object at addresses at which its text can be huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader reserves the address space before it maps the object, and
   releases the address space when the object is closed.  The policy
   (dl-hugetext-placement.c) chooses the address, and asks this file for facts
   about the system.  If an object cannot gain from huge pages, the stock
   loader's code maps it.  */

#include "dl-hugetext.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The data from which the function "answer" answers the policy's questions
   about an object.  */
struct question
{
  struct hugetext_state *state;
  int fd;
  struct hugetext_record *record;
  struct hugetext_site site;
  bool small; /* The trial (dl-hugetext-trial.c) has shown that the page cache
                 has no huge page of the object's file.  */
};

static bool
place_answer_question (void *closure, enum hugetext_fact fact)
{
  struct question *question = closure;
  switch (fact)
    {
    case HUGETEXT_IS_READABLE:
      return true;
    case HUGETEXT_HAS_IMAGE:
      return _dl_hugetext_find_image (question->state, question->record);
    case HUGETEXT_HAS_FILE_BLOCK:
      question->small = !_dl_hugetext_try_file (
          question->state, question->fd, question->record, &question->site);
      return !question->small;
    case HUGETEXT_HAS_FILE_BLOCKS:
      return _dl_hugetext_cache_file (question->state, question->fd,
                                      question->record, &question->site);
    default:
      return _dl_hugetext_answer (question->state, question->record,
                                  &question->fd, fact);
    }
}

/* Return the minimum number of bytes of text for which a block is worth a copy
   (hugetext_copy_text).  The block belongs to the object for
   which the loader is choosing an address.  This object's own blocks cannot be
   counted among the huge blocks that use no additional memory, because the
   address of the object is not chosen yet.  */
static uintptr_t
copy_text_of (const struct hugetext_state *state)
{
  const struct hugetext_charge *used = &state->ledger.used;
  return (
      _dl_hugetext_program_runs ()
              && hugetext_weighs_copies (state->set.backing)
          ? hugetext_copy_text (&state->set.geo, used->blocks - used->copies)
          : 0);
}

/* Choose the address of STATE's object with hugetext_choose, and store it in
   PLACEMENT.  On entry, PLACEMENT is the result of the function "place".  FD
   is the object's open file, and RECORD contains the identity of this file.
   If the object can use huge pages of its file, make the kernel cache the
   usable parts of the file in huge pages.  If the object cannot use huge pages
   of its file, note this in RECORD.  FIXED is true if the loader may not
   choose the address of the object.  Return false if the object stays at the
   address that the kernel or the stock loader chooses.  */
static bool
place_choose_address (struct hugetext_state *state, int fd,
                      struct hugetext_record *record, bool fixed,
                      struct hugetext_placement *placement)
{
  /* Before reading heat (the execution profile), find out which system calls
     are allowed: to read heat, the loader maps memory that the stock loader
     does not map.  */
  if (state->set.has.heats)
    _dl_hugetext_ask (state);
  struct question question
      = { .state = state,
          .fd = fd,
          .record = record,
          .site = { .object = &state->object,
                    .geo = &state->set.geo,
                    .pad_threshold = state->set.pad_threshold,
                    .names = state->set.places_names,
                    .choice = state->set.backing,
                    .images = state->set.has.images,
                    .heat = _dl_hugetext_heat (state, record),
                    .copy_text = copy_text_of (state),
                    .fixed = fixed,
                    .steady = state->set.steady,
                    .no_slack = state->attempt.no_slack,
                    .ask = place_answer_question,
                    .closure = &question } };
  struct hugetext_site_verdict verdict
      = hugetext_choose (&question.site, placement);
  record->file_ruled_out = !verdict.file;
  if (!verdict.file)
    _dl_hugetext_drop_kept (state, record);
  record->hopeless = question.small && _dl_hugetext_has_file_only (state);
  if (record->hopeless)
    _dl_hugetext_note_small (state, record, placement);
  return !verdict.stays;
}

/* Compute the load bias of the program with the headers PHDR.  Return false if
   PHDR does not show the load bias.  */
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
      || (state = _dl_hugetext_placing_state ()) == NULL)
    return 0;
  hugetext_describe (&state->object, phdr, phnum, set->geo.page);
  state->object.bias = bias;
  if (hugetext_object_check (&state->object, &set->geo) != NULL
      || !_dl_hugetext_best_place (state, &placement))
    return 0;
  if (_dl_hugetext_is_small_so_far (hugetext_object_text (&state->object)
                                    + hugetext_text_to_come (&set->geo)))
    {
      /* The program stays at the address that the kernel has chosen.  */
      record = _dl_hugetext_begin_object (
          state, NULL, -1, hugetext_object_digest (&state->object));
      if (record != NULL)
        record->unopened = true;
      return 0;
    }
  if ((state = _dl_hugetext_state ()) == NULL)
    return 0;
  int fd = _dl_hugetext_open_program (state, phdr, phnum);
  record = _dl_hugetext_begin_object (state, NULL, fd,
                                      hugetext_object_digest (&state->object));
  if (record != NULL)
    _dl_hugetext_begin (state);
  if (record != NULL && fd >= 0)
    {
      if (hugetext_may_use_file (set->backing))
        _dl_hugetext_prepare_program (state, (uintptr_t) phdr);
      leaves = place_choose_address (
          state, fd, record, !_dl_hugetext_may_move (state), &placement);
      state->attempt.exec_has_read = false;
      state->object.bias = bias;
    }
  if (leaves)
    delta = _dl_hugetext_move_program (state, record, &placement, fd, auxv);
  if (fd >= 0)
    sys_close (fd);
  return delta;
}

/* Return true if an object that a running program opens has enough text for
   its blocks to become huge.  TEXT is the size of the object's text in
   bytes.  */
static bool
is_large_late (uintptr_t text)
{
  return (_dl_hugetext_root.small == HUGETEXT_NO
          || (text >= hugetext_late_text (&_dl_hugetext_set.geo)
              && !_dl_hugetext_is_small (text)));
}

/* A running program opens STATE's object, whose record is RECORD.  Return true
   if blocks of the object may still become huge.  If the function returns
   false, the code of the stock loader maps the object.  (During a start, the
   loader cannot know before all objects are mapped whether blocks of an object
   may become huge.)  */
static bool
gains_late (struct hugetext_state *state, const struct hugetext_record *record)
{
  const uintptr_t text = hugetext_object_text (&state->object);
  return (is_large_late (text)
          || _dl_hugetext_heat (state, record).weight != NULL);
}

/* A cheap test before gains_late: return false if MAPPING's object has too
   little text, so that gains_late would return false.  The function adds up
   the sizes of text in the program headers; the sum is never less than the
   real text.  Because the function needs no state, a small program needs no
   state for small objects that it opens.  */
static bool
may_gain_late (const struct hugetext_mapping *mapping)
{
  uintptr_t text = 0;
  if (_dl_hugetext_settings ()->has.heats || mapping->phdr == NULL)
    return true;
  for (size_t i = 0; i < mapping->header->e_phnum; ++i)
    if (mapping->phdr[i].p_type == PT_LOAD
        && (mapping->phdr[i].p_flags & PF_X) != 0)
      text += mapping->phdr[i].p_filesz;
  return is_large_late (text);
}

/* Return true if a running program opens STATE's object, and the program
   headers already show that none of the object's blocks can be huge.  A huge
   page of the object's file needs a load bias with which the address and the
   file offset of a block are congruent modulo the block size.  No block can be
   huge if there is no such load bias, and the loader may use only huge pages
   of the file.  */
static bool
is_hopeless (struct hugetext_state *state)
{
  struct hugetext_placement congruent;
  const struct hugetext_site site
      = { .object = &state->object,
          .geo = &state->set.geo,
          .pad_threshold = state->set.pad_threshold };
  return (_dl_hugetext_has_file_only (state)
          && hugetext_may_use_file (state->set.backing)
          && state->findings.space == HUGETEXT_YES
          && !hugetext_place_congruent (&site, &congruent));
}

/* Reserve the address space NEED for L, RECORD's object, and set the load
   bias.  First try the space below the object mapped last, or the space of a
   closed object.  The space below the object mapped last is probably free,
   because the kernel also puts each mapping below the previous mapping.  If
   the trial (dl-hugetext-trial.c) has left blocks of the object's file mapped,
   try the space below the mapped blocks.  Return false if there is no free
   address space.  */
static bool
reserve (struct hugetext_state *state, struct hugetext_record *record,
         const struct hugetext_need *need, struct link_map *l)
{
  const uintptr_t below
      = (record->kept.nblocks > 0
             ? hugetext_min (state->below, record->kept.staging)
             : state->below);
  if (!_dl_hugetext_reserve_space (state, record, need, below, &l->l_addr))
    return false;
  state->below = record->entry.low;
  return true;
}

/* Reserve address space for L, whose file has no huge pages.  SMALL is the
   loader's entry for L's file in its list of files without huge pages.  FD is
   the open file.  Return false if there is no free address space.  */
static bool __attribute_noinline__
reserve_small (struct hugetext_state *state, struct link_map *l, int fd,
               const struct hugetext_small_file *small)
{
  struct hugetext_record *record
      = _dl_hugetext_begin_object (state, l, fd, small->digest);
  const struct hugetext_need need = { .placement = &small->placement,
                                      .start = small->start,
                                      .length = small->length };
  if (record == NULL)
    return false;
  record->hopeless = true;
  return reserve (state, record, &need, l);
}

/* Place STATE's object L, which can gain from huge pages.  Choose PLACEMENT
   or, if the policy prefers huge pages of the object's file, the placement at
   which they can be mapped.  FD is the object's open file.  FIXED is true if
   the loader may not choose the address of the object.  Return whether address
   space is reserved for L.  */
static bool __attribute_noinline__
place_object (struct hugetext_state *state, struct hugetext_record *record,
              struct link_map *l, int fd, bool fixed,
              struct hugetext_placement *placement)
{
  /* _dl_hugetext_begin also finds out anew whether address space is
     limited.  */
  _dl_hugetext_begin (state);
  record->hopeless = is_hopeless (state);
  if (record->hopeless)
    _dl_hugetext_note_small (state, record, placement);
  const struct hugetext_need need
      = hugetext_need_of (&state->object, placement);
  return ((record->hopeless
               ? !fixed
               : place_choose_address (state, fd, record, fixed, placement))
          && reserve (state, record, &need, l));
}

/* The part of _dl_hugetext_reserve for objects that may gain from huge
   pages.  */
static bool __attribute_noinline__
reserve_object (struct link_map *l, const struct hugetext_mapping *mapping)
{
  struct hugetext_state *state = _dl_hugetext_placing_state ();
  if (state == NULL || !_dl_hugetext_allows (state->set.has.advice, l->l_name))
    return false;
  const struct hugetext_small_file *known
      = _dl_hugetext_find_small (state, l, mapping);
  if (known != NULL)
    return reserve_small (state, l, mapping->fd, known);
  if (!_dl_hugetext_examine_file (state, l, mapping))
    return false;
  state->examined = false;
  if (state->scratch.examined.small)
    {
      _dl_hugetext_take_hint (state, l, mapping->fd);
      return false;
    }
  /* The functions that this function calls use the scratch space of the
     state.  */
  struct hugetext_examined examined = state->scratch.examined;
  if ((!examined.gains && !_dl_hugetext_has_hinted (state))
      || (state = _dl_hugetext_state ()) == NULL)
    return false;
  if (!examined.gains)
    {
      /* Together with the text of this object, the process has enough text to
         gain from huge pages.  Reserve the slack (address space around an
         object) of earlier objects now, before the kernel can map this object
         there.  */
      _dl_hugetext_claim_hinted (state);
      return false;
    }
  struct hugetext_record *record
      = _dl_hugetext_begin_object (state, l, mapping->fd, examined.digest);
  if (record == NULL)
    return false;
  /* Reserve the slack (free addresses around the object) now, before another
     mapping can use it.  */
  _dl_hugetext_claim_hinted (state);
  if (_dl_hugetext_program_runs () && !gains_late (state, record))
    return false;
  const bool reserved = place_object (state, record, l, mapping->fd,
                                      mapping->fixed, &examined.placement);
  if (!state->attempt.start)
    _dl_hugetext_pause (state);
  return reserved;
}

/* The large variables are in the function reserve_object, so that they take no
   stack space when a small program opens an object.  */
bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping)
{
  return ((!_dl_hugetext_program_runs () || _dl_hugetext_old_state () != NULL
           || may_gain_late (mapping))
          && reserve_object (l, mapping));
}

/* The kernel has mapped L.  Set STATE->below, so that the loader puts the next
   object below L.  If the kernel has mapped L at the address that the loader
   has proposed as a hint, the loader puts the next object below L's slack,
   too.  */
static void
note_mapped (const struct link_map *l)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (state == NULL || _dl_hugetext_program_runs ())
    return;
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  uintptr_t low = l->l_map_start;
  if (record != NULL && record->hint == l->l_addr && record->hint != 0)
    low = record->entry.low;
  else if (record != NULL)
    record->entry.low = record->entry.high = record->hint = 0;
  state->below = hugetext_below_mapping (&state->set.geo, state->below, low);
}

void
_dl_hugetext_mapped (struct link_map *l, bool reserved, const char *error)
{
  if (__glibc_unlikely (error != NULL))
    /* Unmap the object of L, because the caller frees the link map L and
       unmaps nothing.  */
    _dl_hugetext_unmap (l);
  else if (reserved)
    /* The reserved range of addresses includes the gaps between segments.  */
    l->l_contiguous = 1;
  else
    note_mapped (l);
}

bool
_dl_hugetext_unmap (struct link_map *l)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  _dl_hugetext_count_again ();
  if (__glibc_likely (state == NULL))
    return false;
  /* If glibc cannot load an object, it unmaps the object, and the start or
     dlopen may fail.  Therefore end the loader's attempt to make blocks huge
     in this start or dlopen.  (If a start continues although glibc could not
     load an object of LD_PRELOAD, the loader begins a new attempt.)  */
  _dl_hugetext_end (state);
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (record == NULL)
    return false;

  /* If the kernel has unmapped text of the object, and the loader could not
     map this text again, another thread may have mapped memory at the
     addresses of the lost text.  If any text of the object is lost, leave the
     object's whole range mapped, which costs only address space.  */
  bool unmapped = record->lost;
  if (!record->lost && record->entry.high != 0 && record->hint == 0)
    {
      sys_munmap (record->entry.low, record->entry.high - record->entry.low);
      unmapped = true;
      /* If the program opens the closed object again, the loader should map
         the object at the same address as before.  Some plugins rely on the
         same address, because they leave pointers to themselves in libraries
         that stay loaded.  (Under the stock loader, an object that is closed
         and opened again gets the same address: the kernel maps it in the
         highest gap, and the object itself has left this gap when it was
         closed.)  */
      if (record->entry.high > state->below)
        state->below = record->entry.high;
    }
  _dl_hugetext_forget (state, record);
  return unmapped;
}

/* The place of an object: address space in which its text can lie on huge
   pages, reserved before the object is mapped, and released at the end.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy (dl-hugetext-placement.c) decides; this file answers its
   questions.  The stock loader maps an object that cannot gain.  */

#include <elf.h>
#include <hugetext-glibc-maps.h>
#include <string.h>

#include "dl-hugetext.h"
#include "dl-hugetext-stretch.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The closure of the policy's questions about an object that is being
   placed.  */
struct question
{
  struct hugetext_state *state;
  int fd;
  struct hugetext_record *record;
  struct hugetext_site site;
  bool small; /* The file has been tried, and has no huge page.  */
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
      question->record->has_image
          = _dl_hugetext_find_image (question->state, question->record);
      return question->record->has_image;
    case HUGETEXT_HAS_FILE_BLOCK:
      question->small = !_dl_hugetext_try_file (
          question->state, question->fd, question->record, &question->site);
      return !question->small;
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
          .pad_threshold = state->set.pad_threshold,
          .names = state->set.places_names };
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
  _dl_hugetext_note_file (record, fd);
  record->digest = hugetext_object_digest (&state->object);
  /* The loader may change this by a trial.  */
  record->file_ruled_out = true;
  return record;
}

/* Return what is known of RECORD's file as a small one, or NULL.  */
static struct hugetext_small_file *
find_small (struct hugetext_state *state, const struct hugetext_record *record)
{
  struct hugetext_findings *findings = &state->findings;
  for (size_t i = 0; i < HUGETEXT_SMALL_FILES && i < findings->nsmall; ++i)
    if (memcmp (&findings->small[i].file, &record->file, sizeof record->file)
        == 0)
      return &findings->small[i];
  return NULL;
}

/* Remember that RECORD's file is small, and its object's PLACEMENT.  */
static void
note_small (struct hugetext_state *state, const struct hugetext_record *record,
            const struct hugetext_placement *placement)
{
  struct hugetext_findings *findings = &state->findings;
  struct hugetext_small_file *small = find_small (state, record);
  if (small == NULL)
    {
      small = &findings->small[findings->nsmall++ % HUGETEXT_SMALL_FILES];
      *small = (struct hugetext_small_file){ .file = record->file,
                                             .digest = record->digest };
    }
  small->wait = (small->wait == 0
                     ? 1
                     : hugetext_min (2 * small->wait, HUGETEXT_SMALL_WAIT));
  small->left = small->wait;
  small->placement = *placement;
}

/* Whether an object that a running program opens can only have huge pages of
   its file.  */
static bool
has_file_only (const struct hugetext_state *state)
{
  return (_dl_hugetext_program_runs ()
          && !hugetext_may_copy (state->set.backing) && !state->set.has.images
          && !state->set.has.heats);
}

/* Whether RECORD's file is known to be small and should not be tried again
   yet.  If so and address space was last found unlimited, set PLACEMENT: the
   object gets the same place as last time.  */
static bool
is_known_small (struct hugetext_state *state,
                const struct hugetext_record *record,
                struct hugetext_placement *placement)
{
  struct hugetext_small_file *small
      = (has_file_only (state) && state->findings.space == HUGETEXT_YES
             ? find_small (state, record)
             : NULL);
  if (small == NULL || small->left == 0 || small->digest != record->digest)
    return false;
  --small->left;
  *placement = small->placement;
  return true;
}

/* Whether STATE's object is described like one whose file is known to be
   small; then it is also known to have blocks.  */
static bool
is_like_small (const struct hugetext_state *state)
{
  const struct hugetext_findings *findings = &state->findings;
  if (findings->nsmall == 0)
    return false;
  const uint64_t digest = hugetext_object_digest (&state->object);
  for (size_t i = 0; i < HUGETEXT_SMALL_FILES && i < findings->nsmall; ++i)
    if (findings->small[i].digest == digest)
      return true;
  return false;
}

/* Choose the place of STATE's object, whose file is open on FD and whose
   identity is in RECORD: change PLACEMENT, made by place.  hugetext_choose
   decides, with the facts of this machine.  If the object can use huge pages
   of its file, cache as much of the file in huge pages as the object can use;
   otherwise note in RECORD that it cannot.  False if the object stays where it
   would be anyway.  */
static bool
choose (struct hugetext_state *state, int fd, struct hugetext_record *record,
        bool fixed, struct hugetext_placement *placement)
{
  /* Heat is kept in memory that the stock loader does not map.  */
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
                    .heat = _dl_hugetext_heat (state, record),
                    .fixed = fixed,
                    .steady = state->set.steady,
                    .no_slack = state->attempt.no_slack,
                    .ask = answer,
                    .closure = &question } };
  struct hugetext_site_verdict verdict
      = hugetext_choose (&question.site, placement);
  record->file_ruled_out = !verdict.file;
  if (!verdict.file)
    _dl_hugetext_drop_kept (state, record);
  record->hopeless = question.small && has_file_only (state);
  if (record->hopeless)
    note_small (state, record, placement);
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

/* Whether the process, with TEXT more bytes of text, is too small to gain as
   far as is known at its start.  Most such processes stay small.  Until it is
   large enough, the loader makes only system calls that the stock loader
   makes: it asks for addresses where text may be huge if the kernel has space
   there, and reserves nothing (claim_places).  */
static bool
is_small_so_far (uintptr_t text)
{
  return (!_dl_hugetext_program_runs () && !_dl_hugetext_set.has.heats
          && _dl_hugetext_is_small (text));
}

/* Forget the last object if it could not be loaded and is gone.  All records
   before are of objects that are loaded.  */
static void
forget_gone (struct hugetext_state *state)
{
  struct hugetext_record *last = state->records;
  if (last != NULL && last->map != NULL && hugetext_is_gone (last->map))
    _dl_hugetext_forget (state, last);
}

/* Return the state for an object that the loader is about to place.  */
static struct hugetext_state *
get_state (void)
{
  struct hugetext_state *state
      = (is_small_so_far (0) ? _dl_hugetext_early_state ()
                             : _dl_hugetext_state ());
  if (state != NULL)
    forget_gone (state);
  return state;
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
      || !load_bias (phdr, phnum, &bias) || (state = get_state ()) == NULL)
    return 0;
  hugetext_describe (&state->object, phdr, phnum, set->geo.page);
  state->object.bias = bias;
  if (hugetext_object_check (&state->object, &set->geo) != NULL
      || !place (state, &placement))
    return 0;
  if (is_small_so_far (hugetext_object_text (&state->object)
                       + hugetext_text_to_come (&set->geo)))
    {
      /* It stays where the kernel has mapped it.  */
      record = begin_object (state, NULL, -1);
      if (record != NULL)
        record->unopened = true;
      return 0;
    }
  if ((state = _dl_hugetext_state ()) == NULL)
    return 0;
  int fd = _dl_hugetext_open_program (state, phdr, phnum);
  record = begin_object (state, NULL, fd);
  if (record != NULL)
    _dl_hugetext_begin (state);
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

/* The most blocks that an object may span, data and gaps included (256 GiB
   with blocks of 2 MiB).  The stock loader maps a longer object, all of the
   span at once; a reservation could succeed where that fails.  */
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

/* Whether an object with TEXT bytes of text, which a running program opens, is
   large enough for blocks.  */
static bool
is_large_late (uintptr_t text)
{
  return (_dl_hugetext_root.small == HUGETEXT_NO
          || (text >= hugetext_late_text (&_dl_hugetext_set.geo)
              && !_dl_hugetext_is_small (text)));
}

/* Whether STATE's object, which has RECORD, may have blocks although a running
   program opens it.  If not, it goes where the stock loader maps it.  At a
   start this is known only when all objects are mapped.  */
static bool
gains_late (struct hugetext_state *state, const struct hugetext_record *record)
{
  const uintptr_t text = hugetext_object_text (&state->object);
  return (is_large_late (text)
          || _dl_hugetext_heat (state, record).weight != NULL);
}

/* Whether gains_late may be true of the object of MAPPING, by its program
   headers alone, which claim at least the text that the object has.  A small
   program has no state, and needs none for the objects it opens.  */
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

/* Propose to the kernel a place for STATE's object of MAPPING.  RECORD and
   PLACEMENT are NULL and empty if it has no blocks; it still goes below the
   other objects, not into slack that the loader may claim later.  An object
   linked for an address (prelink) is proposed there.  */
static void
hint (const struct hugetext_state *state, struct hugetext_record *record,
      const struct hugetext_placement *placement,
      const struct hugetext_mapping *mapping, ElfW (Addr) * bias)
{
  const struct hugetext_placement anywhere
      = { .modulus = state->set.geo.page };
  if (!mapping->fixed && mapping->start == 0)
    _dl_hugetext_hint_space (state, record,
                             placement != NULL ? placement : &anywhere, bias);
}

/* Whether a hint has placed RECORD's object, whose slack is not reserved
   yet.  */
static bool
is_hinted (const struct hugetext_record *record)
{
  return record->hint != 0 && !record->populated;
}

static bool
has_hinted (const struct hugetext_state *state)
{
  const struct hugetext_record *record = state->records;
  while (record != NULL && !is_hinted (record))
    record = record->next;
  return record != NULL;
}

/* Reserve the slack of the objects that hints have placed.  */
static void
claim_hinted (struct hugetext_state *state)
{
  for (struct hugetext_record *record = state->records; record != NULL;
       record = record->next)
    if (is_hinted (record))
      {
        _dl_hugetext_begin (state);
        /* Its file has not been tried.  */
        record->file_ruled_out = !hugetext_may_use_file (state->set.backing);
        _dl_hugetext_claim_space (record, state->set.geo.page,
                                  !state->attempt.no_slack);
      }
}

bool
_dl_hugetext_reserve (struct link_map *l,
                      const struct hugetext_mapping *mapping)
{
  struct hugetext_placement placement;

  if (_dl_hugetext_program_runs () && _dl_hugetext_old_state () == NULL
      && !may_gain_late (mapping))
    return false;
  struct hugetext_state *state = get_state ();
  if (state == NULL || !_dl_hugetext_allows (state->set.has.advice, l->l_name)
      || !describe_file (state, mapping))
    return false;
  const bool like_small = is_like_small (state);
  const bool small = is_small_so_far (hugetext_object_text (&state->object));
  const bool gains = like_small || place (state, &placement);
  if (!gains && small)
    hint (state, NULL, NULL, mapping, &l->l_addr);
  if (!gains && (small || !has_hinted (state)))
    return false;
  if (!small && (state = _dl_hugetext_state ()) == NULL)
    return false;
  if (!gains)
    {
      /* The process has just become large, and the kernel may put the object
         where the slack of others is.  */
      claim_hinted (state);
      return false;
    }
  struct hugetext_record *record = begin_object (state, l, mapping->fd);
  if (record == NULL)
    return false;
  if (small)
    {
      hint (state, record, &placement, mapping, &l->l_addr);
      return false;
    }
  /* Before anything else comes to where their slack is.  */
  claim_hinted (state);
  if (_dl_hugetext_program_runs () && !gains_late (state, record))
    return false;
  record->hopeless = is_known_small (state, record, &placement);
  if (!record->hopeless)
    _dl_hugetext_begin (state);
  if (like_small && !record->hopeless && !place (state, &placement))
    return false;

  /* There is probably space below the last object, or where a closed one was:
     the kernel also places mappings below one another.  */
  bool reserved = ((record->hopeless ? !mapping->fixed
                                     : choose (state, mapping->fd, record,
                                               mapping->fixed, &placement))
                   && _dl_hugetext_reserve_space (state, record, &placement,
                                                  state->below, &l->l_addr));
  if (reserved)
    state->below = record->low;
  if (!state->attempt.start)
    _dl_hugetext_pause (state);
  return reserved;
}

/* If the kernel has mapped L at its hint, put the next object below L.  */
static void
note_mapped (const struct link_map *l)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (state == NULL || _dl_hugetext_program_runs ())
    return;
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  uintptr_t low = l->l_map_start;
  if (record != NULL && record->hint == l->l_addr && record->hint != 0)
    low = record->low;
  else if (record != NULL)
    record->low = record->high = record->hint = 0;
  state->below = hugetext_below_mapping (&state->set.geo, state->below, low);
}

/* Learn by which file RECORD's program, which the kernel has mapped, can be
   opened again.  */
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
  claim_hinted (state);
  for (struct hugetext_record *record = state->records; record != NULL;
       record = record->next)
    /* An auditor comes before the program.  */
    if (record->unopened && !record->populated
        && root->l_type == lt_executable)
      identify_program (state, record, root);
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
  /* End the attempt: this may be a dlopen that failed.  A start goes on
     without an object that cannot be preloaded.  */
  _dl_hugetext_end (state);
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (record == NULL)
    return false;

  /* If text was lost, another thread may have mapped something there: then
     nothing is unmapped, and the address space is lost.  */
  bool unmapped = record->lost;
  if (!record->lost && record->high != 0 && record->hint == 0)
    {
      sys_munmap (record->low, record->high - record->low);
      unmapped = true;
      /* An object that is closed and opened again gets its old place, as under
         the stock loader, where the kernel's highest gap is the object's:
         plugins leave pointers to themselves in libraries that stay.  */
      if (record->high > state->below)
        state->below = record->high;
    }
  _dl_hugetext_forget (state, record);
  return unmapped;
}

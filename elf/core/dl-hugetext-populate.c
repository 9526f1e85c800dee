/* The code that puts the text of newly mapped objects on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader visits all new objects twice: first to rank their blocks and
   choose as many as the cap allows, then to make the chosen blocks huge.
   dl-hugetext-plan.c chooses the blocks; dl-hugetext-install.c makes them
   huge.  */

#include <hugetext-machine.h>

#include "dl-hugetext.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"
#include "dl-hugetext-work.h"

/* Return true if L may be a new object.  L is not new if an earlier start or
   dlopen has mapped L, or if L is the loader itself, whose code is running.
   Most objects of an earlier start or dlopen are already relocated.  The
   loader itself is recognized by its dynamic section, because the name of its
   link map differs between releases of glibc.  While a start or dlopen
   relocates its objects, an IFUNC resolver may open a library.  During the
   dlopen of this library, the function also returns true for the objects of
   the outer start or dlopen that are not relocated yet.  The loader may
   already have put the text of these objects on huge pages.  The loader skips
   objects whose records have the member POPULATED set.  */
static bool
is_new (const struct link_map *l)
{
  return !l->l_relocated && !l->l_faked && l->l_ld != _DYNAMIC;
}

/* The reason why the loader does not make the blocks of an object huge.  */
struct refusal
{
  enum
  {
    TAKEN, /* The loader makes blocks of the object huge; no reason
              applies.  */
    LEFT,
    LEFT_BEFORE,  /* The loader has populated the object before.  */
    LEFT_CHANGED, /* The object's program headers have changed since the
                     object was placed.  */
  } code;
  const char *text;
};

/* Describe the mapped object L in STATE->object.  RECORD is L's record, or
   NULL if L has none.  Return whether to skip the object, and why.  */
static struct refusal
populate_describe_object (struct hugetext_state *state,
                          const struct link_map *l,
                          const struct hugetext_record *record)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  struct hugetext_object *object = &state->object;
  hugetext_describe (object, l->l_phdr, l->l_phnum, geo->page);
  object->bias = l->l_addr;
  const char *why = hugetext_object_check (object, geo);
  if (why != NULL)
    return (struct refusal){ LEFT, why };
  if (l->l_info[DT_TEXTREL] != NULL)
    return (struct refusal){ LEFT, hugetext_reason_text (
                                       HUGETEXT_TEXT_RELOCATIONS) };
  if (record == NULL)
    return (struct refusal){ LEFT, hugetext_reason_text (
                                       _dl_hugetext_allows (
                                           state->set.has.advice, l->l_name)
                                           ? HUGETEXT_BLOCKLESS
                                           : HUGETEXT_NOT_AMONG) };
  if (record->populated)
    return (struct refusal){ LEFT_BEFORE, "" };
  if (hugetext_object_digest (object) != record->digest)
    return (struct refusal){ LEFT_CHANGED,
                             hugetext_reason_text (HUGETEXT_HEADERS_CHANGED) };

  object->low = record->entry.low;
  object->high = record->entry.high;
  if (record->entry.high == 0)
    {
      /* If the kernel or the stock loader chose the address of an object,
         nothing around the object is reserved.  If the hole (gap) in front of
         a program is free, the loader may reserve it, because a program is
         never unmapped.  The loader does not reserve the hole behind the last
         segment of a program, because the heap grows there.  The loader never
         maps address 0.  */
      uintptr_t start = hugetext_object_start (object) + object->bias;
      object->low = (l->l_type == lt_executable && !state->attempt.no_slack
                         ? geo->block
                         : start);
      object->high = start + hugetext_object_length (object);
    }
  return (struct refusal){ TAKEN, NULL };
}

/* Return true if NEXT, a group of one block, can be added to the end of GROUP.
   BLOCK is the size of a block in bytes.  */
static bool
belongs (const struct hugetext_group *group, const struct hugetext_group *next,
         uintptr_t block)
{
  const struct hugetext_block *a = &group->first, *b = &next->first;
  uintptr_t length = group->nblocks * block;
  return (!group->name && !next->name && !group->spare && !next->spare
          && b->verdict == a->verdict && next->prot == group->prot
          && next->cold == group->cold && next->little == group->little
          && next->unstored == group->unstored
          && next->not_in_file == group->not_in_file
          && b->start == a->start + length && b->congruent == a->congruent
          && (!b->congruent || b->offset == a->offset + length)
          && group->nblocks < HUGETEXT_RUN_MAX);
}

/* Make the blocks of GROUP huge, or keep them small, as the policy has
   decided.  The blocks belong to JOB's object.  */
static void
populate_finish_group (struct hugetext_job *job,
                       const struct hugetext_group *group)
{
  const struct hugetext_block *first = &group->first;
  const uintptr_t block = job->state->set.geo.block;
  uintptr_t end = first->start + group->nblocks * block;
  struct hugetext_piece piece;
  if (group->nblocks == 0 || job->record->lost)
    return;
  if (first->verdict == HUGETEXT_TAKE)
    {
      _dl_hugetext_install (job, group);
      return;
    }
  for (uintptr_t at = first->start; at < end; at += block)
    _dl_hugetext_note_reason (job, at, first->verdict);
  job->named |= first->verdict != HUGETEXT_NO_TEXT;
  _dl_hugetext_join_text (job, first->start, end,
                          hugetext_is_beyond_cap (first->verdict)
                              ? HUGETEXT_OTHER_TEXT
                              : HUGETEXT_PLAIN_TEXT);
  if (first->congruent
      && hugetext_is_kept_small (first->verdict, job->state->set.cap))
    /* Prevent the kernel from using huge pages of the file for blocks beyond
       the cap that the user has set.  If madvise fails, nothing is lost: the
       kernel may use huge pages as under the stock loader.  Give no advice for
       holes, because the program may have mapped memory in a hole.  */
    for (uintptr_t cursor = first->start;
         hugetext_next_piece (&job->state->object, cursor, end, &piece);
         cursor = piece.end)
      sys_madvise (piece.start, piece.end - piece.start, MADV_NOHUGEPAGE);
}

/* Return a new job: the data for making the blocks of RECORD's object huge.
   STATE->object describes the object of RECORD.  If the cap does not allow all
   blocks, or if the program opens the object by dlopen, also find out whether
   the store has an image of the object.  */
static struct hugetext_job
begin_job (struct hugetext_state *state, struct hugetext_record *record)
{
  const bool has_image = ((state->ranking.scarce || state->ranking.late)
                          && hugetext_may_use_store (state->set.backing)
                          && _dl_hugetext_find_image (state, record));
  const struct hugetext_settings *set = &state->set;
  const struct hugetext_heat heat = _dl_hugetext_heat (state, record);
  const enum hugetext_naming shows
      = (record->file_ruled_out
             ? HUGETEXT_NAMES_NO
             : hugetext_shows_text (&state->object, &set->geo,
                                    set->pad_threshold, &heat,
                                    set->names_in_file));
  return (struct hugetext_job){ .state = state,
                                .record = record,
                                .heat = heat,
                                .shows = shows,
                                .source = HUGETEXT_NOT_OPEN,
                                .stored = HUGETEXT_NOT_OPEN,
                                .has_image = has_image,
                                .copy_text = hugetext_copy_text (
                                    &state->set.geo, state->nfree) };
}

/* Find the blocks that must stay mapped from the file of JOB's object, so that
   tools can read the name of the file in /proc/PID/maps.  L is the object's
   link map.  */
static void
find_names (struct hugetext_job *job, struct link_map *l)
{
  const struct hugetext_settings *set = &job->state->set;
  job->name
      = hugetext_name_blocks (&job->state->object, &set->geo,
                              set->pad_threshold, &job->heat, set->names);
  if (set->names != HUGETEXT_NAMES_NO)
    job->looked_up
        = hugetext_round_down (_dl_hugetext_looked_up (l), set->geo.block);
}

/* Return the policy's verdict and other facts about the block of JOB's object
   at START.  */
static struct hugetext_block
populate_judge_block (const struct hugetext_job *job, uintptr_t start)
{
  const struct hugetext_settings *set = &job->state->set;
  const struct hugetext_object *object = &job->state->object;
  struct hugetext_block block
      = hugetext_block_judge (object, &set->geo, set->pad_threshold, start);
  if (block.verdict == HUGETEXT_TAKE
      && hugetext_hides_text (object, &block, job->shows))
    block.verdict = HUGETEXT_HIDES_TEXT;
  return block;
}

/* Return true if tools need the mapping of BLOCK to find JOB's object.  A
   block by which tools find the object must not become a copy, because a copy
   has no file name.  */
static bool
populate_keeps_name (const struct hugetext_job *job, uintptr_t block)
{
  return block == job->name.header || block == job->looked_up;
}

/* Return true if the image of JOB's object contains the block at BLOCK.  An
   image lacks blocks that had too little text for the settings with which it
   was made.  If the object's load bias modulo the block size is not the one
   for which the image was made, the image contains none of the object's
   blocks.  */
static bool
populate_is_stored_block (const struct hugetext_job *job, uintptr_t block)
{
  uint64_t size, offset;
  return (job->has_image
          && _dl_hugetext_image_block (job->state, block, &size, &offset));
}

/* Return a group with one block of JOB's object.  JUDGED is the policy's
   judgment of this block.  HEAT is the heat of this block.  */
static struct hugetext_group
group_of (const struct hugetext_job *job, const struct hugetext_block *judged,
          uint32_t heat)
{
  const struct hugetext_object *object = &job->state->object;
  const uintptr_t block = judged->start;
  return (struct hugetext_group){
    .first = *judged,
    .nblocks = 1,
    .prot = (object->extra_prot | PROT_EXEC
             | (judged->execute_only ? 0 : PROT_READ)),
    .name = populate_keeps_name (job, block),
    .spare = block == job->name.text,
    .unstored
    = job->state->ranking.scarce && !populate_is_stored_block (job, block),
    .not_in_file = (job->state->ranking.scarce && judged->congruent
                    && _dl_hugetext_is_small_in_file (
                        job->record, &job->state->set.geo, judged->offset)),
    .cold = hugetext_is_cold (heat),
    .little = hugetext_is_little (judged->text, heat, job->copy_text)
  };
}

/* Return the only block of GROUP, a group of JOB's object, as a candidate for
   the ranking.  HEAT is the block's heat.  */
static struct hugetext_candidate
populate_get_candidate (struct hugetext_job *job,
                        const struct hugetext_group *group, uint32_t heat)
{
  return (struct hugetext_candidate){ .text = group->first.text,
                                      .heat = heat,
                                      .free
                                      = _dl_hugetext_is_free (job, group) };
}

/* GROUP is a group of one block of JOB's object, and CANDIDATE describes this
   block for the ranking.  Return HUGETEXT_TAKE if the block can get a huge
   page from some backing (source of huge pages), otherwise the reason why it
   cannot.  If the cap does not allow all blocks, the ranking must leave out
   the blocks that cannot get a huge page, so that they do not count towards
   the cap.  If the cap allows all blocks, return HUGETEXT_TAKE without
   checking the backings: when the loader later tries the backings, it learns
   which blocks can become huge.  If SPARE is set for GROUP, its block must
   stay mapped from the file if all other blocks of the object are copies.  The
   loader does not know yet which blocks of the object will be copies.  So do
   not refuse the block because of SPARE.  */
static enum hugetext_reason
judge_backings (struct hugetext_job *job, const struct hugetext_group *group,
                const struct hugetext_candidate *candidate)
{
  if (!job->state->ranking.scarce || candidate->free)
    return HUGETEXT_TAKE;
  const enum hugetext_reason reason = _dl_hugetext_judge_backings (job, group);
  return (group->spare && !group->name && reason == HUGETEXT_KEEPS_NAME
              ? HUGETEXT_TAKE
              : reason);
}

/* BLOCK is the address of a block of JOB's object.  Decide whether the loader
   should try to make this block huge.  Return a group that consists only of
   this block.  */
static struct hugetext_group
populate_judge_address (struct hugetext_job *job, uintptr_t block)
{
  struct hugetext_state *state = job->state;
  const struct hugetext_geometry *geo = &state->set.geo;
  const struct hugetext_block judged = populate_judge_block (job, block);
  const uint32_t heat
      = hugetext_block_heat (&state->object, geo, &job->heat, block);
  struct hugetext_group group = group_of (job, &judged, heat);
  /* If the whole program has too little text, report the program's size as the
     reason for each of its blocks with text.  A reason that concerns only one
     block would mislead the user, because a change of the block's address or
     of a setting would not make the block huge.  */
  if (state->ranking.small && judged.verdict != HUGETEXT_NO_TEXT)
    group.first.verdict = HUGETEXT_SMALL_PROGRAM;
  else if (judged.verdict == HUGETEXT_TAKE)
    {
      const struct hugetext_candidate candidate
          = populate_get_candidate (job, &group, heat);
      group.first.verdict = judge_backings (job, &group, &candidate);
      if (group.first.verdict == HUGETEXT_TAKE)
        group.first.verdict
            = hugetext_ranking_take (&state->ranking, geo, &candidate);
    }
  return group;
}

/* If the kernel has mapped JOB's object, which is the program, and some of its
   text stays in small pages, discard what the trial has left mapped.  The
   kernel joins mappings only if they have the same open file, so the loader
   must map small text and huge pages from one descriptor.  */
static void
keep_one_file (struct hugetext_job *job)
{
  const struct hugetext_geometry *geo = &job->state->set.geo;
  struct hugetext_record *record = job->record;
  uintptr_t at;
  if (record->map->l_type != lt_executable || record->entry.high != 0
      || record->kept.nblocks == 0)
    return;
  for (uintptr_t from = 0;
       hugetext_next_block (&job->state->object, geo, from, &at);
       from = at + geo->block)
    if (populate_judge_block (job, at).verdict != HUGETEXT_TAKE)
      {
        _dl_hugetext_drop_kept (job->state, record);
        return;
      }
}

/* Let the ranking choose among the blocks of JOB, and put chosen blocks on
   huge pages.  Make adjacent blocks with equal properties huge in one
   step.  */
static void
make_object (struct hugetext_job *job)
{
  const struct hugetext_geometry *geo = &job->state->set.geo;
  struct hugetext_group group = { .nblocks = 0 };
  uintptr_t block;

  hugetext_ranking_next_object (&job->state->ranking);
  for (uintptr_t from = 0;
       hugetext_next_block (&job->state->object, geo, from, &block);
       from = block + geo->block)
    {
      struct hugetext_group this = populate_judge_address (job, block);
      if (group.nblocks > 0 && belongs (&group, &this, geo->block))
        ++group.nblocks;
      else
        {
          populate_finish_group (job, &group);
          group = this;
          if (group.first.verdict == HUGETEXT_OVER_CAP
              && hugetext_ranking_reuse (&job->state->ranking))
            group.first.verdict = HUGETEXT_TAKE;
        }
    }
  populate_finish_group (job, &group);
}

/* Record for each block of JOB why the block stays on small pages.  The loader
   knows that the object's file has no huge pages.  */
static void
note_small (struct hugetext_job *job)
{
  const struct hugetext_settings *set = &job->state->set;
  uintptr_t at;
  for (uintptr_t from = 0;
       hugetext_next_block (&job->state->object, &set->geo, from, &at);
       from = at + set->geo.block)
    {
      const struct hugetext_block block = hugetext_block_judge (
          &job->state->object, &set->geo, set->pad_threshold, at);
      enum hugetext_reason reason = block.verdict;
      if (reason == HUGETEXT_TAKE && hugetext_may_use_store (set->backing))
        reason = HUGETEXT_NOT_STORED;
      else if (reason == HUGETEXT_TAKE)
        reason
            = block.congruent ? HUGETEXT_FILE_SMALL : HUGETEXT_NOT_CONGRUENT;
      reason = _dl_hugetext_find_cause (job, reason);
      _dl_hugetext_note_reason (job, at, reason);
      _dl_hugetext_note_small_block (job->state, job->record, at, reason);
    }
}

/* Return true if the page cache may hold BLOCK of JOB's object as a huge page
   of the object's file.  */
static bool
may_be_in_file (const struct hugetext_job *job,
                const struct hugetext_block *block)
{
  const struct hugetext_state *state = job->state;
  return (block->congruent && !job->record->file_ruled_out
          && !_dl_hugetext_is_small_in_file (job->record, &state->set.geo,
                                             block->offset));
}

/* Add the blocks of the object L to the ranking of blocks.  If the cap does
   not allow all blocks, first find out which blocks are in an image of the
   store, which blocks the page cache holds in small pages, and which blocks
   cannot get a huge page.  Add to *NFREE the number of blocks that may become
   huge pages of the object's file.  Do not add blocks that may become huge
   pages of an image: the image may have been removed although the index still
   lists it.  weigh_copies adds the blocks of images that are already
   mapped.  Return whether the index has a profile of L.  */
static bool
rank_object (struct hugetext_state *state, struct link_map *l, size_t *nfree)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  const struct hugetext_object *object = &state->object;
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  uintptr_t at;

  if (record == NULL || record->hopeless
      || populate_describe_object (state, l, record).code != TAKEN)
    return false;
  struct hugetext_job job = begin_job (state, record);
  if (state->ranking.scarce)
    find_names (&job, l);
  hugetext_ranking_next_object (&state->ranking);
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &at);
       from = at + geo->block)
    {
      const struct hugetext_block block = populate_judge_block (&job, at);
      const uint32_t heat = hugetext_block_heat (object, geo, &job.heat, at);
      const struct hugetext_group group = group_of (&job, &block, heat);
      const struct hugetext_candidate candidate
          = populate_get_candidate (&job, &group, heat);
      *nfree
          += block.verdict == HUGETEXT_TAKE && may_be_in_file (&job, &block);
      if (block.verdict == HUGETEXT_TAKE
          && judge_backings (&job, &group, &candidate) == HUGETEXT_TAKE)
        hugetext_ranking_add (&state->ranking, geo, &candidate);
    }
  if (job.source >= 0)
    sys_close (job.source);
  return job.heat.weight != NULL;
}

/* If the loader remembers from an earlier dlopen why each block of RECORD's
   object is small, record these reasons again and return true.  */
static bool
populate_is_known_small (struct hugetext_state *state,
                         struct hugetext_record *record)
{
  if (!record->hopeless || record->populated
      || !_dl_hugetext_copy_reasons (state, record))
    return false;
  record->populated = true;
  _dl_hugetext_close_record (state, record, false);
  return true;
}

/* Make the blocks of the object L huge.  Return false if the kernel has
   unmapped a part of L's text, and the loader could not map this part
   again.  */
static bool
populate_object (struct hugetext_state *state, struct link_map *l)
{
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (!_dl_hugetext_debug_files ()
      && (record == NULL || populate_is_known_small (state, record)))
    return true;
  const struct refusal refusal = populate_describe_object (state, l, record);
  if (refusal.code == LEFT_BEFORE)
    return true;
  if (record != NULL)
    record->populated = true;
  if (refusal.code != TAKEN)
    {
      if (record != NULL)
        {
          _dl_hugetext_drop_kept (state, record);
          _dl_hugetext_close_record (state, record,
                                     refusal.code == LEFT_CHANGED);
        }
      _dl_hugetext_report_skipped (l, refusal.text);
      return true;
    }

  state->object.extra_prot = _dl_hugetext_extra_prot (l);
  struct hugetext_job job = begin_job (state, record);
  find_names (&job, l);
  keep_one_file (&job);
  if (record->hopeless)
    note_small (&job);
  else
    make_object (&job);
  _dl_hugetext_drop_kept (state, record);
  if (job.source >= 0)
    sys_close (job.source);
  if (job.stored >= 0)
    _dl_hugetext_close_image (state, job.stored);
  _dl_hugetext_close_record (state, record, false);
  _dl_hugetext_report_object (&job);
  return !record->lost;
}

/* Make a new ranking of the blocks of the new objects that ROOT needs (objects
   that this start or dlopen has mapped).  SCARCE is true if the objects have
   more blocks than the cap allows.  Set *NFREE to the number of blocks that
   may become huge pages of their files, which use no additional memory.
   Return true if the index has an execution profile of at least one of these
   objects.  */
static bool
rank_objects (struct hugetext_state *state, const struct link_map *root,
              bool scarce, size_t *nfree)
{
  const struct r_scope_elem *list = &root->l_searchlist;
  bool hot = false;
  *nfree = 0;
  hugetext_ranking_init (&state->ranking);
  state->ranking.scarce = scarce;
  state->ranking.late = root->l_type != lt_executable;
  if (root->l_type != lt_executable && state->ledger.used.blocks > 0)
    hugetext_ranking_keep_free (&state->ranking, &state->set.geo,
                                (state->ledger.used.blocks
                                 + _dl_hugetext_ledger_code (&state->ledger)),
                                _dl_hugetext_ledger_cap (&state->ledger));
  if (root->l_type != lt_executable && _dl_hugetext_root.small != HUGETEXT_NO)
    hugetext_ranking_require (&state->ranking,
                              hugetext_late_text (&state->set.geo));
  for (unsigned int i = 0; i < list->r_nlist; ++i)
    if (is_new (list->r_list[i]->l_real))
      hot |= rank_object (state, list->r_list[i]->l_real, nfree);
  return hot;
}

/* Return true if the loader can skip all objects of ROOT.  The loader can
   skip all objects if ROOT is a program with too little text to gain, unless a
   dry run, a profile, code made at run time or debug output needs the
   blocks.  */
static bool
populate_may_skip_root (const struct link_map *root)
{
  const struct hugetext_settings *set = &_dl_hugetext_set;
  return (root->l_type == lt_executable && !set->has.heats && !set->rehearsal
          && !_dl_hugetext_root.code && !_dl_hugetext_debug_files ()
          && _dl_hugetext_is_small (0));
}

/* The program is opening new objects by dlopen.  Set STATE->nfree, from which
   hugetext_copy_text computes how much text a block of a new object must have
   to be worth a copy.  STATE->nfree is the sum of two numbers: the number of
   huge blocks of the process that use no additional memory, and NFREE, the
   number of blocks of the new objects that may become huge pages of their
   files.  */
static void
weigh_copies (struct hugetext_state *state, size_t nfree)
{
  const struct hugetext_charge *used = &state->ledger.used;
  state->nfree = hugetext_min (nfree + (used->blocks - used->copies),
                               HUGETEXT_COPY_SHARE);
}

/* Put the text of all new objects that ROOT needs on huge pages.  If the
   kernel has unmapped a part of an object's text, and the loader could not map
   this part again, return this object.  Otherwise return NULL.  */
static struct link_map *
populate_new (struct hugetext_state *state, struct link_map *root)
{
  const struct r_scope_elem *list = &root->l_searchlist;
  struct link_map *lost = NULL;
  struct hugetext_record *program = NULL;

  if (populate_may_skip_root (root))
    {
      _dl_hugetext_root.small = HUGETEXT_YES;
      state->ranking.small = true;
      _dl_hugetext_end (state);
      return NULL;
    }
  if (!_dl_hugetext_is_small (0))
    _dl_hugetext_claim_places (state, root);
  /* If the kernel has mapped the program, the loader made the program's record
     before the program had a link map.  Add the link map to this record
     now.  */
  if (root->l_type == lt_executable)
    program = _dl_hugetext_find (state, NULL);
  if (program != NULL)
    program->map = root;
  size_t nfree;
  state->nfree = 0;
  const bool hot = rank_objects (state, root, false, &nfree);
  state->ranking.small = !hot && _dl_hugetext_is_small (0);
  if (!state->ranking.small && state->ranking.total > 0)
    {
      _dl_hugetext_begin (state);
      _dl_hugetext_ask_again (state);
    }
  if (hot || root->l_type == lt_executable)
    {
      _dl_hugetext_root.small
          = state->ranking.small ? HUGETEXT_YES : HUGETEXT_NO;
      _dl_hugetext_root.no_slack = state->attempt.no_slack;
    }
  /* Rank the blocks a second time, with facts about images and backings, only
     if the cap does not allow all blocks.  In the second ranking, blocks that
     use no memory rank higher, and blocks that cannot become huge are left
     out.  */
  if (!state->ranking.small)
    {
      const size_t places
          = _dl_hugetext_ledger_blocks (&state->ledger, state->ranking.total);
      if (state->ranking.late && hugetext_weighs_copies (state->set.backing))
        weigh_copies (state, hugetext_min (nfree, places));
      if (state->ranking.total > places)
        rank_objects (state, root, true, &nfree);
    }
  hugetext_ranking_cut (
      &state->ranking,
      _dl_hugetext_ledger_claim (
          &state->ledger, state->ranking.small ? 0 : state->ranking.total));

  for (unsigned int i = 0; i < list->r_nlist && lost == NULL; ++i)
    if (is_new (list->r_list[i]->l_real)
        && !populate_object (state, list->r_list[i]->l_real))
      lost = list->r_list[i]->l_real;
  _dl_hugetext_close_images (state);
  _dl_hugetext_ledger_settle (&state->ledger);
  _dl_hugetext_end (state);
  return lost;
}

/* Put the text of the new objects that ROOT needs on huge pages, or report why
   the loader cannot.  Keep this function out of line, because a program start
   without huge text would otherwise save registers for nothing.  */
static void __attribute_noinline__
populate (struct link_map *root)
{
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (state != NULL && !_dl_hugetext_is_small (0))
    /* If no object can gain from huge pages, _dl_hugetext_state frees the
       state and returns NULL.  */
    state = _dl_hugetext_state ();
  if (state != NULL)
    {
      struct link_map *lost = populate_new (state, root);
      if (__glibc_unlikely (lost != NULL))
        _dl_signal_error (ENOMEM, lost->l_name, NULL,
                          "the kernel ran out of memory, and the object's "
                          "text cannot be mapped again");
      _dl_hugetext_leave_state (state, root->l_type == lt_executable);
      return;
    }
  _dl_hugetext_close_index ();
  const char *why = hugetext_reason_text (
      _dl_hugetext_root.no_gain == HUGETEXT_YES ? HUGETEXT_THP_OFF
      : _dl_hugetext_root.small == HUGETEXT_YES ? HUGETEXT_SMALL_PROGRAM
                                                : HUGETEXT_BLOCKLESS);
  for (unsigned int i = 0; i < root->l_searchlist.r_nlist; ++i)
    if (is_new (root->l_searchlist.r_list[i]->l_real))
      _dl_hugetext_report_skipped (root->l_searchlist.r_list[i]->l_real, why);
}

void
_dl_hugetext_populate (struct link_map *root)
{
  _dl_hugetext_link_code (root);
  if (__glibc_unlikely (_dl_hugetext_settings () != NULL))
    populate (root);
}

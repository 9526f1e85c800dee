/* Put the text of newly mapped objects on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Goes over the objects twice: once to rank all their blocks against the
   cap, once to make those within it.  Decisions are those of
   dl-hugetext-plan.c, the work is done in dl-hugetext-copy.c.  */

#include <hugetext-prot.h>
#include <string.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* Copies take one part in so many of what memory limits leave.  */
#define ROOM_SHARE 16

static const char no_block[] = "it has no block's worth of text";

/* Start and dlopen both see objects that are already relocated: they have
   been here before, or are the loader itself, whose code is running.  (The
   name of its link map differs from one glibc to the next.)  */
static bool
is_new (const struct link_map *l)
{
  return !l->l_relocated && !l->l_faked && l->l_ld != _DYNAMIC;
}

/* Describe L, which is mapped, in OBJECT.  RECORD is its record or NULL.
   Returns NULL, or why it has to be left alone.  */
static const char *
describe (const struct hugetext_state *state, const struct link_map *l,
          const struct hugetext_record *record,
          struct hugetext_object *object)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  _dl_hugetext_describe (object, l->l_phdr, l->l_phnum, l->l_addr, geo->page);
  const char *why = hugetext_object_check (object, geo);
  if (why != NULL)
    return why;
  if (l->l_info[DT_TEXTREL] != NULL)
    return "it has text relocations";

  if (record != NULL && record->high != 0)
    {
      object->low = record->low;
      object->high = record->high;
    }
  else
    {
      /* The kernel, or the stock loader, chose the place.  A hole in front
         may be claimed if nobody else has it; one behind is where the heap
         grows.  Address 0 stays unmapped.  */
      const struct hugetext_segment *last
        = &object->segment[object->nsegments - 1];
      object->low = (state->no_slack
                     ? object->segment[0].start + object->bias : geo->block);
      object->high = last->end + object->bias;
    }
  return NULL;
}

/* Whether some block of OBJECT may be taken.  */
static bool
has_block (const struct hugetext_object *object,
           const struct hugetext_settings *set)
{
  uintptr_t block;
  for (uintptr_t from = 0;
       hugetext_next_block (object, &set->geo, from, &block);
       from = block + set->geo.block)
    if (hugetext_block_judge (object, &set->geo, set->pad_threshold, block)
        == HUGETEXT_TAKE)
      return true;
  return false;
}

/* If the kernel has mapped the program L, it has no record yet.  */
static void
remember_program (const struct hugetext_settings *set, struct link_map *l)
{
  struct hugetext_object object;
  const struct hugetext_program *program = _dl_hugetext_moved_program ();
  struct hugetext_state *state = _dl_hugetext_old_state ();

  if (state == NULL || program == NULL || l->l_type != lt_executable
      || !is_new (l) || _dl_hugetext_find (state, l) != NULL)
    return;
  /* Not every block may be had where it is, if it could not be moved.  */
  if (describe (state, l, NULL, &object) != NULL
      || !has_block (&object, set))
    return;
  struct hugetext_record *record = _dl_hugetext_remember (state, l);
  if (record == NULL)
    return;
  record->low = program->low;
  record->high = program->high;
  record->hopeless = program->hopeless;
}

int
_dl_hugetext_open_program (const ElfW(Phdr) *phdr, size_t phnum)
{
  long int fd = sys_open ("/proc/self/exe");
  if (sys_failed (fd))
    return -1;

  ElfW(Phdr) buffer[16];
  size_t size = phnum * sizeof *phdr;
  uint64_t offset = 0;
  for (size_t i = 0; i < phnum; ++i)
    if (phdr[i].p_type == PT_PHDR)
      offset = phdr[i].p_offset;
  if (offset != 0 && size <= sizeof buffer
      && sys_pread (fd, (uintptr_t) buffer, size, offset) == (long int) size
      && memcmp (buffer, phdr, size) == 0)
    return fd;
  sys_close (fd);
  return -1;
}

/* Open the file that L was mapped from; -1 if it is not there any more.  */
static int
open_source (const struct link_map *l, const struct hugetext_record *record)
{
  if (record->path == NULL)
    return _dl_hugetext_open_program (l->l_phdr, l->l_phnum);

  long int fd = sys_open (record->path);
  if (sys_failed (fd))
    return -1;
  struct r_file_id id;
  if (_dl_get_file_id (fd, &id) && _dl_file_id_match_p (&id, &record->id))
    return fd;
  sys_close (fd);
  return -1;
}

/* An object on its way through populate.  */
struct job
{
  struct hugetext_state *state;
  struct link_map *l;
  struct hugetext_record *record;
  const struct hugetext_object *object;
  struct hugetext_source source;
  bool opened;
  struct hugetext_totals totals;
};

/* Get the contents of JOB's object ready to be read.  */
static void
open_job (struct job *job)
{
  if (job->opened)
    return;
  job->opened = true;
  job->source.fd = open_source (job->l, job->record);
  job->source.verify = _dl_hugetext_watch (job->state)->traced;
}

/* The length, in blocks, of the beginning of the NBLOCKS blocks of JOB from
   START that its file can back together.  0 if the first one cannot be.  */
static size_t
file_run (const struct job *job, uintptr_t start, size_t nblocks)
{
  const struct hugetext_geometry *geo = &job->state->set.geo;
  int prot = _dl_hugetext_text_prot (job->object, geo, start);
  uint64_t first, offset;
  size_t n;

  /* Under a filter only smaps tells what is huge, and not which part.  */
  if (_dl_hugetext_watch (job->state)->filtered && nblocks > 1)
    nblocks = 1;
  for (n = 0; n < nblocks; ++n)
    {
      uintptr_t block = start + n * geo->block;
      if (!hugetext_block_file_offset (job->object, geo, block, &offset)
          || _dl_hugetext_text_prot (job->object, geo, block) != prot)
        break;
      if (n == 0)
        first = offset;
      else if (offset != first + n * geo->block)
        break;
    }
  return n;
}

/* Back what is possible of the NBLOCKS blocks of JOB from START with the
   file itself.  */
static void
make_of_file (struct job *job, uintptr_t start, size_t nblocks,
              enum hugetext_outcome outcome[])
{
  uintptr_t block = job->state->set.geo.block;
  for (size_t i = 0, n; i < nblocks; i += n > 0 ? n : 1)
    {
      n = file_run (job, start + i * block, nblocks - i);
      if (n == 0)
        outcome[i] = HUGETEXT_NOT_CONGRUENT;
      else if (job->record->hopeless || job->source.verify)
        for (size_t k = i; k < i + n; ++k)
          outcome[k] = HUGETEXT_FILE_SMALL;
      else
        _dl_hugetext_file (job->state, job->object, &job->source,
                           start + i * block, n, outcome + i);
    }
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] == HUGETEXT_MADE)
      {
        ++job->totals.file;
        /* Should others not be huge then they may hold breakpoints of the
           kernel (uprobes), which makes pages of them private.  */
        job->source.verify = true;
      }
}

/* How many more blocks may be copied without coming near a memory limit.  */
static size_t
copies_left (struct hugetext_state *state)
{
  if (!state->asked_for_room)
    {
      state->asked_for_room = true;
      /* A little of what is left: the rest is for the program, whose limit
         was chosen without us.  */
      state->room
        = _dl_hugetext_memory_room (state->scratch,
                                    sizeof state->scratch) / ROOM_SHARE;
    }
  return state->room / state->set.geo.block;
}

/* Copy the NBLOCKS blocks of JOB from START to transparent huge pages.  */
static void
copy_to_thp (struct job *job, uintptr_t start, size_t nblocks,
             enum hugetext_outcome outcome[])
{
  struct hugetext_state *state = job->state;
  size_t n = copies_left (state);
  if (n > nblocks)
    n = nblocks;
  for (size_t i = n; i < nblocks; ++i)
    outcome[i] = HUGETEXT_NO_ROOM;
  if (n > 0)
    _dl_hugetext_copy (state, job->object, &job->source, HUGETEXT_THP,
                       job->record->high != 0,
                       job->l->l_type == lt_executable, start, n, outcome);
  for (size_t i = 0; i < n; ++i)
    if (outcome[i] == HUGETEXT_MADE)
      state->room -= state->set.geo.block;
}

/* Copy the NBLOCKS blocks of JOB from START to pages of the hugetlb pool.  */
static void
copy_to_hugetlb (struct job *job, uintptr_t start, size_t nblocks,
                 enum hugetext_outcome outcome[])
{
  if (_dl_hugetext_watch (job->state)->traced)
    for (size_t i = 0; i < nblocks; ++i)
      outcome[i] = HUGETEXT_TRACED;
  else
    _dl_hugetext_copy (job->state, job->object, &job->source,
                       HUGETEXT_HUGETLB, job->record->high != 0,
                       job->l->l_type == lt_executable, start, nblocks,
                       outcome);
}

/* Copy those of the NBLOCKS blocks of JOB from START that are not made.  */
static void
make_copies (struct job *job, uintptr_t start, size_t nblocks,
             enum hugetext_outcome outcome[])
{
  uintptr_t block = job->state->set.geo.block;
  for (size_t first = 0, last; first < nblocks; first = last)
    {
      last = first + 1;
      if (outcome[first] == HUGETEXT_MADE)
        continue;
      while (last < nblocks && outcome[last] != HUGETEXT_MADE)
        ++last;
      if (job->state->set.backing == HUGETEXT_HUGETLB)
        copy_to_hugetlb (job, start + first * block, last - first,
                         outcome + first);
      else
        copy_to_thp (job, start + first * block, last - first,
                     outcome + first);
    }
}

/* Keep those of the NBLOCKS blocks of JOB from START that are made in
   memory, as far as the process may.  */
static void
lock_blocks (struct job *job, uintptr_t start, size_t nblocks,
             const enum hugetext_outcome outcome[])
{
  uintptr_t block = job->state->set.geo.block;
  bool may = !_dl_hugetext_watch (job->state)->filtered;
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] == HUGETEXT_MADE
        && (!may || sys_failed (sys_mlock (start + i * block, block))))
      _dl_hugetext_report_unlocked (job->l, start + i * block, block);
}

/* Make the NBLOCKS blocks of JOB from START, and count them.  */
static void
make_run (struct job *job, uintptr_t start, size_t nblocks)
{
  enum hugetext_outcome outcome[HUGETEXT_RUN_MAX];

  open_job (job);
  for (size_t i = 0; i < nblocks; ++i)
    outcome[i] = (job->source.fd < 0
                  ? HUGETEXT_UNREADABLE : HUGETEXT_NOT_CONGRUENT);
  if (_dl_hugetext_may_use_file (job->state) && job->source.fd >= 0)
    make_of_file (job, start, nblocks, outcome);
  if (job->state->set.backing != HUGETEXT_FILE && job->source.fd >= 0)
    make_copies (job, start, nblocks, outcome);
  if (job->state->set.lock)
    lock_blocks (job, start, nblocks, outcome);

  for (size_t i = 0; i < nblocks; ++i)
    {
      if (outcome[i] == HUGETEXT_MADE)
        {
          ++job->totals.made;
          ++job->record->blocks;
          ++job->state->used;
        }
      _dl_hugetext_report_outcome (job->l,
                                   start + i * job->state->set.geo.block,
                                   outcome[i]);
    }
}

/* Keep the NBLOCKS blocks of JOB from START on small pages.  Where address
   and file offset are congruent the kernel might use huge pages unasked.
   If it does not listen, it does as it would under the stock loader.  */
static void
keep_small (struct job *job, uintptr_t start, size_t nblocks)
{
  if (file_run (job, start, nblocks) > 0)
    sys_madvise (start, nblocks * job->state->set.geo.block, MADV_NOHUGEPAGE);
}

/* Go over the blocks of JOB: make those that are within the cap, keep the
   others small, neighbours together.  */
static void
make_object (struct job *job)
{
  struct hugetext_state *state = job->state;
  const struct hugetext_geometry *geo = &state->set.geo;
  enum hugetext_verdict run_verdict = HUGETEXT_NO_TEXT;
  uintptr_t run = 0, block;
  size_t nrun = 0;

  for (uintptr_t from = 0; ; from = block + geo->block)
    {
      enum hugetext_verdict verdict = HUGETEXT_NO_TEXT;
      bool more = hugetext_next_block (job->object, geo, from, &block);
      if (more)
        {
          uintptr_t text = hugetext_block_text (job->object, geo, block);
          verdict = hugetext_block_judge (job->object, geo,
                                          state->set.pad_threshold, block);
          if (verdict == HUGETEXT_TAKE
              && !hugetext_ranking_take (&state->ranking, geo, text))
            verdict = HUGETEXT_OVER_CAP;
          ++job->totals.wanted;
          _dl_hugetext_report_verdict (job->l, block, text, verdict, state);
        }

      if (!more || verdict != run_verdict || block != run + nrun * geo->block
          || nrun == HUGETEXT_RUN_MAX)
        {
          if (run_verdict == HUGETEXT_TAKE)
            make_run (job, run, nrun);
          else if (run_verdict == HUGETEXT_OVER_CAP)
            keep_small (job, run, nrun);
          if (!more)
            break;
          run_verdict = verdict;
          run = block;
          nrun = 0;
        }
      ++nrun;
    }
}

/* Count the blocks of L that could be taken.  */
static void
rank_object (struct hugetext_state *state, const struct link_map *l)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  struct hugetext_object object;
  uintptr_t block;
  struct hugetext_record *record = _dl_hugetext_find (state, l);

  if (record == NULL || describe (state, l, record, &object) != NULL)
    return;
  for (uintptr_t from = 0; hugetext_next_block (&object, geo, from, &block);
       from = block + geo->block)
    if (hugetext_block_judge (&object, geo, state->set.pad_threshold, block)
        == HUGETEXT_TAKE)
      hugetext_ranking_add (&state->ranking, geo,
                            hugetext_block_text (&object, geo, block));
}

/* Make the blocks of L, add the counts to SUM.  */
static void
populate_object (struct hugetext_state *state, struct link_map *l,
                 struct hugetext_totals *sum)
{
  struct hugetext_object object;
  struct job job = { .state = state, .l = l, .object = &object,
                     .source = { .fd = -1 },
                     .record = _dl_hugetext_find (state, l) };
  const char *why = describe (state, l, job.record, &object);

  ++sum->objects;
  if (why == NULL)
    {
      object.extra_prot = _dl_hugetext_extra_prot (l);
      job.totals.text = hugetext_object_text (&object);
      if (job.record == NULL)
        why = no_block;
    }
  sum->text += job.totals.text;
  if (why != NULL)
    {
      _dl_hugetext_report_skipped (l, why);
      return;
    }

  make_object (&job);
  if (job.source.fd >= 0)
    sys_close (job.source.fd);
  sum->wanted += job.totals.wanted;
  sum->made += job.totals.made;
  sum->file += job.totals.file;
  _dl_hugetext_report_object (l, &object, &job.totals, state);
}

/* Likewise for all new objects in LIST.  */
static void
populate_list (struct hugetext_state *state, const struct r_scope_elem *list)
{
  state->failures = 0;
  hugetext_ranking_init (&state->ranking);
  for (unsigned int i = 0; i < list->r_nlist; ++i)
    if (is_new (list->r_list[i]->l_real))
      rank_object (state, list->r_list[i]->l_real);
  hugetext_ranking_cut (&state->ranking,
                        state->set.cap > state->used
                        ? state->set.cap - state->used : 0);

  struct hugetext_totals sum = { 0 };
  for (unsigned int i = 0; i < list->r_nlist; ++i)
    if (is_new (list->r_list[i]->l_real))
      populate_object (state, list->r_list[i]->l_real, &sum);
  _dl_hugetext_scan_end (state);
  _dl_hugetext_report_totals (&sum, state);
  /* Until the next dlopen that may change.  */
  state->watch.known = false;
}

void
_dl_hugetext_populate (struct link_map *root)
{
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  if (__glibc_likely (set == NULL))
    return;
  remember_program (set, root);
  struct hugetext_state *state = _dl_hugetext_old_state ();
  if (state != NULL)
    populate_list (state, &root->l_searchlist);
  else
    for (unsigned int i = 0; i < root->l_searchlist.r_nlist; ++i)
      if (is_new (root->l_searchlist.r_list[i]->l_real))
        _dl_hugetext_report_skipped (root->l_searchlist.r_list[i]->l_real,
                                     set->no_thp
                                     ? "transparent huge pages are off"
                                     : no_block);
}

/* Put the text of newly mapped objects on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Goes over the objects twice: once to rank all their blocks against the
   cap, once to make those within it.  Decisions are those of
   dl-hugetext-plan.c, the work is done in dl-hugetext-copy.c.  */

#include <string.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* Start and dlopen both see objects that are already relocated: they have
   been here before, or are the loader itself, whose code is running.  */
static bool
is_new (const struct link_map *l)
{
  return !l->l_relocated && !l->l_faked && l != &GL (dl_rtld_map);
}

/* Describe L, which is mapped, in OBJECT.  Returns NULL, or why it has to be
   left alone.  */
static const char *
describe (const struct hugetext_state *state, const struct link_map *l,
          const struct hugetext_record *record,
          struct hugetext_object *object)
{
  object->nsegments = 0;
  object->align = state->geo.page;
  object->bias = l->l_addr;
  object->relro_start = object->relro_end = 0;
  for (size_t i = 0; i < l->l_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &l->l_phdr[i];
      int prot = ((ph->p_flags & PF_R ? PROT_READ : 0)
                  | (ph->p_flags & PF_W ? PROT_WRITE : 0)
                  | (ph->p_flags & PF_X ? PROT_EXEC : 0));
      if (ph->p_type == PT_LOAD)
        {
          size_t n = object->nsegments;
          _dl_hugetext_add_segment (object, ph->p_vaddr & -state->geo.page,
                                    ph->p_vaddr + ph->p_filesz,
                                    ph->p_vaddr + ph->p_memsz,
                                    ph->p_offset & -state->geo.page, prot);
          if (object->nsegments > n)
            object->segment[n].datastart = ph->p_vaddr;
        }
      else if (ph->p_type == PT_GNU_RELRO)
        {
          object->relro_start = ph->p_vaddr & -state->geo.page;
          object->relro_end = ((ph->p_vaddr + ph->p_memsz
                                + state->geo.page - 1) & -state->geo.page);
        }
    }
  const char *why = hugetext_object_check (object, &state->geo);
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
      object->low = state->geo.block;
      object->high = last->end + object->bias;
    }
  return NULL;
}

/* The record of L, made now if the kernel has mapped it; NULL if L has no
   candidate block.  */
static struct hugetext_record *
record_of (struct hugetext_state *state, struct link_map *l)
{
  struct hugetext_record *record = _dl_hugetext_find (state, l);
  if (record == NULL && l->l_type == lt_executable)
    record = _dl_hugetext_remember (state, l);
  return record;
}

/* Open the file that L was mapped from; -1 if it is not there any more.  */
static int
open_source (const struct link_map *l, const struct hugetext_record *record)
{
  long int fd = sys_open (record->path != NULL
                          ? record->path : "/proc/self/exe");
  if (sys_failed (fd))
    return -1;

  bool same;
  if (record->path != NULL)
    {
      struct r_file_id id;
      same = (_dl_get_file_id (fd, &id)
              && _dl_file_id_match_p (&id, &record->id));
    }
  else
    {
      /* Mapped by the kernel: compare the program headers.  */
      const ElfW(Phdr) *ph = l->l_phdr;
      size_t size = l->l_phnum * sizeof *ph;
      ElfW(Phdr) buffer[16];
      uint64_t offset = 0;
      for (size_t i = 0; i < l->l_phnum; ++i)
        if (ph[i].p_type == PT_PHDR)
          offset = ph[i].p_offset;
      same = (offset != 0 && size <= sizeof buffer
              && sys_pread (fd, (uintptr_t) buffer, size, offset)
                 == (long int) size
              && memcmp (buffer, ph, size) == 0);
    }
  if (!same)
    {
      sys_close (fd);
      return -1;
    }
  return fd;
}

/* Whether a debugger may have planted breakpoints.  */
static bool
is_traced (struct hugetext_state *state)
{
  if (state->traced < 0)
    /* If unknown the memory is what counts.  */
    state->traced = _dl_hugetext_tracer () != 0;
  return state->traced;
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

/* Copy the NBLOCKS blocks of JOB from START.  */
static void
make_copies (struct job *job, uintptr_t start, size_t nblocks,
             enum hugetext_outcome outcome[])
{
  struct hugetext_state *state = job->state;
  enum hugetext_backing backing
    = state->backing == HUGETEXT_HUGETLB ? HUGETEXT_HUGETLB : HUGETEXT_THP;

  if (!job->opened)
    {
      job->opened = true;
      /* A debugger's breakpoints are only in memory.  */
      job->source.fd = (is_traced (state)
                        ? -1 : open_source (job->l, job->record));
    }
  if (backing == HUGETEXT_HUGETLB && is_traced (state))
    {
      for (size_t i = 0; i < nblocks; ++i)
        outcome[i] = HUGETEXT_TRACED;
      return;
    }
  _dl_hugetext_copy (state, job->object, &job->source, backing,
                     job->record->high != 0, start, nblocks, outcome);
}

/* Make the NBLOCKS blocks of JOB from START, and count them.  */
static void
make_run (struct job *job, uintptr_t start, size_t nblocks)
{
  enum hugetext_outcome outcome[HUGETEXT_RUN_MAX];

  if (job->state->backing == HUGETEXT_FILE)
    for (size_t i = 0; i < nblocks; ++i)
      outcome[i] = HUGETEXT_NO_BACKING;
  else
    make_copies (job, start, nblocks, outcome);

  for (size_t i = 0; i < nblocks; ++i)
    {
      if (outcome[i] == HUGETEXT_MADE)
        {
          ++job->totals.made;
          ++job->record->blocks;
          ++job->state->used;
        }
      _dl_hugetext_report_outcome (job->l,
                                   start + i * job->state->geo.block,
                                   outcome[i]);
    }
}

/* Make the blocks of JOB that are within the cap, neighbours together.  */
static void
make_object (struct job *job)
{
  struct hugetext_state *state = job->state;
  const struct hugetext_geometry *geo = &state->geo;
  uintptr_t run = 0, block;
  size_t nrun = 0;

  for (uintptr_t from = 0;
       hugetext_next_block (job->object, geo, from, &block);
       from = block + geo->block)
    {
      uintptr_t text = hugetext_block_text (job->object, geo, block);
      enum hugetext_verdict verdict
        = hugetext_block_judge (job->object, geo, state->pad_threshold,
                                block);
      if (verdict == HUGETEXT_TAKE
          && !hugetext_ranking_take (&state->ranking, geo, text))
        verdict = HUGETEXT_OVER_CAP;
      ++job->totals.wanted;

      if (nrun > 0 && (verdict != HUGETEXT_TAKE
                       || block != run + nrun * geo->block
                       || nrun == HUGETEXT_RUN_MAX))
        {
          make_run (job, run, nrun);
          nrun = 0;
        }
      if (verdict == HUGETEXT_TAKE)
        {
          if (nrun++ == 0)
            run = block;
        }
      else
        _dl_hugetext_report_verdict (job->l, block, text, verdict, state);
    }
  if (nrun > 0)
    make_run (job, run, nrun);
}

/* Count the blocks of L that could be taken.  */
static void
rank_object (struct hugetext_state *state, struct link_map *l)
{
  struct hugetext_object *object = &state->object;
  const struct hugetext_geometry *geo = &state->geo;
  uintptr_t block;
  struct hugetext_record *record = record_of (state, l);

  if (record == NULL || describe (state, l, record, object) != NULL)
    return;
  for (uintptr_t from = 0; hugetext_next_block (object, geo, from, &block);
       from = block + geo->block)
    if (hugetext_block_judge (object, geo, state->pad_threshold, block)
        == HUGETEXT_TAKE)
      hugetext_ranking_add (&state->ranking, geo,
                            hugetext_block_text (object, geo, block));
}

/* Make the blocks of L, add the counts to SUM.  */
static void
populate_object (struct hugetext_state *state, struct link_map *l,
                 struct hugetext_totals *sum)
{
  struct job job = { .state = state, .l = l, .object = &state->object,
                     .source = { .fd = -1 },
                     .record = record_of (state, l) };
  const char *why = describe (state, l, job.record, &state->object);

  ++sum->objects;
  if (why == NULL)
    {
      job.totals.text = hugetext_object_text (&state->object);
      if (job.record == NULL)
        why = "it has no block's worth of text";
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
  _dl_hugetext_report_object (l, &state->object, &job.totals, state);
}

void
_dl_hugetext_populate (struct link_map *root)
{
  struct hugetext_state *state = _dl_hugetext_state ();
  if (__glibc_likely (state == NULL))
    return;

  state->traced = -1;
  state->failures = 0;
  const struct r_scope_elem *list = &root->l_searchlist;
  hugetext_ranking_init (&state->ranking);
  for (unsigned int i = 0; i < list->r_nlist; ++i)
    if (is_new (list->r_list[i]->l_real))
      rank_object (state, list->r_list[i]->l_real);
  hugetext_ranking_cut (&state->ranking,
                        state->cap > state->used
                        ? state->cap - state->used : 0);

  struct hugetext_totals sum = { 0 };
  for (unsigned int i = 0; i < list->r_nlist; ++i)
    if (is_new (list->r_list[i]->l_real))
      populate_object (state, list->r_list[i]->l_real, &sum);
  _dl_hugetext_report_totals (&sum, state);
}

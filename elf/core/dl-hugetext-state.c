/* The loader's state, which lasts from one call of the hooks in glibc to the
   next.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-stretch.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"

/* The number of bytes that the loader maps for further records if the state
   has no unused record.  */
#define MORE 4096

_Static_assert(offsetof (struct hugetext_state,
                         ranking.count[HUGETEXT_VALUE_TEPID + 1])
                   <= 8192,
               "the members of struct hugetext_state that every process uses "
               "fit in two small pages");

static struct hugetext_state *state;

/* Map zeroed, readable and writable memory.  Return NULL if the kernel has no
   memory.  */
static void *
state_get_memory (size_t size)
{
  long int address = sys_map_memory (size);
  return sys_failed (address) ? NULL : (void *) address;
}

struct hugetext_state *
_dl_hugetext_old_state (void)
{
  return state;
}

/* Return true if no object can gain from huge pages, because transparent huge
   pages are off and no other backing could make text huge.  */
static bool
has_no_gain (void)
{
  struct hugetext_root *root = &_dl_hugetext_root;
  const struct hugetext_settings *set = _dl_hugetext_settings ();
  if (root->no_gain == HUGETEXT_NOT_ASKED)
    root->no_gain = (hugetext_needs_thp (set->backing, set->has.images)
                             && _dl_hugetext_thp_off (&set->geo)
                         ? HUGETEXT_YES
                         : HUGETEXT_NO);
  return root->no_gain == HUGETEXT_YES;
}

/* The loader's own ELF header.  */
extern const ElfW (Ehdr) __ehdr_start attribute_hidden;

/* Return an address below the lowest mapping that the kernel has made so far.
   The lowest mapping is that of STATE, of the loader or of the vDSO.  */
static uintptr_t
below_first (const struct hugetext_state *state)
{
  const uintptr_t vdso = (uintptr_t) GLRO (dl_sysinfo_dso);
  const uintptr_t mapped[] = { (uintptr_t) state, (uintptr_t) &__ehdr_start,
                               vdso != 0 ? vdso : UINTPTR_MAX };
  return hugetext_below_all (&state->set.geo, mapped,
                             sizeof mapped / sizeof mapped[0]);
}

/* Add the N records of the array at RECORD to STATE's list of unused
   records.  */
static void
add_spare (struct hugetext_state *state, struct hugetext_record *record,
           size_t n)
{
  /* Write to each page of the records before reading from it, to save a page
     fault.  If the first access to a page were a read, the later write would
     cause a second page fault.  */
  for (size_t i = 0; i + 1 < n; ++i)
    record[i].next = &record[i + 1];
  record[n - 1].next = state->spare;
  state->spare = record;
}

struct hugetext_state *
_dl_hugetext_early_state (void)
{
  if (state == NULL && _dl_hugetext_root.no_gain != HUGETEXT_YES
      && (state = state_get_memory (sizeof *state)) != NULL)
    {
      state->set = *_dl_hugetext_settings ();
      state->ledger.cap = state->ledger.copies_cap = state->set.cap;
      add_spare (state, state->record, HUGETEXT_RECORDS);
      state->below = below_first (state);
      _dl_hugetext_publish_record (state);
    }
  else if (state != NULL)
    _dl_hugetext_notice_fork (state);
  return state;
}

void
_dl_hugetext_drop_all_kept (void)
{
  struct hugetext_record *record = state != NULL ? state->records : NULL;
  for (; record != NULL; record = record->next)
    _dl_hugetext_drop_kept (state, record);
}

/* Unmap the state.  */
static void
drop_state (void)
{
  struct hugetext_state *old = state;
  _dl_hugetext_drop_all_kept ();
  _dl_hugetext_close_index ();
  __atomic_store_n (&_dl_hugetext_root.head, NULL, __ATOMIC_RELEASE);
  state = NULL;
  for (struct hugetext_record *more = old->more, *next; more != NULL;
       more = next)
    {
      next = more->next;
      sys_munmap ((uintptr_t) more, MORE);
    }
  _dl_hugetext_drop_runs (old);
  sys_munmap ((uintptr_t) old, sizeof *old);
}

struct hugetext_state *
_dl_hugetext_state (void)
{
  if (!has_no_gain ())
    return _dl_hugetext_early_state ();
  if (state != NULL)
    drop_state ();
  return NULL;
}

struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
{
  struct hugetext_record *record = state->records;
  while (record != NULL && record->map != l)
    record = record->next;
  return record;
}

struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
{
  struct hugetext_record *record;
  if (state->spare == NULL && (record = state_get_memory (MORE)) != NULL)
    {
      record->next = state->more;
      state->more = record;
      add_spare (state, record + 1, MORE / sizeof *record - 1);
    }
  record = state->spare;
  if (record == NULL)
    return NULL;
  state->spare = record->next;
  *record = (struct hugetext_record){ .map = l, .next = state->records };
  state->records = record;
  return record;
}

void
_dl_hugetext_drop_kept (struct hugetext_state *state,
                        struct hugetext_record *record)
{
  if (record->kept.nblocks != 0)
    sys_munmap (record->kept.staging,
                record->kept.nblocks * state->set.geo.block);
  record->kept.nblocks = 0;
}

void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record)
{
  struct hugetext_record **link = &state->records;
  _dl_hugetext_drop_kept (state, record);
  _dl_hugetext_ledger_return (&state->ledger, &record->charge);
  _dl_hugetext_forget_record (state, record);
  while (*link != record)
    link = &(*link)->next;
  *link = record->next;
  add_spare (state, record, 1);
}

/* Return the number of text bytes in L's object.  Return 0 if L is a link map
   of the loader itself; the loader may have several link maps.  */
static uintptr_t
text_of (const struct link_map *l)
{
  uintptr_t text = 0;
  for (size_t i = 0; l->l_ld != _DYNAMIC && i < l->l_phnum; ++i)
    if (l->l_phdr[i].p_type == PT_LOAD && (l->l_phdr[i].p_flags & PF_X) != 0)
      text += l->l_phdr[i].p_filesz;
  return text;
}

/* The number of bytes of text in the objects of the base namespace, from the
   first object up to LAST.  The loader counts each object only once: glibc
   adds each newly mapped object at the end of its list, so the objects after
   LAST are those not counted yet.  LAST is never the loader's own link map,
   which may move in the list.  */
static struct
{
  const struct link_map *last;
  uintptr_t text;
} counted;

void
_dl_hugetext_count_again (void)
{
  counted.last = NULL;
  counted.text = 0;
}

/* Return how many bytes of text are mapped in the process.  */
static uintptr_t
mapped_text (void)
{
  const struct link_map *l
      = (counted.last != NULL ? counted.last->l_next
                              : GL (dl_ns)[LM_ID_BASE]._ns_loaded);
  for (; l != NULL; l = l->l_next)
    if (l->l_ld != _DYNAMIC)
      {
        counted.text += text_of (l);
        counted.last = l;
      }
  uintptr_t text = counted.text;
  for (Lmid_t ns = LM_ID_BASE + 1; ns < (Lmid_t) GL (dl_nns); ++ns)
    for (l = GL (dl_ns)[ns]._ns_loaded; l != NULL; l = l->l_next)
      text += text_of (l);
  return text;
}

bool
_dl_hugetext_is_small (uintptr_t more)
{
  const struct hugetext_root *root = &_dl_hugetext_root;
  const struct hugetext_settings *set = &_dl_hugetext_set;
  return (root->small != HUGETEXT_NO
          && !hugetext_is_asked (root->from_index, set->has.named,
                                 root->from_tunable)
          && hugetext_is_small (&set->geo, mapped_text () + more, false));
}

/* Return true if the loader must keep RECORD.  The loader needs RECORD if the
   object has huge blocks that count towards the cap, or if the loader must
   release the slack around the object when the object is unmapped.  The loader
   never unmaps the objects of a start (AT_START).  */
static bool
is_needed (const struct hugetext_record *record, bool at_start)
{
  return record->charge.blocks > 0 || (record->entry.high != 0 && !at_start);
}

void
_dl_hugetext_leave_state (struct hugetext_state *old, bool at_start)
{
  /* Keep the state if the program uses hugetext-code.so, because
     hugetext-code.so counts its huge blocks in the ledger of the state.  Keep
     the state in a dry run, because the record in the state is the dry run's
     result.  */
  bool needed = (old == NULL || !old->ranking.small || _dl_hugetext_root.code
                 || _dl_hugetext_set.rehearsal
                 || _dl_hugetext_root.small != HUGETEXT_YES);
  for (const struct hugetext_record *record = needed ? NULL : old->records;
       record != NULL && !needed; record = record->next)
    needed = is_needed (record, at_start);
  if (!needed)
    drop_state ();
}

/* The heat (execution profile) of the object that the loader is working on,
   read from the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader needs an object's heat three times: when it chooses the object's
   address, when it ranks the blocks, and when it makes them huge.  The loader
   reads the heat from the index each time, so that memory holds the heat of
   only one object.  If the index has no heat, the functions of this file do
   nothing.  */

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The weights that were read last, or NULL if no memory is mapped for
   weights.  */
static uint16_t *weights;
#define SIZE (HUGETEXT_HEAT_GRANULES * sizeof *weights)

/* HUGETEXT_YES if the index has the heat of the program.  The answer is kept
   until the end of the start or dlopen.  */
static enum hugetext_answer profiled;

/* Map memory for the weights.  Return false if there is not enough memory for
   the weights.  The mapping for the weights is shared, because RLIMIT_DATA
   does not count shared memory.  The objects still to be loaded may need all
   memory that RLIMIT_DATA leaves.  If a seccomp filter may forbid a shared
   mapping, the mapping is private.  */
static bool
map_weights (void)
{
  long int address = (HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT)
                          ? sys_mmap (0, SIZE, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                          : sys_map_memory (SIZE));
  if (!sys_failed (address))
    weights = (void *) address;
  return weights != NULL;
}

/* Read the heat of RECORD's object from INDEX into WEIGHTS, and the index's
   record of this heat into FOUND.  Return false if INDEX has no heat of the
   object.  */
static bool
heat_read_heat (const struct hugetext_index *index,
                const struct hugetext_record *record,
                struct hugetext_index_heat *found)
{
  return (record->file.inode != 0
          && hugetext_index_heat (index, &record->file, found, weights,
                                  HUGETEXT_HEAT_GRANULES)
          && found->digest == record->digest);
}

/* Return the program's record in STATE.  Return NULL if none of the program's
   blocks could be huge, or if the program is not mapped yet.  */
static const struct hugetext_record *
heat_find_program (const struct hugetext_state *state)
{
  const struct hugetext_record *record = state->records;
  while (record != NULL && record->map != NULL
         && record->map->l_type != lt_executable)
    record = record->next;
  return record;
}

/* Return true if INDEX has the heat of PROGRAM.  Ask INDEX only once in each
   start or dlopen.  */
static bool
is_profiled (const struct hugetext_index *index,
             const struct hugetext_record *program)
{
  struct hugetext_index_heat ignored;
  if (profiled == HUGETEXT_NOT_ASKED)
    profiled = (heat_read_heat (index, program, &ignored) ? HUGETEXT_YES
                                                          : HUGETEXT_NO);
  return profiled == HUGETEXT_YES;
}

struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_state *state,
                   const struct hugetext_record *record)
{
  struct hugetext_heat heat = { .weight = NULL };
  struct hugetext_index_heat found;
  if (!state->set.has.heats || record->file.inode == 0)
    return heat;
  const struct hugetext_record *program = heat_find_program (state);
  const struct hugetext_index *index = _dl_hugetext_index (NULL, 0);
  if (index != NULL && (weights != NULL || map_weights ())
      && hugetext_heat_counts (record == program, program != NULL,
                               (program != NULL && record != program
                                && is_profiled (index, program)))
      && heat_read_heat (index, record, &found))
    heat = (struct hugetext_heat){ found.first, found.granules, weights };
  _dl_hugetext_release_index ();
  return heat;
}

void
_dl_hugetext_forget_heat (void)
{
  if (weights != NULL)
    sys_munmap ((uintptr_t) weights, SIZE);
  _dl_hugetext_leave_heat ();
}

void
_dl_hugetext_leave_heat (void)
{
  weights = NULL;
  profiled = HUGETEXT_NOT_ASKED;
}

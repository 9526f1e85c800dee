/* The heat of the present object, read from the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader reads an object's heat when it places the object, ranks its
   blocks, and makes them huge.  So only one object's heat is in memory at a
   time.  Without heat in the index, the functions of this file do nothing.  */

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The weights of the object read last, or NULL if they are not mapped.  */
static uint16_t *weights;
#define SIZE (HUGETEXT_HEAT_GRANULES * sizeof *weights)

/* Map memory for the weights; return false if there is none.  The memory is
   shared, because RLIMIT_DATA does not count shared memory, and the remaining
   objects may need all that the limit leaves.  If a seccomp filter may forbid
   a shared mapping, the memory is private.  */
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

struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_state *state,
                   const struct hugetext_record *record)
{
  struct hugetext_heat heat = { .weight = NULL };
  struct hugetext_index_heat found;
  if (!state->set.has.heats || record->file.inode == 0)
    return heat;
  const struct hugetext_index *index = _dl_hugetext_index (NULL, 0);
  if (index != NULL && (weights != NULL || map_weights ())
      && hugetext_index_heat (index, &record->file, &found, weights,
                              HUGETEXT_HEAT_GRANULES)
      && found.digest == record->digest)
    heat = (struct hugetext_heat){ found.first, found.granules, weights };
  _dl_hugetext_release_index ();
  return heat;
}

void
_dl_hugetext_forget_heat (void)
{
  if (weights != NULL)
    sys_munmap ((uintptr_t) weights, SIZE);
  weights = NULL;
}

void
_dl_hugetext_leave_heat (void)
{
  weights = NULL;
}

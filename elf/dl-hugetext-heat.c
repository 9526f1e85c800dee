/* The heat of new objects, from the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader reads an object's heat when it places the object: the object's
   file is open then, so its identity is known.  It uses the heat when it ranks
   all objects.  If the index has no heat at all, the loader does nothing
   here.  */

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The most granules, with room for the objects that they are of: 2 GiB of
   text.  The heat of objects beyond that is unknown.  */
#define WEIGHTS 32768

/* The heat of an object.  */
struct one_heat
{
  uint64_t first;
  uint32_t granules;
  uint16_t weight[];
};

struct hugetext_heats
{
  uint32_t used; /* Of SPACE, in numbers.  */
  /* One behind the other.  Pages are touched only as needed.  */
  uint64_t space[WEIGHTS / 4 + 500];
};

/* Return *HEATS, and map it if it is not mapped yet; NULL if there is no
   memory.  The mapping is shared memory, which RLIMIT_DATA does not count:
   what that limit leaves may be just enough for the objects still to be
   mapped.  */
static struct hugetext_heats *
get_heats (struct hugetext_heats **heats)
{
  if (*heats == NULL)
    {
      long int address = sys_mmap (0, sizeof **heats, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (!sys_failed (address))
        *heats = (void *) address;
    }
  return *heats;
}

/* Look the heat of an object up in INDEX, for _dl_hugetext_learn_heat.  */
static uint32_t
learn (const struct hugetext_index *index, struct hugetext_heats **heats,
       const struct hugetext_identity *file, uint64_t digest)
{
  struct hugetext_index_heat record;
  struct hugetext_heats *h = get_heats (heats);

  if (h == NULL)
    return 0;
  struct one_heat *one = (void *) &h->space[h->used];
  size_t left = (sizeof h->space / sizeof *h->space - h->used) * 4;
  if (left < 8
      || !hugetext_index_heat (index, file, &record, one->weight, left - 8)
      || record.digest != digest)
    return 0;
  one->first = record.first;
  one->granules = record.granules;
  uint32_t number = h->used + 1;
  h->used += (sizeof *one + record.granules * sizeof *one->weight + 7) / 8;
  return number;
}

uint32_t
_dl_hugetext_learn_heat (struct hugetext_heats **heats,
                         const struct hugetext_identity *file, uint64_t digest)
{
  const struct hugetext_index *index
      = file->inode != 0 ? _dl_hugetext_index () : NULL;
  uint32_t number = index != NULL ? learn (index, heats, file, digest) : 0;
  _dl_hugetext_release_index ();
  return number;
}

struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_heats *heats, uint32_t number)
{
  if (number == 0 || heats == NULL)
    return (struct hugetext_heat){ .weight = NULL };
  const struct one_heat *one = (const void *) &heats->space[number - 1];
  return (struct hugetext_heat){ one->first, one->granules, one->weight };
}

void
_dl_hugetext_forget_heats (struct hugetext_heats **heats)
{
  if (*heats != NULL)
    sys_munmap ((uintptr_t) *heats, sizeof **heats);
  *heats = NULL;
}

/* The sample history of hugetext adapt: functions that add the samples of a
   round to the history, and compute heats from it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "adapt/history.h"
#include "util/allocate.h"

#include <string.h>

/* Return the object in HISTORY that has the same file as LIKE, or NULL if
   HISTORY has no such object.  */
static const struct history_object *
history_find_object (const struct history *history,
                     const struct history_object *like)
{
  for (size_t i = 0; i < history->count; ++i)
    if (history->list[i].inode == like->inode
        && history->list[i].device == like->device)
      return &history->list[i];
  return NULL;
}

/* Return the number of samples in the text of OBJECT, an object in
   HISTORY.  */
static double
samples_of (const struct history *history, const struct history_object *object)
{
  double sum = 0;
  for (size_t i = 0; i < object->count; ++i)
    sum += history->weights[object->at + i];
  return sum;
}

/* Return the link-time address at which the granules of OBJECT end.  */
static uint64_t
history_find_end (const struct history_object *object)
{
  return object->first + object->count * PROFILE_GRANULE;
}

/* Return true if all addresses of OBJECT are within the limits that a profile
   has for addresses.  */
static bool
history_is_valid_object (const struct history_object *object)
{
  return (object->first < PROFILE_ADDRESS_MAX
          && object->count
                 <= (PROFILE_ADDRESS_MAX - object->first) / PROFILE_GRANULE);
}

/* Add to HISTORY an object for the same file as LIKE, without samples.  OLD is
   NULL, or the same object in an older history.  The address range of the new
   object also contains the range of OLD.  Return NULL if HISTORY has no space
   for the object.  */
static const struct history_object *
history_add_object (struct history *history, const struct history_object *like,
                    const struct history_object *old)
{
  struct history_object object = *like;
  if (old != NULL)
    {
      const uint64_t end = history_find_end (old) > history_find_end (like)
                               ? history_find_end (old)
                               : history_find_end (like);
      if (old->first < object.first)
        object.first = old->first;
      object.count = (end - object.first) / PROFILE_GRANULE;
    }
  /* Do not add an object with addresses beyond the limits of a profile
     (history_is_valid_object), because the computation of its size may have
     overflowed.  */
  if (history->count == HISTORY_OBJECTS || !history_is_valid_object (like)
      || object.count > HISTORY_GRANULES - history->used)
    return NULL;
  object.at = history->used;
  history->used += object.count;
  memset (&history->weights[object.at], 0,
          object.count * sizeof history->weights[0]);
  history->list[history->count] = object;
  return &history->list[history->count++];
}

/* Add to TO, an object in HISTORY, the samples of FROM, an object in OLD,
   multiplied by KEEP.  */
static void
add_old (struct history *history, const struct history_object *to,
         const struct history *old, const struct history_object *from,
         double keep)
{
  const size_t skipped = (from->first - to->first) / PROFILE_GRANULE;
  for (size_t i = 0; i < from->count; ++i)
    history->weights[to->at + skipped + i]
        += keep * old->weights[from->at + i];
}

/* Add the samples of PROFILE to TO, an object in HISTORY.  */
static void
history_add_new (struct history *history, const struct history_object *to,
                 const struct profile *profile)
{
  const size_t skipped = (profile->first - to->first) / PROFILE_GRANULE;
  for (size_t i = 0; i < profile->count; ++i)
    history->weights[to->at + skipped + i] += profile->weights[i];
}

void
history_add (const struct history *old, double keep,
             const struct sampling *sampling, struct history *next)
{
  next->count = next->used = 0;
  next->samples = keep * old->samples + sampling->text;
  for (size_t i = 0; i < sampling->nobjects; ++i)
    {
      const struct sampled_object *object = sampling->objects[i];
      const struct profile *profile = &object->profile;
      if (profile->weights == NULL)
        continue;
      struct history_object like = { .device = object->device,
                                     .inode = object->inode,
                                     .first = profile->first,
                                     .count = profile->count };
      memcpy (like.build_id, profile->build_id, sizeof like.build_id);
      const struct history_object *same
          = keep > 0 ? history_find_object (old, &like) : NULL;
      const struct history_object *before
          = same != NULL && strcmp (same->build_id, like.build_id) == 0 ? same
                                                                        : NULL;
      if (same != before)
        next->samples -= keep * samples_of (old, same);
      const struct history_object *to
          = history_add_object (next, &like, before);
      if (to != NULL)
        history_add_new (next, to, profile);
      if (to != NULL && before != NULL)
        add_old (next, to, old, before, keep);
    }
  for (size_t i = 0; keep > 0 && i < old->count; ++i)
    {
      const struct history_object *from = &old->list[i];
      const struct history_object *to
          = (history_find_object (next, from) == NULL
                 ? history_add_object (next, from, NULL)
                 : NULL);
      if (to != NULL)
        add_old (next, to, old, from, keep);
    }
}

/* Return WEIGHT, the number of samples in one granule, as a share of SAMPLES,
   in the units of heat.  Round the share up, so that a granule with a sample
   never counts as cold.  */
static uint16_t
history_get_share (double weight, double samples)
{
  const double heat = weight * HUGETEXT_HEAT_MAX / samples;
  const uint32_t whole = heat;
  return whole + (whole < heat && whole < HUGETEXT_HEAT_MAX);
}

struct attach_heats
history_heats (const struct history *history)
{
  struct attach_heat *list = allocate ((history->count + 1) * sizeof *list);
  uint16_t *weights = allocate ((history->used + 1) * sizeof *weights);
  for (size_t i = 0; i < history->used; ++i)
    weights[i] = history_get_share (history->weights[i], history->samples);
  for (size_t i = 0; i < history->count; ++i)
    {
      const struct history_object *object = &history->list[i];
      list[i] = (struct attach_heat){ .device = object->device,
                                      .inode = object->inode,
                                      .heat = { object->first, object->count,
                                                weights + object->at } };
    }
  return (struct attach_heats){ .list = list,
                                .count = history->count,
                                .samples = history->samples };
}

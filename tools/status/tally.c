/* Sums over the processes of each service, and over all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/tally.h"
#include "object/plan.h"
#include "host/group.h"
#include "text/json.h"

#include <stdlib.h>
#include <string.h>

/* The tally of the service of PID, a new one if there is none; NULL if there
   is no memory, or no such process.  */
static struct tally *
find (struct tallies *tallies, pid_t pid)
{
  char name[PATH_MAX];
  group_of (pid, name);
  if (name[0] == '\0')
    return NULL;
  for (size_t i = tallies->count; i-- > 0;)
    if (strcmp (tallies->list[i].service, name) == 0)
      return &tallies->list[i];
  struct tally *list
      = reallocarray (tallies->list, tallies->count + 1, sizeof *list);
  if (list == NULL)
    return NULL;
  tallies->list = list;
  list += tallies->count;
  *list = (struct tally){ .service = strdup (name) };
  if (list->service == NULL)
    return NULL;
  ++tallies->count;
  return list;
}

/* Add SUMS to TO.  */
static void
add_sums (struct text_sums *to, const struct text_sums *sums)
{
  to->text += sums->text;
  to->huge += sums->huge;
  to->small += sums->small;
  to->backing |= sums->backing;
}

/* Add the blocks of FOUND to TALLY.  */
static void
add_blocks (struct tally *tally, const struct inspection *found, bool ours)
{
  size_t blocks = 0;
  for (size_t i = 0; i < found->objects.count; ++i)
    for (size_t j = 0; j < found->objects.list[i].nblocks; ++j)
      {
        const struct text_block *block = &found->objects.list[i].blocks[j];
        if (block->huge == 0)
          continue;
        ++blocks;
        for (size_t bit = 0; bit < BACKINGS; ++bit)
          if (block->backing == 1U << bit)
            tally->huge[bit] += block->huge;
      }
  if (!ours)
    return;
  struct settings settings;
  inspect_read_settings (found, &settings);
  size_t cap = plan_cap (&settings);
  ++tally->ours;
  tally->blocks += blocks;
  tally->full += blocks >= cap;
  /* AArch64 has no limit.  */
  if (cap != SIZE_MAX)
    tally->cap += cap;
}

static void
add_to (struct tally *tally, const struct inspection *found,
        const struct cost *cost, bool ours)
{
  struct text_sums sums = report_sums (&found->objects);
  ++tally->processes;
  add_sums (&tally->sums, &sums);
  add_blocks (tally, found, ours);
  const struct object_text *code = &found->objects.made;
  const struct text_sums made
      = { .text = code->text, .huge = code->huge, .small = code->small };
  add_sums (&tally->made, &made);
  cost_add (&tally->cost, cost);
}

void
tally_add (struct tallies *tallies, const struct inspection *found,
           const struct cost *cost)
{
  const char *loader = inspect_loader (found);
  bool ours = loader != NULL && strcmp (loader, "ld-hugetext") == 0;
  struct tally *tally = find (tallies, found->process.pid);
  if (tally != NULL)
    add_to (tally, found, cost, ours);
  add_to (&tallies->all, found, cost, ours);
}

void
tally_add_unread (struct tallies *tallies, pid_t pid)
{
  struct tally *tally = find (tallies, pid);
  if (tally != NULL)
    ++tally->unread;
  ++tallies->all.unread;
}

static int
by_small (const void *a, const void *b)
{
  const struct tally *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return strcmp (x->service, y->service);
}

void
tally_sort (struct tallies *tallies)
{
  if (tallies->count > 0)
    qsort (tallies->list, tallies->count, sizeof *tallies->list, by_small);
}

/* The bytes on huge pages of TALLY, by backing.  */
static struct json_object *
by_backing (const struct tally *tally)
{
  struct json_object *json = json_object_new_object ();
  char name[40];
  for (size_t bit = 0; bit < BACKINGS; ++bit)
    json_set_number (json, backing_names (1U << bit, name), tally->huge[bit]);
  return json;
}

struct json_object *
tally_json (const struct tallies *tallies)
{
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; i < tallies->count; ++i)
    {
      const struct tally *tally = &tallies->list[i];
      struct json_object *json = json_object_new_object ();
      json_set_string (json, "name", tally->service);
      json_set_number (json, "processes", tally->processes);
      json_set_number (json, "unreadable", tally->unread);
      json_set_number (json, "ld_hugetext", tally->ours);
      json_set_sums (json, &tally->sums);
      json_object_object_add (json, "huge_bytes_by_backing",
                              by_backing (tally));
      struct json_object *made = json_object_new_object ();
      json_set_sums (made, &tally->made);
      json_object_object_add (json, "made_at_run_time", made);
      json_set_number (json, "blocks", tally->blocks);
      json_set_number (json, "blocks_cap", tally->cap);
      json_set_number (json, "processes_at_cap", tally->full);
      json_object_object_add (json, "memory", json_cost (&tally->cost));
      json_object_array_add (array, json);
    }
  return array;
}

void
tally_free (struct tallies *tallies)
{
  for (size_t i = 0; i < tallies->count; ++i)
    free (tallies->list[i].service);
  free (tallies->list);
  *tallies = (struct tallies){ .list = NULL };
}

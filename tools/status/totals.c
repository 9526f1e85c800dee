/* Totals: sums over the processes of each service, and over all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/totals.h"
#include "object/plan.h"
#include "host/group.h"
#include "text/json.h"

#include <stdlib.h>
#include <string.h>

/* Return the total of PID's service, a new one if there is none; NULL if there
   is no memory, or no such process.  */
static struct total *
find (struct totals *totals, pid_t pid)
{
  char name[PATH_MAX];
  group_of (pid, name);
  if (name[0] == '\0')
    return NULL;
  for (size_t i = totals->count; i-- > 0;)
    if (strcmp (totals->list[i].service, name) == 0)
      return &totals->list[i];
  struct total *list
      = reallocarray (totals->list, totals->count + 1, sizeof *list);
  if (list == NULL)
    return NULL;
  totals->list = list;
  list += totals->count;
  *list = (struct total){ .service = strdup (name) };
  if (list->service == NULL)
    return NULL;
  ++totals->count;
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

/* Add the blocks of FOUND to TOTAL.  */
static void
add_blocks (struct total *total, const struct inspection *found, bool ours)
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
            total->huge[bit] += block->huge;
      }
  if (!ours)
    return;
  struct settings settings;
  inspect_read_settings (found, &settings);
  size_t cap = plan_cap (&settings);
  ++total->ours;
  total->blocks += blocks;
  total->full += blocks >= cap;
  /* On AArch64 there is no cap.  */
  if (cap != SIZE_MAX)
    total->cap += cap;
}

static void
add_to (struct total *total, const struct inspection *found,
        const struct cost *cost, bool ours)
{
  struct text_sums sums = report_sums (&found->objects);
  ++total->processes;
  add_sums (&total->sums, &sums);
  add_blocks (total, found, ours);
  const struct object_text *code = &found->objects.made;
  const struct text_sums made
      = { .text = code->text, .huge = code->huge, .small = code->small };
  add_sums (&total->made, &made);
  cost_add (&total->cost, cost);
}

void
totals_add (struct totals *totals, const struct inspection *found,
            const struct cost *cost)
{
  const char *loader = inspect_loader (found);
  bool ours = loader != NULL && strcmp (loader, "ld-hugetext") == 0;
  struct total *total = find (totals, found->process.pid);
  if (total != NULL)
    add_to (total, found, cost, ours);
  add_to (&totals->all, found, cost, ours);
}

void
totals_add_unread (struct totals *totals, pid_t pid)
{
  struct total *total = find (totals, pid);
  if (total != NULL)
    ++total->unread;
  ++totals->all.unread;
}

static int
by_small (const void *a, const void *b)
{
  const struct total *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return strcmp (x->service, y->service);
}

void
totals_sort (struct totals *totals)
{
  if (totals->count > 0)
    qsort (totals->list, totals->count, sizeof *totals->list, by_small);
}

/* Return TOTAL's bytes on huge pages by backing.  */
static struct json_object *
by_backing (const struct total *total)
{
  struct json_object *json = json_object_new_object ();
  char name[40];
  for (size_t bit = 0; bit < BACKINGS; ++bit)
    json_set_number (json, backing_names (1U << bit, name), total->huge[bit]);
  return json;
}

struct json_object *
totals_json (const struct totals *totals)
{
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; i < totals->count; ++i)
    {
      const struct total *total = &totals->list[i];
      struct json_object *json = json_object_new_object ();
      json_set_string (json, "name", total->service);
      json_set_number (json, "processes", total->processes);
      json_set_number (json, "unreadable", total->unread);
      json_set_number (json, "ld_hugetext", total->ours);
      json_set_sums (json, &total->sums);
      json_object_object_add (json, "huge_bytes_by_backing",
                              by_backing (total));
      struct json_object *made = json_object_new_object ();
      json_set_sums (made, &total->made);
      json_object_object_add (json, "made_at_run_time", made);
      json_set_number (json, "blocks", total->blocks);
      json_set_number (json, "blocks_cap", total->cap);
      json_set_number (json, "processes_at_cap", total->full);
      json_object_object_add (json, "memory", json_cost (&total->cost));
      json_object_array_add (array, json);
    }
  return array;
}

void
totals_free (struct totals *totals)
{
  for (size_t i = 0; i < totals->count; ++i)
    free (totals->list[i].service);
  free (totals->list);
  *totals = (struct totals){ .list = NULL };
}

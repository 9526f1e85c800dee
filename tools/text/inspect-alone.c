/* The reasons why an object of a process has no huge blocks at all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/inspect.h"
#include "object/plan.h"
#include "object/reason.h"

enum hugetext_reason
inspect_alone (const struct inspection *found, size_t i,
               const struct settings *settings, struct problem *problem)
{
  const struct object_text *object = &found->objects.list[i];
  const struct inspected_file *file = &found->files[i];
  if (file->alone != HUGETEXT_NONE)
    {
      problem_set (problem, "%s", file->problem);
      return file->alone;
    }
  if (!plan_check_name (settings, object->name, problem))
    return HUGETEXT_NOT_AMONG;
  const struct hugetext_entry *entry
      = record_find (&found->record, object->bias);
  if (entry == NULL || (entry->circumstances & HUGETEXT_WAS_CHANGED) == 0)
    return HUGETEXT_NONE;
  reason_set (problem, HUGETEXT_HEADERS_CHANGED);
  return HUGETEXT_HEADERS_CHANGED;
}

/* What programs that run have mapped, and what huge pages would cost.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "inspect.h"
#include "plan.h"
#include "procmaps.h"
#include "survey-rows.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of which the store would have an image.  */
struct survey_object
{
  dev_t device;
  ino_t inode;
};

/* About how many blocks there are of TEXT bytes of an object.  */
static size_t
blocks_of (size_t text)
{
  static const struct settings none;
  const size_t least = settings_value (&none, SETTING_PAD);
  return text < least ? 0
                      : (text + procmaps_block () - least) / procmaps_block ();
}

/* Count the images of OBJECTS that are not counted yet.  */
static void
count_stored (struct survey *survey, const struct object_list *objects)
{
  for (size_t i = 0; i < objects->count; i++)
    {
      const struct object_text *object = &objects->list[i];
      size_t k = 0;
      while (k < survey->nobjects
             && (survey->objects[k].inode != object->inode
                 || survey->objects[k].device != object->device))
        k++;
      if (k < survey->nobjects || blocks_of (object->text) == 0)
        continue;
      struct survey_object *list
          = reallocarray (survey->objects, k + 1, sizeof *list);
      if (list == NULL)
        {
          survey->failed = true;
          return;
        }
      survey->objects = list;
      list[survey->nobjects++]
          = (struct survey_object){ object->device, object->inode };
      survey->stored += blocks_of (object->text) * procmaps_block ();
    }
}

static int
by_address (const void *a, const void *b)
{
  const uintptr_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Whether PID was started by itself: what is forked has its parent's stack,
   and shares its copies.  Starts that were seen are in *SEEN.  */
static bool
is_alone (pid_t pid, void **seen)
{
  /* proc(5): startstack.  */
  enum
  {
    START_STACK = 28,
  };
  uintptr_t key = survey_stat (pid, START_STACK);
  /* Kernels may hide it.  */
  if (key <= 1)
    return true;
  uintptr_t *start = malloc (sizeof *start);
  if (start == NULL)
    return true;
  *start = key;
  void *found = tsearch (start, seen, by_address);
  if (found != NULL && *(uintptr_t **)found == start)
    return true;
  free (start);
  return false;
}

/* Add what FOUND has to ROW.  */
static void
add_process (struct survey *survey, struct survey_row *row,
             const struct inspection *found, void **starts)
{
  const size_t cap = plan_cap (&(struct settings){ 0 });
  struct text_sums sums = report_sums (&found->objects);
  const struct object_text *made = &found->objects.made;
  size_t blocks = 0;
  if (row->processes++ == 0)
    row->elsewhere = true;
  row->pid = found->process.pid;
  row->sums.text += sums.text;
  row->sums.huge += sums.huge;
  row->sums.small += sums.small;
  row->sums.backing |= sums.backing;
  row->made.text += made->text;
  row->made.huge += made->huge;
  row->made.small += made->small;
  const char *loader = inspect_loader (found);
  row->ours |= loader != NULL && strcmp (loader, "ld-hugetext") == 0;
  row->elsewhere &= inspect_is_elsewhere (row->pid);
  row->alone += is_alone (row->pid, starts);
  for (size_t i = 0; i < found->objects.count; i++)
    blocks += blocks_of (found->objects.list[i].text);
  blocks = blocks < cap ? blocks : cap;
  row->blocks = row->blocks > blocks ? row->blocks : blocks;
  count_stored (survey, &found->objects);
}

void
survey_look (struct survey *survey)
{
  pid_t *list;
  void *starts = NULL;
  ssize_t n = process_list (NULL, &list);
  for (ssize_t i = 0; i < n; i++)
    {
      struct inspection found;
      if (list[i] == getpid ())
        continue;
      const char *problem = inspect (list[i], 0, &found);
      bool good = problem == NULL;
      inspect_say_left_out (&found, problem);
      struct survey_row *row = NULL;
      if (good || found.unread)
        row = survey_row_of (survey, list[i]);
      survey->unread += !good && found.unread;
      if (good && row != NULL)
        add_process (survey, row, &found, &starts);
      else if (row != NULL)
        row->unread++;
      if (good)
        inspect_free (&found);
    }
  free (list);
  tdestroy (starts, free);
}

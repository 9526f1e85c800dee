/* The inspector's answers about the text of processes: write them to
   messages, and read and check them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/answer.h"
#include "host/group.h"
#include "util/allocate.h"
#include "util/printable.h"

#include <errno.h>
#include <limits.h>

static void
put_settings (struct message *message, const struct settings *settings)
{
  for (size_t i = 0; i < SETTINGS; ++i)
    {
      message_put_number (message, settings->given[i]);
      message_put_number (message, settings->value[i]);
    }
  message_put_number (message, settings->limited);
  message_put_bytes (message, &settings->advice, sizeof settings->advice);
}

/* Return true if VALUE is possible for SETTING.  */
static bool
is_value (enum setting setting, uint64_t value)
{
  return value <= settings_most (setting);
}

/* Read SETTINGS from MESSAGE.  The process can write any values to the
   settings in its record, so skip impossible values.  */
static void
get_settings (struct message *message, struct settings *settings)
{
  struct hugetext_advice *advice = &settings->advice;
  *settings = (struct settings){ 0 };
  for (size_t i = 0; i < SETTINGS; ++i)
    {
      const bool given = message_get_bool (message);
      const uint64_t value = message_get_number (message, UINT64_MAX);
      settings->given[i] = given && is_value (i, value);
      settings->value[i] = settings->given[i] ? value : 0;
    }
  settings->limited = message_get_bool (message);
  message_get_bytes (message, advice, sizeof *advice);
  record_end_texts (advice);
  advice->given &= (1U << HUGETEXT_KEYS) - 1;
  for (size_t i = 0; i < SETTINGS; ++i)
    if (!is_value (i, advice->value[i]))
      advice->given &= ~(1U << i);
}

static void
put_files (struct message *message, const struct inspection *found)
{
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      message_put_text (message, found->files[i].problem);
      message_put_number (message, found->files[i].fixed);
      message_put_number (message, found->files[i].alone);
      message_put_number (message, found->files[i].elf != NULL);
      if (found->files[i].elf != NULL)
        elfobject_put (message, found->files[i].elf);
      message_put_number (message, found->files[i].verdicts != NULL);
      for (size_t k = 0; found->files[i].verdicts != NULL
                         && k < found->objects.list[i].nblocks;
           ++k)
        message_put_number (message, found->files[i].verdicts[k]);
    }
}

static void
answer_get_files (struct message *message, struct inspection *found)
{
  found->files = allocate (found->objects.count * sizeof *found->files);
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      struct inspected_file *file = &found->files[i];
      message_get_printable (message, file->problem, sizeof file->problem);
      file->fixed = message_get_bool (message);
      file->alone = message_get_number (message, HUGETEXT_REASONS - 1);
      if (message_get_bool (message))
        {
          file->elf = allocate (sizeof *file->elf);
          elfobject_get (message, file->elf);
        }
      const size_t count
          = (message_get_bool (message) ? found->objects.list[i].nblocks : 0);
      if (count > 0)
        file->verdicts = allocate (count * sizeof *file->verdicts);
      for (size_t k = 0; k < count; ++k)
        file->verdicts[k]
            = message_get_number (message, HUGETEXT_LAST_VERDICT);
    }
}

void
answer_put (struct message *message, const struct inspection *found)
{
  const bool good = !problem_is (&found->problem) && found->error == 0;
  process_put (message, &found->process);
  message_put_text (message, found->group);
  message_put_text (message, found->exe);
  message_put_text (message, found->problem.text);
  message_put_number (message, found->error);
  message_put_number (message, found->unread);
  message_put_number (message, found->left_out);
  if (!good)
    return;
  objtext_put (message, &found->objects);
  message_put_number (message, found->loading);
  if ((found->flags & INSPECT_DIRECT) != 0)
    return;
  message_put_number (message, found->loader);
  message_put_text (message, found->version);
  message_put_text (message, found->build);
  message_put_number (message, found->secure);
  message_put_number (message, found->outdated);
  message_put_number (message, found->off);
  message_put_number (message, found->small);
  message_put_text (message, found->since);
  message_put_number (message, found->index_error);
  message_put_number (message, found->image_error);
  message_put_number (message, found->thp_disabled);
  message_put_number (message, found->elsewhere);
  message_put_number (message, found->contained);
  put_settings (message, &found->settings);
  message_put_text (message, found->code_left);
  message_put_number (message, found->code_beyond_cap);
  message_put_number (message, found->beyond_cap);
  message_put_number (message, found->not_made_for_cap);
  message_put_number (message, found->candidates);
  message_put_number (message, found->attached_cap);
  message_put_number (message, found->cap_reason);
  message_put_number (message, found->reclaimed);
  message_put_number (message, found->cost.copies);
  message_put_number (message, found->cost.unfit);
  message_put_number (message, found->cost.images);
  if ((found->flags & INSPECT_RECORD) != 0)
    {
      message_put_number (message, found->recorded);
      message_put_text (message, found->record_problem.text);
      record_put (message, &found->record);
    }
  if ((found->flags & INSPECT_ELF) != 0)
    message_put_text (message, found->foreign);
  if ((found->flags & (INSPECT_FILES | INSPECT_ELF)) != 0)
    put_files (message, found);
}

/* Read FOUND, except the facts about its process, from MESSAGE.  */
static void
get_rest (struct message *message, struct inspection *found)
{
  objtext_get (message, &found->objects);
  found->loading = message_get_bool (message);
  if ((found->flags & INSPECT_DIRECT) != 0)
    return;
  found->loader = message_get_number (message, INSPECTED_OURS);
  message_get_printable (message, found->version, sizeof found->version);
  message_get_printable (message, found->build, sizeof found->build);
  found->secure = message_get_bool (message);
  found->outdated = message_get_bool (message);
  found->off = message_get_number (message, HUGETEXT_REASONS - 1);
  found->small = message_get_bool (message);
  message_get_printable (message, found->since, sizeof found->since);
  found->index_error = message_get_number (message, ANSWER_ERRNO_MAX);
  found->image_error = message_get_number (message, ANSWER_ERRNO_MAX);
  found->thp_disabled = message_get_bool (message);
  found->elsewhere = message_get_bool (message);
  found->contained = message_get_bool (message);
  get_settings (message, &found->settings);
  message_get_printable (message, found->code_left, sizeof found->code_left);
  found->code_beyond_cap = message_get_number (message, UINT32_MAX);
  found->beyond_cap = message_get_number (message, UINT32_MAX);
  found->not_made_for_cap = message_get_number (message, UINT32_MAX);
  found->candidates = message_get_number (message, UINT32_MAX);
  found->attached_cap = message_get_number (message, UINT64_MAX);
  found->cap_reason = message_get_number (message, HUGETEXT_LAST_OUTCOME);
  message->bad |= (found->cap_reason != HUGETEXT_NONE
                   && found->cap_reason != HUGETEXT_OVER_CAP
                   && found->cap_reason != HUGETEXT_OVER_COPIES);
  found->reclaimed = message_get_number (message, INT64_MAX);
  found->cost.copies = message_get_number (message, INT64_MAX);
  found->cost.unfit = message_get_number (message, found->cost.copies);
  found->cost.images = message_get_number (message, INT64_MAX);
  if ((found->flags & INSPECT_RECORD) != 0)
    {
      found->recorded = message_get_bool (message);
      message_get_printable (message, found->record_problem.text,
                             sizeof found->record_problem.text);
      record_get (message, &found->record);
    }
  if ((found->flags & INSPECT_ELF) != 0)
    message_get_printable (message, found->foreign, sizeof found->foreign);
  if ((found->flags & (INSPECT_FILES | INSPECT_ELF)) != 0)
    answer_get_files (message, found);
}

bool
answer_get (struct message *message, struct inspection *found)
{
  const pid_t pid = found->process.pid;
  process_get (message, &found->process);
  message_get_printable (message, found->group, sizeof found->group);
  message->bad |= !group_is_name (found->group);
  message_get_printable (message, found->exe, sizeof found->exe);
  message_get_printable (message, found->problem.text,
                         sizeof found->problem.text);
  found->error = message_get_number (message, ANSWER_ERRNO_MAX);
  found->unread = message_get_bool (message);
  found->left_out = message_get_bool (message);
  if (!problem_is (&found->problem) && found->error == 0)
    get_rest (message, found);
  /* If the process does not exist, the answer contains no process ID.  */
  const bool same = found->process.pid == pid || problem_is (&found->problem);
  found->process.pid = pid;
  return same && message_is_done (message);
}

/* MAP_SIZE is the minimum number of bytes that a struct mapping takes in a
   message.  NAME_MOST is the maximum length of a name in bytes.  */
enum
{
  MAP_SIZE = 23 * sizeof (uint64_t),
  NAME_MOST = 4 * PATH_MAX + 64,
};

/* The members of struct mapping other than its name.  */
#define MAP_MEMBERS(NUMBER, FLAG)    \
  NUMBER (start, UINTPTR_MAX)        \
  NUMBER (end, UINTPTR_MAX)          \
  NUMBER (offset, UINT64_MAX)        \
  NUMBER (device, UINT64_MAX)        \
  NUMBER (inode, UINT64_MAX)         \
  FLAG (readable)                    \
  FLAG (writable)                    \
  FLAG (executable)                  \
  FLAG (shared)                      \
  FLAG (deleted)                     \
  FLAG (detailed)                    \
  NUMBER (part, INT64_MAX)           \
  NUMBER (huge_file, INT64_MAX)      \
  NUMBER (huge_anonymous, INT64_MAX) \
  NUMBER (huge_hugetlb, INT64_MAX)   \
  FLAG (hugetlb)                     \
  FLAG (locked)                      \
  FLAG (guarded)                     \
  FLAG (kept_small)                  \
  FLAG (watched)                     \
  NUMBER (others, INT64_MAX)         \
  NUMBER (dirty, INT64_MAX)
MESSAGE_MEMBERS (map, struct mapping, MAP_MEMBERS)

void
answer_put_maps (struct message *message, const struct procmaps *maps,
                 int error)
{
  message_put_number (message, error);
  message_put_number (message, maps->detailed);
  message_put_number (message, maps->count);
  for (size_t i = 0; i < maps->count; ++i)
    {
      message_put_text (message, maps->list[i].name);
      put_map (message, &maps->list[i]);
    }
}

/* Return true if the addresses in MAPS are in ascending order.  The code that
   uses MAPS relies on the ascending order.  */
static bool
ascend (const struct procmaps *maps)
{
  uintptr_t last = 0;
  for (size_t i = 0; i < maps->count; ++i)
    {
      if (maps->list[i].start < last
          || maps->list[i].end <= maps->list[i].start)
        return false;
      last = maps->list[i].end;
    }
  return true;
}

int
answer_get_maps (struct message *message, struct procmaps *maps)
{
  const int error = message_get_number (message, ANSWER_ERRNO_MAX);
  const bool detailed = message_get_bool (message);
  *maps = (struct procmaps){ .detailed = detailed,
                             .count = message_get_count (message, MAP_SIZE) };
  maps->list = allocate (maps->count * sizeof *maps->list);
  for (size_t i = 0; i < maps->count; ++i)
    {
      maps->list[i].name = message_get_new_text (message, NAME_MOST);
      get_map (message, &maps->list[i]);
    }
  if (message_is_done (message) && ascend (maps))
    return error;
  procmaps_free (maps);
  return EBADMSG;
}

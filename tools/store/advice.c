/* Advice: find out whether "hugetext store add" or "hugetext prime" would
   accept a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The functions in this file call the functions with which "hugetext store
   add" and "hugetext prime" decide about a file, so that "hugetext store add"
   or "hugetext prime" accepts each file for which a remedy advises it.  The
   command opens the file only if the file belongs to root (objects_open), and
   lets unprivileged processes read it, because an inspected process may have
   chosen the path (in /proc/PID/maps).  */

#include "store/advice.h"
#include "store/parts.h"
#include "store/prime.h"
#include "store/stored.h"
#include "host/unprivileged.h"
#include "object/settings.h"
#include "util/allocate.h"
#include "util/patience.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* An answer that this process has already given.  The answer for "hugetext
   prime" also depends on RUNNING and SETTINGS, the facts about the
   process.  */
struct known
{
  char *path;
  enum reason_verb verb;
  dev_t device;
  ino_t inode;
  bool running;
  struct settings settings;
  enum reason_answer answer;
  struct problem problem;
};

/* Return true if the store has an image of OBJECT that the loader would use.
   *CLOSURE is the descriptor of OBJECT's file.  If the index has no record of
   the image, return false, because "hugetext store add" would add the
   record.  */
static bool
store_advice_is_stored (void *closure, const struct fit_object *object)
{
  struct hugetext_index_image image;
  const int *fd = closure;
  return stored_image (*fd, &object->elf.object, &image);
}

/* Ask whether "hugetext store add" would make an image of FILE.  */
static enum reason_answer
ask_store (const struct reason_file *file, struct problem *problem)
{
  const struct mapping map = { .device = file->device, .inode = file->inode };
  struct fit_object object;
  int fd = objects_open (file->path, file->inode != 0 ? &map : NULL, problem);
  if (fd < 0)
    return REASON_REFUSES;
  const enum fit fit = fit_judge (file->path, fd, store_advice_is_stored, &fd,
                                  &object, problem);
  close (fd);
  return (fit == FIT_GOOD      ? REASON_TAKES
          : fit == FIT_SKIPPED ? REASON_HAS
                               : REASON_REFUSES);
}

/* Find out what VERB would do with FILE, a file of the process that ABOUT
   describes.  If the time for advice is over, the answer is REASON_UNKNOWN,
   because the missing facts might change the answer.  */
static enum reason_answer
store_advice_find_outcome (enum reason_verb verb,
                           const struct reason_about *about,
                           const struct reason_file *file,
                           struct problem *problem)
{
  const size_t failures = unprivileged_failures ();
  *problem = (struct problem){ 0 };
  if (!patience_begin ())
    return REASON_UNKNOWN;
  enum reason_answer answer
      = verb == REASON_STORE
            ? ask_store (file, problem)
            : prime_judge (file, about->running, about->settings, problem);
  if (problem->code != PROBLEM_PLAIN || unprivileged_failures () != failures
      || patience_left () == 0)
    answer = REASON_UNKNOWN;
  patience_end ();
  return answer;
}

/* Return true if KNOWN is a stored answer that applies to VERB, FILE and the
   process that ABOUT describes.  */
static bool
is_answer (const struct known *known, enum reason_verb verb,
           const struct reason_about *about, const struct reason_file *file)
{
  return (known->verb == verb && known->device == file->device
          && known->inode == file->inode
          && strcmp (known->path, file->path) == 0
          && (verb == REASON_STORE
              || (known->running == about->running
                  && !settings_differ (&known->settings, about->settings))));
}

enum reason_answer
advice_ask (enum reason_verb verb, const struct reason_about *about,
            const struct reason_file *file, struct problem *problem)
{
  static struct known *list;
  static size_t count;
  size_t i = 0;
  if (file->path[0] != '/' || strlen (file->path) >= PATH_MAX)
    return REASON_UNKNOWN;
  while (i < count && !is_answer (&list[i], verb, about, file))
    ++i;
  if (i == count)
    {
      list = allocate_more (list, count++, sizeof *list);
      list[i] = (struct known){ .path = allocate_text (file->path),
                                .verb = verb,
                                .device = file->device,
                                .inode = file->inode,
                                .running = about->running,
                                .settings = *about->settings };
      list[i].answer
          = store_advice_find_outcome (verb, about, file, &list[i].problem);
    }
  *problem = list[i].problem;
  return list[i].answer;
}

/* The decision whether an object can have an image, and where the image's
   blocks would be.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   "hugetext store add", and verbs that advise "hugetext store add" for a file,
   call the same function, so that "hugetext store add" accepts each file for
   which a verb advises it.  */

#include "store/parts.h"
#include "image/make.h"
#include "object/elfask.h"
#include "object/loader.h"
#include "object/plan.h"
#include "host/reader.h"
#include "trust/identity.h"

#include <errno.h>

/* Write to ANSWER whether FILE is an image of the store.  */
static void
read_image (const struct reader_file *file, const void *none,
            struct message *answer)
{
  struct image image;
  struct problem problem;
  (void) none;
  image_read (file->fd, &image, &problem);
  message_put_number (answer, image.note.version != 0);
}

/* WHAT is a kind of file that cannot have an image.  IS tells whether a file
   is of this kind.  If the file is WHAT, or if IS says that the answer is
   unknown, set PROBLEM and return false.  */
static bool
check_not (struct truth is, const char *what, struct problem *problem)
{
  return (
      is.is == TRUTH_NO
      || (is.is == TRUTH_YES
              ? problem_set (problem, "the file is %s", what)
              : problem_unknown (problem, "whether the file is %s", what)));
}

/* Set NOTE to the description of an image of the file PATH, which is open on
   descriptor FD.  ELF is the description of the file PATH.  If there can be no
   image, set PROBLEM and return false.  */
static bool
plan_image (const char *path, int fd, struct elf_object *elf,
            struct image_note *note, struct problem *problem)
{
  static const struct settings settings;
  struct plan plan = { 0 };
  if (!check_not (reader_says (fd, NULL, read_image, NULL),
                  "an image of the store", problem))
    return false;
  if (!elfask_read (fd, elf, problem) || !elfobject_check (elf, problem))
    return false;
  if (loader_named (path)
      && !check_not (elfask_is_loader (path, fd), "a loader", problem))
    return false;
  /* Make the plan without huge pages of the file in the page cache.  (If the
     page cache has huge pages of the file, the loader uses the huge pages in
     the page cache instead of the image.)  */
  plan_make (&plan, elf, &settings, NULL);
  const bool any = image_plan (&plan, note);
  plan_free (&plan);
  return any || problem_set (problem, "no block of the file can be huge");
}

enum fit
fit_judge (const char *path, int fd, fit_skips *skips, void *closure,
           struct fit_object *object, struct problem *problem)
{
  if (!plan_image (path, fd, &object->elf, &object->note, problem))
    return FIT_NO_BLOCK;
  if (fstat (fd, &object->status) != 0)
    {
      problem_system (problem, errno);
      return FIT_NO_SOURCE;
    }
  if (!identity_check_source (fd, &object->status, problem))
    return FIT_NO_SOURCE;
  if (skips (closure, object))
    return FIT_SKIPPED;
  return (elfask_check_maps (fd, path, &object->elf.object, problem)
              ? FIT_GOOD
              : FIT_NEEDS_PATH);
}

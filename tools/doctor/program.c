/* The lines of "hugetext doctor" about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command makes a dry run of the program's start, as "hugetext explain"
   does.  */

#include "doctor/doctor.h"
#include "explain/explain.h"
#include "host/selection.h"
#include "object/attachable.h"
#include "object/plan.h"
#include "store/stored.h"
#include "trust/trusted.h"
#include "util/printable.h"
#include "util/regular.h"
#include "text/objtext.h"
#include "util/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The remedy that is printed if nothing can be done.  The word "none" tells
   readers that they need not look for a remedy.  */
#define NOTHING_HELPS REMEDIES (ANYWHERE ("none"))

/* Return the word for the program NAME in a remedy: NAME, or FILE if NAME
   would need quotes in a shell.  */
static const char *
doctor_program_get_word (const char *name)
{
  return is_plain_word (name) ? name : "FILE";
}

/* Return the remedy "COMMAND NAME", or "COMMAND FILE" if NAME is too long. The
   remedy is stored in TEXT.  */
static struct remedies
doctor_program_get_remedy (char text[static REASON_SIZE], const char *command,
                           const char *name)
{
  if (snprintf (text, REASON_SIZE, "%s %s", command,
                doctor_program_get_word (name))
      >= REASON_SIZE)
    snprintf (text, REASON_SIZE, "%s FILE", command);
  return remedies_chosen (text);
}

/* Return the remedies for the static program NAME.  TEXT is a buffer for the
   remedy that the function makes for programs outside of containers.  If
   "hugetext run" cannot help the program, the description of the program says
   why.  */
static struct remedies
for_static (char text[static REASON_SIZE], const char *name)
{
  struct remedies remedies = REMEDIES (
      ANYWHERE ("on the host, prime FILE in its layer of the container image "
                "(hugetext prime)"));
  static const struct settings none;
  const struct reason_file source = { .path = name };
  struct reason_about about = reason_about (&none, where_own ());
  struct problem ignored;
  about.files = &source;
  about.nfiles = 1;
  if (!attachable_at_start (&ignored))
    {
      reason_advise ("[hugetext prime FILE]", &about, text);
      return where_own () == WHERE_CONTAINER ? remedies
                                             : remedies_chosen (text);
    }
  remedies.by[WHERE_COMMAND] = remedies.by[WHERE_SERVICE]
      = doctor_program_get_remedy (text, "hugetext run --", name)
            .by[WHERE_COMMAND];
  return remedies;
}

/* Print that each process gets COPIES copies of OBJECT's text, and how
   processes can share huge pages.  The line begins with WHAT.  FOUND contains
   OBJECT.  */
static void
say_copies (const char *what, const struct explanation *found,
            const struct explained_object *object, size_t copies)
{
  const struct reason_file source = { .path = object->path };
  struct reason_about about
      = reason_about (&found->settings, found->about.where);
  char words[REASON_SIZE];
  about.files = &source;
  about.nfiles = 1;
  if (found->about.where == WHERE_CONTAINER)
    return;
  reason_advise ("[hugetext store add FILE]; or [hugetext prime FILE]", &about,
                 words);
  doctor_say (LEVEL_OK, what, NO_REMEDY,
              "each process gets " COUNT_FORMAT
              "; to share huge pages between "
              "processes: %s",
              COUNT_PLURAL (copies, "copy", "copies"), words);
}

/* The remedy if a file is not a program.  */
static const struct remedies not_program = REMEDIES (
    ANYWHERE ("correct the path: it must lead to a 64-bit program, or to an "
              "executable script whose first line names its interpreter"));

/* Print how much text of NAME is on huge pages and, if some of the text is on
   small pages, the reason.  SUMS contain the sizes of NAME's text.  The line
   begins with WHAT.  If the program has text on huge pages, and less than 1
   KiB on small pages, do not mention the text on small pages.  If the program
   has less than 1 KiB of text, print the sizes in bytes.  Text that the loader
   leaves on small pages by choice, so that unwinders find it, is no sign that
   huge text is limited, as long as the program has huge pages.  */
static void
say_share (const char *what, const char *name,
           const struct explained_sum *sums)
{
  char text[REASON_SIZE];
  const bool little = sums->text < 1024;
  const size_t unit = little ? 1 : 1024;
  const char *unit_name = little ? "bytes" : "KiB";
  const size_t good = sums->huge + (sums->pages > 0 ? sums->shown : 0);
  if (sums->worst != NULL
      && (sums->pages == 0 || sums->text - sums->huge >= 1024))
    doctor_say (
        good < sums->text - sums->text / 10 ? LEVEL_LIMITED : LEVEL_OK, what,
        sums->worst->remedy[0] != '\0'
            ? remedies_chosen (sums->worst->remedy)
            : doctor_program_get_remedy (text, "hugetext explain", name),
        "%zu of %zu %s of text are in " COUNT_FORMAT "%s: %s",
        sums->huge / unit, sums->text / unit, unit_name,
        COUNT (sums->pages, "huge page"),
        sums->pages > 0 ? "; the rest is on small pages" : "",
        sums->worst->reason);
  else
    doctor_say (LEVEL_OK, what, NO_REMEDY,
                "%zu %s of text are in " COUNT_FORMAT, sums->text / unit,
                unit_name, COUNT (sums->pages, "huge page"));
}

/* Check OBJECT of FOUND, which is the program NAME or a library that the
   program needs or opens.  LAUNCHER is true if OBJECT is a program with little
   text of its own that needs or opens a library with most of the text.  */
static void
check_object (const char *name, const struct explanation *found,
              const struct explained_object *object, bool launcher)
{
  char what[256], text[REASON_SIZE];
  const char *slash = strrchr (object->name, '/');
  const struct explained_sum sums = explain_sum (found, object);
  snprintf (what, sizeof what,
            found->script || object->late || object->needed ? "%s (%s)" : "%s",
            name, slash != NULL ? slash + 1 : object->name);
  if (object->unreadable && object->problem.code == PROBLEM_PLAIN)
    doctor_say (LEVEL_MISSING, what, not_program, "%s", object->problem.text);
  else if (problem_is (&object->problem))
    doctor_say (
        object->problem.code != PROBLEM_PLAIN ? LEVEL_LIMITED : LEVEL_MISSING,
        what, NOTHING_HELPS, "%s: %s", object->name, object->problem.text);
  else if (launcher && sums.pages == 0)
    doctor_say (LEVEL_OK, what, NO_REMEDY,
                "the program itself has %zu KiB of text; all other text is in "
                "libraries that the program needs or opens",
                (object->text + 1023) / 1024);
  else if (object->nblocks == 0 && !found->gains_alone)
    doctor_say (LEVEL_LIMITED, what, NOTHING_HELPS, "%s, %s", object->kind,
                object->place);
  else if (object->nblocks == 0)
    doctor_say (LEVEL_LIMITED, what, for_static (text, name), "%s, %s",
                object->kind, object->place);
  else if (object->left != HUGETEXT_NONE)
    doctor_say (
        LEVEL_LIMITED, what,
        doctor_program_get_remedy (text, "hugetext explain", name),
        "%s; therefore the loader does not move the program, and in the "
        "dry run %zu of %zu KiB of its text were on huge pages",
        reason_words (object->left), sums.huge / 1024, sums.text / 1024);
  else
    say_share (what, name, &sums);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    if (object->unseen[k].reason[0] != '\0')
      doctor_say (LEVEL_OK, what, NO_REMEDY,
                  "huge text has a side effect: %s; ways to avoid this: %s",
                  object->unseen[k].reason, object->unseen[k].remedy);
  if (sums.copies > 0
      && hugetext_may_use_file (
          settings_value (&found->settings, SETTING_BACKING)))
    say_copies (what, found, object, sums.copies);
}

/* Return true if BLOCK is on a page of the hugetlb pool, or would be if the
   pool were large enough.  */
static bool
wants_pool (const struct explained_block *block)
{
  return (block->backing == BACKING_HUGETLB
          || block->why == HUGETEXT_POOL_SHORT
          || block->why == HUGETEXT_GAVE_UP);
}

/* Print how many pages of the hugetlb pool the program NAME and its libraries
   use at the start.  */
static void
say_pool (const char *name, const char *loader,
          const struct settings *settings)
{
  struct explanation found;
  struct problem problem;
  size_t pages = 0;
  char what[256];
  if (explain_file (name, EXPLAINED_PROGRAM, true, loader, settings, &found,
                    &problem))
    for (size_t i = 0; i < found.count; ++i)
      for (size_t k = 0; k < found.list[i].nblocks; ++k)
        pages += wants_pool (&found.list[i].blocks[k]);
  explain_free (&found);
  snprintf (what, sizeof what, "%.240s (pool)", name);
  if (pages > 0)
    doctor_say (
        LEVEL_OK, what, NO_REMEDY,
        "each process that is started uses " COUNT_FORMAT
        " of the hugetlb pool, and "
        "shares %s with its forked children: for N such processes "
        "reserve N times " COUNT_FORMAT " more (sysctl vm.nr_hugepages)",
        COUNT (pages, "page"), count_word (pages, "this page", "these pages"),
        COUNT (pages, "page"));
}

/* If the index contains the heat of the object NAME, add the blocks with heat
   to BLOCKS; if not, return false.  */
static bool
add_hot (const char *name, struct heat_blocks *blocks)
{
  struct problem problem;
  struct heat heat;
  const int fd
      = (geteuid () == 0 ? trusted_open : readable_open) (name, &problem);
  if (fd < 0)
    return false;
  heat_read (&heat, NULL, fd, NULL);
  close (fd);
  const bool any = heat.plan.heat.weight != NULL;
  heat_add_blocks (blocks, &heat);
  heat_free (&heat);
  return any;
}

/* If there are profiles of the program NAME and of its libraries, print
   whether the cap suffices for the program's hot text.  If the program itself
   has no profile, print nothing, because the profiles of its libraries then
   come from other programs.  */
static void
doctor_program_print_hot (const char *name, const char *loader,
                          const struct settings *settings)
{
  struct explanation found;
  struct problem problem;
  struct heat_blocks blocks = { .count = 0 };
  char what[256];
  if (!explain_file (name, EXPLAINED_PROGRAM, true, loader, settings, &found,
                     &problem))
    {
      explain_free (&found);
      return;
    }
  for (size_t i = 0; i < found.count; ++i)
    if (!add_hot (found.list[i].name, &blocks) && i == 0)
      break;
  const size_t hot = heat_count_hot (&blocks);
  const bool fits = plan_hot_fits (hot, &found.settings, &problem);
  explain_free (&found);
  snprintf (what, sizeof what, "%.240s (heat)", name);
  if (!fits)
    doctor_say (LEVEL_OK, what, NO_REMEDY,
                "%s: the hottest blocks become huge first", problem.text);
  else if (hot > 0)
    doctor_say (
        LEVEL_OK, what, NO_REMEDY,
        "all hot text in the profiles of the program needs " COUNT_FORMAT
        ", which the limit allows",
        COUNT (hot, "huge page"));
}

/* Check the program NAME, a path or the name of a command.  */
static void
check_program (const char *name, const char *loader,
               const struct settings *settings)
{
  struct explanation found;
  struct problem problem;
  const char *hint;
  const bool good = explain_file (name, EXPLAINED_PROGRAM, false, loader,
                                  settings, &found, &problem);
  if (!good && problem.code == PROBLEM_UNKNOWN)
    doctor_say (LEVEL_LIMITED, name, NO_REMEDY, "%s", problem.text);
  else if (!good && strchr (name, '/') != NULL)
    doctor_say (LEVEL_MISSING, name, not_program, "%s", problem.text);
  else if (!good && *(hint = selected_hint (name, SELECTED_BY_PROGRAM)) != 0)
    doctor_say (LEVEL_MISSING, name, remedies_chosen (hint), "%s",
                problem.text);
  else if (!good)
    doctor_say (LEVEL_MISSING, name,
                REMEDIES (HOST_CONTAINER (
                    "give the path of a program's file, or the name of a "
                    "service",
                    "give the path of a program's file")),
                "%s", problem.text);
  else if (found.closed && geteuid () != 0)
    doctor_say (LEVEL_LIMITED, name,
                REMEDIES (ANYWHERE ("make the file readable")), "%s: %s",
                found.list[0].name, found.list[0].problem.text);
  else
    {
      if (found.script)
        doctor_say (LEVEL_OK, name, NO_REMEDY,
                    "the file is a script: the lines below are about its "
                    "interpreter, %s",
                    found.list[0].name);
      for (size_t i = 0; i < found.count; ++i)
        check_object (name, &found, &found.list[i],
                      i == 0
                          && (found.list[found.count - 1].late
                              || found.list[found.count - 1].needed));
    }
  explain_free (&found);
  if (good)
    doctor_program_print_hot (name, loader, settings);
  if (good && settings_value (settings, SETTING_BACKING) == HUGETEXT_HUGETLB)
    say_pool (name, loader, settings);
}

void
doctor_program (const char *name, const char *loader,
                const struct settings *settings)
{
  char id[NAME_MAX + 1], path[PATH_MAX];
  const bool service
      = strchr (name, '/') == NULL && selected_program (name, id, path);
  if (service)
    doctor_say (
        LEVEL_OK, name, NO_REMEDY,
        "the lines below are about %s, which %s runs (to check a command with "
        "the name %s, give its path); restrictions of the service, such as "
        "MemoryDenyWriteExecute=, do not apply to the dry run",
        path, id, name);
  check_program (service ? path : name, loader, settings);
}

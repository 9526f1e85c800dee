/* Functions that change files of the machine, undo these changes, or only
   print them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "trust/change.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A change.  Changes are undone in reverse order.  */
struct step
{
  char path[PATH_MAX];
  char *before; /* The former text of the file, or NULL if the file did not
                   exist.  */
  int made;     /* The number of directories in the path that the change has
                   created.  */
};

static struct step *steps;
static size_t count;
static bool simulated;
static bool changed; /* True if a file was changed or, after change_simulate,
                        would have been changed.  */

void
change_simulate (void)
{
  simulated = true;
}

bool
change_is_simulated (void)
{
  return simulated;
}

/* Add the change of the file PATH to the list of changes.  BEFORE is the text
   of the file before the change, or NULL if the file does not exist.  MADE is
   the number of directories that the change creates because PATH needs them
   and they do not exist.  */
static bool
trust_change_add_change (const char *path, char *before, int made,
                         struct problem *problem)
{
  struct step *longer = reallocarray (steps, count + 1, sizeof *longer);
  if (longer == NULL)
    {
      free (before);
      return problem_errno (problem, path);
    }
  steps = longer;
  struct step *step = &steps[count++];
  *step = (struct step){ .before = before, .made = made };
  snprintf (step->path, sizeof step->path, "%s", path);
  return true;
}

char *
change_read (const char *path)
{
  FILE *stream = fopen (path, "re");
  char *text = NULL;
  size_t size = 0;
  if (stream == NULL)
    return NULL;
  if (getdelim (&text, &size, '\0', stream) < 0)
    {
      free (text);
      text = ferror (stream) ? NULL : strdup ("");
    }
  fclose (stream);
  return text;
}

/* Print TEXT, each line indented.  */
static void
print_text (const char *text)
{
  while (*text != '\0')
    {
      int length = strcspn (text, "\n");
      printf ("    %.*s\n", length, text);
      text += length + (text[length] == '\n');
    }
}

bool
change_has_text (const char *path, const char *text)
{
  char *before = change_read (path);
  bool same = before != NULL && strcmp (before, text) == 0;
  free (before);
  return same;
}

bool
change_write (const char *path, const char *text, struct problem *problem)
{
  char directory[PATH_MAX];
  if (change_has_text (path, text))
    return true;
  changed = true;
  if (simulated)
    {
      printf ("would write %s:\n", path);
      print_text (text);
      return true;
    }
  snprintf (directory, sizeof directory, "%s", path);
  int made = 0;
  if (!rewrite_directory (dirname (directory), &made, problem))
    return problem_from (problem, problem, "%s: %s", path, problem->text);
  char *before = change_read (path);
  if (before == NULL && errno != ENOENT)
    return problem_errno (problem, path);
  rewrite_clean (directory);
  return trust_change_add_change (path, before, made, problem)
         && (rewrite_data (path, text, strlen (text), problem)
             || problem_from (problem, problem, "%s: %s", path,
                              problem->text));
}

bool
change_remove (const char *path, struct problem *problem)
{
  char *before = change_read (path);
  if (before == NULL)
    return errno == ENOENT || problem_errno (problem, path);
  changed = true;
  if (simulated)
    {
      printf ("would remove %s\n", path);
      free (before);
      return true;
    }
  return trust_change_add_change (path, before, 0, problem)
         && (unlink (path) == 0 || problem_errno (problem, path));
}

void
change_remove_directory (const char *path)
{
  if (!simulated)
    rmdir (path);
}

bool
change_is_done (void)
{
  return changed;
}

void
change_keep (void)
{
  changed = false;
  while (count > 0)
    free (steps[--count].before);
}

void
change_undo (void)
{
  char directory[PATH_MAX];
  struct problem ignored;
  changed = false;
  while (count > 0)
    {
      struct step *step = &steps[--count];
      snprintf (directory, sizeof directory, "%s", step->path);
      dirname (directory);
      if (step->before == NULL)
        unlink (step->path);
      /* The directory of the file may have been removed as well, so create the
         directory again if necessary.  */
      else if (rewrite_directory (directory, NULL, &ignored))
        rewrite_data (step->path, step->before, strlen (step->before),
                      &ignored);
      for (; step->made > 0; --step->made, dirname (directory))
        rmdir (directory);
      free (step->before);
    }
}

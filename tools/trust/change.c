/* Changes of the machine's files, which can be undone, or only announced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "trust/change.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A change; changes are undone from the last to the first.  */
struct step
{
  char *path;
  char *before; /* The file's former text; NULL if there was no file.  */
  bool folder;  /* The path is a folder that was made.  */
};

static struct step *steps;
static size_t count;
static bool simulated;
static bool changed; /* Whether a file was changed, or would be.  */

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

static const char *
failure (const char *path)
{
  static char text[PATH_MAX + 128];
  snprintf (text, sizeof text, "%s: %s", path, strerror (errno));
  return text;
}

/* Note that PATH is about to change, and its former text BEFORE.  */
static bool
note (const char *path, char *before, bool folder)
{
  struct step *longer = reallocarray (steps, count + 1, sizeof *longer);
  if (longer == NULL)
    return false;
  steps = longer;
  steps[count] = (struct step){ strdup (path), before, folder };
  return steps[count].path != NULL && ++count > 0;
}

char *
change_read (const char *path)
{
  FILE *stream = fopen (path, "re");
  char *text = NULL;
  size_t size = 0;
  if (stream == NULL)
    return NULL;
  ssize_t n = getdelim (&text, &size, '\0', stream);
  if (n < 0)
    {
      free (text);
      text = ferror (stream) ? NULL : strdup ("");
    }
  fclose (stream);
  return text;
}

/* Make the folders on the way to PATH.  */
static const char *
make_folders (const char *path)
{
  char folder[PATH_MAX];
  snprintf (folder, sizeof folder, "%s", path);
  for (char *p = folder + 1; (p = strchr (p, '/')) != NULL; *p++ = '/')
    {
      *p = '\0';
      if (mkdir (folder, 0755) == 0)
        {
          if (chmod (folder, 0755) != 0 || !note (folder, NULL, true))
            return failure (folder);
        }
      else if (errno != EEXIST)
        return failure (folder);
    }
  return NULL;
}

/* Restore the file PATH with TEXT; its folder may be gone, too.  */
static void
put_back (const char *path, const char *text)
{
  char folder[PATH_MAX];
  snprintf (folder, sizeof folder, "%s", path);
  if (rewrite_folder (dirname (folder)))
    rewrite_file (path, text);
}

/* Print TEXT, each line behind blanks.  */
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

const char *
change_write (const char *path, const char *text)
{
  if (change_has_text (path, text))
    return NULL;
  changed = true;
  if (simulated)
    {
      printf ("would write %s:\n", path);
      print_text (text);
      return NULL;
    }
  const char *problem = make_folders (path);
  if (problem != NULL)
    return problem;
  char *before = change_read (path);
  if (before == NULL && errno != ENOENT)
    return failure (path);
  char folder[PATH_MAX];
  snprintf (folder, sizeof folder, "%s", path);
  rewrite_clean (dirname (folder));
  if (!rewrite_file (path, text) || !note (path, before, false))
    return failure (path);
  return NULL;
}

const char *
change_remove (const char *path)
{
  char *before = change_read (path);
  if (before == NULL)
    return errno == ENOENT ? NULL : failure (path);
  changed = true;
  if (simulated)
    {
      printf ("would remove %s\n", path);
      free (before);
      return NULL;
    }
  if (unlink (path) < 0 || !note (path, before, false))
    return failure (path);
  return NULL;
}

void
change_remove_folder (const char *path)
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
    {
      --count;
      free (steps[count].path);
      free (steps[count].before);
    }
}

void
change_undo (void)
{
  changed = false;
  while (count > 0)
    {
      struct step *step = &steps[--count];
      if (step->folder)
        rmdir (step->path);
      else if (step->before == NULL)
        unlink (step->path);
      else
        put_back (step->path, step->before);
      free (step->path);
      free (step->before);
    }
}

/* The drop-in that binds the loader over the system's for a service.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whatever is missing or fails, the service starts as without the drop-in:

   - "-" in front of a command: systemd ignores its failure and its absence.
     In front of a bound file: systemd ignores its absence.
   - "+": the command has root's rights and no filter, but is in the service's
     namespace all the same, which hugetext-guard leaves.
   - ExecCondition= comes before the unit's own ExecStartPre=, whose commands
     are in the namespace, too.  systemd makes a new namespace for each
     command.
   - hugetext-guard removes the copy first; hugetext guard makes a new one, if
     it is there and the trial is good.  When the service has stopped,
     hugetext-guard removes the copy again: libc may be another one at the
     next start.
   - Commands have the service's environment, by which its user can have
     programs load any library.  So the drop-in names only hugetext-guard,
     which is statically linked and passes nothing of that on.
   - A static program has no loader.  Its file is primed instead, before each
     start, when no process maps it.  ExecStart= stays the unit's own: by
     hugetext run the service would not start if that was gone.
   - The drop-in binds the index and the store at their places if the unit
     hides them (TemporaryFileSystem=/var), and only then: if somebody removed
     and made the folder again, running processes would keep the old one.  */

#include "object/loader.h"
#include "service/parts.h"
#include "trust/trusted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/etc/systemd/system"

const char *
dropin_folder (const char *id)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, FOLDER "/%s.d", id);
  return path;
}

const char *
dropin_file (const char *id)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, FOLDER "/%s.d/hugetext.conf", id);
  return path;
}

/* The first line of our drop-ins.  The package also looks for it, when it is
   purged.  */
static const char mark[] = "# Written by \"hugetext enable\"";

bool
dropin_is_foreign (const char *id)
{
  char line[sizeof mark];
  FILE *stream = fopen (dropin_file (id), "re");
  if (stream == NULL)
    return errno != ENOENT;
  bool ours = (fgets (line, sizeof line, stream) != NULL
               && strcmp (line, mark) == 0);
  fclose (stream);
  return !ours;
}

/* Whether PATH means itself in a unit, without quotes.  */
static bool
is_plain (const char *path)
{
  return path[0] == '/'
         && path[strspn (path,
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                         "0123456789/._+-")]
                == '\0';
}

/* Set PATH to hugetext-guard: beside this COMMAND, or where it is
   installed.  */
static void
find_guard (const char *command, char path[static PATH_MAX])
{
  int length = strrchr (command, '/') - command;
  if (snprintf (path, PATH_MAX, "%.*s/hugetext-guard", length, command)
          >= PATH_MAX
      || access (path, X_OK) < 0)
    strcpy (path, GUARD_PATH);
}

/* Whether PATH can be in a unit, where root executes it or binds it over the
   system's loader.  */
static bool
is_fit (const char *path, struct problem *problem)
{
  const char *wrong;
  if (!is_plain (path))
    return problem_set (
        problem, "the path %s has characters that mean something in units",
        path);
  if (access (path, X_OK) != 0)
    return problem_set (problem, "%s cannot be executed", path);
  int fd = trusted_open (path, &wrong);
  if (fd < 0)
    return problem_set (problem,
                        "%s: %s; must be a file that only root can change",
                        path, wrong);
  close (fd);
  return true;
}

/* Set COMMAND and GUARD to the paths of the programs that a drop-in
   executes.  */
static bool
find_commands (char command[static PATH_MAX], char guard[static PATH_MAX],
               struct problem *problem)
{
  ssize_t length = readlink ("/proc/self/exe", command, PATH_MAX - 1);
  if (length <= 0)
    return problem_set (problem, "/proc/self/exe cannot be read");
  command[length] = '\0';
  find_guard (command, guard);
  return is_fit (command, problem) && is_fit (guard, problem);
}

/* Whether UNIT hides the contents of the folder PATH from its processes.  */
static bool
is_hidden (const struct unit *unit, const char *path)
{
  const char *p = unit->hidden;
  /* A word is PATH:OPTIONS, perhaps with "-" or "+" before it.  */
  while (p != NULL && *(p += strspn (p, " -+")) != '\0')
    {
      size_t length = strcspn (p, ": ");
      if (length > 1 && strncmp (p, path, length) == 0
          && (path[length] == '/' || path[length] == '\0'))
        return true;
      p += strcspn (p, " ");
    }
  return false;
}

/* Return the folder of the index and the store.  */
static const char *
index_folder (void)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, "%.*s",
            (int) (strrchr (INDEX_PATH, '/') - INDEX_PATH), INDEX_PATH);
  return path;
}

char *
dropin_text (const struct unit *unit, const char *loader,
             struct problem *problem)
{
  const char *folder = index_folder ();
  bool hidden = is_hidden (unit, folder);
  char command[PATH_MAX], guard[PATH_MAX], *text;
  if (!find_commands (command, guard, problem)
      || (loader != NULL && !is_fit (loader, problem)))
    return NULL;
  if (asprintf (&text,
                "%s; gone with \"hugetext disable %s\".\n"
                "[Service]\n"
                "ExecCondition=-+%s %%n %s guard %s%s%s%%n\n"
                "ExecStopPost=-+%s %%n\n"
                "BindReadOnlyPaths=-%s:%s\n"
                "%s%s%s",
                mark, unit->id, guard, command,
                loader != NULL ? "--loader=" : "",
                loader != NULL ? loader : "", loader != NULL ? " " : "", guard,
                bound_file ("%n"), SYSTEM_LOADER,
                hidden ? "BindReadOnlyPaths=-" : "", hidden ? folder : "",
                hidden ? "\n" : "")
      >= 0)
    return text;
  problem_errno (problem, "the drop-in");
  return NULL;
}

char *
dropin_primed (const struct unit *unit, const struct file_list *programs,
               struct problem *problem)
{
  char command[PATH_MAX], guard[PATH_MAX], *text = NULL;
  size_t size;
  bool good = find_commands (command, guard, problem);
  for (size_t i = 0; good && i < programs->count; ++i)
    good = is_fit (programs->names[i], problem);
  FILE *stream = good ? open_memstream (&text, &size) : NULL;
  if (stream == NULL)
    return NULL;
  fprintf (stream,
           "%s; gone with \"hugetext disable %s\".\n"
           "[Service]\n"
           "ExecStartPre=-+%s %%n %s prime",
           mark, unit->id, guard, command);
  for (size_t i = 0; i < programs->count; ++i)
    fprintf (stream, " %s", programs->names[i]);
  fputc ('\n', stream);
  fclose (stream);
  return text;
}

const char *
dropin_rival (const struct unit *unit)
{
  static char rival[PATH_MAX];
  char ours[PATH_MAX], source[PATH_MAX], target[PATH_MAX];
  snprintf (ours, sizeof ours, "%s", bound_file (unit->id));
  const char *p = unit->binds;
  /* A word is SOURCE:TARGET:OPTIONS, with "-" before it if SOURCE may be
     missing.  */
  while (p != NULL && *(p += strspn (p, " ")) != '\0')
    {
      int length = strcspn (p, " "), first = strcspn (p, ": ");
      const char *second = p + first + (p[first] == ':');
      snprintf (source, sizeof source, "%.*s", first - (*p == '-'),
                p + (*p == '-'));
      snprintf (target, sizeof target, "%.*s", (int) strcspn (second, ": "),
                second);
      if (strcmp (source, ours) != 0 && same_path (target, loader_system ()))
        return strcpy (rival, source);
      p += length;
    }
  return NULL;
}

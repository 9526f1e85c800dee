/* The drop-in that binds the loader over the system's for a service.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whatever is missing or fails, the service starts as without it:

   - "-" in front of a command: its failure is none, nor is its absence.  In
     front of what is bound: if it is not there nothing is.
   - "+": with root's rights, and no filter; but in the namespace of the
     service all the same, which hugetext-guard leaves.
   - ExecCondition= comes before the unit's own ExecStartPre=, which are
     executed in the namespace, too.  A namespace is made anew for each
     command.
   - The copy goes first, and comes back only if hugetext guard is there and
     finds that it can.  When the service has stopped it goes again: libc may
     be another when it starts next.
   - Commands have the service's environment, by which its user may have
     programs load what he likes.  So only hugetext-guard is named here: it is
     statically linked, and hands nothing of that on.
   - A static program is under no loader.  Its file is primed instead, before
     each start: then no process has it mapped.  ExecStart= stays the unit's
   own: through hugetext run it would not start if that were gone.
   - The index and the store are bound where they are if the unit hides them
     (TemporaryFileSystem=/var).  Not else: who removes and makes the folder
     again would leave the old one to the processes that run.  */

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

/* How ours begin.  The package looks for it, too, when it is purged.  */
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

/* Set PATH to that of hugetext-guard: beside this COMMAND, or where it is
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

/* Whether PATH can be in a unit, for root to execute it or to put it into the
   loader's place.  */
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

/* Set COMMAND and GUARD to the paths of what a drop-in executes.  */
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

/* Whether UNIT hides from its processes what is in the folder PATH.  */
static bool
is_hidden (const struct unit *unit, const char *path)
{
  const char *p = unit->hidden;
  /* PATH:OPTIONS, or with "-" or "+" in front of PATH.  */
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

/* The folder of the index and the store.  */
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
  /* SOURCE:TARGET:OPTIONS, a "-" in front of SOURCE if it may be missing.  */
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

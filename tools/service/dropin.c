/* The drop-in that binds the loader over the system's loader for a service.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If any part is missing or fails, the service starts as it would without the
   drop-in:

   - "-" in front of a command means that systemd ignores it if the command
     fails or is missing.  "-" in front of a bound file means that systemd
     ignores it if the file is missing.
   - "+" in front of a command means that the command has root's rights and no
     seccomp filter.  Even a command with "+" starts in the service's mount
     namespace, so hugetext-guard first leaves this namespace.
   - systemd makes a new mount namespace, with the loader mounted in it, for
     each command of the service, including the commands of the unit's own
     ExecStartPre=.  The drop-in runs hugetext-guard by ExecCondition=, because
     systemd runs ExecCondition= before ExecStartPre=.
   - The file that is mounted over the system's loader is a symbolic link to
     ld-hugetext.so.  Each service has its own link.  systemd follows the link
     once, when it mounts the loader, so the programs that a running service
     executes keep the old loader even if a new one is installed under the same
     name.
   - Before each start of the service, hugetext-guard removes the service's
     link.  If the command hugetext exists, hugetext-guard then executes
     "hugetext guard".  "hugetext guard" runs a trial program under
     ld-hugetext.so and, if the trial program works, makes a new link to
     ld-hugetext.so.  After the service has stopped, hugetext-guard removes the
     link again, because another release of libc may be installed before the
     next start.
   - The commands of a unit get the service's environment, in which the
     service's user may have set LD_PRELOAD to any library.  Therefore the
     drop-in executes only hugetext-guard, which is statically linked and
     passes no environment variables on.
   - The drop-in also binds the index and the store, because the unit may hide
     their directories (TemporaryFileSystem=/var).  */

#include "service/parts.h"
#include "trust/trusted.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BOUND STATE_PATH "/bound"

const char *
dropin_directory (const char *id)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, "/etc/systemd/system/%s.d", id);
  return path;
}

const char *
dropin_file (const char *id)
{
  static char path[PATH_MAX];
  snprintf (path, sizeof path, "/etc/systemd/system/%s.d/hugetext.conf", id);
  return path;
}

void
dropin_unbind (const char *id)
{
  unlink (entry_bound (id));
  rmdir (BOUND);
}

/* The first line of each drop-in that hugetext writes.  The package's script
   for purging recognizes the drop-ins of hugetext by MARK.  */
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

/* Return true if a unit file may contain PATH, which root executes or
   bind-mounts over the system's loader.  PATH must belong to root, and must
   not need quotes in a unit file.  */
static bool
is_fit (const char *path, struct problem *problem)
{
  static const char plain[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-";
  if (path[strspn (path, plain)] != '\0')
    return problem_set (problem,
                        "the path %s has characters that have a special "
                        "meaning in systemd units",
                        path);
  if (access (path, X_OK) != 0)
    return problem_set (problem, "%s cannot be executed", path);
  int fd = trusted_open (path, problem);
  if (fd < 0)
    return problem_from (problem, problem,
                         "%s: %s; only root may be able to change this file",
                         path, problem->text);
  close (fd);
  return true;
}

/* Set COMMAND to the path of this program, and GUARD to the path of
   hugetext-guard.  Use the hugetext-guard in the directory of this program or,
   if that directory has none, the installed one.  */
static bool
find_commands (char command[static PATH_MAX], char guard[static PATH_MAX],
               struct problem *problem)
{
  ssize_t length = readlink ("/proc/self/exe", command, PATH_MAX - 1);
  if (length <= 0)
    return problem_errno (problem, "/proc/self/exe");
  command[length] = '\0';
  int directory = strrchr (command, '/') - command;
  if (snprintf (guard, PATH_MAX, "%.*s/hugetext-guard", directory, command)
          >= PATH_MAX
      || access (guard, X_OK) < 0)
    strcpy (guard, GUARD_PATH);
  return is_fit (command, problem) && is_fit (guard, problem);
}

char *
dropin_text (const char *id, const char *loader, struct problem *problem)
{
  const int directory = strrchr (INDEX_PATH, '/') - INDEX_PATH;
  char command[PATH_MAX], guard[PATH_MAX], option[PATH_MAX + 16] = "", *text;
  if (!find_commands (command, guard, problem)
      || (loader != NULL && !is_fit (loader, problem)))
    return NULL;
  if (loader != NULL)
    snprintf (option, sizeof option, "--loader=%s ", loader);
  if (asprintf (&text,
                "%s; to remove this file: hugetext disable %s\n"
                "[Service]\n"
                "ExecCondition=-+%s %%n %s guard %s%%n\n"
                "ExecStopPost=-+%s %%n\n"
                "BindReadOnlyPaths=-%s:%s\n"
                "BindReadOnlyPaths=-%.*s\n",
                mark, id, guard, command, option, guard, entry_bound ("%n"),
                SYSTEM_LOADER, directory, INDEX_PATH)
      >= 0)
    return text;
  problem_errno (problem, "the drop-in");
  return NULL;
}

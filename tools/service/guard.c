/* "hugetext guard": try the loader, and refresh images and the index, before
   an enabled service starts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The drop-in of each enabled service refers to a symbolic link, whose path is
   the result of entry_bound.  If the link exists when the service starts, the
   service's drop-in bind-mounts the loader over the system's loader
   (dropin.c).  The guard creates the link to ld-hugetext.so only if a trial
   program works under ld-hugetext.so.  If the link is missing, the service
   starts under the system's loader.  Therefore the guard need not stop the
   start of the service when something fails: it exits with a failure only if
   the service is not enabled.  */

#include "service/parts.h"
#include "host/brief.h"
#include "host/child.h"
#include "host/inspector.h"
#include "host/memory.h"
#include "host/namespace.h"
#include "index/write.h"
#include "object/loader.h"
#include "store/sync.h"
#include "trust/rewrite.h"
#include "trust/trusted.h"
#include "util/clock.h"
#include "util/patience.h"
#include "util/wait.h"

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The trial of a loader: run a program under it before it replaces the
   system's loader.

   The trial executes this command again with huge text, in a namespace in
   which the loader is bind-mounted over the system's loader, as for a service.
   If no namespace is possible, the trial executes "LOADER PROGRAM" instead.
   The trial has a time limit, and succeeds only if the program prints the
   expected output, because a defective loader may hang, or may end the program
   with any exit status.  The loader's package runs the same trial when the
   loader or libc is installed.  */

/* The time limit of a trial, in seconds.  Most trials take less than 0.1
   seconds, so the limit does not matter for a loader that works.  By default,
   systemd gives a service 90 seconds to start.  Few units set TimeoutStartSec=
   to less than 10 seconds, so a trial seldom makes a start exceed this
   limit.  */
#define TRIAL_TIME 4
/* If a trial program takes more than TRIAL_TIME seconds, an alarm ends it.  If
   the program still runs after TRIAL_END seconds, the command kills it.  */
#define TRIAL_END (TRIAL_TIME + 1)

static bool
say_late (struct problem *problem)
{
  return problem_set (problem,
                      "the trial program took more than %d s under the loader",
                      TRIAL_TIME);
}

bool
service_try (const char *loader, struct problem *problem)
{
  char under[PATH_MAX + 16];
  snprintf (under, sizeof under, "--under=%s", loader);
  const char *const argv[] = { "/proc/self/exe", "guard", under, NULL };
  char *output;
  if (!loader_fits (loader, problem))
    return false;
  /* The trial program ends itself after TRIAL_TIME, unless the loader
     hangs.  */
  int status = child_run (argv, TRIAL_END, &output);
  if (status < 0 && errno == ETIME)
    return say_late (problem);
  if (status < 0)
    return problem_errno (problem, "the trial program");
  bool good = status == 0 && strcmp (output, "good\n") == 0;
  output[strcspn (output, "\n")] = '\0';
  if (status == 128 + SIGALRM)
    say_late (problem);
  else if (!good)
    problem_set (
        problem,
        "the trial program failed under the loader with status %d%s%s", status,
        output[0] != '\0' ? ": " : "", output);
  free (output);
  return good;
}

int
service_enter_trial (const char *loader)
{
  /* The environment of the trial program.  Do not pass on the service's
     environment, because it may name libraries (LD_PRELOAD).  */
  static char *const environment[]
      = { "GLIBC_TUNABLES=glibc.mem.hugetext=1", "LC_ALL=C", NULL };
  char command[PATH_MAX];
  ssize_t length = readlink ("/proc/self/exe", command, sizeof command - 1);
  command[length > 0 ? length : 0] = '\0';
  struct problem problem;
  const bool bound = namespace_bind (loader, loader_system (), &problem);
  alarm (TRIAL_TIME);
  if (bound)
    execle (command, "hugetext", "guard", "--tried", NULL, environment);
  else
    execle (loader, loader, command, "guard", "--tried", NULL, environment);
  printf ("%s: %s\n", bound ? command : loader, strerror (errno));
  return EXIT_FAILURE;
}

/* The maximum time, in seconds, for which a service waits until images are
   renewed.  */
#define PATIENCE 5
_Static_assert(
    TRIAL_END + WAIT_FAREWELL + PATIENCE_LIMIT + STORE_RENEW_TIME (PATIENCE)
            + WAIT_FAREWELL
        == GUARD_TIME,
    "GUARD_TIME is the sum of the time limits of all steps of hugetext guard");
/* The time limit, in seconds, for everything that is done before a service
   starts: try the loader, compile a missing index, and renew images.  */
#define LIMIT 30

static void
service_guard_print_line (void *closure, bool wrong, const char *line)
{
  (void) closure;
  if (wrong)
    fprintf (stderr, "hugetext guard: %s\n", line);
}

/* If LOADER belongs to root and the trial program works under it, create a
   symbolic link to LOADER.  The drop-in of the service NAME contains the path
   of the link, so that systemd mounts LOADER over the system's loader.  */
static bool
service_guard_bind_loader (const char *name, const char *loader,
                           struct problem *problem)
{
  const char *link = entry_bound (name);
  char directory[PATH_MAX];
  if (!loader_fits (loader, problem))
    return false;
  /* The trial executes the loader, so first check that it belongs to
     root.  */
  int fd = trusted_open (loader, problem);
  if (fd < 0)
    return problem_from (problem, problem, "%s: %s", loader, problem->text);
  close (fd);
  if (!service_try (loader, problem))
    return false;
  if (!rewrite_directory (dirname (strcpy (directory, link)), NULL, problem))
    return problem_from (problem, problem, "%s: %s", link, problem->text);
  return symlink (loader, link) == 0 || problem_errno (problem, link);
}

/* Return true if the system's loader is ld-hugetext.so.  */
static bool
is_system_ours (void)
{
  struct loader system;
  return loader_read (loader_system (), &system) && system.ours;
}

/* The free memory, in bytes, that the function renew needs to make images.  In
   a test, making the images of a program with five objects took 20 MiB.  */
#define RENEW_MEMORY ((size_t) 64 << 20)

/* Return true if the service's control group, in which this process runs, may
   still allocate RENEW_MEMORY.  If the control group may allocate less than
   RENEW_MEMORY, set PROBLEM and return false.  If the processes exceeded the
   group's memory limit, the kernel would kill one of them, and systemd would
   then stop the service (OOMPolicy=).  */
static bool
service_guard_has_memory (struct problem *problem)
{
  struct memory_room room;
  const bool limited = patience_begin ();
  const bool known = memory_ask (0, 0, &room, problem);
  if (limited)
    patience_end ();
  if (!known)
    return problem_from (problem, problem, "the memory that is left: %s",
                         problem->text);
  return (room.free >= RENEW_MEMORY
          || problem_set (problem, "less than %zu MiB of memory are left",
                          RENEW_MEMORY >> 20));
}

/* Before the service NAME starts, compile the index if it is missing, and
   renew the service's images and its files in the page cache.  If memory is
   short, do nothing.  */
static void
service_guard_renew_files (const char *name)
{
  struct problem problem;
  if (!service_guard_has_memory (&problem))
    {
      fprintf (stderr,
               "hugetext guard: %s starts without new images and without "
               "priming: %s\n",
               name, problem.text);
      return;
    }
  struct entry entry;
  /* If the index is missing, compile it: administrators may remove files in
     /var/cache.  If the images in the store have been removed as well, no file
     says which images to renew, so let store_renew make those that the
     service's entry needs.  */
  const bool lost = access (INDEX_PATH, F_OK) < 0;
  if (lost)
    index_update (CONFIG_PATH, INDEX_PATH, service_guard_print_line, NULL);
  /* A package manager restarts services before its work is finished, so the
     images may be outdated when the service starts.  */
  if (entry_read (name, &entry))
    {
      store_renew (&entry, lost, PATIENCE);
      entry_free (&entry);
    }
}

/* Try a loader for the unit NAME and, if the trial succeeds, make the link to
   the loader and renew the images.  The loader is GIVEN or, if GIVEN is NULL,
   the loader that belongs to this command.  First remove the link of an
   earlier start, because the loader behind the link may no longer pass the
   trial.  If ld-hugetext.so is already installed as the system's loader, make
   no link, so that the drop-in mounts nothing over it.  */
static void
guard (const char *name, const char *given)
{
  struct problem problem;
  unlink (entry_bound (name));
  if (!is_system_ours ()
      && !service_guard_bind_loader (name, loader_path (given), &problem))
    fprintf (stderr, "hugetext guard: %s " UNDER_SYSTEM_LOADER "\n", name,
             problem.text);
  else
    service_guard_renew_files (name);
}

/* Return true if "hugetext guard" has work to do for the unit NAME.  Usually
   "hugetext enable" has written the unit's drop-in.  A drop-in that an
   administrator has written, for example for all instances of a template, may
   have another path.  To recognize a unit with an administrator's drop-in, the
   function checks whether systemd runs this process as a part of the unit.  If
   the function cannot find out of which unit this process is a part, it
   returns true, because the link of an earlier start may lead to a loader that
   no longer works.  */
static bool
is_guarded (const char *name)
{
  struct problem ignored;
  char group[PATH_MAX];
  if (access (dropin_file (name), F_OK) == 0)
    return true;
  inspector_until (clock_milliseconds () + PATIENCE * 1000);
  const bool known = brief_service (getpid (), group, &ignored);
  inspector_until (0);
  return !known || strcmp (group, name) == 0;
}

/* If the unit NAME needs the guard (is_guarded), call guard with NAME and the
   loader GIVEN, and return true.  If the unit does not need the guard, return
   false.  */
static bool
guard_if_enabled (const char *name, const char *given)
{
  if (!is_guarded (name))
    return false;
  guard (name, given);
  return true;
}

/* The exit status of the guard's child if the unit is not enabled.  */
#define NOT_ENABLED 2

/* Wait until PID, a child that does the guard's work, has ended.  If the child
   takes too long, kill the child, so that the service starts.  Return false if
   the child has found that the unit is not enabled.  */
static bool
wait_for_guard (pid_t pid)
{
  int status;
  return (!wait_status (pid, clock_milliseconds () + LIMIT * 1000, &status)
          || !WIFEXITED (status) || WEXITSTATUS (status) != NOT_ENABLED);
}

bool
service_guard (const char *name, const char *given)
{
  bool enabled = true;
  /* Make orphaned descendants children of this process, so that it can wait
     for them.  If processes are left in the control group of a service with
     SendSIGKILL=no, such as MariaDB, systemd does not start the service.  */
  prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t pid = fork ();
  /* If fork fails, this process itself does the work of the child, and an
     alarm ends the process after the time limit.  systemd ignores that the
     process has failed, and starts the service.  */
  if (pid < 0)
    alarm (LIMIT);
  if (pid <= 0)
    enabled = guard_if_enabled (name, given);
  if (pid == 0)
    {
      fflush (NULL);
      _exit (enabled ? 0 : NOT_ENABLED);
    }
  if (pid > 0)
    enabled = wait_for_guard (pid);
  wait_kill_all ();
  if (!enabled)
    fprintf (stderr,
             "hugetext guard: %s is not enabled, so there is nothing to do\n",
             name);
  return enabled;
}

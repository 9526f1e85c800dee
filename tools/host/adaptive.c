/* Adaptive services: services that a systemd timer adapts to what they execute
   (hugetext adapt).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The timer is an instance of hugetext-adapt@.timer for the service.  A
   service is adaptive if its instance of the timer is enabled; no other file
   records that a service is adaptive.  */

#include "host/adaptive.h"
#include "host/systemctl.h"
#include "trust/change.h"
#include "trust/rewrite.h"
#include "util/clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIT_FORMAT "hugetext-adapt@%s"

const char *
adaptive_timer (const char *id)
{
  static char name[NAME_MAX * 2];
  snprintf (name, sizeof name, UNIT_FORMAT ".timer", id);
  return name;
}

const char *
adaptive_unit (const char *id)
{
  static char name[NAME_MAX * 2];
  snprintf (name, sizeof name, UNIT_FORMAT ".service", id);
  return name;
}

bool
adaptive_is_on (const char *id)
{
  /* "systemctl enable" makes this link, because the timer's unit file has
     WantedBy=timers.target.  */
  char path[PATH_MAX], target[PATH_MAX];
  snprintf (path, sizeof path, "/etc/systemd/system/timers.target.wants/%s",
            adaptive_timer (id));
  return readlink (path, target, sizeof target) > 0;
}

/* The directory of notes.  The note of a service has the service's name, and
   contains the time of the last successful run, in seconds since 1970.  */
#define NOTES STATE_PATH "/adapted"

/* Set PATH to the path of the note for the service ID.  */
static void
adaptive_find_note (const char *id, char path[static PATH_MAX])
{
  snprintf (path, PATH_MAX, NOTES "/%s", id);
}

bool
adaptive_note_success (const char *id, struct problem *problem)
{
  char path[PATH_MAX], text[32];
  /* The note outlives this boot, and users compare it with the date, so the
     time is that of the clock that users set.  */
  const int length
      = snprintf (text, sizeof text, "%lld\n", (long long) time (NULL));
  adaptive_find_note (id, path);
  return (rewrite_directory (NOTES, NULL, problem)
          && rewrite_data (path, text, length, problem));
}

/* Return the time in the note for the service ID, or 0 if there is none.  */
static time_t
adaptive_read_note (const char *id)
{
  char path[PATH_MAX];
  adaptive_find_note (id, path);
  char *text = change_read (path);
  const long long seconds = text != NULL ? strtoll (text, NULL, 10) : 0;
  free (text);
  return seconds > 0 ? seconds : 0;
}

/* Run systemctl VERB --now for the timer of the service ID.  */
static bool
change_timer (const char *verb, const char *id, struct problem *problem)
{
  const char *const argv[]
      = { "systemctl", "--no-pager", "--no-ask-password", verb,
          /* Without systemd there is nothing to start or
             stop.  */
          unit_systemd_runs () ? "--now" : "--quiet", "--",
          adaptive_timer (id), NULL };
  return systemctl_do (argv, problem);
}

bool
adaptive_start (const char *id, struct problem *problem)
{
  struct problem ignored;
  if (change_timer ("enable", id, problem))
    return true;
  /* The timer may be enabled even if it could not be started.  */
  if (adaptive_is_on (id))
    change_timer ("disable", id, &ignored);
  return problem_from (problem, problem, "%s: %s", adaptive_timer (id),
                       problem->text);
}

bool
adaptive_stop (const char *id, struct problem *problem)
{
  if (!change_timer ("disable", id, problem))
    return problem_from (problem, problem, "%s: %s", adaptive_timer (id),
                         problem->text);
  /* If no run has been started, or the unit's file is gone, nothing has to be
     stopped.  */
  struct problem ignored;
  if (unit_systemd_runs ())
    unit_do ("stop", adaptive_unit (id), &ignored);
  char path[PATH_MAX];
  adaptive_find_note (id, path);
  rewrite_remove (path, &ignored);
  return true;
}

/* Return the result of the last run of UNIT.  */
static enum adaptive_result
adaptive_judge_result (const struct unit *unit)
{
  const bool success = strcmp (unit->result, "success") == 0;
  /* If systemd skipped the unit's last start because the adapted service was
     not running (ExecCondition=), the unit's properties do not show the result
     of earlier runs.  */
  if (unit->exited == 0 || strcmp (unit->result, "exec-condition") == 0)
    return ADAPTIVE_NONE;
  if (success && unit->exit_status == 0)
    return ADAPTIVE_SUCCEEDED;
  return success ? ADAPTIVE_INCOMPLETE : ADAPTIVE_FAILED;
}

void
adaptive_read (const char *id, struct adaptive *adaptive)
{
  struct unit unit;
  struct problem ignored;
  *adaptive = (struct adaptive){ .result = ADAPTIVE_NONE,
                                 .succeeded = adaptive_read_note (id) };
  if (!unit_systemd_runs ()
      || !unit_read (adaptive_unit (id), &unit, &ignored))
    return;
  adaptive->result = adaptive_judge_result (&unit);
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  /* CLOCK_REALTIME minus CLOCK_MONOTONIC is constant unless somebody sets
     CLOCK_REALTIME, so repeated calls of this function compute the same
     time.  */
  const int64_t boot
      = now.tv_sec * INT64_C (1000000000) + now.tv_nsec - clock_nanoseconds ();
  if (adaptive->result != ADAPTIVE_NONE)
    adaptive->time = boot / 1000000000 + unit.exited;
  if (adaptive->result == ADAPTIVE_SUCCEEDED)
    adaptive->succeeded = adaptive->time;
  unit_free (&unit);
}

const char *
adaptive_word (enum adaptive_result result)
{
  static const char *const words[]
      = { NULL, "succeeded", "incomplete", "failed" };
  _Static_assert(sizeof words / sizeof *words == ADAPTIVE_RESULTS,
                 "the array words has a string for each adaptive_result");
  return words[result];
}

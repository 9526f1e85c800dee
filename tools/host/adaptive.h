/* Adaptive services: services that a systemd timer adapts to what they execute
   (hugetext adapt).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ADAPTIVE_H
#define ADAPTIVE_H

#include "util/problem.h"

#include <stdbool.h>
#include <time.h>

/* The result of the last run of "hugetext adapt" for a service.  */
enum adaptive_result
{
  ADAPTIVE_NONE, /* The result is unknown: no run has ended since the boot, a
                    run is in progress, or the service was not running at the
                    time of the last run.  */
  ADAPTIVE_SUCCEEDED,
  ADAPTIVE_INCOMPLETE, /* Something could not be changed, or there were too few
                          samples (exit status 1).  */
  ADAPTIVE_FAILED,
  ADAPTIVE_RESULTS
};

struct adaptive
{
  enum adaptive_result result;
  time_t time;      /* The end of the last run, or 0.  */
  time_t succeeded; /* The end of the last successful run, or 0 if this time is
                       unknown.  The time stays known while a run is in
                       progress, after a run has failed, and after a boot.  */
};

/* Return true if the service ID is adaptive: if the timer for ID is
   enabled.  */
extern bool adaptive_is_on (const char *id);

/* adaptive_timer returns the name of the timer for the service ID, and
   adaptive_unit the name of the unit that the timer starts.  The two functions
   return their results in static memory.  */
extern const char *adaptive_timer (const char *id);
extern const char *adaptive_unit (const char *id);

/* Enable and start the timer for the service ID.  On failure set PROBLEM and
   return false.  */
extern bool adaptive_start (const char *id, struct problem *problem);

/* Stop and disable the timer for the service ID, and stop a run of "hugetext
   adapt" that the timer has started.  Forget the last successful run.  On
   failure set PROBLEM and return false.  */
extern bool adaptive_stop (const char *id, struct problem *problem);

/* Note that a run of "hugetext adapt" for the service ID has just been
   successful.  On failure set PROBLEM and return false.  */
extern bool adaptive_note_success (const char *id, struct problem *problem);

/* Set ADAPTIVE to the result of the last run for the service ID.  */
extern void adaptive_read (const char *id, struct adaptive *adaptive);

/* Return the word for RESULT in JSON, or NULL for ADAPTIVE_NONE.  */
extern const char *adaptive_word (enum adaptive_result result);

#endif

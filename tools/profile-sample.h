/* Sample a command, or processes that run, for a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_SAMPLE_H
#define PROFILE_SAMPLE_H

#include "profile-count.h"

/* What to sample, and what came of it.  */
struct profile_job
{
  char **command; /* Or NULL.  */
  pid_t *pids;    /* Or processes; those that cannot be sampled get 0.  */
  size_t npids;
  double seconds; /* For so long; 0: until the picture is stable.  */
  /* Says that PID cannot be sampled.  */
  void (*say) (pid_t pid, const char *problem);

  const char *event; /* What was counted.  */
  double time;       /* Seconds that it took.  */
  bool stable;       /* It was ended by that.  */
  pid_t child;       /* The command, 0 if it could not be started.  */
  int error;         /* Why it could not be executed, errno, or 0.  */
  bool ended;        /* The command has, with: */
  int status;
};

/* Sample as JOB says, telling COUNTS, which has begun.  Returns NULL, or why
   nothing could be sampled.  A command may still run then.  */
extern const char *profile_sample (struct profile_job *job,
                                   struct profile_counts *counts);

/* Wait until JOB's command has ended.  */
extern void profile_sample_wait (struct profile_job *job);

#endif

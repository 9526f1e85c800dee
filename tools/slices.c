/* What processes that run use, in slices of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "slices.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* What one process has used so far, from /proc/PID/stat; seconds, counts,
   bytes.  */
struct usage
{
  pid_t pid;
  double user, system, minor, major, rss;
};

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static bool
read_usage (pid_t pid, struct usage *usage)
{
  char path[64], line[1024];
  unsigned long minor, major, user, system;
  long pages;
  snprintf (path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return false;
  char *rest = fgets (line, sizeof line, stream);
  fclose (stream);
  /* Its name may have blanks and parentheses (proc_pid_stat(5)).  */
  rest = rest != NULL ? strrchr (line, ')') : NULL;
  if (rest == NULL
      || sscanf (rest,
                 ") %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu %*u %lu %lu %*d"
                 " %*d %*d %*d %*d %*d %*u %*u %ld",
                 &minor, &major, &user, &system, &pages)
             != 5)
    return false;
  const double tick = 1.0 / sysconf (_SC_CLK_TCK);
  *usage = (struct usage){ .pid = pid,
                           .user = user * tick,
                           .system = system * tick,
                           .minor = minor,
                           .major = major,
                           .rss = (double)pages * getpagesize () };
  return true;
}

/* What all processes have used.  */
struct snapshot
{
  double time;
  struct usage *list;
  size_t count;
  double counts[COUNTERS];
};

/* The counters of all threads.  */
struct open_counters
{
  struct counters *list;
  size_t count;
};

/* Open SET for all threads of PID.  */
static void
open_threads (pid_t pid, const struct counter_set *set,
              struct open_counters *all)
{
  char path[64];
  struct dirent *entry;
  snprintf (path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *dir = opendir (path);
  while (dir != NULL && (entry = readdir (dir)) != NULL)
    {
      long tid = strtol (entry->d_name, NULL, 10);
      if (tid <= 0)
        continue;
      struct counters *list
          = realloc (all->list, (all->count + 1) * sizeof *list);
      if (list == NULL)
        break;
      all->list = list;
      counters_open (&list[all->count], set, tid, false);
      /* What has just ended is not missed.  */
      if (list[all->count].fds[COUNTER_INSTRUCTIONS] >= 0)
        all->count++;
      else
        counters_close (&list[all->count]);
    }
  if (dir != NULL)
    closedir (dir);
}

static struct open_counters
open_counters (const pid_t *pids, size_t count, const struct counter_set *set)
{
  struct open_counters all = { .count = 0 };
  struct rlimit limit;
  /* Five for each thread.  */
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    {
      limit.rlim_cur = limit.rlim_max;
      setrlimit (RLIMIT_NOFILE, &limit);
    }
  for (size_t i = 0; set->any && i < count; i++)
    open_threads (pids[i], set, &all);
  return all;
}

static void
close_counters (struct open_counters *all)
{
  for (size_t i = 0; i < all->count; i++)
    counters_close (&all->list[i]);
  free (all->list);
}

/* Take a SNAPSHOT of what FIND finds, and of COUNTERS.  */
static const char *
take_snapshot (slices_find *find, void *closure,
               const struct open_counters *counters, struct snapshot *snapshot)
{
  pid_t *pids;
  size_t count;
  *snapshot = (struct snapshot){ .count = 0 };
  const char *problem = find (closure, &pids, &count);
  if (problem != NULL)
    return problem;
  snapshot->list = calloc (count, sizeof *snapshot->list);
  for (size_t i = 0; snapshot->list != NULL && i < count; i++)
    snapshot->count += read_usage (pids[i], &snapshot->list[snapshot->count]);
  snapshot->time = now ();
  for (size_t i = 0; i < counters->count; i++)
    counters_read (&counters->list[i], snapshot->counts);
  for (enum counter i = 0; counters->count == 0 && i < COUNTERS; i++)
    snapshot->counts[i] = NAN;
  free (pids);
  return (snapshot->list == NULL ? strerror (ENOMEM)
          : snapshot->count == 0 ? "there is no such process"
                                 : NULL);
}

static const struct usage *
find_usage (const struct snapshot *snapshot, pid_t pid)
{
  for (size_t i = 0; i < snapshot->count; i++)
    if (snapshot->list[i].pid == pid)
      return &snapshot->list[i];
  return NULL;
}

/* What was used between BEFORE and AFTER, in VALUES.  A process that has come
   in between counts from its beginning, one that has ended is left out.  */
static void
subtract (const struct snapshot *before, const struct snapshot *after,
          struct run_values *values)
{
  static const struct usage nothing = { .pid = 0 };
  const double second = 1 / (after->time - before->time);
  double *value = values->value;
  double counts[COUNTERS];
  for (enum quantity q = 0; q < QUANTITIES; q++)
    value[q] = NAN;
  value[QUANTITY_USER] = value[QUANTITY_SYSTEM] = value[QUANTITY_RSS] = 0;
  value[QUANTITY_MINOR] = value[QUANTITY_MAJOR] = 0;
  for (size_t i = 0; i < after->count; i++)
    {
      const struct usage *new = &after->list[i];
      const struct usage *old = find_usage (before, new->pid);
      if (old == NULL)
        old = &nothing;
      value[QUANTITY_USER] += (new->user - old->user) * second;
      value[QUANTITY_SYSTEM] += (new->system - old->system) * second;
      value[QUANTITY_MINOR] += (new->minor - old->minor) * second;
      value[QUANTITY_MAJOR] += (new->major - old->major) * second;
      value[QUANTITY_RSS] += new->rss;
    }
  for (enum counter i = 0; i < COUNTERS; i++)
    counts[i] = after->counts[i] - before->counts[i];
  quantity_from_counts (values, counts);
}

const char *
slices_take (slices_find *find, void *closure, const struct counter_set *set,
             size_t count, struct run_values values[], size_t *nprocesses)
{
  struct snapshot before, after;
  pid_t *pids;
  size_t npids;
  const char *problem = find (closure, &pids, &npids);
  if (problem != NULL)
    return problem;
  struct open_counters counters = open_counters (pids, npids, set);
  free (pids);
  problem = take_snapshot (find, closure, &counters, &before);
  for (size_t i = 0; problem == NULL && i < count; i++)
    {
      nanosleep (&(struct timespec){ .tv_sec = 1 }, NULL);
      problem = take_snapshot (find, closure, &counters, &after);
      if (problem == NULL)
        subtract (&before, &after, &values[i]);
      free (before.list);
      before = after;
    }
  *nprocesses = before.count;
  free (before.list);
  close_counters (&counters);
  return problem;
}

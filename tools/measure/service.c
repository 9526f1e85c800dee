/* Record a service: the CPU time and other resources that its control group
   uses in each of several slices of time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The service itself need not measure anything, because the kernel counts the
   CPU time and page faults of each control group.  If the user gives a command
   that prints how many requests the service has answered, hugetext compares
   the CPU time per request.  Without a command that counts requests, hugetext
   compares the CPU time per second, which is meaningful only under a steady
   load.  */

#include "measure/observed.h"
#include "host/child.h"
#include "host/machine.h"
#include "host/selection.h"
#include "host/unit.h"
#include "object/loader.h"
#include "text/inspect.h"
#include "text/report.h"
#include "trust/rewrite.h"
#include "trust/trusted.h"
#include "util/allocate.h"
#include "util/clock.h"
#include "util/exit-status.h"
#include "util/output.h"
#include "util/problem.h"
#include "util/signals.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The directory of records.  Only root may enter the directory, because the
   number of requests of a service may be confidential.  */
#define RECORDS STATE_PATH "/measured"

/* The pause between "hugetext attach" and the recording, as a fraction of a
   slice's length.  Directly after "hugetext attach", page faults and cache
   misses are more frequent.  */
#define SETTLE (1 / 6.0)

/* The data that are kept while a service is recorded.  */
struct recording
{
  const struct service_measurement *m;
  struct unit unit;
  struct observation *record;
  struct problem problem;
};

/* The number of the signal that has ended the recording, or 0.  */
static volatile sig_atomic_t ended_by;

static void
note_signal (int number, siginfo_t *info, void *context)
{
  (void) info;
  (void) context;
  ended_by = number;
}

/* Return true if the recording should continue.  If a signal has ended the
   recording, report the signal in the problem of IT.  */
static bool
measure_service_should_continue (struct recording *it)
{
  return (ended_by == 0
          || problem_set (&it->problem, "the recording was ended by signal %d",
                          (int) ended_by));
}

/* Sleep SECONDS.  Return false if a signal has ended the recording.  */
static bool
pause_for (struct recording *it, double seconds)
{
  struct timespec time
      = { .tv_sec = seconds, .tv_nsec = 1e9 * (seconds - floor (seconds)) };
  while (ended_by == 0 && nanosleep (&time, &time) < 0 && errno == EINTR)
    continue;
  return measure_service_should_continue (it);
}

/* Return the number of microseconds after "total=" in the first line of PATH,
   one of the kernel's pressure files.  Return -1 if the first line has no
   number after "total=".  */
static long
pressure (const char *path)
{
  const char *line = machine_line (path);
  const char *total = line != NULL ? strstr (line, " total=") : NULL;
  return total != NULL ? atol (total + strlen (" total=")) : -1;
}

/* Return the number in the file NAME of the control group GROUP.  If FIELD is
   not NULL, return the number after FIELD in the file.  PLACES is a list of
   cgroup directories that ends with NULL; use the first directory in which the
   number is found.  If no directory has the number, return NAN.  */
static double
group_number (const char *const *places, const char *group, const char *name,
              const char *field)
{
  char path[2 * PATH_MAX];
  for (; *places != NULL; ++places)
    {
      snprintf (path, sizeof path, "%s%s/%s", *places, group, name);
      const long value = field != NULL ? machine_field (path, field)
                                       : machine_number (path);
      if (value >= 0)
        return value;
    }
  return NAN;
}

/* The directories where cgroup v2 may be mounted, and the directories of the
   controllers of cgroup v1.  (A system with cgroup v1 may also have cgroup
   v2.)  */
static const char *const unified[]
    = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified", NULL };
static const char *const cpuacct[]
    = { "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct", NULL };
static const char *const memory[] = { "/sys/fs/cgroup/memory", NULL };

/* Return the CPU time of GROUP in seconds, or NAN if the kernel does not count
   GROUP's CPU time.  */
static double
read_cpu (const char *group)
{
  const double value
      = group_number (unified, group, "cpu.stat", "usage_usec ");
  return (isnan (value)
              ? group_number (cpuacct, group, "cpuacct.usage", NULL) * 1e-9
              : value * 1e-6);
}

/* Return the number of page faults of GROUP that FIELD counts.  */
static double
read_faults (const char *group, const char *field)
{
  char total[32];
  const double value = group_number (unified, group, "memory.stat", field);
  snprintf (total, sizeof total, "total_%s", field);
  return (isnan (value) ? group_number (memory, group, "memory.stat", total)
                        : value);
}

/* Return the number of seconds for which at least one thread of GROUP has
   waited for a CPU.  If the kernel does not count the waiting time of each
   group, return the waiting time of the whole machine.  */
static double
read_wait (const char *group)
{
  char path[PATH_MAX + 64];
  snprintf (path, sizeof path, "/sys/fs/cgroup%s/cpu.pressure", group);
  long value = pressure (path);
  if (value < 0)
    value = pressure ("/proc/pressure/cpu");
  return value >= 0 ? value * 1e-6 : NAN;
}

/* The maximum time, as a share of a slice's duration, that the user's command
   that counts requests may take.  If the command takes longer, the moment at
   which it counted is not known exactly enough.  */
#define EXACT 0.02

enum
{
  /* The maximum number of times that the user's command that counts requests
     is run at the beginning and at the end of each slice.  */
  READINGS = 5,
  /* The time limits, in seconds, for the command that counts requests, and for
     "hugetext attach", which takes at most 30 s for a process.  */
  REQUESTS_TIME = 300,
  ATTACH_TIME = 3600,
};

/* Set *NUMBER to the number that the user's command that counts requests
   prints.  */
static bool
read_requests (struct recording *it, double *number)
{
  const char *const argv[] = { "sh", "-c", it->m->requests, NULL };
  char *output, *end;
  if (it->m->requests == NULL)
    {
      *number = NAN;
      return true;
    }
  const int status = child_run_apart (argv, REQUESTS_TIME, &ended_by, &output);
  if (status < 0 && !measure_service_should_continue (it))
    return false;
  if (status < 0 && errno == ETIME)
    return problem_set (&it->problem,
                        "--requests=%s: the command took more than %d s",
                        it->m->requests, REQUESTS_TIME);
  if (status < 0)
    return problem_errno (&it->problem, "--requests");
  *number = strtod (output, &end);
  const bool good = status == 0 && end != output && isfinite (*number);
  /* A signal from the terminal also ends the user's command that counts
     requests, so do not report a failure of this command if a signal has
     arrived.  */
  if (!good && measure_service_should_continue (it))
    problem_set (&it->problem,
                 "--requests=%s: the command must print a number and exit"
                 " with status 0; it exited with status %d: %.*s",
                 it->m->requests, status, (int) strcspn (output, "\n"),
                 output);
  free (output);
  return good;
}

/* Set VALUES to the present time, and to the CPU time and the number of
   answered requests of the service that IT records.  Read the time and the CPU
   time before and after the user's command that counts requests, and use the
   mean of both readings, because it is unknown at which moment the command
   counts.  If the command takes longer than the share EXACT of a slice, run
   the command again, up to READINGS times in total, and use the values of its
   quickest run.  */
static bool
read_quickly (struct recording *it, double values[static OBSERVED])
{
  double least = INFINITY;
  for (size_t i = 0; i < READINGS && least > EXACT * it->m->seconds; ++i)
    {
      const double time = clock_seconds (), cpu = read_cpu (it->unit.group);
      double requests = NAN;
      if (!read_requests (it, &requests))
        return false;
      const double taken = clock_seconds () - time;
      if (taken >= least)
        continue;
      least = taken;
      values[OBSERVED_SECONDS] = time + taken / 2;
      values[OBSERVED_CPU] = (cpu + read_cpu (it->unit.group)) / 2;
      values[OBSERVED_REQUESTS] = requests;
    }
  return true;
}

/* Read all counters of IT into VALUES.  */
static bool
read_counters (struct recording *it, double values[static OBSERVED])
{
  if (!read_quickly (it, values))
    return false;
  values[OBSERVED_MINOR] = read_faults (it->unit.group, "pgfault ");
  values[OBSERVED_MAJOR] = read_faults (it->unit.group, "pgmajfault ");
  values[OBSERVED_WAIT] = read_wait (it->unit.group);
  if (isnan (values[OBSERVED_CPU]))
    return problem_set (
        &it->problem,
        "the kernel does not count the CPU time of the service's control "
        "group, %s: start the service if it is not running; if it is running, "
        "set CPUAccounting=yes for the service",
        it->unit.group);
  return true;
}

/* Add a slice to IT's record.  VALUES are the counts at the beginning of the
   slice.  Store in the record how much each count has grown during the slice,
   and set VALUES to the present counts, with which the next slice begins.  */
static bool
record_slice (struct recording *it, double values[static OBSERVED])
{
  double after[OBSERVED];
  struct observation *record = it->record;
  if (!pause_for (it, it->m->seconds) || !read_counters (it, after))
    return false;
  for (enum observed o = 0; o < OBSERVED; ++o)
    {
      const double value = after[o] - values[o];
      if (value < 0)
        return problem_set (
            &it->problem,
            "the service was restarted during the recording (a counter of its "
            "control group became smaller): record the service again");
      record->values[o][record->count] = value;
      values[o] = after[o];
    }
  ++record->count;
  return true;
}

/* Read the facts about the service that IT measures.  The user may have given
   any of the names of the service.  */
static bool
find_service (struct recording *it)
{
  const char *name = unit_name (it->m->service);
  if (name == NULL)
    return problem_set (&it->problem, UNIT_HAS_NO_SUCH_NAME);
  return unit_read (name, &it->unit, &it->problem);
}

/* Begin a new record of IT's service in *RECORD.  Note in the record how many
   bytes of the service's text are on huge pages, and on small pages.  Return
   the number of processes of the service.  If some of its processes may be
   unknown, set the problem of IT and return -1.  */
static ssize_t
measure_service_begin_record (struct recording *it, struct observation *record)
{
  struct inspection *some;
  pid_t *list;
  size_t count;
  *record = (struct observation){ .taken = time (NULL) };
  snprintf (record->service, sizeof record->service, "%s", it->unit.id);
  if (!unit_processes (&it->unit, NULL, &list, &count, &it->problem))
    {
      free (list);
      return -1;
    }
  some = allocate (INSPECT_MANY * sizeof *some);
  for (size_t i = 0, k; i < count; i += k)
    {
      k = inspect_many (list + i, count - i, some);
      for (size_t j = 0; j < k; ++j)
        if (!problem_is (&some[j].problem))
          {
            const struct text_sums sums = report_sums (&some[j].objects);
            record->huge += sums.huge;
            record->small += sums.small;
            inspect_free (&some[j]);
          }
    }
  free (some);
  free (list);
  return count;
}

/* Begin a new record of IT's service in *RECORD, as look does.  Return false
   if the service is not running.  */
static bool
look_running (struct recording *it, struct observation *record)
{
  const ssize_t count = measure_service_begin_record (it, record);
  return (count > 0
          || (count == 0 && selected_no_process (&it->unit, &it->problem)));
}

static void
say_problem (const struct recording *it)
{
  output_flush ();
  fprintf (stderr, "hugetext measure: %s: %s\n", it->m->service,
           it->problem.text);
}

/* Return the minimum number of rounds or slices for IT.  With few rounds, a
   confidence interval may be narrow by chance.  */
static size_t
least_rounds (const struct recording *it)
{
  enum
  {
    WITHIN_LEAST = 20, /* The unit test test_within in tst-observed checks
                          WITHIN_LEAST.  */
  };
  return (it->m->within > 0 && it->m->rounds < WITHIN_LEAST ? WITHIN_LEAST
                                                            : it->m->rounds);
}

/* Print how many seconds it will take to record the service of IT in RECORD,
   followed by WORDS.  A round takes SECONDS.  */
static void
say_duration (const struct recording *it, const struct observation *record,
              double seconds, const char *words)
{
  fprintf (stderr, "hugetext measure: %s: recording for %.0f", record->service,
           least_rounds (it) * seconds);
  if (it->m->within > 0)
    fprintf (stderr, " to %.0f", MEASURE_MOST * seconds);
  fprintf (stderr, " seconds%s\n", words);
}

/* Return true if the comparison of BASE and WITH needs more slices.  A service
   that uses no CPU time never has a confidence interval, so stop.  */
static bool
needs_more (const struct recording *it, const struct observation *base,
            const struct observation *with)
{
  struct comparison x;
  if (with->count < least_rounds (it))
    return true;
  return (it->m->within > 0 && with->count < MEASURE_MOST
          && observed_compare (base, with, it->m->attach, FIGURE_CPU, &x)
          && !observed_is_within (base, with, it->m->attach, it->m->within));
}

/* Record the service of IT into RECORD, until there are enough slices for a
   comparison with BASE.  For a first record, which has no BASE yet, pass
   RECORD as BASE, so that the slices suffice for a comparison with a later
   record whose values vary as much.  */
static bool
record_service (struct recording *it, const struct observation *base,
                struct observation *record)
{
  double values[OBSERVED];
  it->record = record;
  if (!look_running (it, record) || !read_counters (it, values))
    return false;
  say_duration (it, record, it->m->seconds, "");
  while (needs_more (it, base, record))
    if (!record_slice (it, values))
      return false;
  return true;
}

/* Save RECORD.  */
static bool
save (struct recording *it, const struct observation *record)
{
  char path[PATH_MAX], *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  snprintf (path, sizeof path, RECORDS "/%s", record->service);
  if (stream == NULL)
    return problem_errno (&it->problem, path);
  observed_write (stream, record);
  const bool good
      = (fclose (stream) == 0 || problem_system (&it->problem, errno))
        && rewrite_directory (STATE_PATH, NULL, &it->problem)
        && (mkdir (RECORDS, 0700) == 0 || errno == EEXIST
            || problem_system (&it->problem, errno))
        && rewrite_data (path, text, size, &it->problem);
  free (text);
  return good
         || problem_from (&it->problem, &it->problem, "%s: %s", path,
                          it->problem.text);
}

/* Read the saved record of IT's service into RECORD.  */
static bool
read_saved (struct recording *it, struct observation *record)
{
  /* In the file, each slice takes less than OBSERVED * 32 bytes.  */
  static char text[MEASURE_MOST * OBSERVED * 32];
  char path[PATH_MAX];
  const char *const name = it->unit.id;
  snprintf (path, sizeof path, RECORDS "/%s", name);
  if (access (path, F_OK) != 0 && errno == ENOENT)
    return problem_set (&it->problem,
                        "there is no record to compare with: first record the "
                        "service with hugetext measure --service=%s --save",
                        it->m->service);
  const int fd = trusted_open (path, &it->problem);
  if (fd < 0)
    return problem_from (&it->problem, &it->problem, "%s: %s", path,
                         it->problem.text);
  const ssize_t n = read (fd, text, sizeof text - 1);
  close (fd);
  if (n < 0)
    return problem_errno (&it->problem, path);
  text[n] = '\0';
  if (!observed_parse (text, record) || strcmp (record->service, name) != 0)
    return problem_set (
        &it->problem,
        "%s: this file is damaged, or is not from hugetext measure --save for "
        "this service; record the service again with --save",
        path);
  return true;
}

/* OUTPUT is the output of "hugetext attach".  Return the first message in
   OUTPUT that says why "hugetext attach" has failed or has left blocks
   unchanged.  If OUTPUT contains no message of this kind, return the first
   line of OUTPUT.  */
static const char *
find_words (const char *output)
{
  static const char caller[] = "hugetext attach: ";
  const char *at = strstr (output, caller);
  if (at != NULL)
    return at + strlen (caller);
  at = strstr (output, " not changed: ");
  while (at != NULL && at > output && at[-1] != '\n')
    --at;
  return at != NULL ? at : output;
}

/* Run "hugetext attach" for the service of IT; if UNDO is true, with --undo.
   Because the exit status of "hugetext attach" does not show whether it has
   succeeded, inspect the service's text after "hugetext attach" has ended, and
   set *SEEN to the result.  Return true if SEEN has some text on huge pages;
   if UNDO is true, return true if SEEN has no text on huge pages.  A signal
   that ends the recording does not end "hugetext attach".  */
static bool
attach_once (struct recording *it, bool undo, struct observation *seen)
{
  char service[NAME_MAX + 32], *output;
  snprintf (service, sizeof service, "--service=%s", it->unit.id);
  const char *const argv[]
      = { loader_attach (), "attach", service, undo ? "--undo" : NULL, NULL };
  const int status = child_run_apart (argv, ATTACH_TIME, NULL, &output);
  if (status < 0)
    return loader_no_attach (errno, &it->problem);
  const bool ran = status == STATUS_OK || status == STATUS_PARTLY;
  measure_service_begin_record (it, seen);
  const bool good = ran && (undo ? seen->huge == 0 : seen->huge > 0);
  const char *words = find_words (output);
  if (!good)
    problem_set (
        &it->problem, "%s: %.*s",
        !ran ? "hugetext attach"
        : undo
            ? "some text of the service stays on huge pages after hugetext "
              "attach --undo"
            : "no text of the service is on huge pages after hugetext attach",
        (int) strcspn (words, "\n"), words);
  free (output);
  return good;
}

/* Call attach_once.  If attach_once fails, call it again, because threads of
   the service may have been busy.  */
static bool
measure_service_attach_service (struct recording *it, bool undo,
                                struct observation *seen)
{
  enum
  {
    TRIES = 3,
  };
  bool good = attach_once (it, undo, seen);
  for (size_t i = 1; !good && i < TRIES; ++i)
    good = attach_once (it, undo, seen);
  return good;
}

/* Add a slice to RECORD.  ATTACHED is true if the service has huge text in
   this slice.  With the first slice, also store in RECORD how many bytes of
   text the service has on huge and on small pages.  */
static bool
record_state (struct recording *it, struct observation *record, bool attached)
{
  double values[OBSERVED];
  struct observation seen;
  it->record = record;
  if (!measure_service_should_continue (it)
      || !measure_service_attach_service (it, !attached, &seen))
    return false;
  if (record->count == 0)
    *record = seen;
  return (pause_for (it, it->m->seconds * SETTLE) && read_counters (it, values)
          && record_slice (it, values));
}

/* Record slices of IT's service, alternately without huge text (into
   RECORDS[0]) and with huge text (into RECORDS[1]).  Finally restore the
   original state of the service.  */
static bool
record_in_turn (struct recording *it, struct observation records[2])
{
  struct problem first;
  struct observation seen;
  size_t before = 0;
  bool good
      = (loader_check_attach (&it->problem) && look_running (it, &records[0]));
  if (good && records[0].huge > 0)
    return problem_set (
        &it->problem,
        "--attach cannot be used, because some text of the service is already "
        "on huge pages. If the service is enabled, first run hugetext disable "
        "--restart %s; otherwise first run hugetext attach --undo "
        "--service=%s. Or use --save instead of --attach",
        it->unit.id, it->unit.id);
  if (!good)
    return false;
  for (size_t round = 0; good && needs_more (it, &records[0], &records[1]);
       ++round)
    {
      const double begin = clock_seconds ();
      before = compare_first (round, before, compare_toss ());
      for (size_t i = 0; good && i < 2; ++i)
        {
          const size_t c = i == 0 ? before : !before;
          good = record_state (it, &records[c], c == 1);
        }
      /* On a busy machine, "hugetext attach" may take longer than a slice, so
         the duration of a round is known only after the first round.  */
      if (good && round == 0)
        say_duration (it, &records[0], clock_seconds () - begin,
                      ", alternately with text on huge pages and on small "
                      "pages");
    }
  first = it->problem;
  if (!measure_service_attach_service (it, true, &seen))
    return good ? false
                : problem_from (&it->problem, &it->problem,
                                "%.1000s; and: %.1000s", first.text,
                                it->problem.text);
  return good;
}

static void
measure_service_print_record (const struct service_measurement *m,
                              const struct observation *base,
                              const struct observation *with,
                              const char *const names[])
{
  (m->json ? observed_json : observed_show) (stdout, base, with, m->attach,
                                             names);
}

/* Install signal handlers that end the recording but not this command, because
   the command may have to undo changes of "hugetext attach".  */
static void
measure_service_watch_signals (void)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  signals_catch (numbers, sizeof numbers / sizeof *numbers, note_signal);
}

int
measure_service (const struct service_measurement *m)
{
  static struct observation records[2];
  static const char *const times[] = { "before", "after" };
  static const char *const ways[] = { "undone", "attached" };
  static struct recording it;
  it.m = m;
  bool good;
  measure_service_watch_signals ();
  if (geteuid () != 0)
    good = problem_set (&it.problem, "--service can only be used by root");
  else if (!find_service (&it))
    good = false;
  else if (m->attach)
    good = record_in_turn (&it, records);
  else if (m->save)
    good = (record_service (&it, &records[0], &records[0])
            && save (&it, &records[0]));
  else
    good = (read_saved (&it, &records[0])
            && record_service (&it, &records[0], &records[1]));
  unit_free (&it.unit);
  if (!good)
    {
      say_problem (&it);
      return STATUS_PARTLY;
    }
  measure_service_print_record (m, &records[0], m->save ? NULL : &records[1],
                                m->attach ? ways : times);
  struct comparison x;
  const bool compared
      = m->save
        || observed_judge (&records[0], &records[1], m->attach, &x)
               != OBSERVED_UNKNOWN;
  return output_flush () && compared ? STATUS_OK : STATUS_PARTLY;
}

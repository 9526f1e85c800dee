/* "hugetext profile": samples show in which text programs spend their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cmd/command.h"
#include "heat/profile-file.h"
#include "host/selection.h"
#include "host/process.h"
#include "profile/profile.h"
#include "run/supervise.h"
#include "service/service.h"
#include "util/options.h"
#include "util/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options
{
  const char *process, *service, *output;
  double seconds;
  char **command; /* The command, or NULL.  */
};

enum
{
  SECONDS = 30, /* Seconds for which running processes are sampled.  */
};

static const char *
take_seconds (void *field, const char *argument)
{
  return (take_number (field, argument, 0.1, 86400)
              ? NULL
              : "a number of seconds, 0.1 to 86400");
}

static const struct command_option option_list[] = {
  { "pid", 'p', "PID|NAME", "Sample this process, or all of that name",
    take_word, offsetof (struct options, process) },
  { "service", 0, "SERVICE", "Sample a service of systemd's", take_word,
    offsetof (struct options, service) },
  { "seconds", 0, "N", "For so long", take_seconds,
    offsetof (struct options, seconds) },
  { "output", 0, "DIR", "Keep profiles in DIR", take_word,
    offsetof (struct options, output) },
  { 0 },
};

static const struct command_usage usage = {
  .options = option_list,
  .arguments = "[--] [COMMAND [ARG...]]",
  .field = offsetof (struct options, command),
  .doc
  = "Sample where COMMAND and all that it starts, or processes that run,"
    " spend their time in the text of programs and libraries, and keep a"
    " profile of each for the loader: with it blocks that are hot come"
    " first."
    "\vA command is sampled until it ends, processes that run for 30 seconds;"
    " --seconds changes both. Profiles are in " PROFILES_PATH "."
    " The exit status is COMMAND's if that is not 0; else 0, 1 if not all"
    " could be had, 2 if an option is wrong, 126 if COMMAND cannot be"
    " executed, 127 if it is not found.",
};

/* End with a line if OPTIONS do not go together.  */
static void
check_options (struct options *options)
{
  size_t things = ((options->process != NULL) + (options->service != NULL)
                   + (options->command != NULL));
  if (things != 1)
    options_fail ("what is to be sampled? hugetext profile [OPTION...]"
                  " COMMAND [ARG...], or -p PID|NAME, or --service=SERVICE;"
                  " must be one of them");
  if (options->command == NULL && options->seconds == 0)
    options->seconds = SECONDS;
}

static void
say_process (pid_t pid, const char *problem)
{
  struct process process;
  output_flush ();
  if (process_read (pid, &process) && process.name[0] != '\0')
    fprintf (stderr, "hugetext profile: %d (%s): %s\n", (int) pid,
             process.name, problem);
  else
    fprintf (stderr, "hugetext profile: %d: %s\n", (int) pid, problem);
}

static void
say (const char *name, const char *problem)
{
  output_flush ();
  fprintf (stderr, "hugetext profile: %s: %s\n", name, problem);
}

static const char *
name_of (const struct profile_counted *object)
{
  return object->names.nnames > 0 ? object->names.names[0] : "an object";
}

/* Print the result.  */
static void
print_result (FILE *stream, const struct profile_job *job,
              const struct profile_counts *counts,
              const struct profile_kept *kept)
{
  const uint64_t all = counts->text + counts->unread;
  size_t others = 0, cold = 0;
  fprintf (stream,
           "%" PRIu64 " samples of the text of %zu program%s in %.1f s, by"
           " %s\n",
           counts->text, counts->nprocesses,
           counts->nprocesses == 1 ? "" : "s", job->time, job->event);
  if (all > 0)
    fputs ("  share  samples  object\n", stream);
  for (size_t i = 0; i < counts->nobjects; ++i)
    {
      const struct profile_counted *object = kept[i].counted;
      double share = 100.0 * object->samples / all;
      if (object->samples == 0)
        ++cold;
      else if (i >= 10 && share < 1)
        ++others;
      else
        fprintf (stream, "%5.1f %% %8" PRIu64 "  %s%s\n", share,
                 object->samples, name_of (object),
                 kept[i].problem != NULL ? ": left out"
                 : kept[i].merged        ? " (merged)"
                                         : "");
    }
  fprintf (stream,
           "%zu more objects with samples, %zu without; samples not counted:"
           " %" PRIu64 " in the kernel, %" PRIu64
           " in code made at run time, %" PRIu64 " at unknown addresses\n",
           others, cold, counts->system, counts->made, counts->unknown);
}

/* Report why objects with many samples have no profile.  False if there are
   such objects.  */
static bool
say_problems (const struct profile_counts *counts,
              const struct profile_kept *kept)
{
  const char *said = "";
  bool good = true;
  for (size_t i = 0; i < counts->nobjects; ++i)
    {
      const struct profile_counted *object = kept[i].counted;
      const char *name = name_of (object);
      /* Per cent.  */
      if (kept[i].problem == NULL || object->samples == 0
          || object->samples * 100 < counts->samples)
        continue;
      /* Several builds may have had the same name.  */
      if (strcmp (name, said) != 0)
        say (name, kept[i].problem);
      said = name;
      good = false;
    }
  return good;
}

/* Return the processes to sample, by OPTIONS.  */
static const char *
source (const struct options *options)
{
  return options->command != NULL   ? options->command[0]
         : options->process != NULL ? options->process
                                    : options->service;
}

/* Compile the index, so that the loader knows the new profiles.  */
static bool
update_index (const struct options *options)
{
  if (strcmp (options->output, PROFILES_PATH) != 0)
    return true;
  struct problem problem;
  if (service_lock (&problem) && service_index (&problem))
    return true;
  output_flush ();
  fprintf (stderr,
           "hugetext profile: the loader is not told: %s; put that right, then"
           " run hugetext index\n",
           problem.text);
  return false;
}

/* Keep the profiles in COUNTS, and print them to STREAM.  */
static bool
finish (const struct options *options, const struct profile_job *job,
        const struct profile_counts *counts, FILE *stream)
{
  struct profile_kept *kept;
  if (counts->failed || !profile_keep (counts, options->output, &kept, say))
    {
      say (options->output, strerror (ENOMEM));
      return false;
    }
  print_result (stream, job, counts, kept);
  bool good = say_problems (counts, kept);
  if (counts->lost > 0)
    fprintf (stderr,
             "hugetext profile: %" PRIu64 " records were lost: the machine"
             " was too busy\n",
             counts->lost);
  free (kept);
  if (counts->text > 0)
    return update_index (options) && good;
  say (source (options),
       "no sample of its text: it did not run for long enough");
  return false;
}

/* Sample by OPTIONS.  Return an exit status.  */
static int
sample (const struct options *options)
{
  struct profile_job job = { .command = options->command,
                             .seconds = options->seconds,
                             .say = say_process };
  struct profile_counts counts;
  const char *problem
      = options->command != NULL
            ? NULL
            : selected_processes (options->process, options->service,
                                  &job.pids, &job.npids);
  if (problem != NULL)
    {
      say (source (options), problem);
      return STATUS_PARTLY;
    }
  profile_counts_begin (&counts);
  problem = profile_sample (&job, &counts);
  bool good = problem == NULL && job.error == 0;
  if (problem != NULL && problem[0] != '\0')
    say (source (options), problem);
  else if (job.error != 0)
    say (source (options),
         job.error == ENOENT ? "not found" : strerror (job.error));
  if (good)
    good = finish (options, &job, &counts,
                   options->command != NULL ? stderr : stdout);
  profile_sample_wait (&job);
  profile_counts_free (&counts);
  free (job.pids);
  if (job.error != 0)
    return job.error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
  if (job.child > 0 && job.status != 0)
    end_like (job.status);
  return good ? STATUS_OK : STATUS_PARTLY;
}

int
command_profile (int argc, char **argv)
{
  struct options options = { .output = PROFILES_PATH };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  check_options (&options);
  /* Check the folder before anything is run.  */
  if (!profile_folder (options.output))
    {
      fprintf (stderr,
               "hugetext profile: %s: %s; --output says where else profiles"
               " are to be kept\n",
               options.output, strerror (errno));
      return STATUS_PARTLY;
    }
  return sample (&options);
}

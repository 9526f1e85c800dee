/* "hugetext profile": find out where programs spend their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "apply.h"
#include "chosen.h"
#include "command.h"
#include "options.h"
#include "output.h"
#include "process.h"
#include "profile-folder.h"
#include "profile-keep.h"
#include "profile-perf.h"
#include "profile-sample.h"
#include "profile-show.h"
#include "supervise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct options
{
  const char *process, *service, *from, *output;
  double seconds;
  bool reset, show;
  char **words; /* The command, or what is to be shown, or NULL.  */
};

enum
{
  KEY_FROM = 0x100,
  KEY_OUTPUT,
  KEY_RESET,
  KEY_SECONDS,
  KEY_SERVICE,
  KEY_SHOW,
};

static const struct argp_option option_list[] = {
  { "pid", 'p', "PID|NAME", 0, "Sample this process, or all of that name", 0 },
  { "service", KEY_SERVICE, "SERVICE", 0, "Sample a service of systemd's", 0 },
  { "from", KEY_FROM, "FILE", 0, "Take samples of \"perf record\"", 0 },
  { "seconds", KEY_SECONDS, "N", 0, "For so long, stable or not", 0 },
  { "reset", KEY_RESET, NULL, 0, "Forget what older profiles say", 0 },
  { "output", KEY_OUTPUT, "DIR", 0, "Keep profiles in DIR", 0 },
  { "show", KEY_SHOW, NULL, 0, "Draw those of files or names, or list all",
    0 },
  { 0 },
};

/* End with a line if OPTIONS do not go together.  */
static void
check_options (const struct options *options)
{
  size_t sources = ((options->process != NULL) + (options->service != NULL)
                    + (options->from != NULL));
  if (options->show && (sources > 0 || options->reset || options->seconds > 0))
    options_fail ("--show: shows what is there; must be without -p, --service,"
                  " --from, --seconds and --reset");
  if (!options->show && sources + (options->words != NULL) != 1)
    options_fail ("what is to be sampled? hugetext profile [OPTION...]"
                  " COMMAND [ARG...], or -p PID|NAME, or --service=SERVICE, or"
                  " --from=FILE; must be one of them");
  if (options->from != NULL && options->seconds > 0)
    options_fail ("--seconds: the samples in %s have been taken; must be"
                  " without --from",
                  options->from);
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  char *end;
  switch (key)
    {
    case 'p':
      options->process = arg;
      return 0;
    case KEY_SERVICE:
      options->service = arg;
      return 0;
    case KEY_SECONDS:
      options->seconds = strtod (arg, &end);
      if (end == arg || *end != '\0' || !(options->seconds >= 0.1)
          || options->seconds > 86400)
        options_fail ("--seconds=%s: must be a number of seconds, 0.1 to"
                      " 86400",
                      arg);
      return 0;
    case KEY_RESET:
      options->reset = true;
      return 0;
    case KEY_OUTPUT:
      options->output = arg;
      return 0;
    case KEY_FROM:
      options->from = arg;
      return 0;
    case KEY_SHOW:
      options->show = true;
      return 0;
    case ARGP_KEY_ARGS:
      options->words = state->argv + state->next;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_END:
      check_options (options);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .args_doc = "[--] [COMMAND [ARG...]]",
  .doc = "Sample where COMMAND and all that it starts, or processes that run,"
         " spend their time in the text of programs and libraries, and keep a"
         " profile of each for the loader: with it blocks that are hot come"
         " first."
         "\vA command is sampled until it ends, what runs for a minute, both"
         " until the picture is stable or as long as --seconds says. Profiles"
         " are in " PROFILES_PATH "."
         " The exit status is COMMAND's if that is not 0; else 0, 1 if not all"
         " could be had, 2 if an option is wrong, 126 if COMMAND cannot be"
         " executed, 127 if it is not found.",
};

static void
say_process (pid_t pid, const char *problem)
{
  struct process process;
  output_flush ();
  if (process_read (pid, &process) && process.name[0] != '\0')
    fprintf (stderr, "hugetext profile: %d (%s): %s\n", (int)pid,
             process.name, problem);
  else
    fprintf (stderr, "hugetext profile: %d: %s\n", (int)pid, problem);
}

static void
say (const char *name, const char *problem)
{
  output_flush ();
  fprintf (stderr, "hugetext profile: %s: %s\n", name, problem);
}

/* What of the samples has been left out, in words.  */
static void
print_left_out (FILE *stream, const struct profile_counts *counts)
{
  const double all = counts->samples + counts->system;
  const struct
  {
    uint64_t count;
    const char *where;
  } parts[] = {
    { counts->system, "in the kernel" },
    { counts->made, "in code made at run time" },
    { counts->unknown, "nobody knows where" },
  };
  const char *before = "left out:";
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i].count > 0)
      {
        fprintf (stream, "%s %" PRIu64 " samples %s (%.1f %%)", before,
                 parts[i].count, parts[i].where, 100 * parts[i].count / all);
        before = ",";
      }
  if (before[0] == ',')
    fputc ('\n', stream);
}

/* Print what was found.  */
static void
print_result (FILE *stream, const struct profile_job *job,
              const struct profile_counts *counts,
              const struct profile_kept *kept)
{
  fprintf (stream, "%" PRIu64 " samples of the text of %zu program%s",
           counts->text, counts->nprocesses,
           counts->nprocesses == 1 ? "" : "s");
  if (job->event != NULL)
    fprintf (stream, " in %.1f s, by %s%s", job->time, job->event,
             job->stable ? "; the picture is stable" : "");
  fputc ('\n', stream);
  const uint64_t all = counts->text + counts->unread;
  if (all > 0)
    fputs ("  share  samples  object\n", stream);
  size_t others = 0, cold = 0;
  for (size_t i = 0; i < counts->nobjects; i++)
    {
      const struct profile_counted *object = kept[i].counted;
      const char *name
          = object->names.nnames > 0 ? object->names.names[0] : "?";
      double share = 100.0 * object->samples / all;
      if (object->samples == 0)
        cold++;
      else if (i >= 10 && share < 1)
        others++;
      else
        fprintf (stream, "%5.1f %% %8" PRIu64 "  %s%s\n", share,
                 object->samples, name,
                 kept[i].problem != NULL ? ": left out"
                 : kept[i].merged        ? " (merged)"
                                         : "");
    }
  if (others > 0)
    fprintf (stream, "and %zu more objects\n", others);
  if (cold > 0)
    fprintf (stream, "%zu objects were there without a sample\n", cold);
  print_left_out (stream, counts);
}

/* Whether what there is to say of KEPT[I] has been said.  */
static bool
is_said (const struct profile_kept *kept, size_t i)
{
  for (size_t j = 0; j < i; j++)
    if (kept[j].problem == kept[i].problem
        && kept[j].counted->names.nnames > 0
        && kept[i].counted->names.nnames > 0
        && strcmp (kept[j].counted->names.names[0],
                   kept[i].counted->names.names[0])
               == 0)
      return true;
  return false;
}

/* Say why objects that matter have no profile.  False if there are any.  */
static bool
say_problems (const struct profile_counts *counts,
              const struct profile_kept *kept)
{
  bool good = true;
  for (size_t i = 0; i < counts->nobjects; i++)
    {
      const struct profile_counted *object = kept[i].counted;
      /* Per cent.  */
      if (kept[i].problem != NULL && object->samples * 100 >= counts->samples
          && object->samples > 0)
        {
          if (!is_said (kept, i))
            say (object->names.nnames > 0 ? object->names.names[0]
                                          : "an object",
                 kept[i].problem);
          good = false;
        }
    }
  return good;
}

/* What was to be sampled, in OPTIONS.  */
static const char *
source (const struct options *options)
{
  return options->words != NULL     ? options->words[0]
         : options->process != NULL ? options->process
         : options->service != NULL ? options->service
                                    : options->from;
}

/* Have the loader know of new profiles.  */
static bool
update_index (const struct options *options)
{
  if (strcmp (options->output, PROFILES_PATH) != 0)
    return true;
  const char *problem = apply_lock ();
  if (problem == NULL)
    problem = apply_index ();
  if (problem == NULL)
    return true;
  output_flush ();
  fprintf (stderr,
           "hugetext profile: the loader is not told: %s; put that right, then"
           " run hugetext index\n",
           problem);
  return false;
}

/* Keep, and print to STREAM, what is in COUNTS.  */
static bool
finish (const struct options *options, const struct profile_job *job,
        const struct profile_counts *counts, FILE *stream)
{
  struct profile_kept *kept;
  if (counts->failed
      || !profile_keep (counts, options->output, options->reset, &kept, say))
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

/* Draw what OPTIONS name.  */
static bool
show (const struct options *options)
{
  bool good = true;
  if (options->words == NULL)
    return profile_show_all (options->output, say);
  for (char **word = options->words; *word != NULL; word++)
    {
      if (word != options->words)
        putchar ('\n');
      good = profile_show (options->output, *word, say) && good;
    }
  return good;
}

/* Take the samples of OPTIONS' file.  */
static bool
take_from_file (const struct options *options)
{
  struct profile_counts counts;
  const struct profile_job job = { .event = NULL };
  profile_counts_begin (&counts, false);
  const char *problem = profile_perf (&counts, options->from);
  bool good = problem == NULL && finish (options, &job, &counts, stdout);
  if (problem != NULL)
    say (options->from, problem);
  profile_counts_free (&counts);
  return good;
}

/* Sample what OPTIONS say.  Returns an exit status.  */
static int
sample (const struct options *options)
{
  struct profile_job job = { .command = options->words,
                             .seconds = options->seconds,
                             .say = say_process };
  struct profile_counts counts;
  const char *problem
      = options->words != NULL
            ? NULL
            : chosen_processes (options->process, options->service, &job.pids,
                                &job.npids);
  if (problem != NULL)
    {
      say (source (options), problem);
      return STATUS_PARTLY;
    }
  profile_counts_begin (&counts, true);
  problem = profile_sample (&job, &counts);
  bool good = problem == NULL && job.error == 0;
  if (problem != NULL && problem[0] != '\0')
    say (source (options), problem);
  else if (job.error != 0)
    say (source (options),
         job.error == ENOENT ? "not found" : strerror (job.error));
  if (good)
    good = finish (options, &job, &counts,
                   options->words != NULL ? stderr : stdout);
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
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  if (options.show)
    return show (&options) ? STATUS_OK : STATUS_PARTLY;
  /* Before anything is run.  */
  if (!profile_folder (options.output))
    {
      fprintf (stderr,
               "hugetext profile: %s: %s; --output says where else profiles"
               " are to be kept\n",
               options.output, strerror (errno));
      return STATUS_PARTLY;
    }
  if (options.from != NULL)
    return take_from_file (&options) ? STATUS_OK : STATUS_PARTLY;
  return sample (&options);
}

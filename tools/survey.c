/* "hugetext survey": which of the programs that run would gain.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "command.h"
#include "counters.h"
#include "options.h"
#include "process.h"
#include "profile-events.h"
#include "survey-print.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options
{
  double seconds;
  bool json, all, no_samples, stand_in;
};

enum
{
  KEY_ALL = 0x100,
  KEY_NO_SAMPLES,
  KEY_STAND_IN,
};

static const struct argp_option option_list[] = {
  { "all", KEY_ALL, NULL, 0, "List every program", 0 },
  { "no-samples", KEY_NO_SAMPLES, NULL, OPTION_HIDDEN, NULL, 0 },
  { "stand-in", KEY_STAND_IN, NULL, OPTION_HIDDEN, NULL, 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  char *end, **words;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      return 0;
    case KEY_ALL:
      options->all = true;
      return 0;
    case KEY_NO_SAMPLES:
      options->no_samples = true;
      return 0;
    case KEY_STAND_IN:
      options->stand_in = true;
      return 0;
    case ARGP_KEY_ARGS:
      words = options_words (state, "seconds");
      options->seconds = strtod (words[0], &end);
      if (end == words[0] || *end != '\0' || words[1] != NULL
          || !(options->seconds >= 0.1) || options->seconds > 600)
        options_fail ("%s%s: must be one number of seconds, 0.1 to 600",
                      words[0], words[1] != NULL ? " ..." : "");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
  (void)arg;
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "[SECONDS]",
  .doc = "Sample all that runs, for 5 SECONDS, and list the programs that would"
         " gain from text on huge pages, best first: what part of the time"
         " they have, how much of that in text, in how many pages, and what"
         " huge pages would cost in memory. Nothing is changed."
         "\vworth compares programs with each other. misses is how many samples"
         " in a hundred miss in a simulated TLB, with small pages and with"
         " huge ones. The exit status is 0, 1 if there was nothing, or too"
         " little, to look at, 2 if an option is wrong.",
};

static volatile sig_atomic_t interrupted;

static void
interrupt (int signal)
{
  (void)signal;
  interrupted = 1;
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Have EVENTS of all processes, or, then *OWN is set, of our own.  Returns NULL,
   or why nothing can be sampled.  */
static const char *
add_all (struct profile_events *events, bool *own)
{
  const char *problem = profile_events_add_all (events);
  if (problem == NULL || geteuid () == 0)
    return problem;
  pid_t *list;
  ssize_t n = process_list (NULL, &list);
  bool any = false;
  for (ssize_t i = 0; i < n; i++)
    {
      struct process process;
      if (list[i] != getpid () && process_read (list[i], &process)
          && process.uid == geteuid ())
        any |= profile_events_add (events, list[i], false) == NULL;
    }
  free (list);
  *own = true;
  return any ? NULL : "nothing can be sampled: others' processes only by root,"
                      " and none of your own runs";
}

/* Something that is sampled.  */
struct source
{
  struct profile_events events;
  struct profile_counts counts;
  const char *problem; /* Why it is not, or NULL.  */
};

/* Begin to sample where programs are, in SOURCE.  */
static void
begin_places (struct source *source, struct survey *survey, bool *own)
{
  profile_counts_begin (&source->counts, true);
  source->counts.witness = &survey->witness;
  source->problem = profile_events_begin (&source->events);
  if (source->problem == NULL)
    {
      source->problem = add_all (&source->events, own);
      if (source->problem != NULL)
        profile_events_close (&source->events);
    }
}

/* Begin to sample page walks, in SOURCE.  */
static void
begin_walks (struct source *source, struct survey *survey, bool stand_in)
{
  enum
  {
    PERIOD = 1009,
  };
  struct counter_set set;
  bool own;
  counters_find (&set, stand_in);
  struct counter_event event = set.events[COUNTER_ITLB_WALKS];
  profile_counts_begin (&source->counts, true);
  source->counts.witness = &survey->walker;
  source->counts.blind = true;
  source->problem = "";
  if (!set.any || event.type == COUNTER_NONE)
    return;
  source->problem = profile_events_begin_other (
      &source->events, event.type, event.config, stand_in ? 1 : PERIOD);
  if (source->problem == NULL)
    {
      source->problem = add_all (&source->events, &own);
      if (source->problem != NULL)
        profile_events_close (&source->events);
    }
}

static void
read_source (struct source *source, bool last)
{
  if (source->problem == NULL)
    profile_events_read (&source->events, &source->counts, last);
}

static void
end_source (struct source *source, struct survey *survey)
{
  if (source->problem == NULL)
    {
      profile_events_stop (&source->events);
      read_source (source, true);
      profile_events_close (&source->events);
    }
  survey->failed |= source->counts.failed;
  profile_counts_free (&source->counts);
}

/* Sample for OPTIONS->seconds into SURVEY, or only let that time pass.  */
static void
sample (const struct options *options, struct survey *survey,
        struct survey_how *how)
{
  /* 20 times a second the kernel's buffers are emptied.  */
  const struct timespec step = { .tv_nsec = 50000000 };
  struct source places = { .problem = "Nothing is sampled." };
  struct source walks = { .problem = "" };
  if (!options->no_samples)
    {
      begin_places (&places, survey, &how->own);
      begin_walks (&walks, survey, options->stand_in);
    }
  double start = now ();
  survey_note_times (survey, false);
  while (now () < start + options->seconds && !interrupted)
    {
      nanosleep (&step, NULL);
      read_source (&places, false);
      read_source (&walks, false);
    }
  survey_note_times (survey, true);
  how->seconds = now () - start;
  how->problem = places.problem;
  how->event = places.problem == NULL ? places.events.name : NULL;
  how->walks = walks.problem == NULL;
  end_source (&places, survey);
  end_source (&walks, survey);
}

int
command_survey (int argc, char **argv)
{
  struct options options = { .seconds = 5 };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  const struct sigaction action = { .sa_handler = interrupt };
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);

  struct survey survey;
  struct survey_how how = { .all = options.all,
                            .own = geteuid () != 0 && options.no_samples };
  survey_begin (&survey);
  sample (&options, &survey, &how);
  survey_look (&survey);
  survey_rank (&survey, how.problem == NULL && survey.samples > 0,
               PROFILE_EVENTS_RATE);
  size_t count = survey.count;
  bool few = survey.too_few;
  if (survey.failed)
    fprintf (stderr, "hugetext survey: %s\n", strerror (ENOMEM));
  if (options.json)
    survey_print_json (&survey, &how);
  else
    survey_print (&survey, &how);
  survey_free (&survey);
  return count > 0 && !few && !survey.failed ? STATUS_OK : STATUS_PARTLY;
}

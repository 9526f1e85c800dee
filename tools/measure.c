/* "hugetext measure": whether a command is faster with huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "command.h"
#include "measure-run.h"
#include "measure-service.h"
#include "measure-show.h"
#include "options.h"
#include "output.h"
#include "turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

struct options
{
  struct measurement measurement;
  const char *base;
  const char *with[CONTENDERS_MOST - 1];
  size_t nwith;
  const char *loader;
  bool json, csv, stand_in;
  struct service_options service; /* If it is one.  */
};

enum
{
  KEY_BASE = 0x100,
  KEY_BEFORE,
  KEY_CSV,
  KEY_NUMBER,
  KEY_ROUNDS,
  KEY_SECONDS,
  KEY_SERVICE,
  KEY_STAND_IN,
  KEY_WITH,
  ROUNDS = 20,
  SECONDS = 30,
};

static const struct argp_option option_list[] = {
  { "rounds", KEY_ROUNDS, "N", 0, "Run each so often; default 20", 0 },
  { "with", KEY_WITH, "SETTING", 0,
    "What to compare, one each; default \"on\"", 0 },
  { "base", KEY_BASE, "SETTING", 0,
    "What it is compared with; default \"stock\"", 0 },
  { "number", KEY_NUMBER, NULL, 0, "Compare the number that COMMAND prints",
    0 },
  { "csv", KEY_CSV, NULL, 0, "Print CSV", 0 },
  { "pid", 'p', "PID|NAME", 0, "Measure processes that run", 0 },
  { "service", KEY_SERVICE, "SERVICE", 0, "Measure a service of systemd's",
    0 },
  { "seconds", KEY_SECONDS, "N", 0, "These for so long; default 30", 0 },
  { "before", KEY_BEFORE, "FILE", 0, "Compare with --json of before a restart",
    0 },
  /* Events that all machines have, for tests.  */
  { "stand-in", KEY_STAND_IN, NULL, OPTION_HIDDEN, NULL, 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &options_json, 0, NULL, 0 },
  { &options_loader, 0, NULL, 0 },
  { 0 },
};

/* The number ARG of option NAME, LEAST at least.  */
static size_t
take_number (const char *name, const char *arg, size_t least)
{
  char *end;
  unsigned long value = strtoul (arg, &end, 10);
  if (arg[0] < '0' || arg[0] > '9' || *end != '\0' || value < least
      || value > COMPARE_MOST)
    options_fail ("--%s=%s: must be a number from %zu to %d", name, arg, least,
                  COMPARE_MOST);
  return value;
}

/* End with a line if OPTIONS do not go together.  */
static void
check_options (const struct options *options)
{
  const struct service_options *service = &options->service;
  const bool runs = service->process != NULL || service->service != NULL;
  if (options->csv && options->json)
    options_fail ("--csv: must be without --json");
  if (runs + (options->measurement.command != NULL) != 1
      || (service->process != NULL && service->service != NULL))
    options_fail ("what is to be measured? hugetext measure [OPTION...]"
                  " COMMAND [ARG...], or -p PID|NAME, or --service=SERVICE;"
                  " must be one of them");
  if (runs
      && (options->nwith > 0 || options->base != NULL || options->loader
          || options->measurement.number || options->measurement.rounds > 0))
    options_fail ("--rounds, --with, --base, --number and --loader are for a"
                  " command; must be without -p and --service");
  if (!runs && (service->before != NULL || service->seconds > 0))
    options_fail ("--seconds and --before are for what runs; must be with -p"
                  " or --service");
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->json;
      state->child_inputs[1] = &options->loader;
      return 0;
    case KEY_ROUNDS:
      options->measurement.rounds = take_number ("rounds", arg, COMPARE_LEAST);
      return 0;
    case KEY_BASE:
      options->base = arg;
      return 0;
    case 'p':
      options->service.process = arg;
      return 0;
    case KEY_SERVICE:
      options->service.service = arg;
      return 0;
    case KEY_SECONDS:
      options->service.seconds = take_number ("seconds", arg, 1);
      return 0;
    case KEY_BEFORE:
      options->service.before = arg;
      return 0;
    case KEY_WITH:
      if (options->nwith == CONTENDERS_MOST - 1)
        options_fail ("--with=%s: must be given at most %d times", arg,
                      CONTENDERS_MOST - 1);
      options->with[options->nwith++] = arg;
      return 0;
    case KEY_NUMBER:
      options->measurement.number = true;
      return 0;
    case KEY_CSV:
      options->csv = true;
      return 0;
    case KEY_STAND_IN:
      options->stand_in = true;
      return 0;
    case ARGP_KEY_ARGS:
      options->measurement.command = state->argv + state->next;
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
  .children = children,
  .args_doc = "[--] [COMMAND [ARG...]]",
  .doc
  = "Run COMMAND under the stock loader and on huge text, in turn, and say"
    " whether there is a difference, how large, and how sure."
    "\vA SETTING is stock, or some of on (as hugetext run), off, code, a"
    " backing, max=N and pad=BYTES, with commas. The exit status is"
    " COMMAND's if not 0; else 0, 1 if something failed, 2 for a wrong"
    " option, 126, 127.",
};

/* How COMMAND, run with CONTENDER in ROUND, 0 before the first, ended, if
   that stops everything.  Returns an exit status, 0 if all is well.  */
static int
judge (const struct measurement *m, const struct contender *contender,
       size_t round, const struct run_result *result)
{
  const int status = result->status;
  char when[64] = "before the first round";
  if (round > 0)
    snprintf (when, sizeof when, "in round %zu", round);
  if (WIFSIGNALED (status))
    launch_say ("%s, %s, was ended by signal %d (%s) %s", m->command[0],
                contender->name, WTERMSIG (status),
                strsignal (WTERMSIG (status)), when);
  else if (WEXITSTATUS (status) != 0)
    launch_say ("%s, %s, ended with status %d %s", m->command[0],
                contender->name, WEXITSTATUS (status), when);
  else if (result->no_number)
    launch_say ("%s, %s, did not print a number first %s: must, for --number",
                m->command[0], contender->name, when);
  else
    return 0;
  return (WIFSIGNALED (status)        ? 128 + WTERMSIG (status)
          : WEXITSTATUS (status) != 0 ? WEXITSTATUS (status)
                                      : STATUS_PARTLY);
}

/* Run contender C once.  Returns an exit status, 0 if all is well.  */
static int
run (const struct measurement *m, size_t c, size_t round,
     const struct run_plan *plan, struct run_result *result)
{
  const char *problem = measure_run (&m->contenders[c], plan, result);
  if (problem != NULL)
    {
      launch_say ("%s: %s", m->command[0], problem);
      return STATUS_PARTLY;
    }
  return judge (m, &m->contenders[c], round, result);
}

/* Say on a terminal how far it is.  */
static void
show_progress (const struct measurement *m, size_t round)
{
  if (!isatty (STDERR_FILENO))
    return;
  if (round < m->rounds)
    {
      output_control (stderr, "\r");
      fprintf (stderr, "round %zu of %zu ", round + 1, m->rounds);
    }
  else
    output_control (stderr, "\r                        \r");
}

/* Run each contender of M once, watched.  *LEAST is the shortest time that one
   took.  */
static int
warm_up (struct measurement *m, double *least)
{
  const struct run_plan plan = { .counters = &m->counters,
                                 .number = m->number,
                                 .heard = true,
                                 .watched = true };
  struct run_result result;
  *least = 1e9;
  for (size_t c = 0; c < m->count; c++)
    {
      int status = run (m, c, 0, &plan, &result);
      if (status != 0)
        return status;
      m->families[c] = result.family;
      if (result.values.value[QUANTITY_TIME] < *least)
        *least = result.values.value[QUANTITY_TIME];
    }
  return 0;
}

/* Whether the share of huge text, HUGE, that was seen of CONTENDER, whose like
   takes LEAST seconds, is not to be relied on: it was not seen, or, in a run
   so short, perhaps while its loader was at work.  */
static bool
is_doubtful (const struct contender *contender, double least, double huge)
{
  const double long_enough = 1;
  const bool wanted
      = (contender->settings.value[SETTING_MODE] & SETTINGS_TEXT) != 0;
  return isnan (huge) || (wanted && huge == 0 && least < long_enough);
}

/* What was not seen well of its text in ROUND of M look at in a run that is
   not timed.  */
static int
look_again (struct measurement *m, size_t round, double least)
{
  const struct run_plan look
      = { .counters = &m->counters, .number = m->number, .watched = true };
  struct run_result seen;
  int status = 0;
  for (size_t c = 0; status == 0 && c < m->count; c++)
    {
      double *huge = &m->runs[c * m->rounds + round].value[QUANTITY_HUGE];
      if (!is_doubtful (&m->contenders[c], least, *huge))
        continue;
      status = run (m, c, round + 1, &look, &seen);
      if (seen.values.value[QUANTITY_HUGE] >= 0)
        *huge = seen.values.value[QUANTITY_HUGE];
    }
  return status;
}

/* All rounds of M.  What takes at least a twentieth of a second is looked at
   once in each run, when half of the shortest is over.  */
static int
run_rounds (struct measurement *m, double least)
{
  const double long_enough = 0.05;
  const struct run_plan plan
      = { .counters = &m->counters,
          .number = m->number,
          .look_at = least >= long_enough ? least / 2 : 0 };
  size_t order[CONTENDERS_MOST];
  uint64_t seed = 0;
  struct run_result result;
  int status = 0;
  if (getrandom (&seed, sizeof seed, GRND_NONBLOCK) < 0 || seed == 0)
    seed = getpid ();
  for (size_t round = 0; status == 0 && round < m->rounds; round++)
    {
      show_progress (m, round);
      turns_order (order, m->count, round, &seed);
      for (size_t i = 0; status == 0 && i < m->count; i++)
        {
          status = run (m, order[i], round + 1, &plan, &result);
          m->runs[order[i] * m->rounds + round] = result.values;
        }
      if (status == 0)
        status = look_again (m, round, least);
    }
  show_progress (m, m->rounds);
  return status;
}

/* Fill in what OPTIONS name.  Returns an exit status, 0 if all is well.  */
static int
prepare (struct options *options, const char *caller)
{
  struct measurement *m = &options->measurement;
  struct launch launch;
  m->count = options->nwith + 1;
  for (size_t c = 0; c < m->count; c++)
    {
      const char *words = c == 0 ? options->base : options->with[c - 1];
      const char *problem = contender_parse (&m->contenders[c], words);
      if (problem != NULL)
        options_fail ("--%s=%s: %s", c == 0 ? "base" : "with", words, problem);
    }
  int status = launch_find (&launch, caller, m->command);
  if (status != 0)
    return status;
  launch_choose_way (&launch, options->loader);
  launch_hold (&launch);
  bool good = true;
  for (size_t c = 0; c < m->count; c++)
    good = good && contender_prepare (&m->contenders[c], &launch);
  m->runs = calloc (m->count * m->rounds, sizeof *m->runs);
  if (good && m->runs != NULL)
    return 0;
  launch_say ("no memory");
  return STATUS_PARTLY;
}

/* Compare what OPTIONS say.  */
static int
compare (struct options *options, const char *caller)
{
  struct measurement *m = &options->measurement;
  double least;
  if (options->nwith == 0)
    options->with[options->nwith++] = "on";
  if (options->base == NULL)
    options->base = "stock";
  if (m->rounds == 0)
    m->rounds = ROUNDS;
  int status = prepare (options, caller);
  if (status != 0)
    return status;
  counters_find (&m->counters, options->stand_in);
  status = warm_up (m, &least);
  if (status == 0)
    status = run_rounds (m, least);
  if (status != 0)
    return status;
  (options->json  ? measure_json
   : options->csv ? measure_csv
                  : measure_show) (stdout, m);
  return output_flush () ? STATUS_OK : STATUS_PARTLY;
}

int
command_measure (int argc, char **argv)
{
  static struct options options;
  struct service_options *service = &options.service;
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  if (options.measurement.command != NULL)
    return compare (&options, argv[0]);
  service->json = options.json;
  service->csv = options.csv;
  service->stand_in = options.stand_in;
  if (service->seconds == 0)
    service->seconds = SECONDS;
  return measure_service (service, argv[0]);
}

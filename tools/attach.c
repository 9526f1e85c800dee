/* "hugetext attach": put the text of processes that run on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach-report.h"
#include "command.h"
#include "convert.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "setting-options.h"
#include "tracee-thread.h"
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Milliseconds for which a thread is stopped at a time.  */
#define DEADLINE 10

struct options
{
  struct settings settings;
  bool undo, code, dry_run, json;
  double deadline;
  const char *service;
  char **names; /* PIDs and names, or NULL.  */
};

enum
{
  KEY_UNDO = 0x100,
  KEY_CODE,
  KEY_SERVICE,
  KEY_DEADLINE,
};

static const struct argp_option option_list[] = {
  { "service", KEY_SERVICE, "SERVICE", 0,
    "The processes of a service of systemd's", 0 },
  { "undo", KEY_UNDO, NULL, 0, "Put back what attach has replaced", 0 },
  { "jit", KEY_CODE, NULL, 0, "Code made at run time instead of text", 0 },
  { "dry-run", 'n', NULL, 0, "Only say how many blocks would be replaced", 0 },
  { "deadline", KEY_DEADLINE, "MS", 0,
    "Stop a thread for at most MS milliseconds at a time (10)", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &setting_options, 0, NULL, 0 },
  { &options_json, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  char *end;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->settings;
      state->child_inputs[1] = &options->json;
      return 0;
    case KEY_SERVICE:
      options->service = arg;
      return 0;
    case KEY_UNDO:
      options->undo = true;
      return 0;
    case KEY_CODE:
      options->code = true;
      return 0;
    case 'n':
      options->dry_run = true;
      return 0;
    case KEY_DEADLINE:
      options->deadline = strtod (arg, &end);
      if (end == arg || *end != '\0' || !(options->deadline >= 0.1)
          || options->deadline > 10000)
        options_fail ("--deadline=%s: must be a number of milliseconds, 0.1"
                      " to 10000",
                      arg);
      return 0;
    case ARGP_KEY_ARGS:
      options->names = options_words (state, "processes");
      return 0;
    case ARGP_KEY_END:
      if (options->names == NULL && options->service == NULL)
        options_fail ("which process? hugetext attach [OPTION...]"
                      " PID|NAME..., or --service=SERVICE");
      if (options->undo && options->code)
        options_fail ("--undo with --jit: what the kernel has gathered stays");
      if (settings_value (&options->settings, SETTING_BACKING)
          == CHOICE_HUGETLB)
        options_fail ("--backing=hugetlb: must be auto, file, store or thp"
                      " for a process that runs");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "PID|NAME...",
  .doc = "Put the text of processes that run on huge pages, whatever has"
         " loaded it. One thread is stopped for some milliseconds; the process"
         " goes on as it was, also if hugetext is killed."
         "\vThe exit status is 0, 1 if a process could not be changed or text"
         " of it stays on small pages for want of huge ones, 2 if an option"
         " is wrong.",
};

/* What there is to say in the end.  */
struct output
{
  struct json_object *processes, *problems;
  bool first;
};

static void
say_problem (struct output *output, const struct process *process,
             const char *name, const char *problem)
{
  json_object_array_add (output->problems,
                         json_problem (process, name, problem));
  output_flush ();
  if (process != NULL && process->name[0] != '\0')
    fprintf (stderr, "hugetext attach: %d (%s): %s\n", (int)process->pid,
             process->name, problem);
  else
    fprintf (stderr, "hugetext attach: %s: %s\n", name, problem);
}

/* Seconds for all of a process; convert_do has an end of its own before.  */
#define BUDGET 20

/* How it went, from the child that has done it.  */
struct answer
{
  bool given;
  size_t stops;
  double longest, whole;
  char problem[400]; /* "" for none.  */
};

/* Change the process that ALL is about.  Returns NULL or why that cannot be
   done, or not to its end.  */
static const char *
change_here (const struct options *options, struct conversion *all)
{
  struct tracee tracee;
  const char *problem = tracee_open (&tracee, all->pid, &all->facts);
  if (problem == NULL)
    problem = options->undo ? convert_undo (all, &tracee)
                            : convert_do (all, &tracee, options->deadline);
  tracee_close (&tracee);
  return problem;
}

/* The same as a child of PARENT, and put the ANSWER where that sees it.  The
   terminal's signals are not for us: what is begun is ended soon.  A session of
   our own would have a share of the processors of its own (sched(7), autogroup),
   and our priority be nothing to others.  */
static void
answer (const struct options *options, struct conversion *all,
        struct answer *answer, pid_t parent)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid () != parent)
    _exit (1);
  const char *problem = change_here (options, all);
  answer->stops = all->stops;
  answer->longest = all->longest;
  answer->whole = all->whole;
  snprintf (answer->problem, sizeof answer->problem, "%s",
            problem != NULL ? problem : "");
  answer->given = true;
  _exit (0);
}

/* Wait for the end of CHILD, which is to have come to it in time.  */
static const char *
wait_for_answer (pid_t child, const struct answer *answer)
{
  int ended = thread_wait (child, thread_now () + BUDGET * 1000000000L);
  if (ended == 0)
    {
      kill (child, SIGKILL);
      thread_wait (child, 0);
    }
  if (answer->given)
    return answer->problem[0] != '\0' ? answer->problem : NULL;
  return ended == 0 ? "it took too long: given up, and it goes on"
                    : "it was stopped for too long (is the machine"
                      " overloaded?): given up, and it goes on";
}

/* Change the process that ALL is about, by a child of ours, so that there is
   somebody left to say so if it takes too long.  Returns NULL or why that cannot
   be done, or not to its end, until the next time.  */
static const char *
change (const struct options *options, struct conversion *all)
{
  static struct answer *shared;
  sigset_t signals;
  if (options->code)
    return convert_code (all);
  if (shared == NULL)
    shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    {
      shared = NULL;
      return strerror (errno);
    }
  *shared = (struct answer){ .given = false, .stops = 1 };
  /* What thread_wait waits for.  */
  sigemptyset (&signals);
  sigaddset (&signals, SIGCHLD);
  sigprocmask (SIG_BLOCK, &signals, NULL);
  signal (SIGCHLD, SIG_DFL);
  const pid_t parent = getpid (), child = fork ();
  if (child < 0)
    return strerror (errno);
  if (child == 0)
    answer (options, all, shared, parent);
  const char *problem = wait_for_answer (child, shared);
  all->stops = shared->stops;
  all->longest = shared->longest;
  all->whole = shared->whole;
  return problem;
}

/* Report what has become of ALL, of which a problem has been SAID.  */
static bool
report (const struct options *options, struct output *output,
        const struct conversion *all, bool said)
{
  struct object_list objects;
  const unsigned int how = (options->undo ? ATTACH_UNDO : 0)
                           | (options->dry_run ? ATTACH_DRY_RUN : 0);
  if (objtext_read (all->pid, 0, &objects) < 0)
    {
      if (!said)
        say_problem (output, &all->found.process, NULL, "it has ended");
      return false;
    }
  if (!options->json && !output->first)
    putchar ('\n');
  output->first = false;
  bool good = attach_report (all, how, &objects,
                             options->json ? output->processes : NULL);
  objtext_free (&objects);
  return good;
}

/* Attach to PID, which was asked for as NAME.  */
static bool
attach (const struct options *options, struct output *output, pid_t pid,
        const char *name)
{
  struct conversion all;
  const char *problem
      = convert_plan (&all, pid, &options->settings, options->undo);
  if (problem == NULL && options->code)
    problem = convert_code_plan (&all);
  if (problem == NULL && !options->dry_run)
    problem = change (options, &all);
  bool good = problem == NULL;
  if (problem != NULL)
    say_problem (output, &all.found.process, name, problem);
  if (problem == NULL || all.stops > 0)
    good = report (options, output, &all, !good) && good;
  convert_free (&all);
  return good;
}

/* Attach to the COUNT processes in LIST.  */
static bool
attach_list (const struct options *options, struct output *output,
             const pid_t *list, size_t count, const char *name)
{
  bool good = true;
  for (size_t i = 0; i < count; i++)
    good = attach (options, output, list[i], name) && good;
  return good;
}

/* Take ourselves, whose name may be asked for, too, from the COUNT processes
   in LIST.  Returns how many are left.  */
static ssize_t
leave_out_ourselves (pid_t *list, ssize_t count)
{
  ssize_t left = 0;
  for (ssize_t i = 0; i < count; i++)
    if (list[i] != getpid ())
      list[left++] = list[i];
  return count < 0 ? count : left;
}

static bool
attach_named (const struct options *options, struct output *output,
              const char *name)
{
  pid_t *list;
  pid_t pid = inspect_pid (name);
  if (pid > 0)
    return attach (options, output, pid, name);
  ssize_t n = process_list (name, &list);
  n = leave_out_ourselves (list, n);
  if (n <= 0)
    say_problem (output, NULL, name,
                 n < 0 ? strerror (errno)
                       : "there is no process of that name");
  bool good
      = n > 0 && attach_list (options, output, list, n, name);
  free (list);
  return good;
}

static bool
attach_service (const struct options *options, struct output *output)
{
  struct unit unit;
  pid_t *list;
  const char *name = unit_name (options->service);
  const char *problem = name == NULL ? "it cannot be the name of a unit"
                                     : unit_read (name, &unit);
  if (problem != NULL)
    {
      say_problem (output, NULL, options->service, problem);
      return false;
    }
  size_t n = unit_processes (&unit, &list);
  n = leave_out_ourselves (list, n);
  bool good = n > 0;
  if (good)
    good = attach_list (options, output, list, n, options->service);
  else
    say_problem (output, NULL, options->service, "it does not run");
  free (list);
  unit_free (&unit);
  return good;
}

/* Of the JSON: keys may be added to a version, but none goes, and none
   changes what it means.  */
#define VERSION 1

int
command_attach (int argc, char **argv)
{
  struct options options = { .deadline = DEADLINE };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  struct output output = { .processes = json_object_new_array (),
                           .problems = json_object_new_array (),
                           .first = true };
  bool good = true;
  /* On a busy machine a thread would wait for us.  */
  setpriority (PRIO_PROCESS, 0, -20);
  if (options.service != NULL)
    good = attach_service (&options, &output);
  for (char **name = options.names; name != NULL && *name != NULL; name++)
    good = attach_named (&options, &output, *name) && good;

  struct json_object *all = json_object_new_object ();
  json_set_number (all, "version", VERSION);
  json_object_object_add (all, "processes", output.processes);
  json_object_object_add (all, "problems", output.problems);
  if (options.json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return good ? STATUS_OK : STATUS_PARTLY;
}

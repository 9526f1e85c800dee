/* "hugetext run": run a program and its children with text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The way that leaves a program as it is: a mount namespace in which our
   loader lies over the system's, and then nothing but execve.  The program
   is this very process, so signals, exit status, standard streams and process
   ID need no help; its children inherit the namespace and the tunables.

   A static program, which no loader sees, is worked on before its first
   instruction (atexec.h).  */

#include "advice.h"
#include "atexec.h"
#include "command.h"
#include "loader.h"
#include "namespace.h"
#include "options.h"
#include "program.h"
#include "report.h"
#include "setting-options.h"
#include "supervise.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct options
{
  struct settings settings;
  const char *loader;
  bool report;
  char **program;
};

enum
{
  KEY_REPORT = 0x100,
};

static const struct argp_option option_list[] = {
  { "report", KEY_REPORT, NULL, 0,
    "When PROGRAM ends, print to standard error where its text was", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &setting_options, 0, NULL, 0 },
  { &options_loader, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  (void)arg;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->settings;
      state->child_inputs[1] = &options->loader;
      return 0;
    case KEY_REPORT:
      options->report = true;
      return 0;
    case ARGP_KEY_ARGS:
      options->program = state->argv + state->next;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_NO_ARGS:
      options_fail (
          "which program? hugetext run [OPTION...] PROGRAM [ARG...]");
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "[--] PROGRAM [ARG...]",
  .doc = "Run PROGRAM and all that it starts with their text on huge pages."
         "\vThe exit status is PROGRAM's; 125 if hugetext fails, 126 if"
         " PROGRAM cannot be executed, 127 if it is not found.",
};

static void __attribute__ ((format (printf, 1, 2)))
say (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fputs ("hugetext run: ", stderr);
  vfprintf (stderr, format, ap);
  fputc ('\n', stderr);
  va_end (ap);
}

/* How a program is run.  */
enum way
{
  WAY_BOUND,    /* With our loader in place of the system's.  */
  WAY_EXPLICIT, /* As LOADER PROGRAM.  */
  WAY_AS_IT_IS, /* With the loader that it has, which is ours.  */
  WAY_PLAIN,    /* As without us.  */
};

struct job
{
  char **argv;
  struct program program;
  const char *loader;
  enum way way;
};

/* Find out what PROGRAM of OPTIONS is.  Returns an exit status if it cannot
   be run.  */
static int
find_program (const struct options *options, struct job *job)
{
  const char *name = options->program[0];
  char *file = program_find (name);
  bool good = file != NULL && program_read (file, &job->program);
  int error = errno;
  free (file);
  if (good)
    return 0;
  say ("%s: %s", name, error == ENOENT ? "not found" : strerror (error));
  return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Whether JOB's program would be loaded by the system's loader.  */
static bool
uses_system_loader (const struct job *job)
{
  return (job->program.kind == PROGRAM_DYNAMIC
          && same_path (job->program.interpreter, loader_system ()));
}

/* Whether it names ld-hugetext.so as its loader itself.  */
static bool
has_our_loader (const struct job *job)
{
  return (job->program.kind == PROGRAM_DYNAMIC && !uses_system_loader (job)
          && loader_is_ours (job->program.interpreter));
}

/* Whether JOB's program gets huge text whatever lies in the place of the
   system's loader: by its own loader, or without one.  */
static bool
needs_no_loader (const struct job *job)
{
  return has_our_loader (job) || job->program.kind == PROGRAM_STATIC;
}

/* Say where huge text will not be had although our loader is fine.  */
static void
say_exceptions (const struct job *job)
{
  const struct program *program = &job->program;
  if (program->kind == PROGRAM_FOREIGN)
    say ("%s: %s: only programs that it starts get huge text", program->file,
         program->foreign);
  else if (program->kind == PROGRAM_DYNAMIC && !uses_system_loader (job)
           && !has_our_loader (job))
    say ("%s has a loader of its own, %s: only programs that it starts get"
         " huge text",
         program->file, program->interpreter);
}

/* Find the loader for JOB.  Returns why there is none to be put in the
   system's place, NULL if there is.  */
static const char *
find_loader (const struct options *options, struct job *job)
{
  static char text[PATH_MAX + 128];
  struct loader loader;

  job->loader = loader_wanted (options->loader);
  if (loader_read (job->loader, &loader))
    return loader_problem (&loader);
  if (options->loader != NULL)
    {
      say ("--loader=%s: %s; must be an ld-hugetext.so", options->loader,
           strerror (errno));
      exit (STATUS_RUN_ERROR);
    }
  snprintf (text, sizeof text, "%s: %s", job->loader, strerror (errno));
  return text;
}

/* Say that for reason PROBLEM nothing is put in the place of the system's
   loader for JOB.  False if its program then has small pages.  */
static bool
do_without (const struct job *job, const char *problem)
{
  if (loader_is_ours (loader_system ()))
    say ("%s: %s runs under the system's loader, which is ld-hugetext.so as"
         " well",
         problem, job->argv[0]);
  else if (needs_no_loader (job))
    say ("%s: only %s itself gets huge text, not what it starts", problem,
         job->argv[0]);
  else
    return false;
  return true;
}

/* Choose the way to run JOB, as far as that can be known.  */
static enum way
choose_way (const struct options *options, struct job *job)
{
  const char *problem = find_loader (options, job);
  if (job->program.secure)
    {
      /* In a user namespace it would not even get its rights.  */
      say ("%s gets rights of its own when it is executed, and then the"
           " loader takes no tunables: it runs on small pages",
           job->program.file);
      return WAY_PLAIN;
    }
  if (problem != NULL && !do_without (job, problem))
    {
      say ("%s: %s runs on small pages, under the system's loader", problem,
           job->argv[0]);
      return WAY_PLAIN;
    }
  say_exceptions (job);
  return problem != NULL ? WAY_AS_IT_IS : WAY_BOUND;
}

static void
say_setting (void *closure, const char *problem, const char *right)
{
  (void)closure;
  say ("GLIBC_TUNABLES: %s; must be %s", problem, right);
}

/* Put the settings into the environment.  */
static void
set_tunables (struct settings settings)
{
  const char *old = getenv ("GLIBC_TUNABLES");
  struct settings before;
  char *kept = settings_merge (&settings, old);
  settings_complain (kept, say_setting, NULL);
  free (kept);
  settings_read (&before, old);
  if (!before.given[SETTING_MODE])
    {
      settings.given[SETTING_MODE] = true;
      settings.value[SETTING_MODE] = 1;
    }
  else if ((before.value[SETTING_MODE] & 1) == 0)
    say ("GLIBC_TUNABLES has %s=%llu, which is kept: nothing will be on huge"
         " pages",
         settings_name (SETTING_MODE),
         (unsigned long long)before.value[SETTING_MODE]);

  char *merged = settings_merge (&settings, old);
  if (merged == NULL || setenv ("GLIBC_TUNABLES", merged, 1) != 0)
    {
      say ("GLIBC_TUNABLES: %s", strerror (errno));
      exit (STATUS_RUN_ERROR);
    }
  free (merged);
}

/* Make the namespace, or choose another way.  */
static void
enter_namespace (struct job *job)
{
  if (same_path (loader_system (), job->loader))
    return;
  const char *problem = namespace_bind (job->loader, loader_system ());
  if (problem == NULL || do_without (job, problem))
    return;
  if (uses_system_loader (job))
    {
      job->way = WAY_EXPLICIT;
      say ("%s: only %s itself gets huge text, not what it starts, and its"
           " /proc/self/exe is the loader",
           problem, job->argv[0]);
    }
  else
    {
      job->way = WAY_PLAIN;
      say ("%s: %s runs as without hugetext", problem, job->argv[0]);
    }
}

/* Execute JOB as LOADER PROGRAM.  A script is its interpreter's business, so
   the interpreter is the program.  */
static void
execute_explicitly (const struct job *job)
{
  const struct program *program = &job->program;
  size_t count = 0;
  while (job->argv[count] != NULL)
    count++;
  const char *argv[count + 8];
  size_t n = 0;
  argv[n++] = job->loader;
  if (program->script[0] == '\0')
    {
      argv[n++] = "--argv0";
      argv[n++] = job->argv[0];
    }
  argv[n++] = program->file;
  if (program->script[0] != '\0')
    {
      if (program->argument[0] != '\0')
        argv[n++] = program->argument;
      argv[n++] = program->script;
    }
  memcpy (argv + n, job->argv + 1, count * sizeof *argv);
  execv (job->loader, (char **)argv);
}

/* Whether the settings of JOB's program have huge text on.  */
static bool
is_on (const struct job *job)
{
  struct settings settings;
  settings_read (&settings, getenv ("GLIBC_TUNABLES"));
  advice_add (&settings, job->program.file);
  return (settings_value (&settings, SETTING_MODE) & 1) != 0;
}

/* Have JOB's program, which is static, worked on when we have executed it.  */
static void
arm (const struct job *job)
{
  const char *problem = atexec_arm (job->program.file, job->argv[0], say);
  if (problem != NULL)
    say ("%s runs on small pages: %s", job->argv[0], problem);
}

/* Become JOB's program; return an exit status if that fails.  */
static int
execute (void *closure)
{
  struct job *job = closure;
  if (job->way == WAY_BOUND)
    enter_namespace (job);
  if (job->program.kind == PROGRAM_STATIC && job->way != WAY_PLAIN
      && is_on (job))
    arm (job);
  if (job->way == WAY_EXPLICIT)
    execute_explicitly (job);
  else
    execvp (job->argv[0], job->argv);
  say ("%s: %s", job->argv[0], strerror (errno));
  return errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Run JOB as a child, and report.  */
static void __attribute__ ((noreturn)) execute_and_report (struct job *job)
{
  struct object_list objects;
  bool early;
  struct settings settings;
  settings_read (&settings, getenv ("GLIBC_TUNABLES"));
  if (job->way != WAY_PLAIN && !job->program.secure)
    {
      advice_add (&settings, job->program.file);
      settings_show (stderr, &settings);
    }
  int status = supervise (execute, job, &objects, &early);
  if (objects.count > 0)
    {
      report_objects (stderr, &objects);
      if (early)
        say ("%s ended soon: this was the last that was seen of it",
             job->argv[0]);
    }
  else
    say ("%s ended before it could be looked at", job->argv[0]);
  objtext_free (&objects);
  end_like (status);
}

int
command_run (int argc, char **argv)
{
  struct options options = { 0 };
  options_parse (&argp, argc, argv, STATUS_RUN_ERROR, &options);

  struct job job = { .argv = options.program };
  int status = find_program (&options, &job);
  if (status != 0)
    return status;
  job.way = choose_way (&options, &job);
  if (job.way != WAY_PLAIN)
    set_tunables (options.settings);
  if (options.report)
    execute_and_report (&job);
  return execute (&job);
}

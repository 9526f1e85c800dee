/* Run a program under ld-hugetext.so and print how much of its text, object
   by object, lay on huge pages when it ended.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program is looked at from outside: at its end through ptrace, which
   stops it while its memory is still there.  It is not traced from the start,
   because the loader leaves a traced program's text where it is.  */

#include "report.h"

#include <argp.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *argp_program_version = "hugetext-report " PACKAGE_VERSION;

/* Exit statuses of a shell for a command that cannot be run.  */
enum
{
  STATUS_ERROR = 125,
  STATUS_CANNOT_RUN = 126,
  STATUS_NOT_FOUND = 127,
};

struct options
{
  const char *loader;
  char **program;
};

static const struct argp_option option_list[] = {
  { "loader", 'l', "FILE", 0, "Loader to use [ld-hugetext.so here]", 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case 'l':
      options->loader = arg;
      return 0;
    case ARGP_KEY_ARGS:
      options->program = state->argv + state->next;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_usage (state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .args_doc = "PROGRAM [ARG...]",
  .doc = "Run PROGRAM under ld-hugetext.so with its text on huge pages"
         " (GLIBC_TUNABLES=glibc.mem.hugetext=1 unless that is set already),"
         " and print a table of its objects when it ends.\v"
         "The exit status is PROGRAM's.",
};

/* The loader in the directory of this program.  */
static const char *
default_loader (void)
{
  static const char name[] = "ld-hugetext.so";
  static char path[PATH_MAX];
  ssize_t length
      = readlink ("/proc/self/exe", path, sizeof path - sizeof name);
  if (length < 0)
    err (STATUS_ERROR, "/proc/self/exe");
  path[length] = '\0';
  strcpy (strrchr (path, '/') + 1, name);
  return path;
}

/* The file that execvp would run for NAME, or NULL.  */
static char *
find_program (const char *name)
{
  if (strchr (name, '/') != NULL)
    return strdup (name);

  const char *path = getenv ("PATH");
  if (path == NULL)
    path = "/bin:/usr/bin";
  while (true)
    {
      size_t length = strcspn (path, ":");
      char *file;
      struct stat status;
      if (asprintf (&file, "%.*s/%s", (int)length, length > 0 ? path : ".",
                    name)
          < 0)
        return NULL;
      if (access (file, X_OK) == 0 && stat (file, &status) == 0
          && S_ISREG (status.st_mode))
        return file;
      free (file);
      if (path[length] == '\0')
        return NULL;
      path += length + 1;
    }
}

/* Turn the huge pages on for the child, unless the user has decided.  */
static void
set_tunables (void)
{
  static const char on[] = "glibc.mem.hugetext=1";
  const char *old = getenv ("GLIBC_TUNABLES");
  char *merged;
  if (old != NULL && strstr (old, "glibc.mem.hugetext=") != NULL)
    return;
  if (asprintf (&merged, "%s%s%s", old != NULL ? old : "",
                old != NULL && old[0] != '\0' ? ":" : "", on)
          < 0
      || setenv ("GLIBC_TUNABLES", merged, 1) != 0)
    err (STATUS_ERROR, "GLIBC_TUNABLES");
  free (merged);
}

/* Become OPTIONS' program under the loader.  A script is its interpreter's
   business, so the interpreter is the program.  */
static void
run_program (const struct options *options)
{
  char *name = options->program[0];
  char *file = find_program (name);
  if (file == NULL)
    {
      warnx ("%s: not found", name);
      _exit (STATUS_NOT_FOUND);
    }

  char first[PATH_MAX] = "";
  FILE *stream = fopen (file, "re");
  if (stream != NULL)
    {
      if (fgets (first, sizeof first, stream) == NULL
          || strncmp (first, "#!", 2) != 0)
        first[0] = '\0';
      fclose (stream);
    }

  size_t count = 0;
  while (options->program[count] != NULL)
    count++;
  char *argv[count + 8];
  size_t n = 0;
  argv[n++] = (char *)options->loader;
  if (first[0] != '\0')
    {
      char *rest;
      char *interpreter = strtok_r (first + 2, " \t\n", &rest);
      char *argument = strtok_r (NULL, "\n", &rest);
      if (interpreter != NULL)
        argv[n++] = interpreter;
      if (argument != NULL)
        argv[n++] = argument;
    }
  else
    {
      argv[n++] = (char *)"--argv0";
      argv[n++] = name;
    }
  argv[n++] = file;
  memcpy (argv + n, options->program + 1, count * sizeof *argv);

  set_tunables ();
  execv (options->loader, argv);
  warn ("%s", options->loader);
  _exit (errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN);
}

static volatile sig_atomic_t child;

/* Hand a signal that was meant for the program on to it.  */
static void
forward (int signal)
{
  kill (child, signal);
}

/* Replace OBJECTS by what PID has now, if it can still be looked at.  */
static bool
look (pid_t pid, struct object_list *objects)
{
  struct object_list now;
  if (objtext_read (pid, &now) < 0)
    return false;
  if (now.count == 0)
    {
      objtext_free (&now);
      return false;
    }
  objtext_free (objects);
  *objects = now;
  return true;
}

/* Whether the file LOADER is among OBJECTS.  */
static bool
is_loaded (const char *loader, const struct object_list *objects)
{
  char *path = realpath (loader, NULL);
  bool found = false;
  for (size_t i = 0; path != NULL && i < objects->count; i++)
    found |= strcmp (objects->list[i].name, path) == 0;
  free (path);
  return found;
}

static bool
same_objects (const struct object_list *a, const struct object_list *b)
{
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->list[i].bias != b->list[i].bias
        || a->list[i].huge != b->list[i].huge)
      return false;
  return true;
}

/* Look at PID until its objects have not changed for SETTLED_MS, which is
   taken to mean that the loader is done, but not longer than LIMIT_MS.  Return
   true if it has ended by then, with *STATUS.  */
static bool
wait_until_loaded (pid_t pid, struct object_list *objects, int *status)
{
  enum
  {
    STEP_MS = 1,
    SETTLED_MS = 20,
    LIMIT_MS = 1000,
  };
  int same = 0;
  for (int ms = 0; ms < LIMIT_MS && same < SETTLED_MS; ms += STEP_MS)
    {
      nanosleep (&(struct timespec){ .tv_nsec = STEP_MS * 1000000L }, NULL);
      struct object_list before = *objects;
      *objects = (struct object_list){ 0 };
      if (!look (pid, objects))
        *objects = before;
      else
        {
          same = same_objects (&before, objects) ? same + STEP_MS : 0;
          objtext_free (&before);
        }
      if (waitpid (pid, status, WNOHANG) == pid)
        return true;
    }
  return false;
}

/* Follow PID, which is traced, to its end; look at it just before.  */
static void
wait_traced (pid_t pid, struct object_list *objects, int *status)
{
  while (waitpid (pid, status, __WALL) == pid)
    {
      if (!WIFSTOPPED (*status))
        return;
      int event = *status >> 16;
      int signal = WSTOPSIG (*status);
      if (event == PTRACE_EVENT_EXIT)
        {
          look (pid, objects);
          ptrace (PTRACE_CONT, pid, NULL, NULL);
        }
      else if (event == PTRACE_EVENT_STOP
               && (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN
                   || signal == SIGTTOU))
        /* Stay stopped, as without us.  */
        ptrace (PTRACE_LISTEN, pid, NULL, NULL);
      else
        ptrace (PTRACE_CONT, pid, NULL, (long)(event == 0 ? signal : 0));
    }
  err (STATUS_ERROR, "waitpid");
}

int
main (int argc, char **argv)
{
  struct options options = { 0 };
  argp_parse (&argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
  if (options.loader == NULL)
    options.loader = default_loader ();

  pid_t pid = fork ();
  if (pid < 0)
    err (STATUS_ERROR, "fork");
  if (pid == 0)
    run_program (&options);

  /* The terminal sends these two to the program as well.  */
  signal (SIGINT, SIG_IGN);
  signal (SIGQUIT, SIG_IGN);
  child = pid;
  sigaction (
      SIGTERM,
      &(struct sigaction){ .sa_handler = forward, .sa_flags = SA_RESTART },
      NULL);
  sigaction (
      SIGHUP,
      &(struct sigaction){ .sa_handler = forward, .sa_flags = SA_RESTART },
      NULL);

  int status;
  struct object_list objects = { 0 };
  if (!wait_until_loaded (pid, &objects, &status))
    {
      if (ptrace (PTRACE_SEIZE, pid, NULL, (long)PTRACE_O_TRACEEXIT) == 0)
        wait_traced (pid, &objects, &status);
      else
        while (waitpid (pid, &status, WNOHANG) == 0)
          {
            look (pid, &objects);
            nanosleep (&(struct timespec){ .tv_nsec = 50 * 1000000L }, NULL);
          }
    }

  fflush (stdout);
  if (objects.count > 0)
    {
      report_objects (stdout, &objects);
      if (!is_loaded (options.loader, &objects))
        puts ("The program has become another one, which the system's own"
              " loader started.");
    }
  else
    puts ("The program ended before it could be looked at.");
  objtext_free (&objects);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

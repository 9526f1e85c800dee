/* alternate: a program that runs variants of a command in turn, and prints
   the time of each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The machine's other load drifts over minutes, so variants that are compared
   must take turns, each round in another order.  A variant with a loader of
   its own has a mount namespace in which this loader is bound over the
   system's.  The namespace is made once, and the time to join it is not
   measured.  */

#include "frames.h"

#include <argp.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A variant of the command.  */
struct variant
{
  const char *name;
  const char *tunables; /* The value of GLIBC_TUNABLES; "" for none.  */
  const char *loader;   /* The loader that is bound over the system's; "" for
                           none.  */
  const char *bind;     /* The directory that is bound over the directory given
                           with --bind, or NULL if there is none.  */
  const char *command;  /* The variant's own command, or NULL if the variant
                           runs the command of all variants.  */
  int namespace;        /* The descriptor of the mount namespace.  */
};

enum
{
  VARIANTS_MAX = 16,
  WORDS_MAX = 32, /* The maximum number of words of a command that needs no
                     shell.  */
  NOT_RUN = 126,  /* The exit status of a child that failed before it executed
                     the command.  */
};

static struct variant variants[VARIANTS_MAX];
static size_t nvariants;
static const char *over = "/lib64/ld-linux-x86-64.so.2", *bind_over;
static unsigned long rounds = 15, warmup = 1;
static bool own_numbers;
static char **command;

static unsigned long
number (struct argp_state *state, const char *name, const char *arg)
{
  char *end;
  unsigned long value = strtoul (arg, &end, 10);
  if (*arg < '0' || *arg > '9' || *end != '\0' || value > 100000)
    argp_failure (state, 2, 0, "--%s=%s: a number up to 100000", name, arg);
  return value;
}

/* Parse NAME[,TUNABLES[,LOADER[+DIR][,COMMAND]]].  */
static void
add_variant (struct argp_state *state, char *arg)
{
  if (nvariants == VARIANTS_MAX)
    argp_failure (state, 2, 0, "there are more than %d variants",
                  VARIANTS_MAX);
  struct variant *variant = &variants[nvariants++];
  variant->name = strsep (&arg, ",");
  variant->tunables = arg != NULL ? strsep (&arg, ",") : "";
  char *loader = arg != NULL ? strsep (&arg, ",") : (char *) "";
  variant->loader = bind_over != NULL ? strsep (&loader, "+") : loader;
  variant->bind = bind_over != NULL ? loader : NULL;
  variant->command = arg;
  if (variant->name[0] == '\0')
    argp_failure (state, 2, 0,
                  "--variant: the argument must begin with a name");
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  switch (key)
    {
    case 'v':
      add_variant (state, arg);
      return 0;
    case 'r':
      rounds = number (state, "rounds", arg);
      return 0;
    case 'w':
      warmup = number (state, "warmup", arg);
      return 0;
    case 'o':
      over = arg;
      return 0;
    case 'b':
      bind_over = arg;
      return 0;
    case 'f':
      frames_hold (number (state, "frames", arg));
      return 0;
    case 'n':
      own_numbers = true;
      return 0;
    case ARGP_KEY_ARGS:
      command = state->argv + state->next;
      return 0;
    case ARGP_KEY_END:
      if (nvariants == 0)
        argp_failure (state, 2, 0, "there is no --variant");
      for (size_t i = 0; i < nvariants; ++i)
        if (command == NULL && variants[i].command == NULL)
          argp_failure (state, 2, 0, "%s has no command", variants[i].name);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
  { "variant", 'v', "NAME[,TUNABLES[,LOADER[,COMMAND]]]", 0,
    "Add a variant: its value of GLIBC_TUNABLES, the loader to mount over the "
    "system's loader, and a shell command that it runs instead of COMMAND",
    0 },
  { "rounds", 'r', "N", 0, "Time each variant N times; default 15", 0 },
  { "warmup", 'w', "N", 0, "First run N rounds without timing; default 1", 0 },
  { "over", 'o', "FILE", 0,
    "The system's loader, over which variants mount their loaders", 0 },
  { "bind", 'b', "DIR", 0,
    "The variants that follow may be given as LOADER+DIR2; DIR2 is then "
    "mounted over DIR",
    0 },
  { "frames", 'f', "N", 0,
    "Before each run, free the same N huge pages, so that the kernel gives "
    "these pages to the run; the runs use only one processor. Default 0: do "
    "not choose pages",
    0 },
  { "numbers", 'n', NULL, 0,
    "Print the number that each run prints, instead of the time of the run",
    0 },
  { 0 },
};

static const struct argp argp = {
  .options = options,
  .parser = parse_option,
  .args_doc = "[COMMAND ARG...]",
  .doc = "Run variants of a command in turn; print lines of variant,round,"
         "value.",
};

/* Make the mount namespace of VARIANT.  */
static void
make_namespace (struct variant *variant)
{
  int ready[2], done[2];
  char path[64], byte;
  if (variant->loader[0] == '\0')
    {
      variant->namespace = open ("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
      return;
    }
  if (pipe (ready) != 0 || pipe (done) != 0)
    error (EXIT_FAILURE, errno, "pipe");
  pid_t pid = fork ();
  if (pid == 0)
    {
      close (ready[0]);
      close (done[1]);
      char *file = realpath (over, NULL);
      if (file == NULL || unshare (CLONE_NEWNS) != 0
          || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
          || mount (variant->loader, file, NULL, MS_BIND, NULL) != 0)
        error (NOT_RUN, errno, "cannot bind %s over %s", variant->loader,
               over);
      if (variant->bind != NULL
          && mount (variant->bind, bind_over, NULL, MS_BIND, NULL) != 0)
        error (NOT_RUN, errno, "cannot bind %s over %s", variant->bind,
               bind_over);
      if (write (ready[1], "", 1) != 1 || read (done[0], &byte, 1) != 0)
        _exit (NOT_RUN);
      _exit (0);
    }
  close (ready[1]);
  close (done[0]);
  snprintf (path, sizeof path, "/proc/%d/ns/mnt", (int) pid);
  if (pid < 0 || read (ready[0], &byte, 1) != 1
      || (variant->namespace = open (path, O_RDONLY | O_CLOEXEC)) < 0)
    error (EXIT_FAILURE, 0, "cannot make a mount namespace: not root?");
  close (ready[0]);
  close (done[1]);
  waitpid (pid, NULL, 0);
}

/* Execute LINE, with a shell only if it needs one, since a shell takes
   time.  */
static void
execute (const char *line)
{
  char *words[WORDS_MAX + 1], *rest = strdup (line);
  size_t n = 0;
  if (strpbrk (line, "\t\n\"'\\|&;<>()$`*?[]#~=%!{}") != NULL || rest == NULL)
    n = WORDS_MAX;
  while (n < WORDS_MAX && (words[n] = strsep (&rest, " ")) != NULL)
    n += words[n][0] != '\0';
  if (n == WORDS_MAX)
    execl ("/bin/sh", "sh", "-c", line, NULL);
  else
    execvp (words[0], words);
  error (NOT_RUN, errno, "%s", line);
}

/* Called in the child process: execute VARIANT as soon as GO can be read.  */
static void __attribute__ ((noreturn))
become (const struct variant *variant, int ready, int go, int out)
{
  char byte;
  if (setns (variant->namespace, CLONE_NEWNS) != 0)
    error (NOT_RUN, errno, "setns");
  if (variant->tunables[0] != '\0')
    setenv ("GLIBC_TUNABLES", variant->tunables, 1);
  else
    unsetenv ("GLIBC_TUNABLES");
  dup2 (out, STDOUT_FILENO);
  if (write (ready, "", 1) != 1 || read (go, &byte, 1) != 1)
    _exit (NOT_RUN);
  if (variant->command != NULL)
    execute (variant->command);
  execvp (command[0], command);
  error (NOT_RUN, errno, "%s", command[0]);
  abort ();
}

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Run VARIANT once.  Return the time of the command in seconds, or the number
   that the command prints.  */
static double
run (const struct variant *variant)
{
  int ready[2], go[2], out[2], status;
  char byte, text[64] = "";
  frames_offer ();
  if (pipe2 (ready, O_CLOEXEC) != 0 || pipe2 (go, O_CLOEXEC) != 0
      || (own_numbers
              ? pipe2 (out, O_CLOEXEC)
              : (out[1] = open ("/dev/null", O_WRONLY | O_CLOEXEC)) < 0))
    error (EXIT_FAILURE, errno, "pipe");
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0)
    become (variant, ready[1], go[0], out[1]);
  close (ready[1]);
  close (go[0]);
  close (out[1]);
  bool started = pid > 0 && read (ready[0], &byte, 1) == 1;
  double start = now ();
  started = started && write (go[1], "", 1) == 1;
  size_t filled = 0;
  ssize_t n;
  while (own_numbers && filled < sizeof text - 1
         && (n = read (out[0], text + filled, sizeof text - 1 - filled)) > 0)
    filled += n;
  if (waitpid (pid, &status, 0) != pid || !started || status != 0)
    error (EXIT_FAILURE, 0, "%s failed with status %#x", variant->name,
           status);
  double value = now () - start;
  close (ready[0]);
  close (go[1]);
  if (own_numbers)
    {
      char *end;
      close (out[0]);
      value = strtod (text, &end);
      if (end == text)
        error (EXIT_FAILURE, 0, "%s prints no number: %s", variant->name,
               text);
    }
  return value;
}

int
main (int argc, char **argv)
{
  argp_parse (&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
  for (size_t i = 0; i < nvariants; ++i)
    make_namespace (&variants[i]);
  signal (SIGPIPE, SIG_IGN);
  for (unsigned long round = 0; round < warmup + rounds; ++round)
    {
      double values[VARIANTS_MAX];
      frames_choose ();
      for (size_t i = 0; i < nvariants; ++i)
        {
          /* Every other round runs the variants in reverse order, and the
             rounds begin with different variants.  */
          size_t k = ((round & 1) != 0 ? nvariants - 1 - i : i);
          k = (k + round / 2) % nvariants;
          values[k] = run (&variants[k]);
        }
      for (size_t i = 0; round >= warmup && i < nvariants; ++i)
        printf ("%s,%lu,%.9g\n", variants[i].name, round - warmup, values[i]);
    }
  return 0;
}

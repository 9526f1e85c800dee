/* Rehearsals (dry runs): ld-hugetext.so starts a program and ends it before
   any of its code runs; meanwhile the command inspects the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   A hostile file can make the loader that maps it run the file's code: a
   segment of the file may have the address of the loader and so overwrite the
   loader, the file may name an audit library, or another user may replace a
   library while the loader maps it.  The process of a dry run is confined
   (explain/confine.h), so that the code of a hostile file can do no harm.  If
   root has called the command, the process of the dry run has the rights of an
   unprivileged user who owns no files.  Dry runs use only an installed loader,
   which is identified by device and inode.  The command does not trust the
   answers of the process.  */

#include "explain/rehearsal.h"
#include "dl-hugetext-modules.h"
#include "explain/confine.h"
#include "host/namespace.h"
#include "host/process.h"
#include "host/unprivileged.h"
#include "object/filter.h"
#include "object/loader.h"
#include "object/program.h"
#include "object/reason.h"
#include "text/record.h"
#include "trust/trusted.h"
#include "util/printable.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The program into which a library is preloaded.  */
#define STUB "/bin/true"

/* The time limit of a dry run, in seconds.  A copy takes 0.5 to 5 ms for each
   block, and a process has about a hundred copies at most
   (doc/experiments/start).  */
#define PATIENCE 10

/* A loader that may make dry runs.  */
struct candidate
{
  char path[PATH_MAX];
  dev_t device;
  ino_t inode;
};

/* The data for the start of a dry run.  */
struct start
{
  /* The loader of the dry run, and other loaders that a program may name as
     its interpreter.  */
  struct candidate loaders[3];
  size_t nloaders;
  const char *program;
  const char *preload; /* The path of a library to preload, or NULL.  */
  const char *opened;  /* The path of a library that the program opens while
                          it runs, or NULL.  */
  char *tunables;
};

/* Add the loader PATH to START if this loader supports dry runs, and writes a
   record that this command can read.  A loader without support for dry runs
   would really run the program.  If root has called the command, do not add a
   loader that another user can change.  */
static bool
add_loader (struct start *start, const char *path, struct problem *problem)
{
  struct candidate *to = &start->loaders[start->nloaders];
  struct loader loader;
  struct stat status;
  int fd = (geteuid () == 0 ? trusted_open : readable_open) (path, problem);
  if (fd < 0)
    return problem_unknown (problem, "%s: %s", path, problem->text);
  snprintf (loader.path, sizeof loader.path, "%s", path);
  snprintf (to->path, sizeof to->path, "%s", path);
  const bool good = loader_read_fd (fd, &loader) && fstat (fd, &status) == 0;
  close (fd);
  if (!good)
    return problem_errno (problem, path);
  if (!loader_check (&loader, problem) || !record_known (path, problem))
    return problem_unknown (problem, "%s", problem->text);
  to->device = status.st_dev;
  to->inode = status.st_ino;
  ++start->nloaders;
  return true;
}

/* Add to START the loader WANTED, which the user has chosen, and the installed
   loaders.  */
static bool
add_loaders (struct start *start, const char *wanted, struct problem *problem)
{
  struct problem ignored;
  if (!add_loader (start, loader_wanted (wanted), problem))
    return false;
  add_loader (start, loader_path (NULL), &ignored);
  add_loader (start, loader_system (), &ignored);
  return true;
}

/* Return true if PATH leads to LOADER's file.  */
static bool
is_file (const char *path, const struct candidate *loader)
{
  struct stat status;
  return (stat (path, &status) == 0 && status.st_dev == loader->device
          && status.st_ino == loader->inode);
}

/* In the child: set the environment, so that it contains the settings.  Unless
   root has called the command, also copy the command's variables that decide
   which libraries are loaded.  */
static bool
set_environment (const struct start *start)
{
  static const char *const kept[]
      = { "LD_LIBRARY_PATH", "LD_HWCAP_MASK", "LD_AUDIT", "LD_PRELOAD" };
  char *value[sizeof kept / sizeof kept[0]] = { NULL };
  const size_t preload = sizeof kept / sizeof kept[0] - 1;
  for (size_t i = 0; geteuid () != 0 && i <= preload; ++i)
    value[i] = getenv (kept[i]);
  if (start->preload != NULL
      && asprintf (&value[preload], "%s:%s", start->preload,
                   value[preload] != NULL ? value[preload] : "")
             < 0)
    return false;
  bool good
      = clearenv () == 0 && setenv ("GLIBC_TUNABLES", start->tunables, 1) == 0;
  if (start->opened != NULL)
    good = good && setenv (HUGETEXT_OPENED, start->opened, 1) == 0;
  for (size_t i = 0; i <= preload; ++i)
    good = good && (value[i] == NULL || setenv (kept[i], value[i], 1) == 0);
  return good;
}

/* Return the mode bits for LOADER, without HUGETEXT_MODE_REHEARSAL.  The bits
   are those of the settings GIVEN, or the defaults of "hugetext run".  */
static uint64_t
said_mode (const struct settings *given, const char *loader)
{
  if (given->given[SETTING_MODE])
    return (settings_value (given, SETTING_MODE)
            & (SETTINGS_CODE | SETTINGS_PRCTL));
  return filter_allows (loader) ? SETTINGS_PRCTL : 0;
}

/* Return GLIBC_TUNABLES for a dry run under LOADER with SETTINGS.  Leave out
   the caller's other tunables: if one of them were malformed, glibc might
   ignore all tunables, and really run the program.  If LIBRARY is true, name
   the backing in the tunables.  To test a library, a dry run starts a small
   stub program with the library.  The loader would treat the stub as a program
   with too little text to gain, unless the tunables name a backing.  */
static char *
rehearsal_tunables (const struct settings *given, bool library,
                    const char *loader)
{
  struct settings settings = *given;
  settings.value[SETTING_BACKING] = settings_value (given, SETTING_BACKING);
  settings.given[SETTING_BACKING] |= library;
  settings.given[SETTING_MODE] = true;
  settings.value[SETTING_MODE]
      = (said_mode (given, loader) | SETTINGS_TEXT | HUGETEXT_MODE_REHEARSAL
         | (process_is_filtered (0) ? HUGETEXT_MODE_FILTERED : 0));
  return settings_merge (&settings, NULL);
}

/* Facts about the user who has called the command, for the child.  */
struct caller
{
  pid_t command;
  bool root;
};

/* Set PROBLEM to the text for errno after an attempt to open or execute PATH.
   Each message about the dry run begins with the path of START's program or
   library, so add PATH only if it is another file.  */
static void
set_error (const struct start *start, const char *path,
           struct problem *problem)
{
  const char *file = start->preload != NULL ? start->preload : start->program;
  const bool other = strcmp (path, file) != 0;
  problem_unknown (problem, "%s%s%s", other ? path : "", other ? ": " : "",
                   strerror (errno));
}

/* In the unprivileged child: open the file PATH for START.  If CALLER's child
   must not open PATH, or if PATH is not a regular file, set PROBLEM and return
   -1.  */
static int
explain_rehearsal_open_file (const struct start *start, const char *path,
                             const struct caller *caller,
                             struct problem *problem)
{
  struct stat status;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && (fstat (fd, &status) < 0 || !S_ISREG (status.st_mode)))
    {
      close (fd);
      fd = -1;
      errno = EINVAL;
    }
  if (fd < 0 && errno == EACCES && caller->root)
    problem_unknown (
        problem,
        "root makes dry runs as a user who owns no files, and who has no "
        "permission to read %s: " UNPRIVILEGED_REMEDY,
        path);
  else if (fd < 0)
    set_error (start, path, problem);
  return fd;
}

/* In the unprivileged child: set ARGV to the command line that executes
   START's program.  BOUND is true if the wanted loader is mounted over the
   system's loader.  */
static bool
choose_execution (const struct start *start, const struct caller *caller,
                  bool bound, char *argv[static 3], struct problem *problem)
{
  static struct program program;
  int fd
      = explain_rehearsal_open_file (start, start->program, caller, problem);
  if (fd < 0)
    return false;
  program_read_fd (fd, &program);
  close (fd);
  argv[0] = (char *) start->program;
  argv[1] = argv[2] = NULL;
  if (program.kind != PROGRAM_DYNAMIC)
    return problem_unknown (problem,
                            "the file is not a program that needs a loader");
  for (size_t i = 0; i < start->nloaders; ++i)
    if (is_file (program.interpreter, &start->loaders[i]))
      return true;
  if (bound || !same_path (program.interpreter, loader_system ()))
    return problem_set (problem, "%s: %.256s",
                        reason_words (REASON_NAMES_OTHER),
                        program.interpreter);
  argv[0] = (char *) start->loaders[0].path;
  argv[1] = (char *) start->program;
  return true;
}

/* The child's end of the pipe for problems; execve closes this descriptor.  */
#define REPORT (STDERR_FILENO + 1)

/* The child's ends of a socket, and of a pipe to which the child writes a
   problem that prevents the execution of the program.  */
struct ends
{
  int socket, report;
};

/* In the child: use the socket of ENDS as standard input, output and error.
   Close all other descriptors except the pipe.  */
static bool
take_ends (struct ends ends, struct problem *problem)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (dup2 (ends.socket, fd) < 0)
      return problem_errno (problem, "the socket");
  if (ends.report != REPORT && dup3 (ends.report, REPORT, O_CLOEXEC) < 0)
    return problem_errno (problem, "the pipe");
  unprivileged_close (REPORT + 1);
  return true;
}

/* In the child: mount WANTED over the system's loader, unless both are the
   same file.  Return true if WANTED is now the system's loader.  If this
   process is root, do not use a user namespace: in the namespace, the process
   would appear to run as the user nobody, but could still access root's
   files.  */
static bool
explain_rehearsal_bind_loader (const struct candidate *wanted)
{
  struct problem problem;
  return (is_file (loader_system (), wanted)
          || ((geteuid () != 0 || unshare (CLONE_NEWNS) == 0)
              && namespace_bind (wanted->path, loader_system (), &problem)
              && is_file (loader_system (), wanted)));
}

/* Execute, in the child of COMMAND, START's program.  Return only if START's
   program cannot be executed.  */
static void
explain_rehearsal_execute_program (const struct start *start, pid_t command,
                                   struct problem *problem)
{
  /* Check who owns the file before the child enters a user namespace, in which
     all other users have the same ID.  */
  const struct caller caller = { command, geteuid () == 0 };
  const struct candidate *wanted = &start->loaders[0];
  char *argv[3];
  int fd = -1;
  unprivileged_isolate ();
  const bool bound = explain_rehearsal_bind_loader (wanted);
  if (!set_environment (start))
    problem_unknown (problem, "the environment: %s", strerror (errno));
  else if (!confine (command, PATIENCE, problem))
    problem_unknown (problem, "a dry run is not safe: %s", problem->text);
  else if ((start->preload == NULL
            || (fd = explain_rehearsal_open_file (start, start->preload,
                                                  &caller, problem))
                   >= 0)
           && choose_execution (start, &caller, bound, argv, problem))
    {
      close (fd);
      execv (argv[0], argv);
      set_error (start, argv[0], problem);
    }
}

/* The main function of the child of COMMAND.  */
static void __attribute__ ((noreturn))
run_child (const struct start *start, struct ends ends, pid_t command)
{
  static struct problem problem;
  if (take_ends (ends, &problem))
    explain_rehearsal_execute_program (start, command, &problem);
  if (write (REPORT, &problem,
             offsetof (struct problem, text) + strlen (problem.text))
      < 0)
    _exit (1);
  _exit (127);
}

/* Read from FD until DEADLINE.  The buffer TEXT of SIZE bytes already contains
   USED bytes; put the new bytes after them.  Return the number of bytes, 0 at
   the end of the file, or -1 after the deadline.  */
static ssize_t
read_until (int fd, int64_t deadline, char *text, size_t used, size_t size)
{
  struct pollfd pollfd = { .fd = fd, .events = POLLIN };
  const int64_t left = deadline - clock_milliseconds ();
  int n;
  while ((n = poll (&pollfd, 1, left > 0 ? left : 0)) < 0 && errno == EINTR)
    continue;
  if (n != 1)
    return -1;
  const ssize_t length = read (fd, text + used, size - used);
  return length > 0 ? length : 0;
}

/* Wait until the child has executed the program, or has reported on the pipe
   REPORT why it cannot execute the program.  */
static bool
wait_execution (int report, int64_t deadline, struct problem *problem)
{
  union
  {
    struct problem problem;
    char bytes[sizeof (struct problem)];
  } said;
  size_t used = 0;
  ssize_t n;
  while ((n = read_until (report, deadline, said.bytes, used,
                          sizeof said.bytes - 1))
         > 0)
    used += n;
  if (n < 0)
    return problem_unknown (problem, "reading the file takes too long");
  if (used == 0)
    return true;
  memset (said.bytes + used, 0, sizeof said.bytes - used);
  /* Make the message printable, because it may contain names of files that
     another user has chosen.  */
  printable_string (said.problem.text);
  *problem = said.problem;
  return false;
}

/* Wait for the byte that the loader writes in the dry run REHEARSAL when it
   has mapped all text.  If the dry run fails, set PROBLEM to its output on
   standard error.  */
static bool
explain_rehearsal_wait_for_byte (const struct rehearsal *rehearsal,
                                 int64_t deadline, struct problem *problem)
{
  char text[512];
  size_t used = 0;
  ssize_t n = 1;
  while (used < sizeof text - 1 && n > 0)
    {
      n = read_until (rehearsal->hold, deadline, text, used, sizeof text - 1);
      if (n < 0)
        return problem_set (problem, "the dry run takes too long");
      used += n;
      if (memchr (text, HUGETEXT_REHEARSED, used) != NULL)
        return true;
      if (memchr (text, HUGETEXT_AUDITED, used) != NULL)
        return problem_set (
            problem,
            "the file names an audit library (DT_AUDIT), whose code a dry "
            "run would execute");
    }
  text[used] = '\0';
  text[strcspn (text, "\n")] = '\0';
  printable_string (text);
  return problem_set (problem, "%s",
                      used > 0
                          ? text
                          : "the loader did not stop the dry run, and the "
                            "program ran to its end");
}

void
rehearsal_root (const struct rehearsal *rehearsal, char root[static PATH_MAX])
{
  char link[48];
  snprintf (link, sizeof link, "/proc/%d/root", (int) rehearsal->pid);
  const ssize_t length = readlink (link, root, PATH_MAX - 1);
  root[length > 1 ? length : 0] = '\0';
}

void
rehearsal_end (struct rehearsal *rehearsal)
{
  /* If the server of a filesystem does not answer, the process may be unable
     to end.  */
  reader_end (rehearsal->pid, &rehearsal->subject);
  close (rehearsal->hold);
}

/* Fork the child of REHEARSAL, which executes START's program.  Return the
   reading end of a pipe.  If the child cannot execute the program, it writes
   the reason to the pipe.  If no child can be made, set PROBLEM and return
   -1.  */
static int
start_child (struct rehearsal *rehearsal, const struct start *start,
             struct problem *problem)
{
  const pid_t command = getpid ();
  int hold[2], report[2];
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, hold) < 0)
    {
      problem_errno (problem, "socketpair");
      return -1;
    }
  if (pipe2 (report, O_CLOEXEC) < 0)
    {
      problem_errno (problem, "pipe");
      close (hold[0]);
      close (hold[1]);
      return -1;
    }
  rehearsal->hold = hold[0];
  rehearsal->pid = fork ();
  if (rehearsal->pid == 0)
    run_child (start, (struct ends){ hold[1], report[1] }, command);
  close (hold[1]);
  close (report[1]);
  if (rehearsal->pid > 0)
    return report[0];
  problem_errno (problem, "fork");
  close (hold[0]);
  close (report[0]);
  return -1;
}

/* Start the dry run START, and set REHEARSAL.  */
static bool
launch (struct rehearsal *rehearsal, const struct start *start,
        struct problem *problem)
{
  const int report = start_child (rehearsal, start, problem);
  if (report < 0)
    return false;
  const int64_t deadline = clock_milliseconds () + PATIENCE * 1000;
  bool good = wait_execution (report, deadline, problem);
  close (report);
  if (good && !explain_rehearsal_wait_for_byte (rehearsal, deadline, problem))
    good = problem_unknown (problem, "the dry run has failed: %s",
                            problem->text);
  if (!good)
    rehearsal_end (rehearsal);
  return good;
}

bool
rehearsal_start (struct rehearsal *rehearsal, const struct file_list *files,
                 bool library, const char *loader,
                 const struct settings *settings, struct problem *problem)
{
  const char *file = files->names[0];
  struct start start
      = { .program = library ? STUB : file,
          .preload = library ? file : NULL,
          .opened = files->late > 0 ? files->names[files->count - 1] : NULL };
  bool good = true;
  rehearsal->subject = reader_subject_of (file);
  if (reader_is_kept (&rehearsal->subject))
    return problem_unknown (
        problem, "processes of earlier hugetext commands are still blocked in "
                 "the kernel, because they read this file or several other "
                 "files of the same owner (perhaps a filesystem does not "
                 "answer)");
  if (start.preload != NULL && strpbrk (start.preload, " :") != NULL)
    good = problem_unknown (problem,
                            "the path of the library has a space or a colon, "
                            "which are separators in LD_PRELOAD");
  good = good && add_loaders (&start, loader, problem);
  if (good)
    start.tunables
        = rehearsal_tunables (settings, library, start.loaders[0].path);
  good = (good
          && (start.tunables != NULL
              || problem_set (problem, "%s", strerror (ENOMEM)))
          && launch (rehearsal, &start, problem));
  free (start.tunables);
  return good;
}

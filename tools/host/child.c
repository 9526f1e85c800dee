/* Child processes in which the command runs other programs; the command reads
   their output.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/child.h"
#include "util/clock.h"
#include "util/patience.h"
#include "util/signals.h"
#include "util/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The PATH of systemd(1)'s system manager.  */
#define SAFE_PATH \
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The maximum number of bytes of a program's output that the command
   keeps.  */
#define OUTPUT_MAX (16 << 20)

enum
{
  GRACE = 30,  /* The time, in seconds, in which the processes of a group may
                  end after SIGTERM.  */
  PAUSE = 100, /* The number of milliseconds between two checks of the caller's
                  variable STOP.  */
};

/* Read FD to its end, but stop at the time END (of clock_milliseconds), or, if
   STOP is not NULL, when *STOP becomes nonzero.  Set *WHOLE to true if the end
   of FD was reached.  Return the bytes that were read, with a null byte
   added.  */
static char *
child_read_all (int fd, int64_t end, const volatile sig_atomic_t *stop,
                bool *whole)
{
  char *text = NULL, buffer[4096];
  size_t size, kept = 0;
  ssize_t n = 1;
  bool late = false;
  *whole = false;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return NULL;
  while (n > 0 && !late)
    {
      struct pollfd event = { .fd = fd, .events = POLLIN };
      const int64_t left = end - clock_milliseconds ();
      const int64_t most = stop != NULL ? PAUSE : INT_MAX;
      late = left <= 0 || (stop != NULL && *stop != 0);
      const int ready = poll (&event, 1, late ? 0 : left < most ? left : most);
      if (ready == 0 && !late)
        continue;
      if (ready < 0 && errno == EINTR)
        continue;
      n = ready > 0 ? read (fd, buffer, sizeof buffer) : 0;
      *whole = ready > 0 && n == 0;
      if (n > 0 && kept < OUTPUT_MAX)
        kept += fwrite (buffer, 1, n, stream);
    }
  return fclose (stream) == 0 ? text : NULL;
}

/* Return true if the child PID has ended.  Do not call wait for the child, so
   that no other process or process group gets its ID.  */
static bool
child_has_ended (pid_t pid)
{
  siginfo_t info = { .si_pid = 0 };
  return (waitid (P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0
          || info.si_pid == pid);
}

/* Wait until the child PID has ended.  Return false at the time END, or if
 *STOP becomes nonzero.  */
static bool
await_end (pid_t pid, int64_t end, const volatile sig_atomic_t *stop)
{
  while (!child_has_ended (pid))
    {
      if (clock_milliseconds () >= end || (stop != NULL && *stop != 0))
        return false;
      nanosleep (&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
  return true;
}

/* The process group of the child PID, whose output is the pipe FD, has not
   ended in time.  Ask all processes of the group to end, so that they can
   undo what they have begun.  After GRACE seconds, kill processes that have
   not closed their output.  */
static void
end_group (pid_t pid, int fd)
{
  const int64_t last = clock_milliseconds () + GRACE * 1000;
  signals_send_group (pid, SIGTERM);
  bool whole;
  free (child_read_all (fd, last, NULL, &whole));
  await_end (pid, last, NULL);
  signals_send_group (pid, SIGKILL);
}

/* In the child process: execute the program ARGV[0] with the arguments ARGV,
   and with standard output and standard error going to FD.  */
static void __attribute__ ((noreturn))
child_execute_program (const char *const argv[], int fd)
{
  static char *environment[] = { "PATH=" SAFE_PATH, "LC_ALL=C", NULL };
  environ = environment;
  dup2 (fd, STDOUT_FILENO);
  dup2 (fd, STDERR_FILENO);
  int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || dup2 (null, STDIN_FILENO) < 0)
    close (STDIN_FILENO);
  execvp (argv[0], (char *const *) argv);
  dprintf (STDERR_FILENO, "%s: %s\n", argv[0], strerror (errno));
  _exit (127);
}

/* Wait until the child PID has ended, and kill it at the time END.  Return its
   status (waitpid), or -1 with errno set.  */
static int
await (pid_t pid, int64_t end)
{
  int status;
  const bool ended = wait_status (pid, end, &status);
  const bool killed = ended && status >= 0 && WIFSIGNALED (status)
                      && WTERMSIG (status) == SIGKILL;
  if (ended && !(killed && clock_milliseconds () >= end))
    return status;
  errno = ETIME;
  return -1;
}

/* Return the time limit, in milliseconds, for a program that may run for
   SECONDS.  While the command finds out which advice to print, the limit is at
   most what is left of the time for advice (util/patience.h).  */
static int64_t
find_limit (int seconds)
{
  const int64_t most = seconds * INT64_C (1000), left = patience_left ();
  return left >= 0 && left < most ? left : most;
}

/* The time limit of the program that was run last, in milliseconds.  */
static int64_t last_limit;

/* Run the program with the arguments ARGV, as child_run and child_run_apart
   do.  If APART is true, run the program in a process group of its own
   (child_run_apart).  */
static int
child_run_program (const char *const argv[], bool apart, int seconds,
                   const volatile sig_atomic_t *stop, char **output)
{
  last_limit = find_limit (seconds);
  const int64_t end = clock_milliseconds () + last_limit;
  int ends[2], status = -1;
  *output = NULL;
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -1;
  pid_t pid = fork ();
  /* The parent and the child both set the process group, because either may
     need the group first.  */
  if (apart && pid >= 0)
    setpgid (pid, 0);
  if (pid == 0)
    child_execute_program (argv, ends[1]);
  close (ends[1]);
  bool late = false;
  if (pid > 0)
    {
      bool whole;
      *output = child_read_all (ends[0], end, stop, &whole);
      /* The output stays open until the last process of the group ends, or
         closes it.  Until this process waits for PID, no other group gets
         PID as its ID.  */
      late = apart && (!whole || !await_end (pid, end, stop));
      if (late)
        end_group (pid, ends[0]);
      status = await (pid, late ? clock_milliseconds () : end);
    }
  if (late)
    {
      status = -1;
      errno = stop != NULL && *stop != 0 ? EINTR : ETIME;
    }
  const int error = errno;
  close (ends[0]);
  if (*output == NULL || status < 0)
    {
      free (*output);
      *output = NULL;
      errno = error;
      return -1;
    }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

int
child_run (const char *const argv[], int seconds, char **output)
{
  return child_run_program (argv, false, seconds, NULL, output);
}

int
child_run_apart (const char *const argv[], int seconds,
                 const volatile sig_atomic_t *stop, char **output)
{
  return child_run_program (argv, true, seconds, stop, output);
}

int
child_limit (void)
{
  return last_limit / 1000;
}

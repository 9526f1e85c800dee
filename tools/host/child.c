/* Child processes in which the command runs other programs; the command reads
   their output.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The PATH of systemd(1)'s system manager.  */
#define SAFE_PATH \
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The maximum number of bytes of a program's output that the command
   keeps.  */
#define OUTPUT_MAX (16 << 20)

/* Read FD to its end.  Return the bytes that were read, with a null byte
   added.  */
static char *
read_all (int fd)
{
  char *text = NULL, buffer[4096];
  size_t size, kept = 0;
  ssize_t n;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return NULL;
  while ((n = read (fd, buffer, sizeof buffer)) > 0
         || (n < 0 && errno == EINTR))
    if (n > 0 && kept < OUTPUT_MAX)
      kept += fwrite (buffer, 1, n, stream);
  return fclose (stream) == 0 ? text : NULL;
}

/* In the child: execute the program and arguments ARGV, with its output going
   to FD.  */
static void __attribute__ ((noreturn))
execute (const char *const argv[], int fd)
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

/* Run the program and arguments ARGV for child_run.  If APART is true, run the
   program in a process group of its own.  */
static int
run (const char *const argv[], bool apart, char **output)
{
  int ends[2], status;
  *output = NULL;
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -1;
  pid_t pid = fork ();
  if (pid == 0 && apart)
    setpgid (0, 0);
  if (pid == 0)
    execute (argv, ends[1]);
  close (ends[1]);
  if (pid > 0)
    *output = read_all (ends[0]);
  close (ends[0]);
  pid_t ended = 0;
  while (pid > 0 && (ended = waitpid (pid, &status, 0)) < 0 && errno == EINTR)
    continue;
  if (*output == NULL || ended != pid)
    {
      const int error = errno;
      free (*output);
      *output = NULL;
      errno = error;
      return -1;
    }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

int
child_run (const char *const argv[], char **output)
{
  return run (argv, false, output);
}

int
child_run_apart (const char *const argv[], char **output)
{
  return run (argv, true, output);
}

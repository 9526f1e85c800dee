/* Children of the command: other programs, whose output it reads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The PATH of systemd(1)'s system manager.  */
#define SAFE_PATH \
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The most bytes of output that are kept.  */
#define OUTPUT_MAX (16 << 20)

/* Read FD to its end.  Return the bytes with a null byte behind them.  */
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

/* Start ARGV, found on SAFE_PATH, with ACTIONS and with that PATH as its only
   environment.  Return errno.  */
static int
start_apart (pid_t *pid, const posix_spawn_file_actions_t *actions,
             const char *const argv[])
{
  static char *const environment[] = { "PATH=" SAFE_PATH, "LC_ALL=C", NULL };
  if (strchr (argv[0], '/') != NULL)
    return posix_spawn (pid, argv[0], actions, NULL, (char *const *) argv,
                        environment);
  int error = ENOENT;
  char path[PATH_MAX];
  for (const char *p = SAFE_PATH; error == ENOENT && *p != '\0';
       p += *p == ':')
    {
      int length = strcspn (p, ":");
      snprintf (path, sizeof path, "%.*s/%s", length, p, argv[0]);
      error = posix_spawn (pid, path, actions, NULL, (char *const *) argv,
                           environment);
      p += length;
    }
  return error;
}

int
child_run (const char *const argv[], char *const environment[], char **output)
{
  int ends[2], status;
  pid_t pid;
  *output = NULL;
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, STDIN_FILENO, "/dev/null",
                                    O_RDONLY, 0);
  posix_spawn_file_actions_adddup2 (&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2 (&actions, ends[1], STDERR_FILENO);
  int error = environment == NULL
                  ? start_apart (&pid, &actions, argv)
                  : posix_spawnp (&pid, argv[0], &actions, NULL,
                                  (char *const *) argv, environment);
  posix_spawn_file_actions_destroy (&actions);
  close (ends[1]);
  if (error == 0)
    {
      *output = read_all (ends[0]);
      while (waitpid (pid, &status, 0) < 0)
        if (errno != EINTR)
          error = errno;
      if (error == 0 && *output == NULL)
        error = ENOMEM;
    }
  close (ends[0]);
  if (error != 0)
    {
      free (*output);
      *output = NULL;
      errno = error;
      return -1;
    }
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* Run another program, and have what it prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* All that can be read from FD, with a null byte behind it.  */
static char *
read_all (int fd)
{
  char *text = NULL, buffer[4096];
  size_t size;
  ssize_t n;
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return NULL;
  while ((n = read (fd, buffer, sizeof buffer)) > 0
         || (n < 0 && errno == EINTR))
    if (n > 0)
      fwrite (buffer, 1, n, stream);
  return fclose (stream) == 0 ? text : NULL;
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
  int error = posix_spawnp (&pid, argv[0], &actions, NULL,
                            (char *const *)argv,
                            environment != NULL ? environment : environ);
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

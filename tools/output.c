/* Standard output: what could not be written is not passed over.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char failure_name[64] = "hugetext";
static int failure_status = 1;
static int failure; /* What the first failure was, errno.  */

bool
output_flush (void)
{
  errno = 0;
  if (fflush (stdout) != 0 && failure == 0)
    failure = errno;
  return ferror (stdout) == 0;
}

/* Close standard output.  Who has closed it before us and is told nothing
   loses nothing.  */
static void
close_output (void)
{
  bool written = __fpending (stdout) > 0;
  bool good = output_flush ();
  errno = 0;
  if (fclose (stdout) != 0 && (written || errno != EBADF))
    {
      good = false;
      if (failure == 0)
        failure = errno;
    }
  if (good)
    return;
  fprintf (stderr, "%s: standard output cannot be written%s%s\n",
           failure_name, failure != 0 ? ": " : "",
           failure != 0 ? strerror (failure) : "");
  _exit (failure_status);
}

void
output_watch (void)
{
  /* A descriptor of that number that cannot be used, or only by what does
     nothing.  */
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    while (fcntl (fd, F_GETFD) < 0 && errno == EBADF)
      if (open ("/dev/null",
                (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
          < 0)
        break;
  atexit (close_output);
}

void
output_failure (const char *name, int status)
{
  snprintf (failure_name, sizeof failure_name, "%s", name);
  failure_status = status;
}

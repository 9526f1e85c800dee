/* Make a process execute system calls, again and again.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tracee-calls PID ROUNDS: make and remove a mapping and a descriptor in the
   process, ROUNDS times.  The exit status is 0 on success, 3 if the process
   cannot be stopped (it may have ended), and 1 if a call fails; a message says
   what went wrong.  */

#include "tracee/thread.h"
#include "tracee/tracee.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LENGTH 65536

static int
fail (const char *what, long result)
{
  fprintf (stderr, "%s: %ld\n", what, result);
  return 1;
}

static int
do_round (struct tracee *tracee)
{
  static const char text[] = "text";
  tracee_cleanup_result (tracee, 0, SYS_close, 0);
  long fd = tracee_call (tracee, SYS_eventfd2, 0, EFD_CLOEXEC, 0, 0, 0, 0);
  if (fd < 0)
    return fail ("eventfd2", fd);
  tracee_cleanup (tracee, 0, SYS_close, fd, 0);
  tracee_cleanup_result (tracee, 1, SYS_munmap, LENGTH);
  long map = tracee_call (tracee, SYS_mmap, 0, LENGTH, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map < 0)
    return fail ("mmap", map);
  tracee_cleanup (tracee, 1, SYS_munmap, map, LENGTH);
  char back[sizeof text];
  if (!thread_write (tracee->memory, map, text, sizeof text)
      || !thread_read (tracee->memory, map, back, sizeof back)
      || memcmp (text, back, sizeof back) != 0)
    return fail ("memory", map);
  tracee_cleanup (tracee, 1, -1, 0, 0);
  long result = tracee_call (tracee, SYS_munmap, map, LENGTH, 0, 0, 0, 0);
  if (result != 0)
    return fail ("munmap", result);
  tracee_cleanup (tracee, 0, -1, 0, 0);
  result = tracee_call (tracee, SYS_close, fd, 0, 0, 0, 0, 0);
  return result == 0 ? 0 : fail ("close", result);
}

int
main (int argc, char **argv)
{
  struct tracee tracee;
  struct tracee_facts facts;
  tracee_remember (atoi (argv[1]), &facts);
  struct problem problem;
  bool good = tracee_open (&tracee, atoi (argv[1]), &facts, &problem);
  int status = good ? 0 : 3;
  for (long i = argc > 2 ? atol (argv[2]) : 1; status == 0 && i > 0; --i)
    {
      good = tracee_stop (&tracee, 2000, &problem);
      status = good ? do_round (&tracee) : 3;
      if (status == 0 && !tracee_go (&tracee))
        status = fail ("go", 0);
    }
  if (!good)
    fprintf (stderr, "%s\n", problem.text);
  tracee_close (&tracee);
  return status;
}

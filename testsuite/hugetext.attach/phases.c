/* A program that spends its time in one library, and then in another.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   phases READY [SECONDS]: run for SECONDS, by default 300.  Write the
   addresses of the hot functions of both libraries to the file READY.  After
   SIGUSR1, use the other library.  */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Of phases-part.c.  */
extern void a_0 (unsigned long int), a_1 (unsigned long int);
extern void b_0 (unsigned long int), b_1 (unsigned long int);

static volatile sig_atomic_t phase;

static void
go_on (int signal)
{
  (void) signal;
  phase = !phase;
}

int
main (int argc, char **argv)
{
  char name[4096];
  if (argc < 2)
    return 2;
  const time_t end = time (NULL) + (argc > 2 ? atoi (argv[2]) : 300);
  signal (SIGUSR1, go_on);
  snprintf (name, sizeof name, "%s.new", argv[1]);
  FILE *ready = fopen (name, "w");
  if (ready == NULL)
    return 1;
  fprintf (ready, "%p %p %p %p\n", (void *) a_0, (void *) a_1, (void *) b_0,
           (void *) b_1);
  if (fclose (ready) != 0 || rename (name, argv[1]) != 0)
    return 1;
  while (time (NULL) < end)
    {
      const unsigned long int n = 100000;
      if (phase == 0)
        {
          a_0 (2 * n);
          a_1 (n);
        }
      else
        {
          b_0 (2 * n);
          b_1 (n);
        }
    }
  return 0;
}

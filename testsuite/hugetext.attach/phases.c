/* A program that spends its time in one library, and then in another.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   phases READY [SECONDS]: run for SECONDS, by default 3000, or until SIGTERM.
   Write the addresses of the hot functions of both libraries to the file
   READY.  After SIGUSR1, use the other library.  At the end, print "ok" and
   the length of the longest pause in milliseconds, without the time for which
   the process waited for a processor; or print how often a function has
   returned a wrong number.  */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The functions of both libraries (phases-part.c).  */
extern unsigned long int a_0 (unsigned long int), a_1 (unsigned long int);
extern unsigned long int b_0 (unsigned long int), b_1 (unsigned long int);

static volatile sig_atomic_t phase;
static volatile sig_atomic_t ended;
static unsigned long int wrong; /* The number of wrong results.  */
static int schedule;            /* A descriptor of /proc/self/schedstat.  */

static void
go_on (int signal)
{
  (void) signal;
  phase = !phase;
}

static void
end_now (int signal)
{
  (void) signal;
  ended = 1;
}

/* Return the number of milliseconds since some moment, without those for which
   this process has waited for a processor.  */
static long int
now (void)
{
  struct timespec time;
  char line[64] = "";
  unsigned long long int waited = 0;
  clock_gettime (CLOCK_MONOTONIC, &time);
  if (pread (schedule, line, sizeof line - 1, 0) <= 0
      || sscanf (line, "%*u %llu", &waited) != 1)
    waited = 0;
  return time.tv_sec * 1000 + time.tv_nsec / 1000000
         - (long int) (waited / 1000000);
}

/* Call FUNCTION with the argument N, and check the result.  */
static void
use (unsigned long int (*function) (unsigned long int), unsigned long int n)
{
  wrong += function (n) != n * (n + 1) / 2;
}

int
main (int argc, char **argv)
{
  char name[4096];
  if (argc < 2)
    return 2;
  const time_t end = time (NULL) + (argc > 2 ? atoi (argv[2]) : 3000);
  schedule = open ("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  long int last = now (), gap = 0;
  signal (SIGUSR1, go_on);
  signal (SIGTERM, end_now);
  snprintf (name, sizeof name, "%s.new", argv[1]);
  FILE *ready = fopen (name, "w");
  if (ready == NULL)
    return 1;
  fprintf (ready, "%p %p %p %p\n", (void *) a_0, (void *) a_1, (void *) b_0,
           (void *) b_1);
  if (fclose (ready) != 0 || rename (name, argv[1]) != 0)
    return 1;
  while (time (NULL) < end && !ended)
    {
      const unsigned long int n = 100000;
      use (phase == 0 ? a_0 : b_0, 2 * n);
      use (phase == 0 ? a_1 : b_1, n);
      const long int before = last;
      last = now ();
      gap = last - before > gap ? last - before : gap;
    }
  if (wrong > 0)
    printf ("%lu wrong results\n", wrong);
  else
    printf ("ok %ld\n", gap);
  return wrong > 0;
}

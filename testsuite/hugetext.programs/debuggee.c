/* A program with a few blocks of text to stop in.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: debuggee [FILE], where it makes FILE and waits to be killed; at
   each SIGUSR1 it wakes up for a moment.  */

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define PAGES_COUNT 768
#include "pages.h"

PAGES_FUNCTION (pages)

static int counter;

static int __attribute__ ((noinline)) inner (int n, const char *why)
{
  counter += n;
  return counter * 2 + why[0];
}

static int __attribute__ ((noinline)) outer (int n)
{
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += inner (i, "loop");
  return sum;
}

static void
wake (int signal)
{
  (void) signal;
}

static void __attribute__ ((noinline)) wait_here (const char *path)
{
  signal (SIGUSR1, wake);
  FILE *stream = fopen (path, "w");
  if (stream != NULL)
    fclose (stream);
  for (;;)
    {
      pause ();
      printf ("awake %d\n", outer (3));
    }
}

static void __attribute__ ((noinline)) leave (void) { ++counter; }

int
main (int argc, char **argv)
{
  setvbuf (stdout, NULL, _IONBF, 0);
  printf ("outer %d\n", outer (5));
  printf ("pages %d\n", pages ());
  if (argc > 1)
    wait_here (argv[1]);
  leave ();
  return 0;
}

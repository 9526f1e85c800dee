/* Count the signals that this program gets, and write the numbers to a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: signals FILE

   FILE becomes "ready PID".  Half a second after the first signal, the program
   writes the name and number of each signal to FILE, and ends with status
   0.  */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int numbers[] = { SIGHUP, SIGINT, SIGTERM, SIGALRM };
static volatile sig_atomic_t count[NSIG], all;

static void
note (int number)
{
  ++count[number];
  ++all;
}

int
main (int argc, char **argv)
{
  char new[4096];
  if (argc < 2)
    return 1;
  snprintf (new, sizeof new, "%s.new", argv[1]);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    signal (numbers[i], note);
  FILE *file = fopen (new, "w");
  fprintf (file, "ready %d\n", (int) getpid ());
  fclose (file);
  rename (new, argv[1]);
  while (all == 0)
    nanosleep (&(struct timespec){ .tv_nsec = 10000000 }, NULL);
  struct timespec rest = { .tv_nsec = 500000000 };
  while (nanosleep (&rest, &rest) != 0)
    continue;
  file = fopen (new, "w");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (count[numbers[i]] > 0)
      fprintf (file, "%s %d\n", strsignal (numbers[i]), count[numbers[i]]);
  fclose (file);
  rename (new, argv[1]);
  return 0;
}

/* A program that spends its time at known addresses.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   hot SECONDS [MODE [READY]]

   The program makes the file READY, and then uses SECONDS of processor time:
   three quarters in hot_a, and a quarter in hot_b, which is more than 4 MiB
   after hot_a.  MODE changes this:

   threads    one thread spends half of the time in hot_a, and another thread
              spends half of the time in hot_b
   children   20 processes, one after the other, execute this program for a
              20th of the time each
   made       after that, the program uses SECONDS again in a copy of hot_a in
              anonymous memory  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Define a function that runs an empty loop of N rounds, N being its argument.
   The function is at the beginning of a granule, after at least FILL bytes.
   It is written in assembler, so that compilers do not move it, and so that it
   can be copied.  */
#if defined __x86_64__
#  define LOOP "1: dec %rdi\n jnz 1b\n ret\n"
#elif defined __aarch64__
#  define LOOP "1: subs x0, x0, #1\n b.ne 1b\n ret\n"
#endif
#define HOT(name, fill)                                              \
  asm(".text\n.skip " #fill "\n.balign 65536\n.globl " #name "\n"    \
      ".type " #name ", %function\n" #name ":\n" LOOP ".size " #name \
      ", . - " #name "\n.balign 65536\n");                           \
  extern void name (unsigned long int n)

HOT (hot_a, 0x280000);
HOT (hot_b, 0x480000);

/* Return how often the next loop runs: from 50,000 to 150,000 times.  If all
   loops had the same length, samples at regular intervals could hit only a few
   places in the loop.  */
static unsigned long int
next_length (void)
{
  static _Thread_local unsigned long int seed = 1;
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return 50000 + (seed >> 40) % 100000;
}

static double
used (clockid_t clock)
{
  struct timespec time;
  clock_gettime (clock, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Spend SECONDS of the thread's time in FUNCTION or, if it is NULL, in hot_a
   and hot_b.  */
static void
spend (double seconds, void (*function) (unsigned long int))
{
  double end = used (CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (used (CLOCK_THREAD_CPUTIME_ID) < end)
    {
      unsigned long int length = next_length ();
      if (function != NULL)
        function (4 * length);
      else
        {
          hot_a (3 * length);
          hot_b (length);
        }
    }
}

static double seconds;

static void *
thread (void *function)
{
  spend (seconds / 2, function);
  return NULL;
}

static void
threads (void)
{
  pthread_t a, b;
  if (pthread_create (&a, NULL, thread, hot_a) != 0
      || pthread_create (&b, NULL, thread, hot_b) != 0)
    exit (1);
  pthread_join (a, NULL);
  pthread_join (b, NULL);
}

static void
children (void)
{
  char part[32];
  snprintf (part, sizeof part, "%f", seconds / 20);
  for (int i = 0; i < 20; ++i)
    {
      pid_t pid = fork ();
      if (pid == 0)
        {
          execl ("/proc/self/exe", "hot", part, NULL);
          _exit (1);
        }
      int status;
      if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
        exit (1);
    }
}

static void
made (void)
{
  void *code = mmap (NULL, 65536, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED)
    exit (1);
  memcpy (code, (void *) hot_a, 64);
  __builtin___clear_cache (code, (char *) code + 64);
  if (mprotect (code, 65536, PROT_READ | PROT_EXEC) != 0)
    exit (1);
  spend (seconds, NULL);
  spend (seconds, (void (*) (unsigned long int)) code);
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 2 ? argv[2] : "";
  seconds = argc > 1 ? atof (argv[1]) : 0;
  if (argc > 3)
    close (open (argv[3], O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (strcmp (mode, "threads") == 0)
    threads ();
  else if (strcmp (mode, "children") == 0)
    children ();
  else if (strcmp (mode, "made") == 0)
    made ();
  else
    spend (seconds, NULL);
  return 0;
}

/* A program that patches its own text while it runs, as static keys, tracers
   and hot patches do.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   patches MODE READY [LIBRARY]

   The program's text, which is made from text.S, has TEXT_SIZE bytes.  Every
   STEP bytes there is a function that returns its own number.  A patch makes
   one page of text writable, overwrites a function with another one, and
   makes the page read-only again.  MODE says which patches the program makes,
   and when:

     once      at the first SIGUSR1 one function in each block with an even
               number, at the second SIGUSR1 one in each block with an odd
               number, in random order, during a few milliseconds
     all       the same, but all of the text is made writable at once
     shared    as once, but another process, which shares the memory, makes the
               patches
     toggle    from the first SIGUSR1 until SIGTERM, three threads patch
               functions of their own, and undo each patch
     memory    the same, but the threads write through /proc/self/mem, and no
               page becomes writable
     forks     as toggle, and one more thread forks children, which call all
               functions
     opens     as toggle, and one more thread opens and closes LIBRARY
     advises   as toggle, and one more thread advises the kernel how parts of
               the text will be used (madvise), and locks parts in memory
     one       at the first SIGUSR1 one page in the middle of a block becomes
               writable, at the second SIGUSR1 the program writes to it
     hole      at SIGUSR1 one page in the middle of a block is unmapped
     locks     at the first SIGUSR1 all of the text, and what the file has
               before the text, is locked in memory; at the second SIGUSR1 it
               is unlocked

   The program calls each function after it has patched the function, and calls
   all functions at the end, on SIGTERM.  It prints "ok" and the number of
   patches, or which patch was lost.  */

#define _GNU_SOURCE 1
#include "text-step.h"
#include "text.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK (2UL << 20)

enum
{
  FUNCTIONS = TEXT_SIZE / STEP,
  PER_BLOCK = BLOCK / STEP,
  BLOCKS = FUNCTIONS / PER_BLOCK,
  THREADS = 3,
};

/* Defined in text.S.  */
extern char main_text[];

/* Defined by the linker: the address at which the program's file is
   mapped.  */
extern char __executable_start[];

/* The number of patches so far, and for each function the value that it
   returns.  */
static atomic_long patches;
static int value[FUNCTIONS];

static volatile sig_atomic_t asked, stop;

/* A descriptor of /proc/self/mem if the program writes text through this file,
   or -1.  */
static int memory = -1;
static const char *library;

static void
on_user (int signal)
{
  (void) signal;
  ++asked;
}

static void
on_term (int signal)
{
  (void) signal;
  stop = 1;
}

/* Print a line about function I, and end the program.  */
static void
fail (const char *what, int i)
{
  printf ("wrong: %s, function %d\n", what, i);
  fflush (stdout);
  _exit (1);
}

static void
on_fault (int signal, siginfo_t *info, void *context)
{
  (void) context;
  printf ("wrong: signal %d at the address text%+ld\n", signal,
          (long) ((char *) info->si_addr - main_text));
  fflush (stdout);
  _exit (1);
}

static char *
function (int i)
{
  return main_text + (size_t) i * STEP;
}

static int
call (int i)
{
  return ((int (*) (void)) function (i)) ();
}

/* Give the pages that contain the LENGTH bytes at AT the protection PROT.  */
static void
protect (char *at, size_t length, int prot, int i)
{
  const uintptr_t page = sysconf (_SC_PAGESIZE);
  const uintptr_t start = (uintptr_t) at & -page;
  const uintptr_t end = ((uintptr_t) at + length + page - 1) & -page;
  if (mprotect ((void *) start, end - start, prot) != 0)
    fail ("mprotect", i);
}

/* Overwrite function I with a function that returns NUMBER.  If MEMORY is -1,
   the page must be writable.  */
static void
overwrite (int i, int number)
{
  char bytes[FUNCTION];
  /* Write the code of the function that returns NUMBER.  Do not copy such a
     function from the program's text, because that function may be patched
     now.  */
#ifdef __aarch64__
  const uint32_t code[]
      = { 0xd503245f, 0x52800000 | (uint32_t) number << 5, 0xd65f03c0 };
  memcpy (bytes, code, FUNCTION);
#else
  bytes[0] = (char) 0xb8;
  memcpy (bytes + 1, &number, sizeof number);
  bytes[5] = (char) 0xc3;
#endif
  if (memory < 0)
    memcpy (function (i), bytes, FUNCTION);
  else if (pwrite (memory, bytes, FUNCTION, (off_t) (uintptr_t) function (i))
           != FUNCTION)
    fail ("/proc/self/mem", i);
  __builtin___clear_cache (function (i), function (i) + FUNCTION);
  value[i] = number;
  atomic_fetch_add (&patches, 1);
}

/* Patch function I, so that it returns NUMBER.  */
static void
patch (int i, int number)
{
  if (memory < 0)
    protect (function (i), FUNCTION, PROT_READ | PROT_WRITE | PROT_EXEC, i);
  overwrite (i, number);
  if (memory < 0)
    protect (function (i), FUNCTION, PROT_READ | PROT_EXEC, i);
  if (call (i) != number)
    fail ("a patch was lost directly after it was written", i);
}

static void
rest (long microseconds)
{
  const struct timespec time
      = { microseconds / 1000000, microseconds % 1000000 * 1000 };
  nanosleep (&time, NULL);
}

/* In random order, patch one function in each block whose number is odd if ODD
   is 1, or even if ODD is 0.  Make the pages writable one by one or, if ALL is
   true, all at once.  */
static void
patch_half (int odd, bool all)
{
  int order[BLOCKS], n = 0;
  for (int i = odd; i < BLOCKS; i += 2)
    order[n++] = i;
  for (int i = n - 1; i > 0; --i)
    {
      const int k = rand () % (i + 1), swapped = order[i];
      order[i] = order[k];
      order[k] = swapped;
    }
  rest (rand () % 20000);
  if (all)
    protect (main_text, TEXT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, 0);
  for (int i = 0; i < n; ++i)
    {
      const int which = order[i] * PER_BLOCK + rand () % PER_BLOCK;
      const int number = (which + 1 + rand () % (FUNCTIONS - 1)) % FUNCTIONS;
      if (all)
        overwrite (which, number);
      else
        patch (which, number);
      /* Wait without a system call, so that attach does not choose this thread
         for its own calls.  */
      for (volatile int k = rand () % 200000; !all && k > 0;)
        --k;
    }
  if (all)
    protect (main_text, TEXT_SIZE, PROT_READ | PROT_EXEC, 0);
}

/* At the first signal patch functions in the even blocks, at the second signal
   functions in the odd blocks.  */
static int
patch_when_asked (void *all)
{
  for (int half = 0; !stop && half < 2; ++half)
    {
      while (asked <= half && !stop)
        rest (200);
      if (!stop)
        patch_half (half, all != NULL);
    }
  return 0;
}

/* Do the same in a child, which shares the memory.  */
static int
patch_in_child (void *unused)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  return patch_when_asked (unused);
}

/* Again and again, patch a function of thread NUMBER, and undo the patch.  */
static void *
toggle (void *number)
{
  unsigned int seed = time (NULL) ^ (uintptr_t) number;
  while (asked == 0 && !stop)
    rest (1000);
  while (!stop)
    {
      const int page = rand_r (&seed) % FUNCTIONS / THREADS * THREADS
                       + (int) (uintptr_t) number;
      if (page >= FUNCTIONS)
        continue;
      patch (page, (page + 1) % FUNCTIONS);
      patch (page, page);
      rest (rand_r (&seed) % 2000);
    }
  return NULL;
}

static void *
call_all (void *unused)
{
  while (!stop)
    {
      for (int i = 0; i < FUNCTIONS; i += 7)
        call (i);
      rest (100);
    }
  return unused;
}

/* Fork children, which count the wrong functions.  At the fork, each of the
   THREADS threads may be in the middle of a patch, so this many functions may
   be wrong.  */
static void *
fork_all (void *unused)
{
  while (!stop)
    {
      int status, wrong = 0;
      const pid_t child = fork ();
      if (child == 0)
        {
          for (int i = 0; i < FUNCTIONS; ++i)
            wrong += call (i) != value[i];
          _exit (wrong > THREADS);
        }
      if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        fail ("a child", child);
      rest (500);
    }
  return unused;
}

static void *
open_often (void *unused)
{
  while (!stop)
    {
      void *handle = dlopen (library, RTLD_NOW);
      if (handle == NULL || text_call (handle, "lib") != 0)
        fail ("a library", handle == NULL);
      dlclose (handle);
      rest (500);
    }
  return unused;
}

/* Give the kernel random advice about parts of the text, and lock and unlock
   parts.  The kernel may refuse this.  */
static void *
advise (void *unused)
{
  static const int advices[]
      = { MADV_NORMAL,   MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED,
          MADV_HUGEPAGE, MADV_NORMAL, MADV_NOHUGEPAGE, MADV_HUGEPAGE,
          MADV_DONTDUMP, MADV_DODUMP, MADV_MERGEABLE,  MADV_UNMERGEABLE };
  enum
  {
    ADVICES = sizeof advices / sizeof *advices,
  };
  unsigned int seed = time (NULL);
  const size_t page = sysconf (_SC_PAGESIZE);
  char *const text = (char *) (((uintptr_t) main_text + page - 1) & -page);
  while (!stop)
    {
      const size_t at = rand_r (&seed) % (TEXT_SIZE / page - 1);
      const size_t most = TEXT_SIZE / page - 1 - at;
      const size_t length = (1 + rand_r (&seed) % most) * page;
      const int which = rand_r (&seed) % (ADVICES + 2);
      if (which < ADVICES)
        madvise (text + at * page, length, advices[which]);
      else if (which == ADVICES)
        mlock2 (text + at * page, length, MLOCK_ONFAULT);
      else
        munlock (text, TEXT_SIZE - page);
      rest (500);
    }
  return unused;
}

/* Return the function that one more thread runs in MODE while others patch, or
   NULL if MODE has no such thread.  */
static void *(*meanwhile (const char *mode)) (void *)
{
  return (strcmp (mode, "forks") == 0     ? fork_all
          : strcmp (mode, "opens") == 0   ? open_often
          : strcmp (mode, "advises") == 0 ? advise
                                          : NULL);
}

/* At the first signal make a page of text writable, at the second write to it.
   If HOLE is true, unmap the page at the first signal instead.  If LOCKS is
   true, lock all of the text at the first signal, and unlock it at the
   second.  */
static void
change_once (bool hole, bool locks)
{
  const int i = BLOCKS / 2 * PER_BLOCK + PER_BLOCK / 2;
  const size_t before = main_text - __executable_start;
  while (asked < 1 && !stop)
    rest (1000);
  if (locks)
    {
      if (mlock (__executable_start, before + TEXT_SIZE) != 0)
        fail ("mlock", 0);
    }
  else if (hole)
    {
      const uintptr_t page = sysconf (_SC_PAGESIZE);
      if (munmap ((void *) ((uintptr_t) function (i) & -page), page) != 0)
        fail ("munmap", i);
    }
  else
    protect (function (i), STEP, PROT_READ | PROT_WRITE | PROT_EXEC, i);
  atomic_fetch_add (&patches, 1);
  while ((asked < 2 || hole) && !stop)
    rest (1000);
  if (locks)
    munlock (__executable_start, before + TEXT_SIZE);
  else if (!hole)
    {
      overwrite (i, 7);
      if (call (i) != 7)
        fail ("a write is lost", i);
    }
  while (!stop)
    rest (1000);
  printf ("ok %ld\n", (long) patches);
  exit (0);
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  const char *mode = argv[1];
  library = argv[3];
  const struct sigaction fault
      = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
  pthread_t thread[THREADS + 1];
  srand (getpid () ^ time (NULL));
  sigaction (SIGSEGV, &fault, NULL);
  sigaction (SIGBUS, &fault, NULL);
  sigaction (SIGILL, &fault, NULL);
  signal (SIGUSR1, on_user);
  signal (SIGTERM, on_term);
  for (int i = 0; i < FUNCTIONS; ++i)
    if ((value[i] = call (i)) != i)
      return 2;
  void *(*const other) (void *) = meanwhile (mode);
  const bool writes = strcmp (mode, "memory") == 0;
  const bool toggles = strcmp (mode, "toggle") == 0 || writes || other != NULL;
  if (writes && (memory = open ("/proc/self/mem", O_RDWR | O_CLOEXEC)) < 0)
    return 2;
  const bool one = strcmp (mode, "one") == 0,
             hole = strcmp (mode, "hole") == 0,
             locks = strcmp (mode, "locks") == 0;
  const bool once = one || hole || locks;
  for (uintptr_t i = 0; i < THREADS && !once; ++i)
    if (pthread_create (&thread[i], NULL, toggles ? toggle : call_all,
                        (void *) i)
        != 0)
      return 2;
  if (other != NULL
      && pthread_create (&thread[THREADS], NULL, other, NULL) != 0)
    return 2;
  FILE *ready = fopen (argv[2], "w");
  if (ready == NULL || fprintf (ready, "%d\n", (int) getpid ()) < 0
      || fclose (ready) != 0)
    return 2;
  if (once)
    change_once (hole, locks);
  static char stack[262144] __attribute__ ((aligned (16)));
  pid_t child = 0;
  if (strcmp (mode, "shared") == 0)
    child = clone (patch_in_child, stack + sizeof stack, CLONE_VM | SIGCHLD,
                   NULL);
  else if (!toggles)
    patch_when_asked (strcmp (mode, "all") == 0 ? stack : NULL);
  if (child < 0)
    return 2;
  while (!stop)
    rest (1000);
  while (child > 0 && waitpid (child, NULL, 0) < 0)
    continue;
  for (int i = 0; i < THREADS + (other != NULL) && toggles; ++i)
    pthread_join (thread[i], NULL);
  for (int i = 0; i < FUNCTIONS; ++i)
    if (call (i) != value[i])
      fail ("a patch is lost", i);
  printf ("ok %ld\n", (long) patches);
  fflush (stdout);
  _exit (0);
}

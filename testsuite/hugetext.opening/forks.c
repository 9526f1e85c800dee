/* Load and unload a library while a thread forks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   forks FILE NAME COUNT Opens and closes FILE, an object with the functions
   NAME, COUNT times.  Meanwhile a thread forks children, which live for a
   while and share the process's pages.  Each time, asks the kernel how much of
   FILE's text is on huge pages, and lets a new child call the functions.
   Prints how often the huge part of the text had its maximum size, and how
   often the child got the right results.  */

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facts.h"
#include "text.h"

#define CHILDREN 32
#define COUNT_MAX 100

static atomic_int stop;
static atomic_long forks;

static void
end_child (pid_t pid)
{
  if (pid > 0)
    {
      kill (pid, SIGKILL);
      waitpid (pid, NULL, 0);
    }
}

static void *
fork_all_the_time (void *closure)
{
  pid_t child[CHILDREN] = { 0 };
  while (!stop)
    {
      pid_t *next = &child[forks % CHILDREN];
      end_child (*next);
      *next = fork ();
      if (*next == 0)
        {
          prctl (PR_SET_PDEATHSIG, SIGKILL);
          for (;;)
            pause ();
        }
      ++forks;
    }
  for (int i = 0; i < CHILDREN; ++i)
    end_child (child[i]);
  return closure;
}

/* Return 1 if a child gets the right results from the functions of NAME,
   otherwise 0.  */
static int
child_calls (void *handle, const char *name)
{
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    _exit (text_call (handle, name) != 0);
  return waitpid (pid, &status, 0) == pid && status == 0;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  size_t huge[COUNT_MAX], most = 0;
  int count = argc == 4 ? atoi (argv[3]) : 0, all = 0, good = 0;
  if (count < 1 || count > COUNT_MAX
      || pthread_create (&thread, NULL, fork_all_the_time, NULL) != 0)
    return 2;
  for (int i = 0; i < count; ++i)
    {
      void *handle = dlopen (argv[1], RTLD_NOW);
      if (handle == NULL)
        return 1;
      huge[i] = hugetext_copied_text (handle, argv[2]);
      most = huge[i] > most ? huge[i] : most;
      good += child_calls (handle, argv[2]);
      dlclose (handle);
    }
  stop = 1;
  pthread_join (thread, NULL);
  for (int i = 0; i < count; ++i)
    all += huge[i] == most;
  printf ("%d of %d: %zu huge, right results in %d children, %s\n", all, count,
          most, good, forks > CHILDREN ? "forked" : "not forked");
  return 0;
}

/* Have two threads of a process open libraries, each under filters of its
   own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   worker WHO:STEP...
   WHO is l, the thread group's leader, or w, a second thread.  One after the
   other they do the steps, and say what came of them:

     kill=CALL,...     from now on this thread's filter kills for these calls
     open=FILE,NAME    dlopen FILE, and call the functions of NAME
     close             dlclose what was opened last
     fail=FILE         dlopen FILE, which has to fail
     facts=TAG         facts.h; not under a filter

   A filter belongs to a thread, not to the process.  Exit status 77 where
   there are none.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "filter.h"
#include "text.h"

static const struct
{
  const char *name;
  int number;
} calls[] = {
  { "mincore", SYS_mincore },     { "process_vm_readv", SYS_process_vm_readv },
  { "ioctl", SYS_ioctl },         { "getrusage", SYS_getrusage },
  { "fadvise64", SYS_fadvise64 }, { "memfd_create", SYS_memfd_create },
  { "ftruncate", SYS_ftruncate }, { "mlock", SYS_mlock },
  { "prctl", SYS_prctl }
};

static void *handle;
static sem_t go, done;
static char *worker_step;

static void
install (char *names)
{
  int list[sizeof calls / sizeof calls[0]];
  size_t n = 0;
  for (char *name = strtok (names, ","); name != NULL;
       name = strtok (NULL, ","))
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i)
      if (strcmp (name, calls[i].name) == 0)
        list[n++] = calls[i].number;
  if (n == 0)
    _exit (2);
  if (filter_calls (list, n, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0)
      != 0)
    _exit (77);
}

static void
step (char who, char *what)
{
  char *value = strchr (what, '=');
  if (value != NULL)
    *value++ = '\0';
  printf ("%c %s:", who, what);
  if (strcmp (what, "kill") == 0)
    {
      install (value);
      puts (" done");
    }
  else if (strcmp (what, "open") == 0)
    {
      char *name = strchr (value, ',');
      *name++ = '\0';
      handle = dlopen (value, RTLD_NOW);
      if (handle == NULL)
        printf (" %s\n", dlerror ());
      else
        printf (" %d wrong results\n", text_call (handle, name));
    }
  else if (strcmp (what, "close") == 0)
    printf (" %d\n", dlclose (handle));
  else if (strcmp (what, "fail") == 0)
    printf (" %s\n", dlopen (value, RTLD_NOW) == NULL ? dlerror () : "no");
  else if (strcmp (what, "facts") == 0)
    {
      hugetext_facts (value);
      puts (" done");
    }
  else
    _exit (2);
  fflush (stdout);
}

static void *
work (void *closure)
{
  for (;;)
    {
      sem_wait (&go);
      if (worker_step == NULL)
        return closure;
      step ('w', worker_step);
      sem_post (&done);
    }
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  /* Buffer the output: under the filter no ioctl may ask for a terminal.  */
  static char buffer[4096];
  setvbuf (stdout, buffer, _IOFBF, sizeof buffer);
  sem_init (&go, 0, 0);
  sem_init (&done, 0, 0);
  if (pthread_create (&thread, NULL, work, NULL) != 0)
    return 2;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] == 'w')
      {
        worker_step = argv[i] + 2;
        sem_post (&go);
        sem_wait (&done);
      }
    else
      step ('l', argv[i] + 2);
  worker_step = NULL;
  sem_post (&go);
  pthread_join (thread, NULL);
  fflush (stdout);
  /* Without the facts that are printed at exit.  */
  _exit (0);
}

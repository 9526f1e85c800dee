/* Have two threads of a process open libraries, each under filters of its
   own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   worker WHO:STEP...
   WHO is "l" (the thread group's leader) or "w" (a second thread).  The
   threads do the steps one after the other, and print the result of each step:

     kill=CALL,...     from now on, this thread's filter kills the process at
                       these calls
     served            from now on, another process, which has no filter, opens
                       the files of this thread, as a sandbox's broker does
     open=FILE,NAME    dlopen FILE, and call the functions of NAME
     close             dlclose the library that was opened last
     fail=FILE         dlopen FILE, which must fail
     facts=TAG         write a record TAG (facts.h); not under a filter

   A filter belongs to a thread, not to the process.  The exit status is 77 if
   the kernel has no filters.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

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
  { "prctl", SYS_prctl },         { "mremap", SYS_mremap }
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

#ifdef SECCOMP_IOCTL_NOTIF_RECV
/* The two ends of the pipe through which the server gets the descriptor of the
   listener.  */
static int ends[2];
static pid_t client;

/* In the server, which shares memory and descriptors with the client: open the
   files that the client's filter reports.  Use syscall instead of read and
   openat: these functions use data of the thread in the C library, which the
   server shares with the client.  */
static int
serve (void *closure)
{
  int listener;
  (void) closure;
  if (prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid () != client
      || syscall (SYS_read, ends[0], &listener, sizeof listener)
             != sizeof listener)
    _exit (1);
  for (;;)
    {
      struct seccomp_notif call = { 0 };
      if (ioctl (listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        {
          if (errno == EINTR)
            continue;
          _exit (0);
        }
      const __u64 *args = call.data.args;
      const long int fd
          = syscall (SYS_openat, (int) args[0], (const char *) args[1],
                     (int) args[2], (int) args[3]);
      struct seccomp_notif_resp response = { .id = call.id,
                                             .error = fd < 0 ? -errno : 0,
                                             .val = fd < 0 ? 0 : fd };
      ioctl (listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
}

/* Have another process open this thread's files.  */
static void
be_served (void)
{
  static char stack[64 << 10] __attribute__ ((aligned (16)));
  const int number = SYS_openat;
  struct sock_filter code[FILTER_MAX + 3];
  const size_t count = filter_fill (code, &number, 1, SECCOMP_RET_USER_NOTIF,
                                    SECCOMP_RET_ALLOW);
  client = getpid ();
  if (pipe (ends) != 0
      || clone (serve, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD,
                NULL)
             < 0)
    _exit (2);
  const int listener
      = filter_install (code, count, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (listener < 0
      || write (ends[1], &listener, sizeof listener) != sizeof listener)
    _exit (77);
}
#else
static void
be_served (void)
{
  _exit (77);
}
#endif

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
  else if (strcmp (what, "served") == 0)
    {
      be_served ();
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
  /* Set the buffer now: later, a filter may forbid the ioctl by which stdio
     asks whether the output is a terminal.  */
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
  /* Do not write the facts that exit would write.  */
  _exit (0);
}

/* A program one of whose system calls another thread makes for it (seccomp's
   user notification), as containers and sandboxes have it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   notified READY

   The other thread counts the calls, and takes some milliseconds for each; a
   call that begins again because it was interrupted counts twice.  Both
   threads also call functions of the text.  The program makes the file READY,
   with its process ID, and ends on SIGTERM with "ok" and the number of calls,
   or says that one was made twice.  The exit status is 77 if the kernel has no
   such notification.  */

#define _GNU_SOURCE 1
#include "text-step.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of text.S: functions that return their own numbers.  */
extern const char main_text[];

static volatile sig_atomic_t stop;

static void
on_term (int signal)
{
  (void) signal;
  stop = 1;
}

static void
fail (const char *what)
{
  printf ("wrong: %s\n", what);
  fflush (stdout);
  _exit (1);
}

static void
call_text (void)
{
  for (int i = 0; i < TEXT_SIZE / STEP; i += 97)
    if (((int (*) (void)) (main_text + (size_t) i * STEP)) () != i)
      fail ("text");
}

/* Make the calls of which LISTENER tells.  */
static void *
serve (void *listener)
{
  for (int64_t made = 1;; ++made)
    {
      struct seccomp_notif call = { 0 };
      while (ioctl ((intptr_t) listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        continue;
      call_text ();
      usleep (5000);
      struct seccomp_notif_resp result = { .id = call.id, .val = made };
      ioctl ((intptr_t) listener, SECCOMP_IOCTL_NOTIF_SEND, &result);
    }
}

/* Install a filter, for this thread only, that gives getpgid to another one.
   Return the listener, or -1.  */
static int
listen_to (void)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof code / sizeof *code, code };
  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
             ? -1
             : syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  signal (SIGTERM, on_term);
  const intptr_t listener = listen_to ();
  if (argc != 2 || listener < 0)
    return argc != 2 ? 2 : 77;
  if (pthread_create (&thread, NULL, serve, (void *) listener) != 0)
    return 2;
  FILE *ready = fopen (argv[1], "w");
  if (ready == NULL || fprintf (ready, "%d\n", (int) getpid ()) < 0
      || fclose (ready) != 0)
    return 2;
  long calls = 0;
  while (!stop)
    {
      const long made = syscall (SYS_getpgid, 0);
      if (made != ++calls && !stop)
        fail ("a call was made twice");
      call_text ();
      usleep (5000);
    }
  printf ("ok %ld\n", calls);
  fflush (stdout);
  _exit (0);
}

/* A program for which another process makes one kind of system call (seccomp's
   user notification), as happens in containers and sandboxes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   notified READY [asked]

   The other process, a child, counts the calls, and takes 5 ms for each; a
   call that begins again because it was interrupted counts twice.  After each
   call the program calls functions of its text, and sleeps for 5 ms.  With
   "asked", the program makes each further call only when it gets SIGUSR1, and
   each call takes a second.  The program makes the file READY, which contains
   its process ID.  On SIGTERM it prints "ok" and the number of calls, and
   ends.  If the listener of the filter got one call twice, it prints a
   message, and ends.  The exit status is 77 if the kernel has no such
   notification.  */

#define _GNU_SOURCE 1
#include "asked.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the child: make the calls that LISTENER reports.  Each call takes
   MICROSECONDS.  */
static void
serve (int listener, unsigned int microseconds)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  for (int64_t made = 1;; ++made)
    {
      struct seccomp_notif call = { 0 };
      while (ioctl (listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        if (errno != EINTR && errno != ENOENT)
          _exit (1);
      usleep (microseconds);
      struct seccomp_notif_resp result = { .id = call.id, .val = made };
      ioctl (listener, SECCOMP_IOCTL_NOTIF_SEND, &result);
    }
}

/* Install a seccomp filter that passes this program's calls of getpgid to
   another process (user notification).  Return the listener, a descriptor that
   reports the calls to the other process, or -1.  */
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
  signal (SIGTERM, on_term);
  /* Do not repeat a long call after SIGTERM.  */
  siginterrupt (SIGTERM, 1);
  signal (SIGUSR1, on_user);
  const int listener = listen_to ();
  if (argc < 2 || listener < 0)
    return argc < 2 ? 2 : 77;
  const pid_t child = fork ();
  if (child == 0)
    serve (listener, argc > 2 ? 1000000 : 5000);
  close (listener);
  if (child < 0)
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
        fail ("the listener of the filter got one call twice");
      check_text (main_text, TEXT_SIZE);
      usleep (5000);
      while (argc > 2 && !asked && !stop)
        usleep (1000);
      asked = 0;
    }
  printf ("ok %ld\n", calls);
  fflush (stdout);
  _exit (0);
}

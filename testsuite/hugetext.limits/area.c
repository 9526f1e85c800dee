/* A program that prints whether the C library and the kernel agree about a
   process's threads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   When a process starts, the loader tells the kernel the addresses of the rseq
   area (restartable sequences) and of the list of robust mutexes.  The output
   does not depend on addresses.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#  include <sys/rseq.h>
#else
/* The libc may be newer than the headers.  A libc before 2.35 registers no
   rseq area.  */
#  include <linux/rseq.h>
extern const unsigned int __rseq_size __attribute__ ((weak));
extern const unsigned int __rseq_flags __attribute__ ((weak));
extern const ptrdiff_t __rseq_offset __attribute__ ((weak));
#  define __rseq_size (&__rseq_size != NULL ? __rseq_size : 0)
#  define __rseq_flags (&__rseq_flags != NULL ? __rseq_flags : 0)
#  define __rseq_offset (&__rseq_offset != NULL ? __rseq_offset : 0)
#endif

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#  define PTRACE_GET_RSEQ_CONFIGURATION 0x420f /* Linux 5.13.  */
#endif

/* The same members as in struct __ptrace_rseq_configuration.  */
struct configuration
{
  uint64_t address;
  uint32_t size, signature, flags, pad;
};

static char *
thread_pointer (void)
{
#ifdef __x86_64__
  /* For x86-64, GCC has __builtin_thread_pointer only since release 11.  */
  return *(char *__seg_fs *) 0;
#else
  return __builtin_thread_pointer ();
#endif
}

static struct rseq *
area (void)
{
  return (struct rseq *) (thread_pointer () + __rseq_offset);
}

/* Compare the processor number in this thread's rseq area with the result of
   sched_getcpu.  */
static const char *
cpu_id (void)
{
  if (__rseq_size == 0)
    return "no area";
  for (int i = 0; i < 100; ++i)
    {
      int before = sched_getcpu ();
      int told = *(volatile int32_t *) &area ()->cpu_id;
      if (before == sched_getcpu ())
        return (told < 0         ? "not registered"
                : told == before ? "right"
                                 : "wrong");
      sched_yield ();
    }
  return "the thread changed its processor during each attempt";
}

/* Compare the address of libc's rseq area with the address to which the kernel
   writes.  For a child of this thread, ptrace tells the address to which the
   kernel writes.  */
static const char *
kernel_area (void)
{
  struct configuration told = { .address = 0 };
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    {
      pause ();
      _exit (0);
    }
  const char *result = "not told";
  if (ptrace (PTRACE_SEIZE, pid, NULL, NULL) == 0
      && ptrace (PTRACE_INTERRUPT, pid, NULL, NULL) == 0
      && waitpid (pid, &status, 0) == pid
      && ptrace (PTRACE_GET_RSEQ_CONFIGURATION, pid, (void *) sizeof told,
                 &told)
             > 0)
    result = (told.address == 0 ? "none"
              : told.address == (uintptr_t) area () && __rseq_size != 0
                  ? "the same"
                  : "another");
  kill (pid, SIGKILL);
  waitpid (pid, &status, 0);
  return result;
}

static void *
in_thread (void *closure)
{
  printf ("thread: cpu_id %s\n", cpu_id ());
  return closure;
}

/* Find out whether the kernel's list of robust mutexes is the list of this
   thread: the head of this list is near the thread pointer.  */
static const char *
own_list (void)
{
  char *head = NULL;
  size_t length;
  if (syscall (SYS_get_robust_list, 0, &head, &length) != 0)
    return "not told";
  ptrdiff_t distance = head - thread_pointer ();
  return distance > -8192 && distance < 8192 ? "its own" : "another";
}

int
main (void)
{
  pthread_t thread;
  printf ("rseq size %u, flags %u, offset %s\n", __rseq_size, __rseq_flags,
          __rseq_offset == 0  ? "0"
          : __rseq_offset < 0 ? "before"
                              : "behind");
  printf ("first: cpu_id %s, the kernel's area %s\n", cpu_id (),
          kernel_area ());
  printf ("robust list %s\n", own_list ());
  printf ("tid %s\n", syscall (SYS_gettid) == getpid () ? "right" : "wrong");
  fflush (stdout);
  if (pthread_create (&thread, NULL, in_thread, NULL) != 0
      || pthread_join (thread, NULL) != 0)
    return 2;
  return 0;
}

/* A program that prints whether the C library and the kernel agree about a
   process's threads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Restartable sequences and the list of robust mutexes are registered with the
   kernel when a process starts, for memory of the loader's.  Nothing printed
   depends on addresses.  */

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
/* The libc may be newer than its headers; one before 2.35 registers none.  */
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

/* As struct __ptrace_rseq_configuration.  */
struct configuration
{
  uint64_t address;
  uint32_t size, signature, flags, pad;
};

static char *
thread_pointer (void)
{
#ifdef __x86_64__
  /* GCC has the built-in function from release 11 on.  */
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

/* Whether this thread's area tells the processor it runs on.  */
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
  return "never twice the same";
}

/* Compare the area to which the kernel writes (rseq), as ptrace tells for a
   child of this thread, with libc's area.  */
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

/* Whether the kernel has a list for this very thread: it lies in the thread's
   own block, behind the thread pointer or before it.  */
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

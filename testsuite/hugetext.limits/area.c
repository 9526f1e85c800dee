/* A program that prints whether the C library and the kernel agree about a
   process's threads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Restartable sequences, the address that is cleared when a thread ends, and
   the list of robust mutexes: each is registered with the kernel when a
   process starts, for memory of the loader's.  Nothing printed depends on
   addresses.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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

/* Where the kernel writes for this thread, as a child of it is told.  */
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

/* The robust mutex of a process that dies with it, held by its first thread or
   by a second one.  */
static pthread_mutex_t *mutex;

static void *
lock (void *closure)
{
  pthread_mutex_lock (mutex);
  return closure;
}

static int
robust (int in_second)
{
  pthread_mutexattr_t attributes;
  pthread_t thread;
  mutex = mmap (NULL, sizeof *mutex, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_setpshared (&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust (&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init (mutex, &attributes);
  pid_t pid = fork ();
  if (pid == 0)
    {
      if (!in_second)
        lock (NULL);
      else if (pthread_create (&thread, NULL, lock, NULL) == 0)
        pthread_join (thread, NULL);
      _exit (0);
    }
  waitpid (pid, NULL, 0);
  return pthread_mutex_trylock (mutex);
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

static pthread_t first;

static void *
outlive (void *closure)
{
  int result = pthread_join (first, NULL);
  printf ("joined the first thread: %d\n", result);
  fflush (stdout);
  _exit (result);
  return closure;
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
  fflush (stdout);
  for (int i = 0; i < 2; ++i)
    printf ("mutex of a process that died: %s\n",
            robust (i) == EOWNERDEAD ? "owner dead" : "another error");
  fflush (stdout);
  first = pthread_self ();
  if (pthread_create (&thread, NULL, outlive, NULL) != 0)
    return 2;
  pthread_exit (NULL);
}

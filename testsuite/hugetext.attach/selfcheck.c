/* A program that notices interference.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   selfcheck LIBRARY READY [SECONDS]

   The program's threads do work that an interruption, or text that is missing
   for a moment, could disturb, and check the results.  The threads

     - call functions all over the text of the program and of LIBRARY, which
       one thread opens and closes all the time (both texts are made from
       text.S, with the prefixes "main" and "lib")
     - sleep, and wait for a futex, a pipe and a descriptor of epoll
     - get signals and timers
     - fork and execute
     - compute with floating-point numbers

   The program makes the file READY when all threads run, and ends after
   SECONDS or on SIGTERM.  If nothing was wrong, it prints "ok" and the number
   of checks, and the exit status is 0.  Otherwise it prints a line for each
   kind of error.  At the end there must be as many descriptors as at the
   beginning.  */

#define _GNU_SOURCE 1
#include "text-step.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static atomic_bool stop;
static atomic_long checks;

/* Count a check.  If GOOD is false, report WHAT and VALUE, unless WHAT was
   reported before.  */
static atomic_int wrong;
static void
check (bool good, const char *what, long value)
{
  static const char *said[64];
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  atomic_fetch_add (&checks, 1);
  if (good)
    return;
  pthread_mutex_lock (&lock);
  size_t i = 0;
  while (i < 63 && said[i] != NULL && said[i] != what)
    ++i;
  if (said[i] == NULL)
    {
      said[i] = what;
      dprintf (STDOUT_FILENO, "wrong: %s (%ld)\n", what, value);
    }
  atomic_fetch_add (&wrong, 1);
  pthread_mutex_unlock (&lock);
}

static long
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

/* Return the next pseudo-random number.  */
static unsigned int
next (unsigned int *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Text: functions that return their own numbers.  */
struct text
{
  const char *start;
  size_t size;
};

static struct text
find_text (void *handle, const char *name)
{
  char symbol[64];
  snprintf (symbol, sizeof symbol, "%s_text", name);
  struct text text = { dlsym (handle, symbol), 0 };
  Dl_info info;
  ElfW (Sym) * entry;
  if (text.start != NULL
      && dladdr1 (text.start, &info, (void **) &entry, RTLD_DL_SYMENT) != 0)
    text.size = entry->st_size;
  return text;
}

static void
call_one (struct text text, unsigned int random, const char *what)
{
  /* The number has 16 bits on AArch64.  */
  int i = random % (text.size / STEP);
  int (*function) (void) = (int (*) (void)) (text.start + (size_t) i * STEP);
  check (function () == i, what, i);
}

static struct text program;

static void *
call_program (void *closure)
{
  unsigned int state = (unsigned int) (size_t) closure;
  while (!stop)
    {
      for (int i = 0; i < 2000; ++i)
        call_one (program, next (&state), "text of the program");
      usleep (500);
    }
  return NULL;
}

static void *
open_and_close (void *closure)
{
  unsigned int state = 1;
  while (!stop)
    {
      void *handle = dlopen (closure, RTLD_NOW);
      check (handle != NULL, "dlopen", 0);
      if (handle == NULL)
        break;
      struct text text = find_text (handle, "lib");
      check (text.size > 0, "the library has a symbol for its text", 0);
      for (int i = 0; i < 50 && text.size > 0 && !stop; ++i)
        {
          for (int k = 0; k < 200; ++k)
            call_one (text, next (&state), "text of the library");
          usleep (next (&state) % 2000);
        }
      check (dlclose (handle) == 0, "dlclose", 0);
      /* Write to new memory, which may be at the text's former addresses.  */
      char *mine = malloc (3 << 20);
      if (mine != NULL)
        {
          memset (mine, 'x', 3 << 20);
          usleep (next (&state) % 3000);
          check (mine[0] == 'x' && mine[(3 << 20) - 1] == 'x'
                     && mine[next (&state) % (3 << 20)] == 'x',
                 "memory mapped after dlclose", 0);
        }
      free (mine);
    }
  return NULL;
}

/* A sleep must not be shorter than wanted, and must not fail.  */
static void *
sleep_often (void *closure)
{
  unsigned int state = 7;
  (void) closure;
  while (!stop)
    {
      long wanted = 500 + next (&state) % 20000, before = now ();
      struct timespec time = { .tv_nsec = wanted * 1000 };
      int result;
      if (next (&state) % 2 == 0)
        result = nanosleep (&time, NULL) == 0 ? 0 : errno;
      else
        {
          clock_gettime (CLOCK_MONOTONIC, &time);
          long at = time.tv_nsec + wanted * 1000;
          time.tv_sec += at / 1000000000;
          time.tv_nsec = at % 1000000000;
          result
              = clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
        }
      check (result == 0, "sleep", result);
      check (now () - before >= wanted, "a sleep was too short",
             now () - before - wanted);
    }
  return NULL;
}

/* Wait for a futex that nobody wakes.  */
static void *
wait_in_vain (void *closure)
{
  int word = 1;
  (void) closure;
  while (!stop)
    {
      long before = now ();
      struct timespec time = { .tv_nsec = 15000000 };
      long result
          = syscall (SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &time, NULL, 0);
      check (result == -1 && errno == ETIMEDOUT, "futex", errno);
      check (now () - before >= 15000, "a futex wait timed out too early",
             now () - before);
    }
  return NULL;
}

/* Two threads that alternate.  */
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static long turn;

static void *
take_turns (void *closure)
{
  long mine = (long) (size_t) closure;
  pthread_mutex_lock (&turn_lock);
  while (!stop)
    {
      long seen = turn;
      if (turn % 2 == mine)
        {
          ++turn;
          check (turn == seen + 1, "turns", turn);
          pthread_cond_broadcast (&turn_changed);
          /* Sleep between two turns, and so leave the processor to other
             threads.  */
          pthread_mutex_unlock (&turn_lock);
          usleep (300);
          pthread_mutex_lock (&turn_lock);
        }
      struct timespec time;
      clock_gettime (CLOCK_REALTIME, &time);
      time.tv_nsec += 3000000;
      if (time.tv_nsec >= 1000000000)
        {
          ++time.tv_sec;
          time.tv_nsec -= 1000000000;
        }
      int result = pthread_cond_timedwait (&turn_changed, &turn_lock, &time);
      check (result == 0 || result == ETIMEDOUT, "pthread_cond_timedwait",
             result);
    }
  pthread_mutex_unlock (&turn_lock);
  return NULL;
}

/* Bytes in a pipe must come in order.  EINTR must not occur, because no
   handler runs in these threads.  */
static int ends[2];

static void *
write_bytes (void *closure)
{
  unsigned char byte = 0;
  (void) closure;
  while (!stop)
    {
      check (write (ends[1], &byte, 1) == 1, "write", errno);
      ++byte;
      usleep (1500);
    }
  close (ends[1]);
  return NULL;
}

static void *
read_bytes (void *closure)
{
  unsigned char expected = 0, byte;
  ssize_t n;
  (void) closure;
  while ((n = read (ends[0], &byte, 1)) == 1)
    check (byte == expected++, "bytes of a pipe", byte);
  check (n == 0, "read", errno);
  close (ends[0]);
  return NULL;
}

/* epoll_wait may be interrupted by a stop: see signal(7).  */
static void *
poll_nothing (void *closure)
{
  struct epoll_event event;
  (void) closure;
  int fd = epoll_create1 (EPOLL_CLOEXEC);
  while (!stop)
    {
      long before = now ();
      int n = epoll_wait (fd, &event, 1, 8);
      check (n == 0 || (n < 0 && errno == EINTR), "epoll_wait", errno);
      check (n != 0 || now () - before >= 7000, "epoll_wait was too short",
             now () - before);
    }
  close (fd);
  return NULL;
}

/* Signals with values must come in order, none of them twice, and none may be
   lost.  */
static atomic_int last_value, handled;
static pthread_t receiver;

static void
on_value (int signal, siginfo_t *info, void *context)
{
  (void) signal;
  (void) context;
  check (info->si_value.sival_int == last_value + 1, "signals in order",
         info->si_value.sival_int);
  last_value = info->si_value.sival_int;
  call_one (program, (unsigned int) last_value * 7919u, "text in a handler");
  atomic_fetch_add (&handled, 1);
}

static void *
receive (void *closure)
{
  sigset_t mask, set;
  (void) closure;
  pthread_sigmask (SIG_SETMASK, NULL, &mask);
  sigaddset (&mask, SIGUSR2);
  sigdelset (&mask, SIGRTMIN);
  pthread_sigmask (SIG_SETMASK, &mask, NULL);
  double sum = 1;
  while (!stop)
    {
      /* The signal mask and the registers must stay as they are.  */
      pthread_sigmask (SIG_SETMASK, NULL, &set);
      check (memcmp (&set, &mask, _NSIG / 8) == 0, "the mask of signals", 0);
      double a = 1, b = 1;
      for (int i = 1; i < 5000; ++i)
        {
          a = a * 1.0000001 + 1.0 / i;
          b = b * 1.0000001 + 1.0 / i;
        }
      check (a == b, "floating point", 0);
      sum += a;
      usleep (100);
    }
  return sum == 0 ? &stop : NULL;
}

static void *
send (void *closure)
{
  (void) closure;
  for (int i = 1; !stop; ++i)
    {
      union sigval value = { .sival_int = i };
      while (pthread_sigqueue (receiver, SIGRTMIN, value) == EAGAIN)
        usleep (1000);
      for (int k = 0; handled < i && k < 20000; ++k)
        usleep (500);
      check (handled == i, "each signal is handled exactly once", handled - i);
      usleep (700);
    }
  return NULL;
}

/* The number of signals from a timer of the process.  */
static atomic_long ticks;

static void
on_tick (int signal)
{
  (void) signal;
  int error = errno;
  ++ticks;
  call_one (program, (unsigned int) ticks * 104729u, "text in a timer");
  errno = error;
}

/* Fork children and start programs, and check how they end.  */
static void *
have_children (void *closure)
{
  unsigned int state = 3;
  (void) closure;
  while (!stop)
    {
      int status;
      pid_t pid = fork ();
      if (pid == 0)
        {
          for (int i = 0; i < 300; ++i)
            {
              unsigned int k = next (&state) % (program.size / STEP);
              int (*function) (void)
                  = (int (*) (void)) (program.start + (size_t) k * STEP);
              if (function () != (int) k)
                _exit (1);
            }
          _exit (42);
        }
      check (pid > 0, "fork", errno);
      pid_t got;
      while ((got = waitpid (pid, &status, 0)) < 0 && errno == EINTR)
        continue;
      check (got == pid && WIFEXITED (status) && WEXITSTATUS (status) == 42,
             "a child's end", status);
      char *argv[] = { (char *) "true", NULL };
      int error = posix_spawnp (&pid, "true", NULL, NULL, argv, environ);
      check (error == 0, "posix_spawn", error);
      if (error == 0)
        {
          while ((got = waitpid (pid, &status, 0)) < 0 && errno == EINTR)
            continue;
          check (got == pid && status == 0, "a program's end", status);
        }
      usleep (20000 + next (&state) % 20000);
    }
  return NULL;
}

/* The function of a thread that ends at once.  */
static void *
short_thread (void *closure)
{
  call_one (program, (unsigned int) (size_t) closure, "text in a new thread");
  return closure;
}

static void *
have_threads (void *closure)
{
  (void) closure;
  for (size_t i = 0; !stop; ++i)
    {
      pthread_t thread;
      void *result = NULL;
      int error = pthread_create (&thread, NULL, short_thread, (void *) i);
      check (error == 0, "pthread_create", error);
      if (error == 0)
        check (pthread_join (thread, &result) == 0 && result == (void *) i,
               "pthread_join", i);
      usleep (3000);
    }
  return NULL;
}

static int
count_descriptors (void)
{
  int n = 0;
  DIR *dir = opendir ("/proc/self/fd");
  while (dir != NULL && readdir (dir) != NULL)
    ++n;
  if (dir != NULL)
    closedir (dir);
  return n;
}

static void
on_term (int signal)
{
  (void) signal;
  stop = true;
}

int
main (int argc, char **argv)
{
  static void *(*const work[]) (void *)
      = { call_program,  call_program, call_program, open_and_close,
          sleep_often,   wait_in_vain, take_turns,   take_turns,
          write_bytes,   read_bytes,   poll_nothing, send,
          have_children, have_threads };
  enum
  {
    THREADS = sizeof work / sizeof work[0],
  };
  pthread_t threads[THREADS];
  sigset_t blocked;
  if (argc < 3)
    return 2;
  program = find_text (RTLD_DEFAULT, "main");
  if (program.size < STEP)
    return 2;
  int descriptors = count_descriptors ();

  /* Block these signals in the new threads.  The first thread unblocks these
     signals for itself below, and the receiver unblocks SIGRTMIN.  */
  sigemptyset (&blocked);
  sigaddset (&blocked, SIGALRM);
  sigaddset (&blocked, SIGTERM);
  sigaddset (&blocked, SIGRTMIN);
  pthread_sigmask (SIG_BLOCK, &blocked, NULL);
  sigaction (SIGRTMIN,
             &(struct sigaction){ .sa_sigaction = on_value,
                                  .sa_flags = SA_SIGINFO | SA_RESTART },
             NULL);
  sigaction (
      SIGALRM,
      &(struct sigaction){ .sa_handler = on_tick, .sa_flags = SA_RESTART },
      NULL);
  sigaction (SIGTERM, &(struct sigaction){ .sa_handler = on_term }, NULL);
  if (pipe2 (ends, O_CLOEXEC) != 0
      || pthread_create (&receiver, NULL, receive, NULL) != 0)
    return 2;
  for (size_t i = 0; i < THREADS; ++i)
    {
      void *closure
          = work[i] == open_and_close ? (void *) argv[1] : (void *) (i % 2);
      if (pthread_create (&threads[i], NULL, work[i], closure) != 0)
        return 2;
    }
  timer_t timer;
  struct sigevent event
      = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
  struct itimerspec interval = { { 0, 4000000 }, { 0, 4000000 } };
  pthread_sigmask (SIG_UNBLOCK, &blocked, NULL);
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) != 0
      || timer_settime (timer, 0, &interval, NULL) != 0)
    return 2;
  close (open (argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0644));

  long end = argc > 3 ? now () + atol (argv[3]) * 1000000 : LONG_MAX;
  while (!stop && now () < end)
    {
      long before = ticks;
      usleep (200000);
      check (ticks >= before, "a timer ran backwards", ticks);
    }
  stop = true;
  timer_delete (timer);
  for (size_t i = 0; i < THREADS; ++i)
    pthread_join (threads[i], NULL);
  pthread_join (receiver, NULL);
  check (ticks > 0, "a timer did not run", ticks);
  check (count_descriptors () == descriptors, "descriptors are left",
         count_descriptors () - descriptors);
  if (wrong == 0)
    printf ("ok %ld\n", (long) checks);
  else
    printf ("%d of %ld are wrong\n", (int) wrong, (long) checks);
  return wrong != 0;
}
